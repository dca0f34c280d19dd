//! The smallest program that proves: makes a circuit and its INSECURE key, proves with Groth16 on the processor, verifies the proof, and
//! refuses it for another public input. `tools/machines.py` runs it in emulators of other processors and systems.

use std::error::Error;
use std::sync::Arc;

use proofmill_cpu::CpuDevice;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Curve, Devices, Prover, Settings, verify};
use proofmill_proof::snarkjs::{Witness, Zkey};

fn main() -> Result<(), Box<dyn Error>> {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 5 })?;
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"trial", &mut key)?;
    circuit.write_witness(&mut witness)?;
    let key = Zkey::from_bytes("trial.zkey", Arc::from(key))?;
    let witness = Witness::from_bytes("trial.wtns", witness)?;
    // The program verifies the proof, not the prover.
    let settings = Settings { self_check: false, ..Settings::default() };
    let device = Arc::new(CpuDevice::new(Some(2))?);
    let proved = Prover::new(&key, Devices::one(device), settings)?.prove(&witness)?;
    let verifying = key.verifying_key()?;
    let mut other = proved.public_inputs.clone();
    other[0][0] ^= 1;
    let verdicts = [&proved.public_inputs, &other]
        .map(|public_inputs| verify(&verifying, public_inputs, &proved.proof));
    match verdicts {
        [Ok(true), Ok(false)] => println!("a proof is valid, and invalid for other public inputs"),
        other => return Err(format!("the verdicts are {other:?}").into()),
    }
    Ok(())
}
