//! A GPU against all cores of its machine: milliseconds of a request, and of its stages on the GPU.
//!
//! Bases, keys and, where a row states it, elements are resident; all other data come from the memory of this process and return to it. Results are
//! compared with those of `cpu:`. Peers are separate programs (bench/peers/sppark), since they need their own compiler.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use proofmill::groth16::dev::{Circuit, Statement};
use proofmill::groth16::snarkjs::{Witness, Zkey};
use proofmill::groth16::{Curve, Devices, Prover, Settings};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Group, multiples};
use proofmill_cpu::CpuDevice;
use proofmill_cuda::{CudaDevice, Options};
use proofmill_op::msm::{self, Bases, Instance};
use proofmill_op::{Bytes, Data, Device, ResidentData, Submit, in_group, ntt, poseidon};
use rayon::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The measurements in order: name, function, logarithm of the size, and logarithm in a quick run.
type Part = fn(&Sides, u32) -> Result<Vec<Value>>;
const PARTS: [(&str, Part, u32, u32); 14] = [
    ("msm bn254_g1 20", |sides, log| msms(sides, "bn254_g1", log, false), 20, 10),
    ("msm bn254_g1 20 tables", |sides, log| msms(sides, "bn254_g1", log, true), 20, 8),
    ("msm bls12_381_g1 20", |sides, log| msms(sides, "bls12_381_g1", log, false), 20, 9),
    ("msm bls12_377_g1 20", |sides, log| msms(sides, "bls12_377_g1", log, false), 20, 8),
    ("msm bn254_g2 20", |sides, log| msms(sides, "bn254_g2", log, false), 20, 8),
    ("msm bls12_381_g2 20", |sides, log| msms(sides, "bls12_381_g2", log, false), 20, 8),
    ("ntt bn254_fr 22", |sides, log| transform(sides, ntt::Field::Bn254Fr, log), 22, 12),
    ("ntt bls12_381_fr 22", |sides, log| transform(sides, ntt::Field::Bls12_381Fr, log), 22, 12),
    ("ntt goldilocks 24", |sides, log| transform(sides, ntt::Field::Goldilocks, log), 24, 14),
    ("quotient bn254_fr 20", |sides, log| quotient(sides, ntt::Field::Bn254Fr, log), 20, 10),
    ("poseidon arity 8", tree, 24, 6),
    ("prove bn254 20", |sides, log| prove(sides, Curve::Bn254, log), 20, 6),
    ("prove bls12_381 18", |sides, log| prove(sides, Curve::Bls12_381, log), 18, 6),
    ("msm bn254_g1 24", |sides, log| msms(sides, "bn254_g1", log, false), 24, 11),
];
/// Number of repetitions; the first ones do not count.
const ROUNDS: usize = 9;
const WARM_UP: usize = 2;

/// The GPU, and the processor beside it.
struct Sides {
    gpu: Arc<CudaDevice>,
    cpu: Arc<dyn Device>,
}

