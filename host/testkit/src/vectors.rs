//! The cases of `spec/vectors`: one file an operation and instance, made by `make vectors`, embedded at build time.

mod coprocessor;
mod ecdsa_verify;
mod equihash_verify;
mod msm;
mod ntt;
mod poseidon;
mod shell;

pub(crate) use coprocessor::told as told_slot;
pub use coprocessor::{CoprocessorCase, cases as coprocessor};
pub use ecdsa_verify::{EcdsaCase, cases as ecdsa_verify};
pub use equihash_verify::{EquihashCase, cases as equihash_verify};
pub use msm::{MsmCase, cases as msm};
pub use ntt::{NttCase, cases as ntt};
pub use poseidon::{PoseidonCase, cases as poseidon};
pub use shell::{Exchange, ShellCase, cases as shell};

/// The cases of all files whose name begins so. An error names the file.
fn read_all<Case>(
    begins: &str,
    parse: impl Fn(&str) -> Result<Vec<Case>, String>,
) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let files = proofmill_spec::VECTORS.iter();
    for (name, text) in files.filter(|(name, _)| name.starts_with(begins)) {
        let wrong = |problem| format!("spec/vectors/{name}.json: {problem}");
        cases.extend(parse(text).map_err(wrong)?);
    }
    if cases.is_empty() {
        return Err(format!("spec/vectors/{begins}: no cases"));
    }
    Ok(cases)
}

/// `0x` and at most 64 hex digits as a little-endian integer.
fn integer(text: &str) -> Result<[u8; 32], String> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{text} is not 0x and digits"))?;
    let mut bytes = [0; 32];
    hex::decode_to_slice(format!("{digits:0>64}"), &mut bytes)
        .map_err(|error| format!("{text}: {error}"))?;
    bytes.reverse();
    Ok(bytes)
}
