//! A program that uses the crate as the author of a prover would: a module of the project of `test_rust.py`, beside the
//! files of a circuit.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use proofmill::algebra::bn254::{Fr, G1};
use proofmill::algebra::curve::{Affine, Curve as _};
use proofmill::groth16::snarkjs::{Witness, Zkey};
use proofmill::groth16::{self, Control, Proof, Prover, Settings, Step, VerifyingKey};
use proofmill::{Cancel, msm};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The smallest executor.
fn block_on<F: Future>(future: F) -> F::Output {
    let (mut future, waker) = (pin!(future), Arc::new(Unpark(thread::current())).into());
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => thread::park(),
        }
    }
}

pub fn run() -> Result<(), Box<dyn std::error::Error>> {
    // A witness that is no file.
    let key = Zkey::open("circuit.zkey")?;
    let values = Witness::open("witness.wtns")?.values().to_vec();
    let mut wrong = values.clone();
    wrong[0][0] = 2;
    let refused = Witness::from_values(key.curve(), wrong.into_flattened()).unwrap_err().to_string();
    assert_eq!(refused, "witness: value 0 is not 1");
    let witness = Witness::from_values(key.curve(), values.into_flattened())?;

    // A ticket is a future; proofs and keys are values of serde, and what is read is checked.
    let settings = Settings { resident: true, ..Settings::default() };
    let prover = Arc::new(Prover::new(&key, groth16::devices("cpu:?threads=2")?, settings)?);
    let proved = block_on(prover.submit(witness.clone(), Control::none())?)?;
    let text = serde_json::to_string(&proved.proof)?;
    let proof: Proof = serde_json::from_str(&text)?;
    let text = serde_json::to_string(&key.verifying_key()?)?;
    let verifying: VerifyingKey = serde_json::from_str(&text)?;
    assert!(groth16::verify(&verifying, &proved.public_inputs, &proof)?);
    let swapped = text.replacen("\"nPublic\":", "\"nPublic\":1", 1);
    assert!(serde_json::from_str::<VerifyingKey>(&swapped).is_err());

    // The stack of any thread is enough for a debug build: all of it again on one with 2 MiB.
    let again = witness.clone();
    let work = move || -> Result<bool, Box<dyn std::error::Error + Send + Sync>> {
        let key = Zkey::open("circuit.zkey")?;
        let prover = Prover::new(&key, groth16::devices("cpu:?threads=1")?, Settings::default())?;
        let proved = prover.prove(&again)?;
        Ok(groth16::verify(&key.verifying_key()?, &proved.public_inputs, &proved.proof)?)
    };
    assert!(thread::spawn(work).join().map_err(|_| "a panic")?.map_err(|error| error.to_string())?);

    // Progress, and a proof that is cancelled in the middle.
    let (cancel, steps) = (Cancel::new(), Arc::new(Mutex::new(Vec::new())));
    let (canceller, seen) = (cancel.clone(), steps.clone());
    let watch = Arc::new(move |step: Step, part: f64| {
        assert!((0.0..=1.0).contains(&part));
        seen.lock().unwrap().push(step);
        if step == Step::Quotient {
            canceller.cancel();
        }
    });
    let control = Control::none().with_progress(watch).with_cancel(cancel);
    assert_eq!(prover.prove_with(&witness, &control).unwrap_err().to_string(), "cancelled");
    assert!(steps.lock().unwrap().contains(&Step::Quotient));

    // Sixteen of one key, and one among them that has no proof.
    let mut witnesses = vec![witness.clone(); 16];
    let mut other = witness.values().to_vec();
    other.last_mut().ok_or("no values")?[0] ^= 1;
    witnesses[7] = Witness::from_values(key.curve(), other.into_flattened())?;
    let made = prover.prove_batch(&witnesses, &Cancel::new())?;
    assert_eq!(made.iter().position(Result::is_err), Some(7));
    for proved in made.iter().flatten() {
        assert!(groth16::verify(&verifying, &proved.public_inputs, &proved.proof)?);
    }
    let count = AtomicUsize::new(0);
    let all = witnesses.into_iter().map(Ok);
    prover.prove_each(all, &Cancel::new(), |_, proved| {
        count.fetch_add(proved.is_ok().into(), Ordering::SeqCst);
    })?;
    assert_eq!(count.into_inner(), 15);

    // Points and scalars as types; one list too short is named.
    let device = proofmill::open("cpu:?threads=1")?;
    let (points, scalars) = ([G1::GENERATOR; 2], [Fr::from(5), -Fr::from(5)]);
    assert_eq!(msm::msm_affine(&device, &points, &scalars)?, Affine::<G1>::IDENTITY);
    let refused = msm::msm_affine(&device, &points, &scalars[..1]).unwrap_err().to_string();
    assert_eq!(refused, "scalars: 1 for 2 points");

    // For `cpu:` alone no card, no GPU and no other machine can be opened.
    for absent in ["sim:", "pcie:0", "cuda:0", "tcp://127.0.0.1:1"] {
        let refused = proofmill::open(absent).err().ok_or("it was opened")?.to_string();
        assert!(refused.contains("is not in this build; build with the feature"), "{refused}");
    }
    Ok(())
}
