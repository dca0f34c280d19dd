//! Hashes of every arity, strength and domain, against the processor.

use proofmill_cuda::Options;
use proofmill_op::poseidon::{Domain, Layers, Output, Request, Strength};
use proofmill_op::{Error, Submit};
use rand::Rng;

use crate::support::{cpu, device, execute, is_gpu, random};

fn elements(count: usize) -> Vec<u8> {
    let mut elements = vec![0; 32 * count];
    random(count as u64).fill_bytes(&mut elements);
    elements.chunks_mut(32).for_each(|element| element[31] &= 0x3f);
    elements
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
                let request = request.with_strength(strength);
                let expected = execute(&*cpu(), request.clone()).unwrap();
                let found = execute(&device, request).unwrap();
                assert!(found == expected, "arity {arity} {strength:?} {domain:?}");
            }
        }
    }
}

#[test]
fn trees_are_the_processors() {
    let Some(device) = device(Options::default()) else { return };
    let height = if is_gpu() { 5 } else { 2 };
    for output in [Output::All, Output::Last] {
        let columns = Layers::new(8, height, elements(11 << (3 * height))).of_columns(11);
        let request = columns.with_output(output);
        let expected = execute(&*cpu(), request.clone()).unwrap();
        assert!(execute(&device, request).unwrap() == expected, "{output:?}");
    }
}

#[test]
fn other_arities_are_refused() {
    let Some(device) = device(Options::default()) else { return };
    match device.submit(Request::new(12, elements(12))) {
        Err(Error::Unsupported { what, .. }) => {
            assert_eq!(what, "poseidon of arity 12; it offers 2 to 11");
        }
        other => panic!("{other:?}"),
    }
}
