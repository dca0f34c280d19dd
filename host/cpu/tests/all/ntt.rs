//! `ntt` through the device: against the obvious way, on every instruction set and with any number of threads.

use std::sync::{Arc, Mutex};

use proofmill_algebra::field::{
    Bls12377Fr, Bls12381Fr, Bn254Fr, Field as _, Goldilocks, PastaFp, PastaFq, PrimeField,
};
use proofmill_algebra::ntt::{Transform, direct};
use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::ntt::{Direction, Field, MAX_LOG_SIZE, Request};
use proofmill_op::{Data, Device, Error, Progress, Result, Submit};

fn transform(device: &CpuDevice, request: Request) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.elements)
}

fn elements<F: PrimeField>(size: usize) -> Vec<u8> {
    let start = F::from(0x9e37_79b9_7f4a_7c15);
    let next = |x: &F| Some(x.square() + start);
    let elements = std::iter::successors(Some(start), next).take(size);
    elements.flat_map(|x| x.to_le_bytes().as_ref().to_vec()).collect()
}

fn examine<F: PrimeField>(field: Field) {
    let g = F::from(13);
    for log in [0, 1, 5, 8, 9, 12] {
        let x = elements::<F>(1 << log);
        for coset in [None, Some(g)] {
            let forward = Transform::<F>::forward(log).unwrap();
            let forward = coset.map_or(forward, |g| forward.on_coset(g));
            let mut expected = vec![0; x.len()];
            direct(&forward, &x, &mut expected).unwrap();
            let coset = coset.map(|g| g.to_le_bytes().as_ref().to_vec());
            for (threads, isa) in [1, 3]
                .into_iter()
                .flat_map(|threads| Isa::available().into_iter().map(move |isa| (threads, isa)))
            {
                let device = CpuDevice::with_isa(Some(threads), isa).unwrap();
                let request = Request { coset: coset.clone(), ..Request::forward(field, &x[..]) };
                assert!(transform(&device, request).unwrap() == expected, "{field} 2^{log} {isa}");
                let resident = Data::Resident(device.load(expected.clone().into()).unwrap());
                let request = Request { coset: coset.clone(), ..Request::inverse(field, resident) };
                assert!(transform(&device, request).unwrap() == x, "{field} 2^{log} {isa}");
            }
        }
    }
}

#[test]
fn every_field_there_and_back() {
    examine::<Bn254Fr>(Field::Bn254Fr);
    examine::<Bls12381Fr>(Field::Bls12_381Fr);
    examine::<Bls12377Fr>(Field::Bls12_377Fr);
    examine::<Goldilocks>(Field::Goldilocks);
    examine::<PastaFp>(Field::PastaFp);
    examine::<PastaFq>(Field::PastaFq);
}

/// The values at the powers of another root are the same ones in another order.
#[test]
fn another_root_changes_the_order() {
    let device = CpuDevice::new(Some(1)).unwrap();
    for log in [0, 1, 5, 10] {
        let x = elements::<Bn254Fr>(1 << log);
        let root = Transform::<Bn254Fr>::forward(log).unwrap().root();
        let third = root.square() * root;
        let request = Request::forward(Field::Bn254Fr, &x[..]);
        let usual = transform(&device, request.clone()).unwrap();
        let request = request.with_root(third.to_le_bytes());
        let other = transform(&device, request).unwrap();
        for i in 0..1 << log {
            let from = 32 * ((3 * i) % (1 << log));
            assert_eq!(other[32 * i..][..32], usual[from..][..32], "2^{log} {i}");
        }
        let back = Request::inverse(Field::Bn254Fr, other).with_root(third.to_le_bytes());
        assert!(transform(&device, back).unwrap() == x, "2^{log}");
    }
}

/// Whatever memory is lent for the response: the response is the same, and in that memory if it is large enough.
#[test]
fn a_response_is_written_to_the_memory_of_an_earlier_one() {
    let device = CpuDevice::new(Some(2)).unwrap();
    for log in [0, 5, 8, 11] {
        let requests = [
            Request::forward(Field::Bn254Fr, elements::<Bn254Fr>(1 << log)),
            Request::forward(Field::Goldilocks, elements::<Goldilocks>(1 << log)),
            Request::inverse(Field::Goldilocks, elements::<Goldilocks>(1 << log))
                .on_coset(13u64.to_le_bytes()),
        ];
        for request in requests {
            let expected = transform(&device, request.clone()).unwrap();
            let each = request.field.bytes();
            for bytes in [0, (each - 1) << log, each << log, (each + 1) << log] {
                let memory = vec![0xa5; bytes];
                let place = memory.as_ptr();
                let found = transform(&device, request.clone().with_buffer(memory)).unwrap();
                assert!(found == expected, "2^{log} in {bytes} bytes");
                let is_enough = bytes >= each << log;
                assert_eq!(found.as_ptr() == place, is_enough, "2^{log} in {bytes} bytes");
            }
        }
    }
    let request = Request::forward(Field::Goldilocks, vec![0; 8]).with_buffer(vec![0xa5; 16]);
    assert!(format!("{request:?}").contains("Buffer(Secret(16 elements))"), "{request:?}");
    assert!(request.clone().buffer.0.is_empty());
}

