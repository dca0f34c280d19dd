//! Whole Zcash blocks compared with the Zcash crates: the mainnet blocks of the crate `zebra-test`, repeated to 10,000 transactions.
//!
//! | | ours | the peer's |
//! |---|---|---|
//! | parsing, Equihash and difficulty, Merkle root | yes | yes, with the crate `equihash` |
//! | JoinSplits: Groth16 proofs and signatures | yes | yes, but for signatures before Overwinter |
//! | Sapling: proofs, RedJubjub, binding signatures | one batch of all | one batch of all bundles with known digests |
//! | Orchard: proofs, RedPallas | one batch of all | one batch of all bundles with known digests |
//! | transparent inputs with known outputs | yes | yes, with libsecp256k1, but for those before Overwinter |
//! | other rules of structure, double spends | yes | no |
//!
//! The peer checks less, never more. Seconds from bytes in memory to the verdicts; keys are prepared before.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use proofmill_cpu::CpuDevice;
use proofmill_testkit::zebra;
use proofmill_zcash::verify::Verdict;
use proofmill_zcash::{BlockReader, BlockVerifier, Network};
use works::zcash::Work;

use super::Rows;
use crate::peers::{Library, Peer, Peers, contest};
use crate::report;
use crate::row::SoftwareRow;
use crate::timing::Pick;

/// Transactions of a measurement.
const TRANSACTIONS: usize = 10_000;

/// Measures the rows. Nothing is measured where cargo cannot fetch the blocks.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (file, transactions) = blocks()?;
    let (rounds, scale) = if quick { (1, 50) } else { (3, 1) };
    let repeat = TRANSACTIONS.div_ceil(scale).div_ceil(transactions);
    let all = std::thread::available_parallelism()?.get();
    let (peers, mut rows) = (Peers::default(), Rows::default());
    for threads in if all > 1 { vec![1, all] } else { vec![1] } {
        let work = Work { file: file.clone(), repeat, threads };
        let mut ours = || ours(&work);
        let mut theirs = [Peer::new(&peers, Library::Zcash, works::Work::Zcash(work.clone()))];
        let ([seconds], peer) = contest(rounds, Pick::Median, [&mut ours], &mut theirs)?;
        let [theirs] = theirs;
        let count = (repeat * transactions) as f64;
        rows.push(SoftwareRow {
            op: "zcash".into(),
            instance: "mainnet".into(),
            metric: format!("{count} transactions in whole blocks"),
            unit: "transactions/s".into(),
            threads,
            ours: count / seconds,
            peer_name: theirs.name,
            peer: count / peer[0],
            ratio: peer[0] / seconds,
            absent: theirs.absent,
        });
    }
    Ok(rows.all())
}

/// Writes the blocks of mainnet as zcashd stores them. Returns the file, and the number of transactions.
fn blocks() -> Result<(PathBuf, usize)> {
    let script = report::checkout().join("tools/zebra_test.py");
    let done = Command::new("python3").arg(script).output().context("cannot start python3")?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr).trim());
    let folder = PathBuf::from(String::from_utf8(done.stdout)?.trim());
    let blocks = zebra::read(folder).map_err(anyhow::Error::msg)?;
    let mut bytes = Vec::new();
    for block in blocks.iter().filter(|it| it.network == proofmill::equihash::Network::Main) {
        // The Zcash crates do not read a genesis block.
        if !block.name.contains("0-000-000") {
            bytes.extend([0x24, 0xe9, 0x27, 0x64]);
            bytes.extend((block.bytes.len() as u32).to_le_bytes());
            bytes.extend(&block.bytes);
        }
    }
    let mut transactions = 0;
    for block in BlockReader::new(&bytes[..], Network::MainNetwork) {
        transactions += block?.transactions.len();
    }
    let file = report::checkout().join("target/bench/zcash.dat");
    std::fs::create_dir_all(file.parent().context("no folder")?)?;
    std::fs::write(&file, bytes).with_context(|| file.display().to_string())?;
    Ok((file, transactions))
}

/// Returns the seconds of our verification.
fn ours(work: &Work) -> Result<f64> {
    let bytes = std::fs::read(&work.file)?;
    let device = Arc::new(CpuDevice::new(Some(work.threads))?);
    let mut verifier = BlockVerifier::new(device, Network::MainNetwork);
    let pool = proofmill_cpu::thread_pool(Some(work.threads))?;
    pool.install(|| {
        // The keys are prepared by the first block with each kind of proof.
        let warm: Vec<_> =
            BlockReader::new(&bytes[..], Network::MainNetwork).collect::<Result<_, _>>()?;
        verifier.verify(warm)?;
        let start = Instant::now();
        let blocks =
            (0..work.repeat).flat_map(|_| BlockReader::new(&bytes[..], Network::MainNetwork));
        let mut invalid = None;
        verifier.verify_each(blocks, |report| match report {
            Ok(report) if report.verdict() != Verdict::Invalid => {}
            other => invalid = Some(other),
        })?;
        ensure!(invalid.is_none(), "we find a block invalid: {invalid:?}");
        Ok(start.elapsed().as_secs_f64())
    })
}
