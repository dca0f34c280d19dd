//! The statements to prove: our own chains for each protocol, and a circuit of circom.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proofmill::groth16::Curve;
use proofmill::groth16::dev::{Circuit, Statement};
use proofmill::groth16::snarkjs::Zkey;
use proofmill::snark::Protocol;
use works::prove::Work;

use crate::peers::prove::{circom, packages};

/// Curves, logarithms of the sizes of chains, and numbers of rounds.
const CHAINS: [(Curve, u32, usize); 5] = [
    (Curve::Bn254, 14, 5),
    (Curve::Bn254, 16, 4),
    (Curve::Bn254, 18, 3),
    (Curve::Bls12_381, 14, 3),
    (Curve::Bls12_381, 16, 2),
];
/// Small circuits, where a proof takes milliseconds.
const SMALL_CHAINS: [(Curve, u32, usize); 5] = [
    (Curve::Bn254, 4, 20),
    (Curve::Bn254, 7, 20),
    (Curve::Bn254, 8, 15),
    (Curve::Bn254, 10, 10),
    (Curve::Bn254, 12, 8),
];
/// Those of a quick run.
const QUICK_CHAINS: [(Curve, u32, usize); 2] = [(Curve::Bn254, 10, 1), (Curve::Bls12_381, 10, 1)];

/// The logarithm of the size and the number of rounds of the chain over BN254 for other protocols than Groth16.
const OTHER_PROTOCOLS: (u32, usize) = (14, 3);
/// Those of a quick run.
const QUICK_OTHER_PROTOCOLS: (u32, usize) = (10, 1);

/// A circuit of `interop/circuits`: its name there, its name in rows, and the number of rounds.
const CIRCOM: (&str, &str, usize) = ("sha256", "SHA-256", 4);
/// That of a quick run.
const QUICK_CIRCOM: (&str, &str, usize) = ("poseidon_chain", "Poseidon chain", 1);

/// A chain for batches only, so short that one proof after the other leaves two threads largely idle.
const SHORT: (Curve, u32, usize) = (Curve::Bn254, 12, 8);

/// Proofs of a batch.
const BATCH: usize = 16;

/// A statement to prove.
pub struct Task {
    /// The protocol.
    pub protocol: Protocol,
    /// The curve.
    pub curve: Curve,
    /// Its name in rows.
    pub name: String,
    /// The logarithm of a chain's size; `None` for another circuit.
    pub chain: Option<u32>,
    /// The number of rounds.
    pub rounds: usize,
    /// Proofs of a batch; 0 where that takes too long, and for other protocols than Groth16, which have no lanes.
    pub batch: usize,
    /// Its key and its witness.
    pub files: Files,
}

/// A key and a witness.
pub struct Files {
    /// The key.
    pub zkey: PathBuf,
    /// The witness.
    pub wtns: PathBuf,
}

impl Task {
    /// Returns all tasks, with their files in a folder. Where npm cannot install circom and snarkjs, the circuit of circom is
    /// omitted with a message.
    pub fn all(folder: &Path, quick: bool) -> Result<Vec<Self>> {
        let chains: &[_] = if quick { &QUICK_CHAINS } else { &CHAINS };
        let chain = |&(curve, log_size, rounds)| Self::chain(folder, curve, log_size, rounds);
        let mut all: Vec<_> = chains.iter().map(chain).collect::<Result<_>>()?;
        all.extend(Self::of_plonk(folder, quick)?);
        let circuit = if quick { QUICK_CIRCOM } else { CIRCOM };
        match packages() {
            Ok(_) => all.push(Self::circom(folder, circuit)?),
            Err(problem) => eprintln!("without circom's {}: {problem:#}", circuit.1),
        }
        Ok(all)
    }

    /// Returns the small chains.
    pub fn small(folder: &Path, quick: bool) -> Result<Vec<Self>> {
        let chains = if quick { &SMALL_CHAINS[..1] } else { &SMALL_CHAINS };
        let chain = |&(curve, log_size, rounds)| {
            Ok(Self { batch: 0, ..Self::chain(folder, curve, log_size, rounds)? })
        };
        chains.iter().map(chain).collect()
    }

