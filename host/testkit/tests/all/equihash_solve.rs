//! `equihash_solve` on the simulations that have the engine: the solutions of the vectors and of the processor.

use std::sync::{Arc, Mutex};

use crate::support;
use proofmill_device::Simulation;
use proofmill_op::equihash_solve::{HEADER_BYTES, Params, Personalisation, Request, Response};
use proofmill_op::{Cancel, Capability, Device, Error, Progress, Submit};
use proofmill_testkit::vectors;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

const PARAMS: Params = Params::N48_K5;

fn simulations() -> Vec<(Simulation, Box<dyn Device>)> {
    let open = |it: Simulation| (it.clone(), proofmill_device::open(&it.uri()).unwrap());
    support::offering(&Capability::EquihashSolve(PARAMS)).into_iter().map(open).collect()
}

fn headers(rng: &mut ChaCha20Rng, count: usize) -> Vec<u8> {
    let mut headers = vec![0; count * HEADER_BYTES];
    rng.fill(&mut headers[..]);
    headers
}

fn solve(device: &dyn Device, request: Request) -> Response {
    device.submit(request).unwrap().wait().unwrap()
}

/// Each header is a request of its own, and all are outstanding.
#[test]
fn solutions_are_those_of_the_vectors() {
    let cases = vectors::equihash_solve().unwrap();
    for (simulation, device) in simulations() {
        let cases = cases.iter().filter(|case| case.params == PARAMS);
        let tickets: Vec<_> = cases
            .map(|case| {
                let request = Request::new(PARAMS, case.header.to_vec());
                let request = Request { personalisation: case.personalisation, ..request };
                (case, device.submit(request).unwrap())
            })
            .collect();
        for (case, ticket) in tickets {
            let found = ticket.wait().unwrap().solutions;
            assert_eq!(found, [&case.solutions[..]], "{}: {}", simulation.name, case.id);
        }
    }
}

/// Requests with several headers, of several personalisations, are outstanding.
#[test]
fn solutions_are_those_of_the_processor() {
    // A fixed seed: both drop strings that they have no space for, but not the same ones.
    let mut rng = ChaCha20Rng::seed_from_u64(49);
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (simulation, device) in simulations() {
        let requests: Vec<_> = [*b"ZcashPoW", *b"BgoldPoW", *b"BgoldPoW", *b"ZcashPoW"]
            .map(|text| {
                let request = Request::new(PARAMS, headers(&mut rng, 6));
                Request { personalisation: Personalisation(text), ..request }
            })
            .into();
        let submit = |device: &dyn Device| {
            let submit = |request: &Request| device.submit(request.clone()).unwrap();
            let tickets: Vec<_> = requests.iter().map(submit).collect();
            tickets.into_iter().map(|ticket| ticket.wait().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(submit(&*device), submit(&*cpu), "{}", simulation.name);
    }
}

#[test]
fn progress_is_the_fraction_of_headers() {
    let mut rng = ChaCha20Rng::seed_from_u64(50);
    for (simulation, device) in simulations() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let log = reports.clone();
        let progress = Progress::new(move |fraction| log.lock().unwrap().push(fraction));
        let request = Request::new(PARAMS, headers(&mut rng, 4));
        solve(&*device, Request { progress: Some(progress), ..request });
        assert_eq!(*reports.lock().unwrap(), [0.25, 0.5, 0.75, 1.0], "{}", simulation.name);
    }
}

#[test]
fn a_cancelled_request_leaves_nothing_to_the_next_one() {
    let mut rng = ChaCha20Rng::seed_from_u64(51);
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (simulation, device) in simulations() {
        for count in [1, 3, 1000] {
            let ticket = device.submit(Request::new(PARAMS, headers(&mut rng, count))).unwrap();
            ticket.cancel();
            match ticket.wait() {
                Err(Error::Cancelled) => {}
                Ok(response) => assert_eq!(response.solutions.len(), count),
                Err(error) => panic!("{}: {error}", simulation.name),
            }
            let next = Request::new(PARAMS, headers(&mut rng, 2));
            assert_eq!(solve(&*device, next.clone()), solve(&*cpu, next), "{}", simulation.name);
        }
    }
}

#[test]
fn a_request_is_cancelled_while_the_card_solves() {
    let mut rng = ChaCha20Rng::seed_from_u64(52);
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (simulation, device) in simulations() {
        let cancel = Cancel::new();
        let progress = Progress::new({
            let cancel = cancel.clone();
            move |_| cancel.cancel()
        });
        // They would take hours.
        let request = Request::new(PARAMS, headers(&mut rng, 100_000));
        let request = Request { progress: Some(progress), ..request };
        let ticket = device.submit(request).unwrap().linked_to(&cancel);
        assert!(matches!(ticket.wait(), Err(Error::Cancelled)), "{}", simulation.name);
        let next = Request::new(PARAMS, headers(&mut rng, 2));
        assert_eq!(solve(&*device, next.clone()), solve(&*cpu, next), "{}", simulation.name);
    }
}

#[test]
fn other_parameters_are_refused() {
    for (simulation, device) in simulations() {
        for params in [Params::N200_K9, Params::N96_K5] {
            if device.caps().offers(&Capability::EquihashSolve(params)) {
                continue;
            }
            let error = device.submit(Request::new(params, vec![0; HEADER_BYTES])).unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{}: {error}", simulation.name);
            let error = error.to_string();
            let wanted = format!("cannot do this: equihash_solve ({params}); it offers ");
            assert!(error.contains(&wanted), "{error}");
            assert!(error.contains("equihash_solve (48,5)"), "{error}");
        }
    }
}
