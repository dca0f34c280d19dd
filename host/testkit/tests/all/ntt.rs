//! `ntt` on every simulation that has the engine and on the software model of the card, against the CPU.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};

use proofmill_algebra::curve::Curve as _;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::{Field as _, Goldilocks, PrimeField};
use proofmill_algebra::ntt::Form;
use proofmill_algebra::{bls12_381, bn254};
use proofmill_card::{Card, Options};
use proofmill_op::msm::{self, Bases, Curve, Group, Instance};
use proofmill_op::ntt::{Direction, Field, Quotient, QuotientResponse, Request};
use proofmill_op::{
    Capability, Data, Device, DeviceKind, Error, Progress, SecretBytes, Submit, in_field,
};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine};

use crate::support;

/// The fields of cards, and the sizes that the simulations of every change support.
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

fn transform(device: &dyn Device, request: Request) -> Result<Vec<u8>, Error> {
    Ok(device.submit(request)?.wait()?.elements)
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

/// Compares both directions, on and off a coset, all of a size at once.
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
        let tickets: Vec<_> = requests().map(|request| device.submit(request).unwrap()).collect();
        for (ticket, request) in tickets.into_iter().zip(requests()) {
            let found = ticket.wait().unwrap();
            let what = format!("{}: 2^{log}, {:?}", device.caps().uri, request.direction);
            let wanted = transform(&*cpu, request).unwrap();
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

fn quotient(field: Field, log: u32) -> Quotient {
    let all = elements(field, log + 2);
    let one = field.bytes() << log;
    let lists = [0, 1, 2].map(|list| Data::from(&all[list * one..][..one]));
    let mut shift = vec![0; field.bytes()];
    shift[0] = 5 + log as u8;
    Quotient::new(field, lists, shift)
}

fn response(device: &dyn Device, request: Quotient) -> Result<QuotientResponse, Error> {
    device.submit(request)?.wait()
}

fn result(device: &dyn Device, request: Quotient) -> SecretBytes {
    match response(device, request).unwrap() {
        QuotientResponse::Elements(elements) => elements,
        QuotientResponse::Resident(_) => panic!("a handle instead of elements"),
    }
}

#[test]
fn cards_make_quotients_as_the_processor_does() {
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (field, logs) in FIELDS {
        for device in devices(field) {
            let offered = logs.clone().filter(|&log| device.caps().offers_quotient(field, log));
            let offered: Vec<_> = offered.collect();
            assert!(offered.contains(&6) && offered.contains(&9), "{offered:?}");
            for log in offered {
                let found = result(&*device, quotient(field, log));
                let wanted = result(&*cpu, quotient(field, log));
                assert!(found[..] == wanted[..], "{}: {field} 2^{log}", device.caps().uri);
            }
        }
    }
}

#[test]
fn wrong_arguments_of_a_quotient_are_named() {
    for field in [Field::Goldilocks, Field::Bn254Fr] {
        for device in devices(field) {
            let problem = |request| response(&*device, request).unwrap_err().to_string();
            let mut wrong = quotient(field, 6);
            let mut list = elements(field, 6);
            list[7 * field.bytes()..8 * field.bytes()].fill(0xff);
            wrong.lists[1] = list.into();
            assert_eq!(problem(wrong), "lists: list 1: number 7 is not below the modulus");
            let mut uneven = quotient(field, 6);
            uneven.lists[2] = elements(field, 7).into();
            assert!(problem(uneven).starts_with("lists: have "));
            let zero = Quotient { coset: vec![0; field.bytes()], ..quotient(field, 6) };
            assert_eq!(problem(zero), "coset: is 0");
            assert!(problem(quotient(field, 0)).starts_with("lists: a count of 2^0, where"));
            let other = Instance::new(Curve::Bls12_381, Group::G1);
            let resident = problem(quotient(field, 6).resident_for(other));
            assert_eq!(
                resident,
                "resident_for: this card has no resident scalars for bls12_381_g1"
            );
        }
    }
}

#[test]
fn a_quotient_becomes_the_scalars_of_an_msm() {
    let Some(simulation) = support::simulation("groth16_bn254_small_twin") else { return };
    becomes_scalars(&simulation.uri(), Curve::Bn254, &pair::encode(&bn254::G1::GENERATOR));
}

#[test]
#[ignore = "its simulation takes minutes to build; make test-long runs it"]
fn a_quotient_becomes_the_scalars_of_an_msm_on_bls12_381() {
    let Some(simulation) = support::simulation("groth16_bls12_381_small_twin") else { return };
    becomes_scalars(&simulation.uri(), Curve::Bls12_381, &pair::encode(&bls12_381::G1::GENERATOR));
}

/// Compares MSMs whose scalars were computed on the card with those of the CPU; five quotients are resident at a time.
fn becomes_scalars(uri: &str, curve: Curve, generator: &[u8]) {
    let card = proofmill_device::open(uri).unwrap();
    let cpu = proofmill_device::open("cpu:").unwrap();
    let instance = Instance::new(curve, Group::G1);
    let field = if curve == Curve::Bn254 { Field::Bn254Fr } else { Field::Bls12_381Fr };
    let msm = |device: &dyn Device, bases: &Bases, scalars: Data| {
        let request = msm::Request::new(bases.clone(), scalars);
        device.submit(request).map(|ticket| ticket.wait().unwrap().points)
    };
    let resident =
        |log| match response(&*card, quotient(field, log).resident_for(instance)).unwrap() {
            QuotientResponse::Resident(handle) => Data::Resident(handle),
            QuotientResponse::Elements(_) => panic!("elements instead of a handle"),
        };
    let logs = [2, 5, 6, 7, 5];
    let handles = logs.map(resident);
    for (log, scalars) in logs.into_iter().zip(handles).rev() {
        let bases = Bases::new(instance, generator.repeat(1 << log));
        let wanted = msm(&*cpu, &bases, result(&*cpu, quotient(field, log)).into()).unwrap();
        let found = msm(&*card, &bases, scalars.clone()).unwrap();
        assert_eq!(found, wanted, "2^{log}");
        assert!(msm(&*cpu, &bases, scalars).is_err(), "they are resident on the card");
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
            // From 2^13 on the small cards take three passes.
            agree(&*device, field, 10..=14);
        }
    }
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn a_card_transforms_its_largest_sizes_as_the_processor_does() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let card = proofmill_device::open(&simulation.uri()).unwrap();
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (log, direction) in [(19, Direction::Inverse), (20, Direction::Forward)] {
        let request = || {
            let forward = Request::forward(Field::Goldilocks, elements(Field::Goldilocks, log));
            Request { direction, ..forward.on_coset(7u64.to_le_bytes()) }
        };
        let (found, wanted) =
            (transform(&*card, request()).unwrap(), transform(&*cpu, request()).unwrap());
        assert!(found == wanted, "2^{log}, {direction:?}");
    }
}

#[test]
fn what_a_card_lacks_is_named() {
    for device in devices(Field::Goldilocks) {
        let problem = |request| transform(&*device, request).unwrap_err().to_string();
        let of = |log| Request::forward(Field::Goldilocks, elements(Field::Goldilocks, log));
        let small = problem(of(5));
        assert!(
            small.starts_with("elements: a count of 2^5, where the card transforms 2^6"),
            "{small}"
        );
        let cube = Goldilocks::ROOT_OF_UNITY.unwrap();
        let cube = (6..Goldilocks::TWO_ADICITY).fold(cube, |root, _| root.square());
        assert_eq!(transform(&*device, of(6).with_root(cube.to_le_bytes())).unwrap().len(), 512);
        let cube = cube * cube.square();
        let other = problem(of(6).with_root(cube.to_le_bytes()));
        assert!(other.contains("another root than the standard one"), "{other}");
        assert!(problem(of(6).with_root([1, 0, 0, 0, 0, 0, 0, 0])).starts_with("root: its order"));
        assert!(problem(of(6).on_coset([0xff; 8])).starts_with("coset: "));
    }
}

#[test]
fn what_a_card_for_255_bits_lacks_is_named() {
    for field in [Field::Bn254Fr, Field::Bls12_381Fr] {
        for device in devices(field) {
            let problem = |request| transform(&*device, request).unwrap_err().to_string();
            let one = problem(Request::forward(field, elements(field, 0)));
            assert!(one.starts_with("elements: a count of 2^0, where the card transforms 2^1"));
            let other = Request::forward(Field::Goldilocks, elements(Field::Goldilocks, 6));
            assert!(matches!(transform(&*device, other), Err(Error::Unsupported { .. })));
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
fn progress_is_reported_and_ends_at_one() {
    for device in devices(Field::Goldilocks) {
        let reports = Arc::new(Mutex::new(vec![]));
        let list = reports.clone();
        let mut request = Request::forward(Field::Goldilocks, elements(Field::Goldilocks, 12));
        request.progress = Some(Progress(Arc::new(move |done| list.lock().unwrap().push(done))));
        transform(&*device, request).unwrap();
        let reports = reports.lock().unwrap();
        assert!(
            reports.len() >= 2 && reports.is_sorted() && reports.last() == Some(&1.0),
            "{reports:?}"
        );
    }
}
