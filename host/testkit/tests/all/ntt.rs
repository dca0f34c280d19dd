//! `ntt` on every simulation that has the engine and on a card in software, against the processor.

use std::sync::{Arc, Mutex};

use proofmill_algebra::field::{Field as _, Goldilocks, PrimeField};
use proofmill_card::{Card, Options};
use proofmill_op::ntt::{Direction, Field, Progress, Request};
use proofmill_op::{Answer, Capability, Device, DeviceKind, Error};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine};

use crate::support;

const CAPABILITY: Capability = Capability::Ntt(Field::Goldilocks);

fn elements(log: u32) -> Vec<u8> {
    let start = Goldilocks::from(0x9e37_79b9_7f4a_7c15);
    let next = |x: &Goldilocks| Some(x.square() + start);
    std::iter::successors(Some(start), next).take(1 << log).flat_map(|x| x.to_le_bytes()).collect()
}

fn ask(device: &dyn Device, request: Request) -> Result<Vec<u8>, Error> {
    match device.submit(proofmill_op::Request::Ntt(request))?.wait()? {
        Answer::Ntt(response) => Ok(response.elements),
        other => panic!("an answer to another question: {other:?}"),
    }
}

fn devices() -> Vec<Box<dyn Device>> {
    let soft = SoftCard::new(&[SoftEngine::ntt(5)], support::judge());
    let soft = Card::open(Box::new(soft), Options::new("soft:", DeviceKind::Card)).unwrap();
    let simulations = support::offering(&CAPABILITY);
    let simulations = simulations.iter().map(|it| proofmill_device::open(&it.uri()).unwrap());
    std::iter::once(Box::new(soft) as Box<dyn Device>).chain(simulations).collect()
}

/// Both directions, on and off a coset, all of a size at once.
fn agree(device: &dyn Device, logs: impl Iterator<Item = u32>) {
    let cpu = proofmill_device::open("cpu:").unwrap();
    for log in logs {
        let requests = || {
            [Direction::Forward, Direction::Inverse].into_iter().flat_map(move |direction| {
                [None, Some(Goldilocks::from(u64::from(log)).to_le_bytes().to_vec())].map(|coset| {
                    let mut request = Request::forward(Field::Goldilocks, elements(log));
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
    for device in devices() {
        agree(&*device, 6..=12);
    }
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn cards_transform_large_sizes_as_the_processor_does() {
    for device in devices() {
        let most = if device.caps().uri == "soft:" { 16 } else { 18 };
        agree(&*device, 13..=most);
    }
}

#[test]
fn what_a_card_has_not_is_told() {
    for device in devices() {
        let problem = |request| ask(&*device, request).unwrap_err().to_string();
        let of = |log| Request::forward(Field::Goldilocks, elements(log));
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
fn progress_is_told_and_ends_at_one() {
    for device in devices() {
        let told = Arc::new(Mutex::new(vec![]));
        let inside = told.clone();
        let mut request = Request::forward(Field::Goldilocks, elements(12));
        request.progress = Some(Progress(Arc::new(move |done| inside.lock().unwrap().push(done))));
        ask(&*device, request).unwrap();
        let told = told.lock().unwrap();
        assert!(told.len() >= 2 && told.is_sorted() && told.last() == Some(&1.0), "{told:?}");
    }
}
