//! A prover whose device lies, fails or is lost: a proof that is returned verifies.

use std::sync::{Arc, OnceLock};

use proofmill_op::Device;
use proofmill_op::msm::Curve;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::{Devices, Prover, Settings, verify};
use proofmill_proof::snarkjs::{Witness, Zkey};
use proofmill_testkit::lying::{Lie, Lying};
use proofmill_testkit::random::Random;

use crate::requests::cpu;
use crate::{Case, End};

/// The bytes of a key and a witness.
pub fn files() -> &'static (Arc<[u8]>, Vec<u8>) {
    static FILES: OnceLock<(Arc<[u8]>, Vec<u8>)> = OnceLock::new();
    FILES.get_or_init(|| {
        let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 20 }).unwrap();
        let (mut key, mut witness) = (Vec::new(), Vec::new());
        circuit.write_insecure_key(b"faults", &mut key).unwrap();
        circuit.write_witness(&mut witness).unwrap();
        (key.into(), witness)
    })
}

/// Returns the key.
pub fn key() -> Zkey {
    Zkey::from_bytes("key", files().0.clone()).unwrap()
}

/// A lie in one of the requests of a proof.
pub fn device(random: &mut Random) -> Case {
    let lie = *random.pick(&[Lie::OtherData, Lie::OtherData, Lie::Lost, Lie::Failed]);
    let lying: Arc<dyn Device> = Arc::new(Lying::new(cpu(), lie, random.below(8)));
    let fallback = (random.below(2) == 1).then(|| cpu() as Arc<dyn Device>);
    let may_refuse = fallback.is_none();
    let settings = Settings { resident: random.below(2) == 1, ..Settings::default() };
    let key = key();
    let witness = Witness::from_bytes("witness", files().1.clone()).unwrap();
    let proved = Prover::new(&key, Devices { device: lying, fallback }, settings)
        .and_then(|prover| prover.prove(&witness));
    let end = match proved {
        Ok(proved) => {
            let vk = key.verifying_key().unwrap();
            match verify(&vk, &proved.public_inputs, &proved.proof).unwrap() {
                true if proved.report.retried.is_some() => Ok(End::Repeated),
                true => Ok(End::Right),
                false => Err("a proof that does not verify was returned".into()),
            }
        }
        Err(_) if may_refuse => Ok(End::Refused),
        Err(error) => Err(format!("refused in spite of the fallback: {error}")),
    };
    Case::new("prover", lie, end)
}
