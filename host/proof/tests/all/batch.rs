//! Batches of proofs, and cancelled proofs.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::support::{CURVES, Liar, Lie, chain, cpu, files, witness};
use proofmill_op::Cancel;
use proofmill_proof::dev::Statement;
use proofmill_proof::groth16::{
    Control, Curve, Devices, Proved, Prover, Settings, Step, StepProgress, verify,
};
use proofmill_proof::snarkjs::{Section, Witness, Zkey};
use proofmill_proof::{Error, Result};

fn prover(key: &Zkey, threads: usize, lanes: Option<usize>) -> Prover {
    let lanes = lanes.map(|lanes| lanes.try_into().unwrap());
    let settings = Settings { resident: true, lanes, ..Settings::default() };
    Prover::new(key, Devices::one(cpu(threads)), settings).unwrap()
}

/// Returns whether the outcome is a cancellation.
fn is_cancelled<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::Device(proofmill_op::Error::Cancelled)))
}

/// Returns a witness that satisfies the circuit, and one that does not.
fn right_and_wrong(curve: Curve) -> (Zkey, Witness, Witness) {
    let (key, mut bytes) = files(curve, &Statement::Chain { constraints: 300 });
    let right = witness(&bytes);
    let last = bytes.len() - 32;
    bytes[last] ^= 1;
    (key, right, witness(&bytes))
}

#[test]
fn every_proof_of_a_batch_is_that_of_its_witness() {
    for curve in CURVES {
        let (key, right, wrong) = right_and_wrong(curve);
        let vk = key.verifying_key().unwrap();
        for (threads, lanes) in [(1, None), (3, None), (3, Some(2)), (2, Some(5)), (4, Some(1))] {
            let prover = prover(&key, threads, lanes);
            assert_eq!(prover.lanes(), lanes.unwrap_or(threads));
            for count in [0, 1, 2, 7] {
                let is_wrong = |number: usize| number % 3 == 1;
                let witnesses: Vec<_> = (0..count)
                    .map(|number| if is_wrong(number) { wrong.clone() } else { right.clone() })
                    .collect();
                let made = prover.prove_batch(&witnesses, &Cancel::new()).unwrap();
                assert_eq!(made.len(), count);
                for (number, proved) in made.into_iter().enumerate() {
                    let case = format!("{curve:?} {threads} {lanes:?} {number} of {count}");
                    match proved {
                        Ok(Proved { proof, public_inputs, report, .. }) => {
                            assert!(!is_wrong(number), "{case}");
                            assert!(verify(&vk, &public_inputs, &proof).unwrap(), "{case}");
                            assert_eq!(report.steps.len(), 9, "{case}");
                        }
                        Err(Error::DoesNotVerify) => assert!(is_wrong(number), "{case}"),
                        Err(other) => panic!("{case}: {other}"),
                    }
                }
            }
        }
    }
}

#[test]
fn witnesses_of_a_batch_are_read_when_a_lane_is_free() {
    let (key, witness) = chain(Curve::Bn254, 60);
    let prover = prover(&key, 2, Some(3));
    let (asked, mut done) = (AtomicUsize::new(0), vec![false; 20]);
    let witnesses = (0..done.len()).map(|number| {
        asked.fetch_add(1, Ordering::Relaxed);
        if number == 11 { Err(Error::argument("witness", "is lost")) } else { Ok(witness.clone()) }
    });
    let mut given = 0;
    let each = |number: usize, proved: Result<Proved>| {
        // Each of three lanes computes one proof or offers a finished one.
        assert!(asked.load(Ordering::Relaxed) <= given + 3 + 1);
        given += 1;
        assert!(!std::mem::replace(&mut done[number], true));
        match proved {
            Ok(_) => assert_ne!(number, 11),
            Err(error) => assert_eq!((number, &*error.to_string()), (11, "witness: is lost")),
        }
    };
    prover.prove_each(witnesses, &Cancel::new(), each).unwrap();
    assert!(done.iter().all(|&done| done));
}

#[test]
fn a_batch_on_a_wrong_device_is_retried_on_the_fallback() {
    let (key, witness) = chain(Curve::Bn254, 60);
    let vk = key.verifying_key().unwrap();
    for lie in [Lie::Zero(proofmill_op::msm::Group::G1), Lie::Dies, Lie::None] {
        let devices = Devices { device: Liar::new(lie), fallback: Some(cpu(2)) };
        let prover = Prover::new(&key, devices, Settings::default()).unwrap();
        let made = prover.prove_batch(&vec![witness.clone(); 5], &Cancel::new()).unwrap();
        for proved in made {
            let proved = proved.unwrap();
            assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap(), "{lie:?}");
            assert_eq!(proved.report.retried.is_some(), lie != Lie::None, "{lie:?}");
        }
    }
}

