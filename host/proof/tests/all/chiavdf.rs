//! Published vectors of chiavdf: discriminants, and proofs of Chia's timelords with damaged copies.

use num_bigint::{BigInt, BigUint, Sign};
use proofmill_proof::vdf::chia::verify;
use proofmill_proof::vdf::class_group::create_discriminant;

const DISCRIMINANTS: &str = include_str!("../vdf/discriminants.txt");
const PROOFS: &str = include_str!("../vdf/proofs.txt");

/// Every proof of this number is also tested with damaged copies, each of which costs a verification.
const DAMAGED: usize = 6;

struct Proof {
    discriminant: BigInt,
    x: Vec<u8>,
    proof: Vec<u8>,
    iterations: u64,
    segments: u8,
}

impl Proof {
    fn is_valid(&self) -> bool {
        matches!(
            verify(&self.discriminant, &self.x, &self.proof, self.iterations, self.segments),
            Ok(true)
        )
    }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn lines(file: &str) -> Vec<&str> {
    file.lines().filter(|line| !line.starts_with('#')).collect()
}

fn proofs() -> impl Iterator<Item = Proof> {
    lines(PROOFS).as_chunks::<6>().0.to_vec().into_iter().map(
        |[seed, bits, x, proof, iterations, segments]| Proof {
            discriminant: create_discriminant(&hex(seed), bits.parse().unwrap()).unwrap(),
            x: hex(x),
            proof: hex(proof),
            iterations: iterations.parse().unwrap(),
            segments: segments.parse().unwrap(),
        },
    )
}

#[test]
fn discriminants_are_chiavdfs() {
    for line in lines(DISCRIMINANTS) {
        let (seed, wanted) = line.split_once(' ').unwrap();
        let wanted = BigInt::from_biguint(Sign::Minus, BigUint::from_bytes_be(&hex(wanted)));
        assert_eq!(create_discriminant(&hex(seed), 512).unwrap(), wanted, "{seed}");
    }
}

#[test]
fn proofs_of_timelords_verify() {
    assert_eq!(proofs().count(), lines(PROOFS).len() / 6);
    proofs().enumerate().for_each(|(i, proof)| assert!(proof.is_valid(), "proof {i}"));
}

#[test]
fn damaged_proofs_of_timelords_are_refused() {
    for (i, mut proof) in proofs().step_by(DAMAGED).enumerate() {
        // A byte of each field: flags, length of g, a, t, g, b0 of each form; iterations and B of each segment.
        let form = [0, 1, 5, 40, 70, 97, 98, 99];
        let mut fields: Vec<usize> = form.iter().chain(&form.map(|k| k + 100)).copied().collect();
        for segment in (200..proof.proof.len()).step_by(141) {
            fields.extend([0, 7, 8, 40].iter().chain(&form.map(|k| k + 41)).map(|k| segment + k));
        }
        for index in fields {
            proof.proof[index] ^= 1;
            assert!(!proof.is_valid(), "proof {i}, byte {index}");
            proof.proof[index] ^= 1;
        }
        for change in [1, u64::MAX] {
            proof.iterations = proof.iterations.wrapping_add(change);
            assert!(!proof.is_valid(), "proof {i}, iterations {change}");
            proof.iterations = proof.iterations.wrapping_sub(change);
        }
        let discriminant = std::mem::replace(&mut proof.discriminant, (-10_007).into());
        assert!(!proof.is_valid(), "proof {i}, discriminant");
        proof.discriminant = discriminant;
        proof.x = [vec![4], vec![0; 99]].concat();
        assert!(!proof.is_valid(), "proof {i}, x");
    }
}

#[test]
fn a_proof_over_another_discriminant_is_refused() {
    let all: Vec<Proof> = proofs().take(4).collect();
    for (proof, other) in all.iter().zip(all.iter().skip(1)) {
        let is_valid = |discriminant, proof: &Proof| {
            let found =
                verify(discriminant, &proof.x, &proof.proof, proof.iterations, proof.segments);
            matches!(found, Ok(true))
        };
        assert!(!is_valid(&other.discriminant, proof));
        assert!(!is_valid(&proof.discriminant, other));
    }
}
