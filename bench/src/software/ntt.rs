//! Number-theoretic transforms beside arkworks, gnark-crypto, Plonky3 and plonky2_field: milliseconds for one.
//!
//! We go from canonical bytes to canonical bytes, in natural order, through the device. A peer's time is that from its own elements
//! to its own elements, in the order that suits it; and, in rows of their own, from bytes to bytes, as ours. What is transformed,
//! by us and by a peer, was written just before, and answers go into the memory of the turn before: what new memory costs is the
//! system's affair. Every peer has the same number of threads, and all take turns.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use proofmill_algebra::Isa;
use proofmill_cpu::CpuDevice;
use proofmill_op::ntt::{Field, Request};
use proofmill_op::{Answer, Data, Device};

use crate::peers::ntt::{Work, start_go, start_plonky, start_rust};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_medians};

/// A peer: the name that its program knows it by, what stands in the rows, and whether it has threads.
type Peer = (&'static str, &'static str, bool);

const OF_255_BITS: [Peer; 2] = [
    ("arkworks", "arkworks 0.6.0 (asm)", true),
    ("gnark-crypto", "gnark-crypto 0.22.0 (GOAMD64=v4)", true),
];
const OF_GOLDILOCKS: [Peer; 3] = [
    ("Radix2DFTSmallBatch", "Plonky3 0.9.0-rc.2 Radix2DFTSmallBatch", true),
    ("Radix2DitParallel", "Plonky3 0.9.0-rc.2 Radix2DitParallel", true),
    ("plonky2_field", "plonky2_field 1.0.0", false),
];

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let without = |name: &'static str| {
        move |problem: &anyhow::Error| eprintln!("without {name}: {problem:#}")
    };
    let mut peers = Peers {
        rust: start_rust()?,
        go: start_go().inspect_err(without("gnark-crypto")).ok(),
        plonky: start_plonky().inspect_err(without("Plonky3 and plonky2_field")).ok(),
    };
    let mut rows = Vec::new();
    let all = std::thread::available_parallelism()?.get();
    for field in Field::ALL {
        let sizes: &[u32] = match field {
            _ if quick => &[10],
            Field::Goldilocks => &[20, 22, 24],
            _ => &[18, 20],
        };
        for &log_size in sizes {
            // One after the other, because what the peers prepare is the same.
            for threads in 1..=all.min(2) {
                one(&mut rows, &mut peers, field, log_size, threads)?;
            }
        }
    }
    rows.sort_by_key(|row| row.threads);
    Ok(rows)
}

/// The programs; those of which there are some.
struct Peers {
    rust: Program,
    go: Option<Program>,
    plonky: Option<Program>,
}

impl Peers {
    fn program(&mut self, library: &str) -> Option<&mut Program> {
        match library {
            "arkworks" => Some(&mut self.rust),
            "gnark-crypto" => self.go.as_mut(),
            _ => self.plonky.as_mut(),
        }
    }
}

fn one(
    rows: &mut Vec<SoftwareRow>,
    peers: &mut Peers,
    field: Field,
    log_size: u32,
    threads: usize,
) -> Result<()> {
    let device = CpuDevice::new(Some(threads))?;
    let elements = elements(field, log_size);
    let (mut source, mut memory) = (Arc::<[u8]>::from(&elements[..]), Vec::new());
    let ours = || -> Result<f64> {
        // Just before the clock starts, as the peers' programs do: as far as it goes, it is in the caches.
        Arc::make_mut(&mut source).copy_from_slice(&elements);
        let request = Request::forward(field, Data::Here(source.clone()));
        let request = request.answered_in(std::mem::take(&mut memory));
        let start = Instant::now();
        let answer = device.submit(proofmill_op::Request::Ntt(request))?.wait()?;
        let seconds = start.elapsed().as_secs_f64();
        let Answer::Ntt(response) = answer else { bail!("another answer") };
        memory = response.elements;
        Ok(seconds)
    };
    let all: &[Peer] = if field == Field::Goldilocks { &OF_GOLDILOCKS } else { &OF_255_BITS };
    let mut present: Vec<_> = all
        .iter()
        .filter(|(library, _, threaded)| {
            (*threaded || threads == 1) && peers.program(library).is_some()
        })
        .flat_map(|peer| [(peer, false), (peer, true)])
        .collect();
    // A program keeps one library's memory at a time.
    present.sort_by_key(|(peer, _)| peer.0);
    let programs = RefCell::new(peers);
    let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> = vec![Box::new(ours)];
    for ((library, ..), bytes) in &present {
        let work = Work {
            library: (*library).into(),
            instance: field.name().into(),
            log_size,
            threads,
            bytes: *bytes,
        };
        let programs = &programs;
        turns.push(Box::new(move || {
            let mut programs = programs.borrow_mut();
            programs.program(&work.library).context("it was there")?.seconds(&work)
        }));
    }
    let mut contestants: Vec<&mut dyn Contestant> =
        turns.iter_mut().map(|turn| turn as &mut dyn Contestant).collect();
    let rounds = match field.bytes() << log_size {
        ..0x80_0001 => 9,
        0x80_0001..0x200_0001 => 5,
        _ => 3,
    };
    let medians = interleaved_medians(rounds, &mut contestants)?;
    let milliseconds: Vec<_> = medians.iter().map(|seconds| seconds * 1e3).collect();
    let (ours, theirs) = milliseconds.split_first().context("we take part")?;
    for (((_, name, _), bytes), peer) in present.iter().zip(theirs) {
        let form = if *bytes { "bytes to bytes" } else { "peer's own elements" };
        rows.push(SoftwareRow {
            op: "ntt".into(),
            instance: field.name().into(),
            metric: format!("2^{log_size}, {form}"),
            unit: "ms".into(),
            threads,
            ours: *ours,
            peer_name: shown(name),
            peer: *peer,
            ratio: peer / ours,
        });
    }
    Ok(())
}

/// A peer's name with its mode: compiled for this processor, Plonky3's program ends when it is not packed for AVX-512.
fn shown(name: &str) -> String {
    let packed = name.starts_with("Plonky3") && Isa::best().name().starts_with("avx512");
    if packed { format!("{name} (AVX-512)") } else { name.into() }
}

/// Elements of nearly all bits, below the smallest modulus.
fn elements(field: Field, log_size: u32) -> Vec<u8> {
    let words = (1..).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3);
    words.take((field.bytes() / 8) << log_size).flat_map(u64::to_le_bytes).collect()
}