/// Measures on a GPU, or on the emulation; prints a JSON object per line.
pub fn run(device: &str, quick: bool, only: Option<&str>) -> Result<()> {
    let gpu = match device.strip_prefix("cuda:").context("the device is cuda:NUMBER")? {
        "emulated" => CudaDevice::emulated(device, Options::default())?,
        number => CudaDevice::open(device, number.parse()?, Options::default())?,
    };
    let cpu = CpuDevice::new(None)?;
    let about = json!({ "device": gpu.caps().description, "processor": cpu.caps().description });
    println!("{about}");
    gpu.time_stages();
    let sides = Sides { gpu: Arc::new(gpu), cpu: Arc::new(cpu) };
    let mut failed = Vec::new();
    for (name, part, log, quick_log) in PARTS {
        if only.is_some_and(|only| !only.split(',').any(|only| name.starts_with(only))) {
            continue;
        }
        let start = Instant::now();
        match part(&sides, if quick { quick_log } else { log }) {
            Ok(rows) => rows.iter().for_each(|row| println!("{row}")),
            Err(problem) => {
                println!("{}", json!({ "part": name, "problem": format!("{problem:#}") }));
                failed.push(name);
            }
        }
        eprintln!("{name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// Times of repetitions, and the stages of the fastest.
struct Timed {
    seconds: Vec<f64>,
    stages: Vec<(&'static str, f32)>,
}

impl Timed {
    fn of(sides: &Sides, mut work: impl FnMut() -> Result<()>) -> Result<Self> {
        let (mut seconds, mut best, mut stages) = (Vec::new(), f64::INFINITY, Vec::new());
        for round in 0..ROUNDS {
            let start = Instant::now();
            work()?;
            let took = start.elapsed().as_secs_f64();
            if round < WARM_UP {
                continue;
            }
            if took < best {
                (best, stages) = (took, sides.gpu.stages().unwrap_or_default());
            }
            seconds.push(took);
        }
        seconds.sort_by(f64::total_cmp);
        Ok(Self { seconds, stages })
    }

    fn row(&self, op: &str, instance: &str, metric: String, cpu: Option<f64>) -> Value {
        let mut stages: Vec<(&str, f32)> = Vec::new();
        for (stage, ms) in &self.stages {
            match stages.iter_mut().find(|(name, _)| name == stage) {
                Some((_, all)) => *all += ms,
                None => stages.push((stage, *ms)),
            }
        }
        let stages: serde_json::Map<_, _> = stages
            .into_iter()
            .map(|(name, ms)| (name.to_owned(), json!((f64::from(ms) * 1e3).round() / 1e3)))
            .collect();
        let ms = |seconds: f64| (seconds * 1e6).round() / 1e3;
        json!({
            "op": op, "instance": instance, "metric": metric, "unit": "ms",
            "best": ms(self.seconds[0]), "median": ms(self.seconds[self.seconds.len() / 2]),
            "cpu": cpu.map(ms), "stages": stages,
        })
    }
}

/// Returns elements of `each` bytes whose highest bits are 0, derived from a public seed.
fn random(bytes: usize, each: usize, top_bits: u32) -> Vec<u8> {
    let mut all = vec![0u8; bytes];
    all.par_chunks_mut(1 << 16).enumerate().for_each(|(number, chunk)| {
        for (block, bytes) in chunk.chunks_mut(32).enumerate() {
            let seed = [(number as u64).to_le_bytes(), (block as u64).to_le_bytes()].concat();
            bytes.copy_from_slice(&Sha256::digest(seed)[..bytes.len()]);
        }
    });
    all.par_chunks_mut(each).for_each(|element| element[each - 1] &= 0xff >> top_bits);
    all
}

fn points<C: Group<Base: Coordinate>>(count: usize) -> proofmill_op::Result<Vec<u8>> {
    const PIECE: usize = 1 << 13;
    let pieces = (0..count.div_ceil(PIECE)).into_par_iter().map(|number| {
        let start = number * PIECE;
        let points = multiples::<C>(1 + start as u64, PIECE.min(count - start));
        points.iter().flat_map(pair::encode).collect::<Vec<_>>()
    });
    Ok(pieces.collect::<Vec<_>>().concat())
}

fn load(device: &dyn Device, bases: Bases) -> Result<ResidentData> {
    Ok(device.submit(bases)?.wait()?)
}

fn msm(device: &dyn Device, request: msm::Request) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.points.remove(0))
}

fn msms(sides: &Sides, instance: &str, log: u32, with_tables: bool) -> Result<Vec<Value>> {
    let instance: Instance = instance.parse()?;
    let count = 1usize << log;
    let bytes = Bytes::from(in_group!(instance, points(count))?);
    let max_bytes = if with_tables { 16 * bytes.len() } else { 0 };
    let bases = || Bases::new(instance, bytes.clone()).unchecked();
    let start = Instant::now();
    let on_gpu = load(&*sides.gpu, bases().precomputed(max_bytes))?;
    let loaded = start.elapsed().as_secs_f64();
    let on_cpu = load(&*sides.cpu, bases())?;
    let uniform = random(count * 32, 32, 4);
    let mut ones = vec![0; count * 32];
    ones.chunks_mut(32).zip(0u32..).for_each(|(scalar, i)| scalar[0] = (i % 3 == 1).into());
    let equal = uniform[..32].repeat(count);
    let mut rows = Vec::new();
    for (name, scalars) in [("uniform", uniform), ("0 and 1", ones), ("all equal", equal)] {
        let scalars = Bytes::from(scalars);
        let request = |resident: &ResidentData| {
            msm::Request::new(Bases::resident(instance, resident.clone()), scalars.clone())
        };
        let start = Instant::now();
        let expected = msm(&*sides.cpu, request(&on_cpu))?;
        let cpu = start.elapsed().as_secs_f64();
        let timed = Timed::of(sides, || {
            let found = msm(&*sides.gpu, request(&on_gpu))?;
            ensure!(found == expected, "{instance} 2^{log} {name}: the result is wrong");
            Ok(())
        })?;
        let tables = if with_tables { ", tables" } else { "" };
        let metric = format!("2^{log} points, {name} scalars from the host{tables}");
        let mut row = timed.row("msm", instance.name(), metric, Some(cpu));
        row["load_ms"] = json!((loaded * 1e3).round());
        rows.push(row);
        if with_tables || log > 20 {
            break;
        }
    }
    Ok(rows)
}

fn elements(device: &dyn Device, request: ntt::Request) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.elements)
}

fn values(device: &dyn Device, request: ntt::Quotient) -> Result<Vec<u8>> {
    match device.submit(request)?.wait()? {
        ntt::QuotientResponse::Elements(elements) => Ok(elements.into_plain()),
        ntt::QuotientResponse::Resident(_) => bail!("a handle"),
    }
}

