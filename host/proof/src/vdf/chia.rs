//! Verification of Chia's proofs of time.
//!
//! A proof states y = x^(2^T) in a class group. Wesolowski's proof is one element π (*Efficient verifiable delay
//! functions*, ePrint 2018/623): with the prime B hashed from x and y, and r = 2^T mod B, the statement is accepted if
//!
//!   π^B x^r = y.
//!
//! A proof with n further segments chains n + 1 statements (chiavdf's n-Wesolowski; `witness_type` is n in Chia's
//! `VDFProof`). A segment gives its iterations t, its B and its π; its output π^B x^r is the next x. B must be the
//! prime hashed from the segment's input and output. The last statement has the remaining iterations. The proof is
//!
//!   y (100 bytes), π (100),
//!   then for each segment, from the last to the first: t (8, big-endian), B (33, big-endian), π (100).
//!
//! Forms are encoded as in [`crate::vdf::class_group`], and accepted as Chia's consensus accepts them
//! ([`Encoding::Consensus`]).

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use crate::vdf::class_group::{ClassGroup, Encoding, FORM_BYTES, Form};
use crate::vdf::prime::hash_prime;
use crate::{Error, Result};

/// The bits of the hashed prime.
const B_BITS: usize = 264;

/// The bytes of the hashed prime.
const B_BYTES: usize = B_BITS / 8;

/// The bytes of the number of iterations of a segment.
const ITERATION_BYTES: usize = 8;

/// The bytes of a segment.
pub const SEGMENT_BYTES: usize = ITERATION_BYTES + B_BYTES + FORM_BYTES;

/// A statement whose output is computed from the proof.
struct Segment {
    iterations: u64,
    b: BigUint,
    proof: Form,
}

/// Verifies that `proof` proves y = x^(2^iterations), where y is the first 100 bytes of `proof`.
///
/// `segments` is the number of further segments of the proof (`recursion` in chiavdf, `witness_type` in Chia). Returns
/// false for a well-formed proof of a false statement, and an error if the discriminant or an encoding is malformed.
pub fn verify(
    discriminant: &BigInt,
    x: &[u8],
    proof: &[u8],
    iterations: u64,
    segments: u8,
) -> Result<bool> {
    let group = ClassGroup::new(discriminant.clone())?;
    let expected = 2 * FORM_BYTES + usize::from(segments) * SEGMENT_BYTES;
    if proof.len() != expected {
        let problem =
            format!("{} bytes; expected {expected} with {segments} segments", proof.len());
        return Err(Error::argument("proof", problem));
    }
    let mut x = group.decode(x, Encoding::Consensus, "x")?;
    let (y, rest) = proof.split_at(FORM_BYTES);
    let (last, rest) = rest.split_at(FORM_BYTES);
    let y = group.decode(y, Encoding::Consensus, "y")?;
    let last = group.decode(last, Encoding::Consensus, "proof")?;
    let chain = rest.chunks(SEGMENT_BYTES).rev().map(|bytes| decode_segment(&group, bytes));
    let mut remaining = iterations;
    for segment in chain.collect::<Result<Vec<_>>>()? {
        let Some(after) = remaining.checked_sub(segment.iterations) else { return Ok(false) };
        let Some(output) = verify_segment(&group, &x, &segment)? else { return Ok(false) };
        (x, remaining) = (output, after);
    }
    let b = challenge(&group, &x, &y)?;
    Ok(output(&group, &x, &last, &b, remaining)? == y)
}

fn decode_segment(group: &ClassGroup, bytes: &[u8]) -> Result<Segment> {
    let (iterations, rest) = bytes.split_at(ITERATION_BYTES);
    let (b, proof) = rest.split_at(B_BYTES);
    Ok(Segment {
        iterations: iterations.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        b: BigUint::from_bytes_be(b),
        proof: group.decode(proof, Encoding::Consensus, "segment proof")?,
    })
}

/// Returns the output of a segment for the input `x`, and nothing if B is not the prime of this input and output.
fn verify_segment(group: &ClassGroup, x: &Form, segment: &Segment) -> Result<Option<Form>> {
    if segment.b.is_zero() {
        return Ok(None);
    }
    let y = output(group, x, &segment.proof, &segment.b, segment.iterations)?;
    Ok((challenge(group, x, &y)? == segment.b).then_some(y))
}

