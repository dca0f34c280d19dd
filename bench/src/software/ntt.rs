//! Number-theoretic transforms compared with arkworks, gnark-crypto, Plonky3 and plonky2_field: milliseconds per transform.
//!
//! Ours goes from canonical bytes to canonical bytes, in natural order, through the device. A peer's time is that from its own
//! elements to its own elements, in its preferred order; and, in rows of their own, from bytes to bytes, as ours. The input of
//! all was written just before, and responses reuse the memory of the previous run, because the cost of new memory is that of
//! the system. Every peer has the same number of threads, and all run alternately.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use proofmill_cpu::CpuDevice;
use proofmill_op::Submit;
use proofmill_op::ntt::{Field, Request};
use works::ntt::Work;

use super::{Rows, Task};
use crate::peers::{Library, Package, Peer, Peers, Target, contest};
use crate::place::Processor;
use crate::row::SoftwareRow;
use crate::timing::Pick;

/// gnark-crypto has no transforms of other fields.
const OF_PAIRING_CURVES: &[Library] = &[Library::Arkworks, Library::GnarkCrypto(Package::Ntt)];
const OF_PASTA_CURVES: &[Library] = &[Library::Arkworks];
/// Transforms of one program: its name of them, the name in the rows, and whether they use threads.
const OF_GOLDILOCKS: [(&str, &str, bool); 3] = [
    ("Radix2DFTSmallBatch", "Plonky3 0.9.0-rc.2 Radix2DFTSmallBatch", true),
    ("Radix2DitParallel", "Plonky3 0.9.0-rc.2 Radix2DitParallel", true),
    ("plonky2_field", "plonky2_field 1.0.0", false),
];

/// Measures the rows.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let peers = Peers::default();
    let mut rows = Rows::default();
    let all = std::thread::available_parallelism()?.get();
    for field in Field::ALL {
        let sizes: &[u32] = match field {
            _ if quick => &[10],
            Field::Goldilocks => &[20, 22, 24],
            _ => &[18, 20],
        };
        for &log_size in sizes {
            // One after the other, because the peers' preparation is the same.
            for threads in 1..=all.min(2) {
                one(&mut rows, &peers, field, log_size, threads)?;
            }
        }
    }
    Ok(rows.by_threads())
}

fn one(rows: &mut Rows, peers: &Peers, field: Field, log_size: u32, threads: usize) -> Result<()> {
    let mut ours = ours(field, log_size, threads)?;
    let (mut theirs, mut forms) = (Vec::new(), Vec::new());
    for (library, transform, name) in transforms(field, threads) {
        for (bytes, form) in [(false, "peer's own elements"), (true, "bytes to bytes")] {
            let (transform, instance) = (transform.into(), field.name().into());
            let work = works::Work::Ntt(Work { transform, instance, log_size, threads, bytes });
            theirs.push(Peer::new(peers, library, work).named(name.clone()));
            forms.push(form);
        }
    }
    let rounds = match field.bytes() << log_size {
        ..0x80_0001 => 9,
        0x80_0001..0x200_0001 => 5,
        _ => 3,
    };
    let ([ours], seconds) = contest(rounds, Pick::Median, [&mut *ours], &mut theirs)?;
    for ((peer, form), seconds) in theirs.into_iter().zip(forms).zip(seconds) {
        rows.push(SoftwareRow {
            op: "ntt".into(),
            instance: field.name().into(),
            metric: format!("2^{log_size}, {form}"),
            unit: "ms".into(),
            threads,
            ours: ours * 1e3,
            peer_name: peer.name,
            peer: seconds * 1e3,
            ratio: seconds / ours,
            absent: peer.absent,
        });
    }
    Ok(())
}

/// Prepares our transform, of elements that are written just before the clock starts, as in the peers' programs: they are in
/// the caches as far as they fit.
fn ours(field: Field, log_size: u32, threads: usize) -> Result<Task> {
    let device = CpuDevice::new(Some(threads))?;
    let elements = elements(field, log_size);
    let (mut source, mut memory) = (Arc::<[u8]>::from(&elements[..]), Vec::new());
    Ok(Box::new(move || {
        Arc::make_mut(&mut source).copy_from_slice(&elements);
        let request = Request::forward(field, source.clone());
        let request = request.with_buffer(std::mem::take(&mut memory));
        let start = Instant::now();
        let response = device.submit(request)?.wait()?;
        let seconds = start.elapsed().as_secs_f64();
        memory = response.elements;
        Ok(seconds)
    }))
}

/// Prepares a transform on one thread.
pub fn task(log_size: u32) -> Result<Task> {
    ours(Field::Bn254Fr, log_size, 1)
}

/// Returns the peers' transforms over a field on this many threads: the library, its name of the transform, and the name in the rows.
fn transforms(field: Field, threads: usize) -> Vec<(Library, &'static str, String)> {
    let of = |libraries: &[Library]| {
        libraries.iter().map(|library| (*library, "", library.name())).collect()
    };
    match field {
        Field::Goldilocks => {
            let present = OF_GOLDILOCKS.into_iter();
            let present = present.filter(|(.., threaded)| *threaded || threads == 1);
            present.map(|(transform, name, _)| (Library::Plonky, transform, shown(name))).collect()
        }
        Field::PastaFp | Field::PastaFq => of(OF_PASTA_CURVES),
        _ => of(OF_PAIRING_CURVES),
    }
}

/// Adds the mode to a name: if it is built for AVX-512, Plonky3's program ends when it is not packed for it.
fn shown(name: &str) -> String {
    let target = Target::current();
    let packed = name.starts_with("Plonky3") && Processor::current().has("avx512f");
    if packed && target == Target::Native {
        format!("{name} (AVX-512)")
    } else {
        target.shown(name)
    }
}

/// Returns elements of nearly all bits, below the smallest modulus.
fn elements(field: Field, log_size: u32) -> Vec<u8> {
    let words = (1..).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3);
    words.take((field.bytes() / 8) << log_size).flat_map(u64::to_le_bytes).collect()
}
