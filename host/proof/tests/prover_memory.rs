//! A proof takes no more memory than its plan. The test reads the process's own peak, so this program has no other tests and runs one at a time.

#![cfg(target_os = "linux")]

use std::sync::{Arc, Mutex};

use proofmill_cpu::CpuDevice;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Curve, Devices, Prover, Settings, return_freed_memory};
use proofmill_proof::snarkjs::{self, Witness, Zkey};
use proofmill_proof::{fflonk, plonk};

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
    examine(1 << 13, &[(1, false), (2, true)]);
}

#[test]
#[ignore = "most of a minute"]
fn the_peak_of_a_larger_proof_is_below_the_plan() {
    examine(1 << 14, &[(1, false), (2, true)]);
    examine(1 << 16, &[(1, false), (1, true), (2, false), (2, true)]);
}

/// Proves a chain of this many constraints minus four, by all protocols, with these threads and with a resident key or without.
fn examine(size: usize, cases: &[(usize, bool)]) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap();
    return_freed_memory();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let file = |name: &str| std::io::BufWriter::new(std::fs::File::create(at(name)).unwrap());
    let statement = Statement::Chain { constraints: size - 4 };
    let circuit = Circuit::new(Curve::Bn254, &statement).unwrap();
    circuit.write_insecure_key(b"memory", &mut file("groth16.zkey")).unwrap();
    circuit.write_insecure_plonk_key(b"memory", &mut file("plonk.zkey")).unwrap();
    circuit.write_insecure_fflonk_key(b"memory", &mut file("fflonk.zkey")).unwrap();
    circuit.write_witness(&mut file("chain.wtns")).unwrap();
    drop(circuit);
    for &(threads, resident) in cases {
        let settings = Settings { resident, ..Settings::default() };
        let devices = || Devices::one(Arc::new(CpuDevice::new(Some(threads)).unwrap()));
        let case = |name| format!("{name}, {size} rows, {threads} threads, resident {resident}");
        measure(&case("Groth16"), || {
            let (key, witness) = (Zkey::open(at("groth16.zkey")), Witness::open(at("chain.wtns")));
            let prover = Prover::new(&key.unwrap(), devices(), settings).unwrap();
            prover.prove(&witness.unwrap()).unwrap();
            prover.plan().unwrap().memory()
        });
        measure(&case("PLONK"), || {
            let key = snarkjs::plonk::Zkey::open(at("plonk.zkey")).unwrap();
            let witness = Witness::open(at("chain.wtns")).unwrap();
            let prover = plonk::Prover::new(&key, devices(), settings).unwrap();
            prover.prove(&witness).unwrap();
            prover.plan().unwrap().memory()
        });
        measure(&case("FFLONK"), || {
            let key = snarkjs::fflonk::Zkey::open(at("fflonk.zkey")).unwrap();
            let witness = Witness::open(at("chain.wtns")).unwrap();
            let prover = fflonk::Prover::new(&key, devices(), settings).unwrap();
            prover.prove(&witness).unwrap();
            prover.plan().unwrap().memory()
        });
    }
}

/// Compares the peak of this process during the work with the plan that the work returns.
fn measure(case: &str, work: impl FnOnce() -> usize) {
    let before = status("VmRSS");
    std::fs::write("/proc/self/clear_refs", "5").unwrap(); // the peak starts anew
    let plan = work();
    let peak = status("VmHWM") - before;
    let part = peak as f64 / plan as f64;
    println!("{case}: {part:.2} of {plan} bytes");
    assert!(part <= 1.0, "{case}: {peak} bytes, not {plan} at most");
    assert!(part >= LEAST, "{case}: a plan of {plan} bytes for {peak} says too much");
}
