//! `poseidon` on every simulation that has the engine, against the processor, which neptune's digests hold.

use proofmill_algebra::field::{Bls12381Fr, Field as _, PrimeField};
use proofmill_card::{Card, Options};
use proofmill_op::poseidon::{Domain, ELEMENT_BYTES, Instance, Layers, Output, Request, Strength};
use proofmill_op::{Capability, Device, DeviceKind, Error, Progress, Submit};
use std::sync::{Arc, Mutex};

use crate::support;

const ARITIES: [usize; 4] = [2, 4, 8, 11];

fn elements(count: usize) -> Vec<u8> {
    let start = Bls12381Fr::from(0x9e37_79b9_7f4a_7c15);
    let next = |x: &Bls12381Fr| Some(x.square() + start);
    std::iter::successors(Some(start), next).take(count).flat_map(|x| x.to_le_bytes()).collect()
}

fn hash(device: &dyn Device, request: Request) -> Result<Vec<u8>, Error> {
    Ok(device.submit(request)?.wait()?.digests)
}

/// Each arity and domain that a simulation has, with so many preimages; how many there were of them.
fn agree(device: &dyn Device, strength: Strength, count: usize) -> usize {
    let cpu = proofmill_device::open("cpu:").unwrap();
    let mut found = 0;
    for arity in ARITIES {
        let constant = Domain::ConstantLength(arity - 1);
        let domains = [Domain::MerkleTree, Domain::VariableLength, constant, Domain::Encryption];
        for domain in domains {
            let preimages = elements(count * domain.elements(arity).unwrap());
            let request =
                || Request::new(arity, &preimages[..]).in_domain(domain).with_strength(strength);
            match hash(device, request()) {
                Err(Error::Unsupported { .. }) => continue,
                digests => {
                    let wanted = hash(&*cpu, request()).unwrap();
                    assert!(digests.unwrap() == wanted, "arity {arity}, {domain:?}, {strength:?}");
                    found += 1;
                }
            }
        }
    }
    found
}

fn layers(device: &dyn Device, request: Layers) -> Result<Vec<u8>, Error> {
    Ok(device.submit(request)?.wait()?.digests)
}

fn simulations() -> Vec<Box<dyn Device>> {
    let found = support::offering(&Capability::Poseidon(Instance::Bls12_381));
    found.iter().map(|simulation| proofmill_device::open(&simulation.uri()).unwrap()).collect()
}

