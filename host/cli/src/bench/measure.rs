//! Measures a device: engines from small sizes to large ones, and one proof.

use std::time::{Duration, Instant};

use proofmill::groth16::dev::{Circuit, Statement};
use proofmill::groth16::snarkjs::{Witness, Zkey};
use proofmill::groth16::{Curve, Prover, Settings, devices_with_fallback};
use proofmill::msm::Instance;
use proofmill::ntt::Field;
use proofmill::{Capability, Data, Device, Uri, equihash, poseidon};
use serde_json::{Value, json};

use crate::doctor::measure as works;
use crate::threads::Threads;

/// Time per size; at least one run is measured.
const SHARE: Duration = Duration::from_millis(400);
const QUICK: Duration = Duration::from_millis(5);
/// A size with a longer run is the last one of its engine.
const LONG: Duration = Duration::from_secs(4);
/// The public seed of the key's secrets: the key is INSECURE.
const SEED: &[u8] = b"bench";
/// Base-2 logarithm of the proof's constraints.
const PROOF: u32 = 14;
const QUICK_PROOF: u32 = 8;
const PROOFS: usize = 3;
/// Arity of Poseidon.
const ARITY: usize = 8;

/// An engine: its name, its capability, a unit of its work, its sizes (of which quick runs use two), and a function that measures the rate at a size.
struct Engine<'a> {
    op: &'static str,
    asked: Capability,
    unit: &'static str,
    sizes: &'static [usize],
    rate: Box<dyn Fn(usize, Duration) -> anyhow::Result<f64> + 'a>,
}

/// Measures a device: `path`, `device`, `threads`, `rows`, `proof`.
pub fn all(uri: &Uri, threads: Threads, quick: bool) -> anyhow::Result<Value> {
    let device = proofmill::open_uri(uri)?;
    let (caps, share) = (device.caps(), if quick { QUICK } else { SHARE });
    let mut rows = Vec::new();
    for engine in engines(&*device)?.iter().filter(|engine| caps.offers(&engine.asked)) {
        let sizes = if quick { &engine.sizes[..2] } else { engine.sizes };
        for &size in sizes {
            let start = Instant::now();
            let rate = (engine.rate)(size, share)?;
            rows.push(json!({
                "op": engine.op, "instance": engine.asked.to_string(), "unit": engine.unit, "size": size, "per_second": rate,
            }));
            if start.elapsed() > LONG {
                break;
            }
        }
    }
    let path = caps.isa.map_or_else(|| caps.uri.clone(), |isa| isa.name().into());
    let (uri_of_it, count) = (caps.uri.clone(), caps.threads);
    drop(device);
    let proof = threads.run(|| proof(uri, threads, quick))?;
    Ok(json!({ "path": path, "device": uri_of_it, "threads": count, "rows": rows, "proof": proof }))
}

/// Returns a row's name: instance and size.
pub fn name(row: &Value) -> String {
    let (instance, size) = (row["instance"].as_str().unwrap_or_default(), row["size"].as_u64());
    let size = size.unwrap_or_default();
    match size.is_power_of_two() && size >= 256 {
        true => format!("{instance} 2^{}", size.trailing_zeros()),
        false => format!("{instance} {size}"),
    }
}

fn engines(device: &dyn Device) -> anyhow::Result<Vec<Engine<'_>>> {
    const POINTS: &[usize] = &[1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16];
    const ELEMENTS: &[usize] = &[1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20];
    const ITEMS: &[usize] = &[1, 8, 64, 512, 4096];
    let params = equihash::Params::N200_K9;
    Ok(vec![
        sums(device, "bn254_g1".parse()?, POINTS),
        sums(device, "bls12_381_g1".parse()?, POINTS),
        transforms(device, Field::Bn254Fr, ELEMENTS),
        transforms(device, Field::Goldilocks, ELEMENTS),
        Engine {
            op: "ecdsa_verify",
            asked: Capability::EcdsaVerify,
            unit: "signatures",
            sizes: ITEMS,
            rate: Box::new(|count, share| works::ecdsa(device, count, share)),
        },
        Engine {
            op: "equihash_verify",
            asked: Capability::EquihashVerify(params),
            unit: "headers",
            sizes: ITEMS,
            rate: Box::new(|count, share| works::equihash(device, count, share)),
        },
        Engine {
            op: "poseidon",
            asked: Capability::Poseidon(poseidon::Instance::Bls12_381),
            unit: "hashes",
            sizes: ITEMS,
            rate: Box::new(|count, share| {
                let preimages: Data = works::numbers(4, ARITY * count).into();
                works::rate(count, share, || Ok(poseidon::hash(device, ARITY, preimages.clone())?))
            }),
        },
    ])
}

fn sums<'a>(device: &'a dyn Device, instance: Instance, sizes: &'static [usize]) -> Engine<'a> {
    Engine {
        op: "msm",
        asked: Capability::Msm(instance),
        unit: "points",
        sizes,
        rate: Box::new(move |count, share| works::msm(device, instance, count, share)),
    }
}

fn transforms<'a>(device: &'a dyn Device, field: Field, sizes: &'static [usize]) -> Engine<'a> {
    Engine {
        op: "ntt",
        asked: Capability::Ntt(field),
        unit: "elements",
        sizes,
        rate: Box::new(move |count, share| works::ntt(device, field, count, share)),
    }
}

/// Returns the fastest of a few proofs with a resident key: its phases in milliseconds.
fn proof(uri: &Uri, threads: Threads, quick: bool) -> anyhow::Result<Value> {
    let constraints = 1 << if quick { QUICK_PROOF } else { PROOF };
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints })?;
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(SEED, &mut key)?;
    circuit.write_witness(&mut witness)?;
    let key = Zkey::from_bytes("bench.zkey", key.into())?;
    let witness = Witness::from_bytes("bench.wtns", witness)?;
    let settings = Settings { resident: true, ..Settings::default() };
    let prover = Prover::new(&key, devices_with_fallback(uri, &threads.processor()?)?, settings)?;
    let mut best = prover.prove(&witness)?.report;
    for _ in 1..PROOFS {
        let report = prover.prove(&witness)?.report;
        if report.seconds < best.seconds {
            best = report;
        }
    }
    let phases = best.steps.iter().map(|step| {
        json!({ "phase": step.step.to_string(), "ms": step.seconds * 1e3, "device": step.device })
    });
    let phases: Vec<_> = phases.collect();
    Ok(
        json!({ "curve": "bn254", "constraints": constraints, "ms": best.seconds * 1e3, "phases": phases }),
    )
}
