//! The quotient of three polynomials through the device: wrong arguments, progress, cancellation.

use std::sync::{Arc, Mutex};

use proofmill_cpu::CpuDevice;
use proofmill_op::ntt::{Field, Quotient};
use proofmill_op::{Data, Error, Progress, Submit};

fn quotient(bytes: usize) -> Quotient {
    let lists = [1, 2, 3].map(|value| Data::from(vec![value; bytes]));
    Quotient::new(Field::Bn254Fr, lists, [7; 32])
}

fn problem(request: Quotient) -> String {
    let device = CpuDevice::new(Some(1)).unwrap();
    let ticket = device.submit(request);
    ticket.and_then(|ticket| ticket.wait()).unwrap_err().to_string()
}

#[test]
fn wrong_arguments_are_named() {
    let mut wrong = vec![1; 256];
    wrong[96..128].fill(0xff);
    let mut request = quotient(256);
    request.lists[2] = wrong.into();
    assert_eq!(problem(request), "lists: list 2: number 3 is not below the modulus");
    assert_eq!(problem(Quotient { coset: vec![0; 32], ..quotient(64) }), "coset: is 0");
    assert!(problem(quotient(64).with_root([3; 32])).starts_with("root: its order"));
    let kept = quotient(64).resident_for(proofmill_op::msm::Instance::ALL[0]);
    assert!(problem(kept).starts_with("resident_for: "));
}

#[test]
fn progress_ends_at_one_and_a_cancelled_chain_ends() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let seen: Arc<Mutex<Vec<f64>>> = Arc::default();
    let list = seen.clone();
    let mut request = quotient(1 << 14);
    request.progress = Some(Progress(Arc::new(move |part| list.lock().unwrap().push(part))));
    device.submit(request).unwrap().wait().unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.is_sorted() && seen.last() == Some(&1.0), "{seen:?}");
    let ticket = device.submit(quotient(1 << 22)).unwrap();
    ticket.cancel();
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
}