#[test]
fn a_cancelled_batch_reads_no_more_witnesses() {
    let (key, witness) = chain(Curve::Bn254, 60);
    let prover = prover(&key, 2, None);
    let (cancel, mut made) = (Cancel::new(), 0);
    let each = |_, proved: Result<Proved>| {
        match proved {
            Ok(_) => made += 1,
            other => assert!(is_cancelled(&other)),
        }
        if made == 3 {
            cancel.cancel();
        }
    };
    // The witnesses have no end.
    prover.prove_each(std::iter::repeat_with(|| Ok(witness.clone())), &cancel, each).unwrap();
    assert!((3..=6).contains(&made), "{made}");
    let never = prover.prove_batch(&vec![witness; 3], &cancel).unwrap();
    assert!(never.len() == 3 && never.iter().all(is_cancelled));
}

#[test]
fn a_proof_is_cancelled_in_any_of_its_steps() {
    let (key, witness) = chain(Curve::Bn254, 3000);
    let prover = prover(&key, 2, None);
    let steps = Section::ALL.map(Step::Msm).into_iter();
    for step in steps.chain([Step::Rows, Step::Quotient, Step::Assembly, Step::Check]) {
        let cancel = Cancel::new();
        let steps: Arc<Mutex<Vec<Step>>> = Arc::default();
        let (canceller, seen) = (cancel.clone(), steps.clone());
        let progress: StepProgress = Arc::new(move |reported, _| {
            seen.lock().unwrap().push(reported);
            if reported == step {
                canceller.cancel();
            }
        });
        let control = Control::none().with_progress(progress).with_cancel(cancel);
        let outcome = prover.prove_with(&witness, &control);
        // In the last step the proof is already complete.
        assert_eq!(is_cancelled(&outcome), step != Step::Check, "{step}");
        // Steps that need the cancelled one never begin.
        let steps = steps.lock().unwrap();
        assert!(steps.contains(&step), "{step}: {steps:?}");
        assert_eq!(steps.contains(&Step::Check), step == Step::Check, "{step}: {steps:?}");
    }
    let before = prover.counts();
    assert_eq!((before.proofs, before.failures), (1, 0), "a cancellation is no failure");
    assert!(prover.prove(&witness).is_ok());
}

/// Runs a future on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut future = pin!(future);
    let waker = Arc::new(Unpark(std::thread::current())).into();
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn proofs_are_awaited() {
    let (key, witness) = chain(Curve::Bn254, 100);
    let prover = Arc::new(prover(&key, 2, None));
    let ask = || prover.submit(witness.clone(), Control::none());
    let (one, two) = (ask().unwrap(), ask().unwrap());
    let made = block_on(async { [one.await, two.await] });
    for proved in made {
        let proved = proved.unwrap();
        assert!(prover.verifying().verify(&proved.public_inputs, &proved.proof).unwrap());
    }
}

/// Waits until no thread computes proofs any more.
fn wait_for_threads(prover: &Arc<Prover>) {
    let start = Instant::now();
    while Arc::strong_count(prover) > 1 {
        assert!(start.elapsed() < Duration::from_secs(120), "a thread goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_ticket_that_is_dropped_in_the_middle_ends_its_proof_and_no_other() {
    let (key, witness) = chain(Curve::Bn254, 3000);
    let prover = Arc::new(prover(&key, 2, None));
    let (begun, has_begun) = std::sync::mpsc::channel();
    let progress: StepProgress = Arc::new(move |step, _| begun.send(step).unwrap_or(()));
    let both = Cancel::new();
    let control = Control::none().with_cancel(both.clone());
    let dropped = prover.submit(witness.clone(), control.clone().with_progress(progress)).unwrap();
    let other = prover.submit(witness.clone(), control).unwrap();
    has_begun.recv().unwrap();
    drop(dropped);
    assert!(!both.is_cancelled() && other.wait().is_ok());
    wait_for_threads(&prover);
    let reported: Vec<_> = has_begun.iter().collect();
    assert!(!reported.contains(&Step::Check), "it was finished");
    assert_eq!(prover.counts().proofs, 1);
}

#[test]
fn a_complete_proof_survives_its_cancellation() {
    let (key, witness) = chain(Curve::Bn254, 20);
    let prover = Arc::new(prover(&key, 1, None));
    let cancel = Cancel::new();
    let control = Control::none().with_cancel(cancel.clone());
    let ticket = prover.submit(witness.clone(), control.clone()).unwrap();
    wait_for_threads(&prover);
    cancel.cancel();
    ticket.cancel();
    assert!(ticket.wait().is_ok());
    assert!(is_cancelled(&prover.submit(witness, control).unwrap().wait()));
}
