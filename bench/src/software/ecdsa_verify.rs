//! `ecdsa_verify` beside libsecp256k1 and k256.
//!
//! | metric | what is done | what the peer does |
//! |---|---|---|
//! | batch | a request of many signatures under many keys, as integers | one call a signature, signature and key as the peer keeps them |
//! | batch with parsing | the same from 33 bytes of key and 64 of signature; the keys' square roots in lanes | the same, one by one |
//! | latency of one | a request of one signature | one call |
//!
//! All our figures are taken through the door that every caller uses (`Device::submit`, `Ticket::wait`). All
//! signatures are valid, with a small s, and each is another one under another key.

use std::time::Instant;

use anyhow::{Result, ensure};
use proofmill_algebra::Isa;
use proofmill_algebra::encoding::sec1;
use proofmill_algebra::field::PrimeField;
use proofmill_cpu::CpuDevice;
use proofmill_op::ecdsa_verify::{Request, Signature};
use proofmill_op::{Answer, Data, Device};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::peers::ecdsa::{Encoded, Peer, Work, signatures, start};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::interleaved_medians;

/// Signatures in a batch.
const BATCH: usize = 2048;
/// Signatures that one thread parses in one go.
const PARSED_AT_ONCE: usize = 128;

/// One comparison.
struct Comparison {
    metric: &'static str,
    parsing: bool,
    count: usize,
    threads: usize,
    rounds: usize,
}

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let (batch, rounds) = if quick { (BATCH / 16, 3) } else { (BATCH, 31) };
    let encoded = signatures(batch)?;
    let mut peers = start()?;
    let all = std::thread::available_parallelism()?.get();
    let mut rows = Vec::new();
    for threads in if all > 1 { vec![1, all] } else { vec![1] } {
        for (metric, parsing) in [("batch", false), ("batch with parsing", true)] {
            let comparison = Comparison { metric, parsing, count: batch, threads, rounds };
            rows.extend(compare(&encoded, &comparison, &mut peers)?);
        }
    }
    let (metric, rounds) = ("latency of one", 100 * rounds);
    let one = Comparison { metric, parsing: false, count: 1, threads: 1, rounds };
    rows.extend(compare(&encoded, &one, &mut peers)?);
    Ok(rows)
}

/// A row for each peer.
fn compare(
    encoded: &[Encoded],
    comparison: &Comparison,
    program: &mut Program,
) -> Result<[SoftwareRow; 2]> {
    let &Comparison { metric, parsing, count, threads, rounds } = comparison;
    let encoded = &encoded[..count];
    let device = CpuDevice::new(Some(threads))?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let parsed: Data = parse(&pool, encoded)?.into();
    let program = std::cell::RefCell::new(program);
    let [mut library, mut k256] = [Peer::Libsecp256k1, Peer::K256].map(|peer| {
        let (work, program) = (Work { peer, parsing, count, threads }, &program);
        move || program.borrow_mut().seconds(&work)
    });
    let mut ours = || {
        let start = Instant::now();
        let signatures = if parsing { parse(&pool, encoded)?.into() } else { parsed.clone() };
        verify(&device, signatures)?;
        Ok(start.elapsed().as_secs_f64())
    };
    let medians = interleaved_medians(rounds, &mut [&mut ours, &mut library, &mut k256])?;
    let (unit, figure): (_, fn(f64, usize) -> f64) = match count {
        1 => ("us", |seconds, _| seconds * 1e6),
        _ => ("signatures/s", |seconds, count| count as f64 / seconds),
    };
    let row = |who: usize, peer: Peer| SoftwareRow {
        op: "ecdsa_verify".into(),
        instance: "secp256k1".into(),
        metric: metric.into(),
        unit: unit.into(),
        threads,
        ours: figure(medians[0], count),
        peer_name: peer.name().into(),
        peer: figure(medians[who], count),
        ratio: medians[who] / medians[0],
    };
    Ok([row(1, Peer::Libsecp256k1), row(2, Peer::K256)])
}

/// The bytes of a request.
fn parse(pool: &ThreadPool, encoded: &[Encoded]) -> Result<Vec<u8>> {
    let chunk = |encoded: &[Encoded]| -> Result<Vec<u8>> {
        let keys: Vec<_> = encoded.iter().map(|encoded| encoded.key).collect();
        let keys = sec1::decode_compressed_batch(Isa::best(), &keys);
        let mut bytes = Vec::with_capacity(encoded.len() * 160);
        for (encoded, key) in encoded.iter().zip(keys) {
            let key = key?;
            let (r, s) = encoded.signature.split_at(32);
            let [s, r, hash] =
                [s, r, &encoded.digest].map(|integer| std::array::from_fn(|i| integer[31 - i]));
            let (qx, qy) = (key.x().to_le_bytes(), key.y().to_le_bytes());
            bytes.extend(Signature { s, r, hash, qx, qy }.to_bytes());
        }
        Ok(bytes)
    };
    let chunks: Vec<_> =
        pool.install(|| encoded.par_chunks(PARSED_AT_ONCE).map(chunk).collect::<Result<_>>())?;
    Ok(chunks.concat())
}

/// Has the signatures verified, from the question to the answer.
fn verify(device: &CpuDevice, signatures: Data) -> Result<()> {
    let request = proofmill_op::Request::EcdsaVerify(Request::new(signatures));
    let Answer::EcdsaVerify(response) = device.submit(request)?.wait()? else {
        anyhow::bail!("another answer")
    };
    let valid = response.verdicts.iter().all(|verdict| verdict.is_valid());
    ensure!(valid, "we find a signature invalid");
    Ok(())
}