#[test]
fn wrong_arguments_are_named() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let problem = |request| transform(&device, request).unwrap_err().to_string();
    let of = |bytes| Request::forward(Field::Goldilocks, vec![0; bytes]);
    assert_eq!(problem(of(12)), "elements: 12 bytes are not a whole number of 8-byte elements");
    assert_eq!(problem(of(24)), "elements: a count of 3 is not a power of two");
    assert_eq!(problem(of(0)), "elements: a count of 0 is not a power of two");
    assert_eq!(problem(of(16).on_coset([0; 8])), "coset: is 0");
    let problem_of_coset = problem(of(16).on_coset([0xff; 8]));
    assert_eq!(problem_of_coset, "coset: a number that is not below the modulus");
    assert!(problem(of(16).on_coset([1; 7])).starts_with("coset: 7 bytes"));
    assert_eq!(problem(of(16).with_root([0; 8])), "root: its order is not 2^1");
    assert_eq!(problem(of(16).with_root(1u64.to_le_bytes())), "root: its order is not 2^1");
    assert_eq!(
        problem(of(32).with_root((-Goldilocks::ONE).to_le_bytes())),
        "root: its order is not 2^2"
    );
    assert!(problem(of(16).with_root([0xff; 8])).starts_with("root: a number"));
    for size in [4, 1 << 10] {
        let mut elements = vec![0; 8 * size];
        elements[8 * 3..][..8].fill(0xff);
        let problem = problem(Request::forward(Field::Goldilocks, elements));
        assert_eq!(problem, "elements: number 3 is not below the modulus");
    }
    assert_eq!(MAX_LOG_SIZE, proofmill_algebra::ntt::MAX_LOG_SIZE);
}

#[test]
fn progress_rises_to_one_and_a_cancelled_transform_stops() {
    let device = CpuDevice::new(Some(2)).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = seen.clone();
    let progress = Progress(Arc::new(move |part| list.lock().unwrap().push(part)));
    let request = Request {
        progress: Some(progress),
        direction: Direction::Inverse,
        ..Request::forward(Field::Goldilocks, elements::<Goldilocks>(1 << 12))
    };
    transform(&device, request).unwrap();
    let seen = seen.lock().unwrap();
    // A value for each tile, 64 / 16 in either pass, and the last one.
    assert_eq!((seen.len(), seen.last()), (9, Some(&1.0)));
    assert!(seen.iter().all(|part| (0.0..=1.0).contains(part)));

    // A transform that is held in the middle of its second pass, and cancelled there.
    let device = CpuDevice::new(Some(1)).unwrap();
    let (reporter, reports) = std::sync::mpsc::channel();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let progress = Progress(Arc::new(move |part| {
        reporter.send(part).unwrap();
        if part > 0.5 {
            let _ended = held.lock().unwrap().recv();
        }
    }));
    let plain = Request::forward(Field::Goldilocks, elements::<Goldilocks>(1 << 12));
    let request = Request { progress: Some(progress), ..plain.clone() };
    let ticket = device.submit(request).unwrap();
    let parts: Vec<f64> = reports.iter().take(6).collect();
    assert!(parts.is_sorted() && parts[5] == 5.0 / 8.0, "{parts:?}");
    ticket.cancel();
    drop(release);
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    assert_eq!(transform(&device, plain).unwrap().len(), 8 << 12);
    assert_eq!(reports.iter().count(), 0, "a tile after the cancellation");

    // The first progress report holds the only thread until the ticket is cancelled.
    let device = CpuDevice::new(Some(1)).unwrap();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let (held, reports) = (Mutex::new(held), Arc::new(Mutex::new(0)));
    let count = reports.clone();
    let progress = Progress(Arc::new(move |_| {
        *count.lock().unwrap() += 1;
        let _ended = held.lock().unwrap().recv();
    }));
    let plain = Request::forward(Field::Goldilocks, elements::<Goldilocks>(1 << 12));
    let request = Request { progress: Some(progress), ..plain.clone() };
    let ticket = device.submit(request).unwrap();
    ticket.cancel();
    drop(release);
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    // The device continues, and the cancelled transform was not finished.
    assert_eq!(transform(&device, plain).unwrap().len(), 8 << 12);
    assert!(*reports.lock().unwrap() <= 1, "{reports:?}");
}
