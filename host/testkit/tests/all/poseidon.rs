//! `poseidon` on every simulation that has the engine, against the processor, which neptune's digests hold.

use proofmill_algebra::field::{Bls12381Fr, Field as _, PrimeField};
use proofmill_op::poseidon::{Domain, ELEMENT_BYTES, Instance, Progress, Request, Strength};
use proofmill_op::{Answer, Capability, Device, Error};
use std::sync::{Arc, Mutex};

use crate::support;

const ARITIES: [usize; 4] = [2, 4, 8, 11];

fn elements(count: usize) -> Vec<u8> {
    let start = Bls12381Fr::from(0x9e37_79b9_7f4a_7c15);
    let next = |x: &Bls12381Fr| Some(x.square() + start);
    std::iter::successors(Some(start), next).take(count).flat_map(|x| x.to_le_bytes()).collect()
}

fn ask(device: &dyn Device, request: Request) -> Result<Vec<u8>, Error> {
    match device.submit(proofmill_op::Request::Poseidon(request))?.wait()? {
        Answer::Poseidon(response) => Ok(response.digests),
        other => panic!("an answer to another question: {other:?}"),
    }
}

/// Each arity and domain that a simulation has, with so many preimages; how many there were of them.
fn agree(device: &dyn Device, count: usize) -> usize {
    let cpu = proofmill_device::open("cpu:").unwrap();
    let mut found = 0;
    for arity in ARITIES {
        let domains = [Domain::MerkleTree, Domain::ConstantLength(arity - 1), Domain::Encryption];
        for domain in domains {
            let preimages = elements(count * domain.elements(arity).unwrap());
            let request = || Request::new(arity, &preimages[..]).in_domain(domain);
            match ask(device, request()) {
                Err(Error::Unsupported { .. }) => continue,
                digests => {
                    let wanted = ask(&*cpu, request()).unwrap();
                    assert!(digests.unwrap() == wanted, "arity {arity}, {domain:?}");
                    found += 1;
                }
            }
        }
    }
    found
}

fn simulations() -> Vec<Box<dyn Device>> {
    let found = support::offering(&Capability::Poseidon(Instance::Bls12_381));
    found.iter().map(|simulation| proofmill_device::open(&simulation.uri()).unwrap()).collect()
}

#[test]
fn every_simulation_hashes_as_the_processor_does() {
    for device in simulations() {
        assert!(agree(&*device, 50) >= 3, "{}", device.caps().uri);
    }
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn ten_thousand_preimages_of_each_arity() {
    for device in simulations().into_iter().filter(|it| it.caps().queue > 100) {
        assert!(agree(&*device, 10_000) >= 3, "{}", device.caps().uri);
    }
}

#[test]
fn what_a_card_has_not_is_told() {
    for device in simulations() {
        let problem = |request| ask(&*device, request).unwrap_err().to_string();
        assert!(problem(Request::new(3, elements(3))).contains("arity 3; it has"));
        let strengthened = Request::new(2, elements(2)).with_strength(Strength::Strengthened);
        assert!(problem(strengthened).contains("the strengthened instance; it has"));
        assert!(problem(Request::new(1, elements(2))).starts_with("arity: "));
        let short = Request::new(2, &elements(2)[1..]);
        assert!(problem(short).starts_with("preimages: "));
    }
}

#[test]
fn progress_is_told_and_ends_at_one() {
    for device in simulations() {
        let told = Arc::new(Mutex::new(vec![]));
        let inside = told.clone();
        let mut request = Request::new(2, elements(2 * 600));
        request.progress = Some(Progress(Arc::new(move |done| inside.lock().unwrap().push(done))));
        assert_eq!(ask(&*device, request).unwrap().len(), 600 * ELEMENT_BYTES);
        let told = told.lock().unwrap();
        assert!(told.len() >= 3 && told.is_sorted() && told.last() == Some(&1.0), "{told:?}");
    }
}
