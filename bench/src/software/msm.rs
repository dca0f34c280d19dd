//! Multi-scalar multiplication beside arkworks, blst, halo2curves and gnark-crypto: milliseconds for one.
//!
//! Points are multiples of the generator, parked before; scalars have all bits; nothing is precomputed. Every peer has
//! the same number of threads, and all take turns.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, SCALAR_BYTES, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{Bases, Instance, Request, Response, Sums};
use proofmill_op::{Answer, Data, Device};

use crate::peers::msm::{Work, start_go, start_rust};
use crate::peers::program::Program;
use crate::row::SoftwareRow;
use crate::timing::{Contestant, interleaved_medians};

/// The peers that have a group, by the names that their programs know and with what stands in the rows.
const PEERS: [(&str, &str, &[&str]); 4] = [
    ("gnark-crypto", "gnark-crypto 0.22.0 (GOAMD64=v4)", &["bn254", "bls12_381", "bls12_377"]),
    ("arkworks", "arkworks 0.6.0 (asm)", &["bn254", "bls12_381", "bls12_377"]),
    ("blst", "blst 0.3.17", &["bls12_381"]),
    ("halo2curves", "halo2curves 0.10.0 (asm)", &["bn254"]),
];

/// The figures.
pub fn rows(quick: bool) -> Result<Vec<SoftwareRow>> {
    let go = start_go().inspect_err(|problem| eprintln!("without gnark-crypto: {problem:#}")).ok();
    let mut peers = Peers { rust: start_rust()?, go };
    let mut rows = Vec::new();
    let g1 = if quick { vec![10] } else { vec![16, 18, 20] };
    let g2 = if quick { vec![10] } else { vec![16] };
    let threads =
        if std::thread::available_parallelism()?.get() > 1 { vec![1, 2] } else { vec![1] };
    for &threads in &threads {
        group::<bn254::G1>(&mut rows, &mut peers, &g1, threads)?;
        group::<bls12_381::G1>(&mut rows, &mut peers, &g1, threads)?;
        group::<bls12_377::G1>(&mut rows, &mut peers, &g1, threads)?;
        group::<bn254::G2>(&mut rows, &mut peers, &g2, threads)?;
        group::<bls12_381::G2>(&mut rows, &mut peers, &g2, threads)?;
        group::<bls12_377::G2>(&mut rows, &mut peers, &g2, threads)?;
    }
    Ok(rows)
}

/// The programs; the second one where there is `go`.
struct Peers {
    rust: Program,
    go: Option<Program>,
}

fn group<C: Group<Base: Coordinate>>(
    rows: &mut Vec<SoftwareRow>,
    peers: &mut Peers,
    sizes: &[u32],
    threads: usize,
) -> Result<()> {
    for &size in sizes {
        let ours = Ours::new::<C>(1 << size, threads)?;
        let present: Vec<_> = PEERS
            .iter()
            .filter(|(library, _, curves)| {
                curves.iter().any(|curve| C::NAME.starts_with(curve))
                    && (peers.go.is_some() || *library != "gnark-crypto")
            })
            .collect();
        let rounds = if size > 16 { 3 } else { 7 };
        let programs = std::cell::RefCell::new(&mut *peers);
        let mut turns: Vec<Box<dyn FnMut() -> Result<f64> + '_>> =
            vec![Box::new(|| ours.seconds())];
        for (library, ..) in &present {
            let work = Work {
                library: (*library).into(),
                instance: C::NAME.into(),
                count: 1 << size,
                threads,
            };
            let programs = &programs;
            turns.push(Box::new(move || {
                let mut programs = programs.borrow_mut();
                match programs.go.as_mut().filter(|_| work.library == "gnark-crypto") {
                    Some(go) => go.seconds(&work),
                    None => programs.rust.seconds(&work),
                }
            }));
        }
        let mut contestants: Vec<&mut dyn Contestant> =
            turns.iter_mut().map(|turn| turn as &mut dyn Contestant).collect();
        let medians = interleaved_medians(rounds, &mut contestants)?;
        let milliseconds: Vec<_> = medians.iter().map(|seconds| seconds * 1e3).collect();
        let (ours, theirs) = milliseconds.split_first().context("we take part")?;
        for ((_, name, _), peer) in present.iter().zip(theirs) {
            rows.push(SoftwareRow {
                op: "msm".into(),
                instance: C::NAME.into(),
                metric: format!("2^{size} points"),
                unit: "ms".into(),
                threads,
                ours: *ours,
                peer_name: (*name).into(),
                peer: *peer,
                ratio: peer / ours,
            });
        }
    }
    Ok(())
}

/// Our side: parked points and scalars on a device of some threads.
struct Ours {
    device: CpuDevice,
    sums: Sums,
}

impl Ours {
    fn new<C: Group<Base: Coordinate>>(count: usize, threads: usize) -> Result<Self> {
        let device = CpuDevice::new(Some(threads))?;
        let instance: Instance = C::NAME.parse()?;
        let points: Vec<u8> = multiples::<C>(1, count).iter().flat_map(pair::encode).collect();
        let park = Request::Park(Bases::new(instance, points));
        let Answer::Msm(Response::Parked(parked)) = ask(&device, park)? else {
            bail!("no handle to parked points")
        };
        let start = C::Scalar::from(0x9e37_79b9_7f4a_7c15).square().square();
        let next = |x: &C::Scalar| Some(x.square() + start);
        let mut scalars = Vec::with_capacity(count * SCALAR_BYTES);
        for scalar in std::iter::successors(Some(start), next).take(count) {
            scalars.extend(scalar.to_le_bytes().as_ref());
        }
        let sums = Sums::one(Bases::parked(instance, parked), Data::from(scalars));
        Ok(Self { device, sums })
    }

    fn seconds(&self) -> Result<f64> {
        let request = Request::Sums(self.sums.clone());
        let start = Instant::now();
        ask(&self.device, request)?;
        Ok(start.elapsed().as_secs_f64())
    }
}

fn ask(device: &CpuDevice, request: Request) -> Result<Answer> {
    Ok(device.submit(proofmill_op::Request::Msm(request))?.wait()?)
}
