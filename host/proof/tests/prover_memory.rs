//! A proof takes no more memory than its plan. The test reads the process's own peak, so this program has no other tests and runs one at a time.

#![cfg(target_os = "linux")]

use std::sync::{Arc, Mutex};

use proofmill_cpu::CpuDevice;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Curve, Devices, Prover, Settings, return_freed_memory};
use proofmill_proof::snarkjs::{Witness, Zkey};

/// Returns a line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    1024 * kib.parse::<usize>().unwrap()
}

/// The least part of the plan that a proof may use; with less, the plan would be useless. The program itself, for which the plan has some MiB,
/// and memory that earlier proofs left for reuse are not counted.
const LEAST: f64 = 0.25;

#[test]
fn the_peak_is_below_the_plan() {
    examine(1 << 14);
}

#[test]
#[ignore = "most of a minute"]
fn the_peak_of_a_larger_proof_is_below_the_plan() {
    examine(1 << 16);
}

/// Proves a chain of this many constraints minus two.
fn examine(size: usize) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap();
    return_freed_memory();
    let folder = tempfile::tempdir().unwrap();
    let (key, witness) = (folder.path().join("chain.zkey"), folder.path().join("chain.wtns"));
    let statement = Statement::Chain { constraints: size - 2 };
    let circuit = Circuit::new(Curve::Bn254, &statement).unwrap();
    let file = |path| std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    circuit.write_insecure_key(b"memory", &mut file(&key)).unwrap();
    circuit.write_witness(&mut file(&witness)).unwrap();
    drop(circuit);
    for (threads, resident) in [(1, false), (1, true), (2, false), (2, true)] {
        let before = status("VmRSS");
        std::fs::write("/proc/self/clear_refs", "5").unwrap(); // the peak starts anew
        let (zkey, wtns) = (Zkey::open(&key).unwrap(), Witness::open(&witness).unwrap());
        let devices = Devices::one(Arc::new(CpuDevice::new(Some(threads)).unwrap()));
        let settings = Settings { resident, ..Settings::default() };
        let prover = Prover::new(&zkey, devices, settings).unwrap();
        prover.prove(&wtns).unwrap();
        let (peak, plan) = (status("VmHWM") - before, prover.plan().unwrap().memory());
        let part = peak as f64 / plan as f64;
        println!("{size} rows, {threads} threads, resident {resident}: {part:.2} of {plan} bytes");
        assert!(part <= 1.0, "{peak} bytes, not {plan} at most");
        assert!(part >= LEAST, "a plan of {plan} bytes for {peak} says too much");
    }
}
