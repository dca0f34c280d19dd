//! The threads that execute a request: the calling one, those of the device's pool, or the caller's.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use proofmill_cpu::CpuDevice;
use proofmill_op::equihash_verify::{self, Network, Params};
use proofmill_op::msm::{self, Instance};
use proofmill_op::{Cancel, Device, Error, Progress, Submit, Ticket, ecdsa_verify, ntt};

/// The most signatures that are verified on the calling thread.
const INLINE_SIGNATURES: usize = 8;

/// Keeps the only thread of a device busy until the sender is dropped.
fn keep_busy(device: &CpuDevice) -> (Sender<()>, Ticket<ntt::Response>) {
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let mut request = ntt::Request::forward(ntt::Field::Goldilocks, vec![0; 16 * 8]);
    request.progress = Some(Progress(Arc::new(move |_| {
        held.lock().unwrap().recv().expect_err("nothing is sent");
    })));
    (release, device.submit(request).unwrap())
}

/// The only thread of the pool is busy: a response that arrives was computed inline.
#[test]
fn a_small_request_is_executed_inline() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let (release, busy) = keep_busy(&device);
    for (params, most) in [(Params::N200_K9, 2), (Params::N144_K5, 32), (Params::N48_K5, 32)] {
        let submit = |count: usize| {
            let headers = vec![0; count * params.header_bytes()];
            let request = equihash_verify::Request::new(params, Network::None, headers);
            device.submit(request).unwrap()
        };
        for count in [0, 1, most] {
            let Some(Ok(response)) = submit(count).poll() else {
                panic!("({params}) {count}: no response yet")
            };
            assert_eq!(response.verdicts.len(), count);
        }
        assert!(submit(most + 1).poll().is_none(), "({params}): a larger one is for the pool");
    }
    let submit = |count: usize| {
        let signatures = vec![0; count * ecdsa_verify::SIGNATURE_BYTES];
        let request = ecdsa_verify::Request::new(signatures);
        device.submit(request).unwrap()
    };
    for count in [0, 1, INLINE_SIGNATURES] {
        let Some(Ok(response)) = submit(count).poll() else {
            panic!("{count} signatures: no response yet")
        };
        assert_eq!(response.verdicts.len(), count);
    }
    assert!(submit(INLINE_SIGNATURES + 1).poll().is_none(), "a larger one is for the pool");
    for (instance, most) in [("bn254_g1", 6), ("bls12_381_g2", 2)] {
        let instance: Instance = instance.parse().unwrap();
        let submit = |count: usize| {
            let bases = msm::Bases::new(instance, vec![0; count * instance.point_bytes()]);
            device.submit(msm::Request::new(bases, vec![1; count * msm::SCALAR_BYTES])).unwrap()
        };
        for count in [0, 1, most] {
            let Some(Ok(response)) = submit(count).poll() else {
                panic!("{instance}, {count} points: no response yet")
            };
            assert_eq!(response.points, [vec![0; instance.point_bytes()]]);
        }
        assert!(submit(most + 1).poll().is_none(), "{instance}: a larger one is for the pool");
    }
    let submit = |count: usize, request: fn(ntt::Request) -> ntt::Request| {
        let elements = vec![0; count * ntt::Field::Goldilocks.bytes()];
        let request = request(ntt::Request::forward(ntt::Field::Goldilocks, elements));
        device.submit(request).unwrap()
    };
    for log in [0, 7, 8, 10] {
        let Some(Ok(response)) = submit(1 << log, |request| request).poll() else {
            panic!("a transform of 2^{log}: no response yet")
        };
        assert_eq!(response.elements.len(), 8 << log);
    }
    assert!(submit(1 << 11, |request| request).poll().is_none(), "a larger one is for the pool");
    let reported = |request: ntt::Request| ntt::Request {
        progress: Some(Progress(Arc::new(|_| ()))),
        ..request
    };
    assert!(submit(1, reported).poll().is_none(), "so is one that reports progress");
    drop(release);
    busy.wait().unwrap();
}

/// The device's only thread is kept busy.
#[test]
fn execution_on_the_callers_threads_needs_none_of_the_devices() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let (release, busy) = keep_busy(&device);
    let request = || {
        let elements: Vec<_> = (0..1u64 << 12).flat_map(u64::to_le_bytes).collect();
        ntt::Request::forward(ntt::Field::Goldilocks, elements)
    };
    let callers = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let cancel = Cancel::new();
    let executed = callers.install(|| device.execute(request(), &cancel)).unwrap();
    cancel.cancel();
    let cancelled = callers.install(|| device.execute(request(), &cancel));
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    let ticket = device.submit(request()).unwrap();
    drop(release);
    assert_eq!(executed.elements, ticket.wait().unwrap().elements);
    busy.wait().unwrap();
    assert_eq!(device.metrics().requests, 4);
}
