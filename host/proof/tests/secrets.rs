//! A proof leaves no value of the witness in memory that it frees. The allocator of this program looks for one of them, in canonical form.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use proofmill_cpu::CpuDevice;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::fflonk::Prover as FflonkProver;
use proofmill_proof::groth16::{Curve, Devices, Prover, Settings};
use proofmill_proof::plonk::Prover as PlonkProver;
use proofmill_proof::snarkjs::{Witness, Zkey, fflonk, plonk};

/// The value that is looked for, while `WATCHES`.
static SECRET: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
static WATCHES: AtomicBool = AtomicBool::new(false);
/// Allocations that held it when they were freed, and the bytes of the largest.
static LEAKS: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

struct Watching;

// SAFETY: all memory is the system allocator's.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if WATCHES.load(Ordering::Relaxed) {
            let secret = SECRET.each_ref().map(|word| word.load(Ordering::Relaxed).to_le_bytes());
            // SAFETY: the memory is the caller's until it is freed below, and was zeroed when it was allocated.
            let bytes = unsafe { std::slice::from_raw_parts(memory, layout.size()) };
            if bytes.windows(32).any(|part| part == secret.as_flattened()) {
                LEAKS.fetch_add(1, Ordering::Relaxed);
                LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
            }
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

#[test]
fn a_proof_frees_no_memory_with_a_value_of_the_witness() {
    for curve in [Curve::Bn254, Curve::Bls12_381] {
        let circuit = Circuit::new(curve, &Statement::Chain { constraints: 60 }).unwrap();
        let (mut key, mut witness) = (Vec::new(), Vec::new());
        circuit.write_insecure_key(b"secrets", &mut key).unwrap();
        circuit.write_witness(&mut witness).unwrap();
        let secret: [u8; 32] = *witness.last_chunk().unwrap();
        watch_for(secret);
        let key = Zkey::from_bytes("key", key.into()).unwrap();
        let witness = Witness::from_bytes("witness", witness).unwrap();
        let device = Arc::new(CpuDevice::new(Some(2)).unwrap());
        let settings = Settings { resident: true, ..Settings::default() };
        let prover = Prover::new(&key, Devices::one(device), settings).unwrap();
        examine(&format!("Groth16 {curve:?}"), || drop(prover.prove(&witness).unwrap()));
        // The watch sees what is freed as it is.
        WATCHES.store(true, Ordering::Relaxed);
        drop(secret.to_vec());
        WATCHES.store(false, Ordering::Relaxed);
        assert_eq!(LEAKS.swap(0, Ordering::Relaxed), 1);
    }
    for curve in ["bn254", "bls12_381"] {
        let read = |name| std::fs::read(format!("tests/snarkjs/plonk_{curve}/{name}")).unwrap();
        let witness = read("witness.wtns");
        watch_for(*witness.last_chunk().unwrap());
        let key = plonk::Zkey::from_bytes("key", read("circuit.zkey").into()).unwrap();
        let witness = Witness::from_bytes("witness", witness).unwrap();
        let device = Arc::new(CpuDevice::new(Some(2)).unwrap());
        let devices = Devices::one(device);
        let prover = PlonkProver::new(&key, devices, Settings::default()).unwrap();
        examine(&format!("PLONK {curve}"), || drop(prover.prove(&witness).unwrap()));
    }
    let read = |name| std::fs::read(format!("tests/snarkjs/fflonk_bn254/{name}")).unwrap();
    let witness = read("witness.wtns");
    watch_for(*witness.last_chunk().unwrap());
    let key = fflonk::Zkey::from_bytes("key", read("circuit.zkey").into()).unwrap();
    let witness = Witness::from_bytes("witness", witness).unwrap();
    let devices = Devices::one(Arc::new(CpuDevice::new(Some(2)).unwrap()));
    let prover = FflonkProver::new(&key, devices, Settings::default()).unwrap();
    examine("FFLONK", || drop(prover.prove(&witness).unwrap()));
}

/// Sets the value that is looked for.
fn watch_for(secret: [u8; 32]) {
    for (word, bytes) in SECRET.iter().zip(secret.as_chunks::<8>().0) {
        word.store(u64::from_le_bytes(*bytes) as usize, Ordering::Relaxed);
    }
}

/// Asserts that this work frees no memory with the value.
fn examine(case: &str, work: impl FnOnce()) {
    WATCHES.store(true, Ordering::Relaxed);
    work();
    WATCHES.store(false, Ordering::Relaxed);
    let [leaks, largest] = [&LEAKS, &LARGEST].map(|it| it.load(Ordering::Relaxed));
    assert_eq!(leaks, 0, "{case}; the largest has {largest} bytes");
}
