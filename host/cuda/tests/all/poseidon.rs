//! Hashes of every arity, strength and domain, against the processor.

use proofmill_cuda::Options;
use proofmill_op::poseidon::{Domain, Layers, Request, Strength, Wanted};
use proofmill_op::{Answer, Device, Error, Result};
use rand::Rng;

use crate::support::{ask, cpu, device, is_gpu, random};

fn elements(count: usize) -> Vec<u8> {
    let mut elements = vec![0; 32 * count];
    random(count as u64).fill_bytes(&mut elements);
    elements.chunks_mut(32).for_each(|element| element[31] &= 0x3f);
    elements
}

fn digests(device: &dyn Device, request: proofmill_op::Request) -> Result<Vec<u8>> {
    match ask(device, request)? {
        Answer::Poseidon(response) => Ok(response.digests),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_arity_gives_the_processors_digests() {
    let Some(device) = device(Options::default()) else { return };
    let count = if is_gpu() { 5000 } else { 130 };
    for arity in 2..=11 {
        for strength in [Strength::Standard, Strength::Strengthened] {
            for domain in [
                Domain::MerkleTree,
                Domain::VariableLength,
                Domain::ConstantLength(arity - 1),
                Domain::Encryption,
            ] {
                let elements = elements(count * domain.elements(arity).unwrap());
                let request = Request::new(arity, elements).in_domain(domain);
                let request = proofmill_op::Request::Poseidon(request.with_strength(strength));
                let expected = digests(&*cpu(), request.clone()).unwrap();
                let found = digests(&device, request).unwrap();
                assert!(found == expected, "arity {arity} {strength:?} {domain:?}");
            }
        }
    }
}

#[test]
fn trees_are_the_processors() {
    let Some(device) = device(Options::default()) else { return };
    let height = if is_gpu() { 5 } else { 2 };
    for wanted in [Wanted::All, Wanted::Last] {
        let columns = Layers::new(8, height, elements(11 << (3 * height))).of_columns(11);
        let request = proofmill_op::Request::PoseidonLayers(columns.with(wanted));
        let expected = digests(&*cpu(), request.clone()).unwrap();
        assert!(digests(&device, request).unwrap() == expected, "{wanted:?}");
    }
}

#[test]
fn other_arities_are_refused() {
    let Some(device) = device(Options::default()) else { return };
    let request = proofmill_op::Request::Poseidon(Request::new(12, elements(12)));
    match device.submit(request) {
        Err(Error::Unsupported { what, .. }) => {
            assert_eq!(what, "poseidon of arity 12; it offers 2 to 11");
        }
        other => panic!("{other:?}"),
    }
}
