//! `ntt` on every simulation that has the engine and on a card in software, against the processor.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use proofmill_algebra::field::{Field as _, Goldilocks, PrimeField};
use proofmill_algebra::ntt::Form;
use proofmill_card::{Card, Options};
use proofmill_op::ntt::{Direction, Field, Progress, Request};
use proofmill_op::{Answer, Capability, Device, DeviceKind, Error, in_field};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine};

use crate::support;

/// The fields that cards have, and the sizes of those that are in the simulations of every change.
const FIELDS: [(Field, RangeInclusive<u32>); 3] =
    [(Field::Goldilocks, 6..=12), (Field::Bn254Fr, 1..=9), (Field::Bls12_381Fr, 1..=9)];

fn elements(field: Field, log: u32) -> Vec<u8> {
    in_field!(field, made(log)).unwrap()
}

fn made<F: Form<D>, const D: usize>(log: u32) -> Result<Vec<u8>, Error> {
    let start = F::from(0x9e37_79b9_7f4a_7c15);
    let next = |x: &F| Some(x.square() + start);
    let all = std::iter::successors(Some(-start), next).take(1 << log);
    Ok(all.flat_map(|x| x.to_le_bytes().as_ref().to_vec()).collect())
}

fn ask(device: &dyn Device, request: Request) -> Result<Vec<u8>, Error> {
    match device.submit(proofmill_op::Request::Ntt(request))?.wait()? {
        Answer::Ntt(response) => Ok(response.elements),
        other => panic!("an answer to another question: {other:?}"),
    }
}

fn devices(field: Field) -> Vec<Box<dyn Device>> {
    let soft = SoftCard::new(&[SoftEngine::ntt(field, 5)], support::judge());
    let soft = Card::open(Box::new(soft), Options::new("soft:", DeviceKind::Card)).unwrap();
    let simulations = match field {
        Field::Bls12_381Fr => support::offering_if_built(&Capability::Ntt(field)),
        _ => support::offering(&Capability::Ntt(field)),
    };
    let simulations = simulations.iter().map(|it| proofmill_device::open(&it.uri()).unwrap());
    std::iter::once(Box::new(soft) as Box<dyn Device>).chain(simulations).collect()
}

/// Both directions, on and off a coset, all of a size at once.
fn agree(device: &dyn Device, field: Field, logs: impl Iterator<Item = u32>) {
    let cpu = proofmill_device::open("cpu:").unwrap();
    let coset = |log| {
        let mut shift = vec![0; field.bytes()];
        shift[0] = 3 + log as u8;
        shift
    };
    for log in logs {
        let requests = || {
            [Direction::Forward, Direction::Inverse].into_iter().flat_map(move |direction| {
                [None, Some(coset(log))].map(|coset| {
                    let mut request = Request::forward(field, elements(field, log));
                    (request.direction, request.coset) = (direction, coset);
                    request
                })
            })
        };
        let tickets: Vec<_> = requests()
            .map(|request| device.submit(proofmill_op::Request::Ntt(request)).unwrap())
            .collect();
        for (ticket, request) in tickets.into_iter().zip(requests()) {
            let Answer::Ntt(found) = ticket.wait().unwrap() else { panic!("another answer") };
            let what = format!("{}: 2^{log}, {:?}", device.caps().uri, request.direction);
            let wanted = ask(&*cpu, request).unwrap();
            assert!(found.elements == wanted, "{what}");
        }
    }
}

#[test]
fn cards_transform_as_the_processor_does() {
    for (field, logs) in FIELDS {
        for device in devices(field) {
            agree(&*device, field, logs.clone());
        }
    }
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn cards_transform_large_sizes_as_the_processor_does() {
    for device in devices(Field::Goldilocks) {
        let most = if device.caps().uri == "soft:" { 16 } else { 18 };
        agree(&*device, Field::Goldilocks, 13..=most);
    }
    for field in [Field::Bn254Fr, Field::Bls12_381Fr] {
        for device in devices(field) {
            agree(&*device, field, 10..=12);
        }
    }
}

#[test]
fn what_a_card_has_not_is_told() {
    for device in devices(Field::Goldilocks) {
        let problem = |request| ask(&*device, request).unwrap_err().to_string();
        let of = |log| Request::forward(Field::Goldilocks, elements(Field::Goldilocks, log));
        let small = problem(of(5));
        assert!(
            small.starts_with("elements: a count of 2^5, where the card transforms 2^6"),
            "{small}"
        );
        let cube = Goldilocks::ROOT_OF_UNITY.unwrap();
        let cube = (6..Goldilocks::TWO_ADICITY).fold(cube, |root, _| root.square());
        assert_eq!(ask(&*device, of(6).with_root(cube.to_le_bytes())).unwrap().len(), 512);
        let cube = cube * cube.square();
        let other = problem(of(6).with_root(cube.to_le_bytes()));
        assert!(other.contains("another root than the standard one"), "{other}");
        assert!(problem(of(6).with_root([1, 0, 0, 0, 0, 0, 0, 0])).starts_with("root: its order"));
        assert!(problem(of(6).on_coset([0xff; 8])).starts_with("coset: "));
    }
}

#[test]
fn what_a_card_for_255_bits_has_not_is_told() {
    for field in [Field::Bn254Fr, Field::Bls12_381Fr] {
        for device in devices(field) {
            let problem = |request| ask(&*device, request).unwrap_err().to_string();
            let one = problem(Request::forward(field, elements(field, 0)));
            assert!(one.starts_with("elements: a count of 2^0, where the card transforms 2^1"));
            let other = Request::forward(Field::Goldilocks, elements(Field::Goldilocks, 6));
            assert!(matches!(ask(&*device, other), Err(Error::Unsupported { .. })));
            let mut large = elements(field, 3);
            large[5 * 32..6 * 32].fill(0xff);
            let large = problem(Request::forward(field, large));
            assert_eq!(large, "elements: number 5 is not below the modulus");
            let shifted = Request::forward(field, elements(field, 3)).on_coset([0xff; 32]);
            assert!(problem(shifted).starts_with("coset: "));
        }
    }
}

#[test]
fn progress_is_told_and_ends_at_one() {
    for device in devices(Field::Goldilocks) {
        let told = Arc::new(Mutex::new(vec![]));
        let inside = told.clone();
        let mut request = Request::forward(Field::Goldilocks, elements(Field::Goldilocks, 12));
        request.progress = Some(Progress(Arc::new(move |done| inside.lock().unwrap().push(done))));
        ask(&*device, request).unwrap();
        let told = told.lock().unwrap();
        assert!(told.len() >= 2 && told.is_sorted() && told.last() == Some(&1.0), "{told:?}");
    }
}
