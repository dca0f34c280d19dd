//! `proofmill key solidity`: writes a contract that verifies the proofs of a key.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use proofmill::groth16::snarkjs::{AnyVerifyingKey, AnyZkey};
use proofmill::solidity::{ContractName, contract};

use crate::new_file::{keep_apart, write_all};
use crate::output::Exit;
use crate::source::{regular, require_file};

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill key solidity circuit.zkey",
    "proofmill key solidity verification_key.json --name Membership --output Membership.sol",
))]
pub struct Solidity {
    /// The name of the contract: an upper-case letter, then letters, digits and underscores [default: Groth16Verifier,
    /// PlonkVerifier or FflonkVerifier]
    #[arg(long, value_name = "NAME")]
    name: Option<ContractName>,
    /// Where to write it; an existing file is replaced, - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "verifier.sol")]
    output: PathBuf,
    /// The proving key (.zkey) or the verification key (.json), a regular file
    #[arg(value_name = "KEY")]
    key: PathBuf,
}

/// Writes a contract.
pub fn solidity(arguments: &Solidity) -> anyhow::Result<Exit> {
    let Solidity { name, output, key } = arguments;
    keep_apart(&[("--output", output)], &[("KEY", key)])?;
    require_file("KEY", key)?;
    let contract = contract(&open(key)?, name.as_ref());
    let contract = contract.with_context(|| key.display().to_string())?;
    write_all(&[("--output", output, contract.as_bytes())])?;
    Ok(Exit::Valid)
}

/// Reads a proving key or a verification key.
fn open(key: &Path) -> anyhow::Result<AnyVerifyingKey> {
    let mut magic = Vec::new();
    let read = regular(key).and_then(|file| Ok(file.take(4).read_to_end(&mut magic)?));
    read.with_context(|| format!("KEY: {}", key.display()))?;
    Ok(match &magic[..] {
        b"zkey" => AnyZkey::open(key)?.verifying_key()?,
        _ => AnyVerifyingKey::open(key)?,
    })
}
