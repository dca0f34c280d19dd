//! GPUs that are lost or wrong: every ticket ends, and with an error that names the device.

use proofmill_cuda::{Fault, Options};
use proofmill_op::ntt::{Field, Request};
use proofmill_op::{Device, Error, Progress, Submit};

use crate::support::{emulated, execute};

fn with(fault: Fault) -> Options {
    let mut options = Options::default();
    options.fault = Some(fault);
    options
}

fn request() -> Request {
    Request::forward(Field::Bn254Fr, vec![1; 32 << 6])
}

#[test]
fn a_gpu_that_is_lost_fails_every_ticket_from_then_on() {
    let Some(device) = emulated(with(Fault::LostAt(1))) else { return };
    assert!(execute(&device, request()).is_ok());
    let tickets: Vec<_> = (0..5).map(|_| device.submit(request())).collect();
    for ticket in tickets {
        let response = ticket.and_then(|ticket| ticket.wait());
        assert!(matches!(response, Err(Error::Lost { .. })), "{response:?}");
    }
    let problem = device.submit(request()).map(drop).unwrap_err();
    assert!(
        matches!(&problem, Error::Lost { device, .. } if device == "cuda:emulated"),
        "{problem}"
    );
    assert!(matches!(device.load(vec![1; 32].into()), Err(Error::Lost { .. })));
}

#[test]
fn a_progress_callback_that_panics_fails_its_request_and_no_other() {
    let Some(device) = emulated(Options::default()) else { return };
    let progress = Some(Progress::new(|_| panic!("on purpose")));
    let response = execute(&device, Request { progress, ..request() });
    let Err(Error::Lost { problem, .. }) = response else { panic!("{response:?}") };
    assert!(problem.contains("on purpose"), "{problem}");
    assert!(execute(&device, request()).is_ok());
}

#[test]
fn a_cancelled_request_ends_and_frees_its_memory() {
    let Some(device) = emulated(Options::default()) else { return };
    for _ in 0..20 {
        let ticket = device.submit(request()).unwrap();
        ticket.cancel();
        let response = ticket.wait();
        assert!(matches!(response, Err(Error::Cancelled) | Ok(_)), "{response:?}");
    }
    assert!(execute(&device, request()).is_ok());
}
