//! A proof takes no more memory than its plan says: the process's own peak, so this test is alone in its program.

#![cfg(target_os = "linux")]

use std::sync::Arc;

use proofmill_cpu::CpuDevice;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Curve, Devices, Prover, Settings};
use proofmill_proof::snarkjs::{Witness, Zkey};

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    1024 * kib.parse::<usize>().unwrap()
}

#[test]
fn the_peak_is_below_the_plan() {
    let folder = std::env::temp_dir().join(format!("proofmill-prover-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (key, witness) = (folder.join("chain.zkey"), folder.join("chain.wtns"));
    {
        let statement = Statement::Chain { constraints: (1 << 15) - 2 };
        let circuit = Circuit::new(Curve::Bn254, &statement).unwrap();
        let file = |path| std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        circuit.write_insecure_key(b"memory", &mut file(&key)).unwrap();
        circuit.write_witness(&mut file(&witness)).unwrap();
    }
    for park in [false, true] {
        let before = status("VmRSS");
        std::fs::write("/proc/self/clear_refs", "5").unwrap(); // the peak starts anew
        let (zkey, wtns) = (Zkey::open(&key).unwrap(), Witness::open(&witness).unwrap());
        let devices = Devices::one(Arc::new(CpuDevice::new(Some(2)).unwrap()));
        let settings = Settings { park, ..Settings::default() };
        let prover = Prover::new(&zkey, devices, settings).unwrap();
        prover.prove(&wtns, None).unwrap();
        let peak = status("VmHWM") - before;
        let plan = prover.plan().unwrap();
        println!("{peak} of {} bytes", plan.memory());
        assert!(peak <= plan.memory(), "{peak} of {}", plan.memory());
        assert!(peak >= plan.memory() / 4, "a plan that says much more than {peak} says nothing");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