/// Computes π^B x^r with r = 2^iterations mod B. `b` is not 0.
fn output(
    group: &ClassGroup,
    x: &Form,
    proof: &Form,
    b: &BigUint,
    iterations: u64,
) -> Result<Form> {
    let r = BigUint::from(2u32).modpow(&iterations.into(), b);
    group.product_of_powers(&[(proof, b), (x, &r)])
}

/// Computes the prime B from the encodings of `x` and `y`.
fn challenge(group: &ClassGroup, x: &Form, y: &Form) -> Result<BigUint> {
    let seed = [group.encode(x)?, group.encode(y)?].concat();
    hash_prime(&seed, B_BITS, &[B_BITS - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdf::class_group::create_discriminant;

    const SEED: &[u8] = b"a public seed";
    const ITERATIONS: u64 = 1_500;

    /// Proves y = x^(2^iterations) by long division of 2^iterations. Returns y and the bytes of B and π.
    fn prove(group: &ClassGroup, x: &Form, iterations: u64) -> (Form, [Vec<u8>; 2]) {
        let power = BigUint::from(1u32) << iterations;
        let y = group.pow(x, &power).unwrap();
        let b = challenge(group, x, &y).unwrap();
        let proof = group.pow(x, &(power / &b)).unwrap();
        (y, [b.to_bytes_be(), group.encode(&proof).unwrap().to_vec()])
    }

    /// Proves a statement with one segment for each element of `chain`, and one for the rest.
    fn prove_chain(group: &ClassGroup, chain: &[u64], iterations: u64) -> Vec<u8> {
        let (mut x, mut segments) = (group.generator().unwrap(), Vec::new());
        for steps in chain {
            let (y, proof) = prove(group, &x, *steps);
            segments.push([steps.to_be_bytes().to_vec(), proof.concat()].concat());
            x = y;
        }
        let (y, [_, proof]) = prove(group, &x, iterations - chain.iter().sum::<u64>());
        segments.reverse();
        [group.encode(&y).unwrap().to_vec(), proof, segments.concat()].concat()
    }

    fn group(bits: usize) -> ClassGroup {
        ClassGroup::new(create_discriminant(SEED, bits).unwrap()).unwrap()
    }

    fn generator() -> Vec<u8> {
        [vec![8], vec![0; FORM_BYTES - 1]].concat()
    }

    fn is_valid(group: &ClassGroup, proof: &[u8], iterations: u64, segments: u8) -> bool {
        matches!(verify(group.discriminant(), &generator(), proof, iterations, segments), Ok(true))
    }

    #[test]
    fn new_proofs_verify_and_nothing_else_does() {
        for (bits, chain) in
            [(256, &[][..]), (264, &[400]), (512, &[300, 500]), (1_024, &[300, 350, 400])]
        {
            let (group, segments) = (group(bits), chain.len() as u8);
            let proof = prove_chain(&group, chain, ITERATIONS);
            assert!(is_valid(&group, &proof, ITERATIONS, segments));
            assert!(!is_valid(&group, &proof, ITERATIONS + 1, segments));
            assert!(!is_valid(&group, &proof, ITERATIONS - 1, segments));
            assert!(!is_valid(&group, &proof, 0, segments));
            assert!(!is_valid(&group, &proof, u64::MAX, segments));
            assert!(!is_valid(&group, &proof, ITERATIONS, segments + 1));
            assert!(!is_valid(&group, &proof, ITERATIONS, 255));
            for index in (0..proof.len()).step_by(7) {
                let mut damaged = proof.clone();
                damaged[index] ^= 1 << (index % 8);
                assert!(!is_valid(&group, &damaged, ITERATIONS, segments), "byte {index}");
            }
        }
    }

    #[test]
    fn zero_iterations_prove_equality() {
        let group = group(256);
        let identity = group.encode(&group.identity()).unwrap();
        assert!(is_valid(&group, &[&generator()[..], &identity].concat(), 0, 0));
        assert!(!is_valid(&group, &[&identity[..], &identity].concat(), 0, 0));
    }

    #[test]
    fn segments_may_not_exceed_the_iterations() {
        let group = group(256);
        let mut proof = prove_chain(&group, &[100], ITERATIONS);
        assert!(!is_valid(&group, &proof, 99, 1));
        proof[2 * FORM_BYTES..][..ITERATION_BYTES].fill(255);
        assert!(!is_valid(&group, &proof, ITERATIONS, 1));
    }

    #[test]
    fn zero_is_no_challenge() {
        let group = group(256);
        let mut proof = prove_chain(&group, &[100], ITERATIONS);
        proof[2 * FORM_BYTES + ITERATION_BYTES..][..B_BYTES].fill(0);
        assert!(!verify(group.discriminant(), &generator(), &proof, ITERATIONS, 1).unwrap());
    }

    #[test]
    fn malformed_arguments_are_named() {
        let group = group(256);
        let proof = prove_chain(&group, &[], ITERATIONS);
        let d = group.discriminant();
        let problem = |d: &BigInt, x: &[u8], proof: &[u8], segments| {
            verify(d, x, proof, ITERATIONS, segments).map_err(|error| error.to_string())
        };
        let x = generator();
        let wanted = |text: &str| Err(text.to_string());
        assert_eq!(problem(&-d, &x, &proof, 0), wanted("discriminant: is not negative"));
        assert_eq!(problem(&(d + 1), &x, &proof, 0), wanted("discriminant: is not 1 modulo 4"));
        assert_eq!(problem(d, &x[1..], &proof, 0), wanted("x: 99 bytes; expected 100"));
        assert_eq!(problem(d, &[], &proof, 0), wanted("x: 0 bytes; expected 100"));
        let length = |found, expected, segments| {
            wanted(&format!("proof: {found} bytes; expected {expected} with {segments} segments"))
        };
        assert_eq!(problem(d, &x, &[], 0), length(0, 200, 0));
        assert_eq!(problem(d, &x, &proof[1..], 0), length(199, 200, 0));
        assert_eq!(problem(d, &x, &[&proof[..], &[0]].concat(), 0), length(201, 200, 0));
        assert_eq!(problem(d, &x, &proof, 255), length(200, 200 + 255 * 141, 255));
        let zero = [0; FORM_BYTES];
        assert_eq!(problem(d, &zero, &proof, 0), wanted("x: a is 0"));
        assert_eq!(problem(d, &x, &[&zero, &proof[100..]].concat(), 0), wanted("y: a is 0"));
        assert_eq!(problem(d, &x, &[&proof[..100], &zero].concat(), 0), wanted("proof: a is 0"));
        let segment = [&proof[..], &[0; SEGMENT_BYTES]].concat();
        assert_eq!(problem(d, &x, &segment, 1), wanted("segment proof: a is 0"));
    }

    /// Random bytes, some with plausible parts, over good and bad discriminants: no panic, no endless loop.
    #[test]
    fn random_bytes_have_a_result() {
        let mut state = 1u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let groups = [group(16), group(64), group(256), group(1_024)];
        for round in 0..3_000 {
            let group = &groups[next() as usize % groups.len()];
            let segments = (next() % 3) as u8;
            let bytes = 2 * FORM_BYTES + usize::from(segments) * SEGMENT_BYTES;
            let mut proof: Vec<u8> = (0..bytes).map(|_| next() as u8).collect();
            let mut x: Vec<u8> = (0..FORM_BYTES).map(|_| next() as u8).collect();
            for form in proof.chunks_mut(FORM_BYTES).chain([&mut x[..]]) {
                // Flags of ordinary and special forms, and short fields, which are a form more often.
                form[0] %= 16;
                if next() % 2 == 0 {
                    let zeros = form.len() * (next() as usize % 64) / 64;
                    form[1..][..zeros].fill(0);
                }
            }
            let d = group.discriminant();
            let shifts = [
                d.clone(),
                d - 4,
                d + 2,
                -d,
                BigInt::from(-3),
                BigInt::from(-(next() as i64).abs()),
            ];
            let d = &shifts[next() as usize % shifts.len()];
            let iterations = next() >> (next() % 64);
            if matches!(verify(d, &x, &proof, iterations, segments), Ok(true)) {
                // Only a trivial statement is proved by chance: in a tiny group, or one about special forms.
                assert!(d.bits() < 70 || proof[0] >= 4 || x[0] >= 4, "round {round}");
            }
        }
    }
}