    /// Returns the tasks for PLONK and FFLONK.
    pub fn of_plonk(folder: &Path, quick: bool) -> Result<Vec<Self>> {
        let (log_size, rounds) = if quick { QUICK_OTHER_PROTOCOLS } else { OTHER_PROTOCOLS };
        let chain = |protocol| Self::chain_of(protocol, folder, Curve::Bn254, log_size, rounds);
        [Protocol::Plonk, Protocol::Fflonk].into_iter().map(chain).collect()
    }

    /// Returns the task for batches only.
    pub fn short(folder: &Path) -> Result<Self> {
        let (curve, log_size, rounds) = SHORT;
        Self::chain(folder, curve, log_size, rounds)
    }

    /// Returns a chain with a key for Groth16.
    pub fn chain(folder: &Path, curve: Curve, log_size: u32, rounds: usize) -> Result<Self> {
        Self::chain_of(Protocol::Groth16, folder, curve, log_size, rounds)
    }

    /// Returns a chain of some constraints less than a power of two, so that the key's domain is no larger.
    fn chain_of(
        protocol: Protocol,
        folder: &Path,
        curve: Curve,
        log_size: u32,
        rounds: usize,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let (fewer, said) = match protocol {
            Protocol::Plonk => (6, "PLONK, "),
            Protocol::Fflonk => (6, "FFLONK, "),
            _ => (2, ""),
        };
        let constraints = (1 << log_size) - fewer;
        let circuit = Circuit::new(curve, &Statement::Chain { constraints })?;
        let zkey = format!("INSECURE-{protocol}-{}-chain-{log_size}.zkey", curve.name());
        let zkey = folder.join(zkey);
        let wtns = zkey.with_extension("wtns");
        write(&zkey, |to| match protocol {
            Protocol::Plonk => circuit.write_insecure_plonk_key(b"bench", to),
            Protocol::Fflonk => circuit.write_insecure_fflonk_key(b"bench", to),
            _ => circuit.write_insecure_key(b"bench", to),
        })?;
        write(&wtns, |to| circuit.write_witness(to))?;
        let name = format!("{said}2^{log_size} constraints");
        let batch = if protocol == Protocol::Groth16 && log_size <= 16 { BATCH } else { 0 };
        let (chain, files) = (Some(log_size), Files { zkey, wtns });
        Ok(Self { protocol, curve, name, chain, rounds, batch, files })
    }

    /// Returns a circuit of circom over BN254.
    fn circom(folder: &Path, circuit: (&str, &str, usize)) -> Result<Self> {
        let (circuit, said, rounds) = circuit;
        let folder = folder.join(circuit);
        let [zkey, wtns] = circom(circuit, &folder)?;
        let rows = Zkey::open(&zkey)?.domain_log();
        let name = format!("circom's {said}, 2^{rows} rows");
        let (protocol, curve) = (Protocol::Groth16, Curve::Bn254);
        let files = Files { zkey, wtns };
        Ok(Self { protocol, curve, name, chain: None, rounds, batch: BATCH, files })
    }

    /// Returns the work for a peer; keys that are expensive to make are kept in a folder.
    pub fn work(&self, keys: &Path, threads: usize) -> Work {
        let Files { zkey, wtns } = &self.files;
        Work {
            protocol: self.protocol.to_string(),
            curve: self.curve.name().into(),
            log_size: self.chain.unwrap_or_default(),
            threads,
            zkey: zkey.clone(),
            wtns: wtns.clone(),
            proof: zkey.with_extension("proof.json"),
            public: zkey.with_extension("public.json"),
            keys: keys.into(),
        }
    }
}

fn write(path: &Path, what: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut to = BufWriter::with_capacity(1 << 20, File::create(path)?);
    what(&mut to)?;
    to.flush()?;
    Ok(())
}