#[test]
fn every_simulation_hashes_as_the_processor_does() {
    for device in simulations() {
        for strength in [Strength::Standard, Strength::Strengthened] {
            assert!(agree(&*device, strength, 50) >= 4, "{}, {strength:?}", device.caps().uri);
        }
    }
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn ten_thousand_preimages_of_each_arity() {
    let Some(simulation) = support::simulation("poseidon_twin") else { return };
    let device = proofmill_device::open(&simulation.uri()).unwrap();
    // Of four arities in four domains each.
    assert_eq!(agree(&*device, Strength::Standard, 10_000), 16);
}

#[test]
fn what_a_card_lacks_is_named() {
    for device in simulations() {
        let problem = |request| hash(&*device, request).unwrap_err().to_string();
        assert!(problem(Request::new(3, elements(3))).contains("arity 3; it has"));
        let strengthened = Request::new(3, elements(3)).with_strength(Strength::Strengthened);
        assert!(
            problem(strengthened).contains("arity 3; it has the standard and the strengthened")
        );
        assert!(problem(Request::new(1, elements(2))).starts_with("arity: "));
        let short = Request::new(2, &elements(2)[1..]);
        assert!(problem(short).starts_with("preimages: "));
    }
}

#[test]
fn progress_is_reported_and_ends_at_one() {
    for device in simulations() {
        let reports = Arc::new(Mutex::new(vec![]));
        let list = reports.clone();
        let mut request = Request::new(2, elements(2 * 600));
        request.progress = Some(Progress(Arc::new(move |done| list.lock().unwrap().push(done))));
        assert_eq!(hash(&*device, request).unwrap().len(), 600 * ELEMENT_BYTES);
        let reports = reports.lock().unwrap();
        assert!(
            reports.len() >= 3 && reports.is_sorted() && reports.last() == Some(&1.0),
            "{reports:?}"
        );
    }
}

/// Returns the height of a binary tree with layers of several commands.
fn several_commands(device: &dyn Device) -> usize {
    if device.caps().queue > 100 { 13 } else { 7 }
}

/// Compares a tree of the card with that of the processor. Returns false if the card does not support its arity.
fn is_built(device: &dyn Device, arity: usize, height: usize, output: Output) -> bool {
    let leaves = elements(arity.pow(height as u32));
    let request = || Layers::new(arity, height, &leaves[..]).with_output(output);
    match layers(device, request()) {
        Err(Error::Unsupported { .. }) => false,
        nodes => {
            let cpu = proofmill_device::open("cpu:").unwrap();
            let wanted = layers(&*cpu, request()).unwrap();
            assert!(nodes.unwrap() == wanted, "arity {arity}, height {height}");
            true
        }
    }
}

/// Of each arity that there is; the largest has layers of several commands.
#[test]
fn trees_are_built_on_the_card_as_on_the_processor() {
    for device in simulations() {
        let mut found = 0;
        for (arity, height) in [(2usize, 3), (4, 3), (8, 3), (11, 2)] {
            for output in [Output::All, Output::Last] {
                found += usize::from(is_built(&*device, arity, height, output));
            }
        }
        let height = several_commands(&*device);
        found += usize::from(is_built(&*device, 2, height, Output::All));
        assert!(found >= 2, "{}", device.caps().uri);
    }
}

#[test]
#[ignore = "most of a minute"]
fn the_last_layers_of_large_trees_are_those_of_the_processor() {
    for device in simulations() {
        is_built(&*device, 2, several_commands(&*device), Output::Last);
    }
}

#[test]
fn column_trees_are_built_on_the_card() {
    let cpu = proofmill_device::open("cpu:").unwrap();
    for device in simulations() {
        for (columns, arity, height) in [(2, 8usize, 2), (11, 8, 2), (2, 2, 5)] {
            let request =
                || Layers::new(arity, height, elements(columns * arity.pow(height as u32)));
            let request = || request().of_columns(columns);
            match layers(&*device, request()) {
                Err(Error::Unsupported { .. }) => continue,
                nodes => assert!(nodes.unwrap() == layers(&*cpu, request()).unwrap()),
            }
        }
    }
}

#[test]
fn trees_that_a_card_cannot_build_are_named() {
    for device in simulations() {
        let problem = |request| layers(&*device, request).unwrap_err().to_string();
        assert!(problem(Layers::new(3, 1, elements(3))).contains("arity 3; it has"));
        assert!(problem(Layers::new(2, 1, vec![])).starts_with("nodes: 0 bytes"));
        assert!(problem(Layers::new(2, 2, elements(6))).contains("6 do not make whole trees"));
    }
    let Some(small) = support::simulation("poseidon_small_twin") else { return };
    let small = proofmill_device::open(&small.uri()).unwrap();
    let large = Layers::new(2, 16, vec![0; 32 << 16]);
    let problem = layers(&*small, large).unwrap_err().to_string();
    assert!(
        problem.ends_with("card's memory has 2097152: it holds 0 with as many layers"),
        "{problem}"
    );
    let many = Layers::new(2, 1, vec![0; 32 << 16]);
    let problem = layers(&*small, many).unwrap_err().to_string();
    assert!(problem.ends_with("it holds 43680 with as many layers"), "{problem}");
}

/// The error is that of the request; the card continues.
#[test]
fn a_memory_fault_fails_its_request_and_the_card_continues() {
    for simulation in support::offering(&Capability::Poseidon(Instance::Bls12_381)) {
        let mut transport = support::transport(&simulation);
        // Its channel is another one beside other engines.
        let faulty = (0..).take_while(|channel| transport.fault(*channel, 0..1).is_ok()).count();
        assert!(faulty > 0);
        let options = Options::new("sim:faulty", DeviceKind::Sim);
        let device = Card::open(Box::new(transport), options).unwrap();
        let problem = layers(&device, Layers::new(2, 1, elements(2))).unwrap_err();
        assert!(matches!(problem, Error::Failed { .. }), "{problem}");
        assert_eq!(hash(&device, Request::new(2, elements(2))).unwrap().len(), ELEMENT_BYTES);
    }
}
