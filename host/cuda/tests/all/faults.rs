//! GPUs that are lost or wrong: every ticket ends, and with an error that names the device.

use std::sync::Arc;

use proofmill_cuda::{Fault, Options};
use proofmill_op::ntt::{Field, Progress, Request};
use proofmill_op::{Device, Error};

use crate::support::{ask, emulated};

fn with(fault: Fault) -> Options {
    let mut options = Options::default();
    options.fault = Some(fault);
    options
}

fn request() -> proofmill_op::Request {
    proofmill_op::Request::Ntt(Request::forward(Field::Bn254Fr, vec![1; 32 << 6]))
}

#[test]
fn a_gpu_that_is_lost_fails_every_ticket_from_then_on() {
    let Some(device) = emulated(with(Fault::LostAt(1))) else { return };
    assert!(ask(&device, request()).is_ok());
    let tickets: Vec<_> = (0..5).map(|_| device.submit(request())).collect();
    for ticket in tickets {
        let answer = ticket.and_then(|ticket| ticket.wait());
        assert!(matches!(answer, Err(Error::Lost { .. })), "{answer:?}");
    }
    let problem = device.submit(request()).map(drop).unwrap_err();
    assert!(
        matches!(&problem, Error::Lost { device, .. } if device == "cuda:emulated"),
        "{problem}"
    );
    assert!(matches!(device.park(vec![1; 32].into()), Err(Error::Lost { .. })));
}

#[test]
fn a_progress_function_that_panics_fails_its_request_and_no_other() {
    let Some(device) = emulated(Options::default()) else { return };
    let mut transform = Request::forward(Field::Bn254Fr, vec![1; 32 << 6]);
    transform.progress = Some(Progress(Arc::new(|_| panic!("on purpose"))));
    let answer = ask(&device, proofmill_op::Request::Ntt(transform));
    let Err(Error::Lost { problem, .. }) = answer else { panic!("{answer:?}") };
    assert!(problem.contains("on purpose"), "{problem}");
    assert!(ask(&device, request()).is_ok());
}

#[test]
fn a_cancelled_request_ends_and_frees_what_it_had() {
    let Some(device) = emulated(Options::default()) else { return };
    for _ in 0..20 {
        let ticket = device.submit(request()).unwrap();
        ticket.cancel();
        let answer = ticket.wait();
        assert!(matches!(answer, Err(Error::Cancelled) | Ok(_)), "{answer:?}");
    }
    assert!(ask(&device, request()).is_ok());
}