fn transform(sides: &Sides, field: ntt::Field, log: u32) -> Result<Vec<Value>> {
    let bytes = Bytes::from(random(field.bytes() << log, field.bytes(), 3));
    let request = |data: Data, memory| ntt::Request::forward(field, data).with_buffer(memory);
    let mut expected = elements(&*sides.cpu, request(Data::Host(bytes.clone()), vec![]))?;
    let start = Instant::now();
    let memory = std::mem::take(&mut expected);
    expected = elements(&*sides.cpu, request(Data::Host(bytes.clone()), memory))?;
    let cpu = start.elapsed().as_secs_f64();
    let resident = sides.gpu.load(Data::Host(bytes.clone()))?;
    let mut rows = Vec::new();
    for (name, data) in
        [("from the host", Data::Host(bytes)), ("resident", Data::Resident(resident))]
    {
        let mut memory = Vec::new();
        let timed = Timed::of(sides, || {
            let reused = std::mem::take(&mut memory);
            memory = elements(&*sides.gpu, request(data.clone(), reused))?;
            Ok(())
        })?;
        ensure!(memory == expected, "{field} 2^{log}: the result is wrong");
        let metric = format!("2^{log} elements, {name}, to the host");
        rows.push(timed.row("ntt", field.name(), metric, Some(cpu)));
    }
    Ok(rows)
}

fn quotient(sides: &Sides, field: ntt::Field, log: u32) -> Result<Vec<Value>> {
    let bytes = Bytes::from(random(field.bytes() << log, field.bytes(), 3));
    let mut coset = vec![0; field.bytes()];
    coset[0] = 7;
    let lists = || [(); 3].map(|()| Data::Host(bytes.clone()));
    let request = || ntt::Quotient::new(field, lists(), coset.clone());
    let start = Instant::now();
    let expected = values(&*sides.cpu, request())?;
    let cpu = start.elapsed().as_secs_f64();
    ensure!(values(&*sides.gpu, request())? == expected, "quotient 2^{log}: it is wrong");
    let keep = Instance::ALL[0];
    let timed = Timed::of(sides, || {
        let quotient = ntt::Quotient::new(field, lists(), coset.clone()).resident_for(keep);
        sides.gpu.submit(quotient)?.wait()?;
        Ok(())
    })?;
    let metric = format!("quotient of 2^{log}, lists from the host, result resident");
    Ok(vec![timed.row("ntt", field.name(), metric, Some(cpu))])
}

fn tree(sides: &Sides, log: u32) -> Result<Vec<Value>> {
    let (arity, height) = (8, log / 3);
    let leaves = Bytes::from(random(32 << (3 * height), 32, 2));
    let request = |data: Data| {
        let layers = poseidon::Layers::new(arity, height as usize, data);
        layers.with_output(poseidon::Output::Last)
    };
    let root = |device: &dyn Device, data: Data| -> Result<Vec<u8>> {
        Ok(device.submit(request(data))?.wait()?.digests)
    };
    let start = Instant::now();
    let expected = root(&*sides.cpu, Data::Host(leaves.clone()))?;
    let cpu = start.elapsed().as_secs_f64();
    let resident = sides.gpu.load(Data::Host(leaves.clone()))?;
    let mut rows = Vec::new();
    for (name, data) in
        [("from the host", Data::Host(leaves)), ("resident", Data::Resident(resident))]
    {
        let timed = Timed::of(sides, || {
            ensure!(root(&*sides.gpu, data.clone())? == expected, "the root is wrong");
            Ok(())
        })?;
        let metric = format!("tree of 2^{} leaves, arity {arity}, {name}", 3 * height);
        rows.push(timed.row("poseidon", "bls12_381", metric, Some(cpu)));
    }
    Ok(rows)
}

fn prove(sides: &Sides, curve: Curve, log: u32) -> Result<Vec<Value>> {
    let constraints = (1usize << log) - 8;
    let circuit = Circuit::new(curve, &Statement::Chain { constraints })?;
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"bench", &mut key)?;
    circuit.write_witness(&mut witness)?;
    drop(circuit);
    let (key, witness) =
        (Zkey::from_bytes("key", key.into())?, Witness::from_bytes("witness", witness)?);
    let settings = Settings { resident: true, retry_on_fallback: false, ..Settings::default() };
    let mut times = Vec::new();
    let gpu: Arc<dyn Device> = sides.gpu.clone();
    let mut steps = String::new();
    for device in [sides.cpu.clone(), gpu] {
        let prover = Prover::new(&key, Devices::one(device), settings)?;
        times.push(Timed::of(sides, || {
            let proved = prover.prove(&witness)?;
            let step =
                |it: &proofmill::groth16::Timed| format!("{} {:.1} ms", it.step, it.seconds * 1e3);
            steps = proved.report.steps.iter().map(step).collect::<Vec<_>>().join(", ");
            Ok(())
        })?);
    }
    let [cpu, gpu] = &times[..] else { bail!("two devices") };
    let metric = format!("2^{log} constraints, key resident, witness from the host, self-check");
    let mut row = gpu.row("prove", curve.name(), metric, Some(cpu.seconds[0]));
    row["steps"] = json!(steps);
    row["stages"] = Value::Null;
    Ok(vec![row])
}
