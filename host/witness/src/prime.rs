//! The primes that a generator may have.

use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField as _};
use proofmill_op::msm::Curve;

/// A value of 256 bits, lowest limb first.
pub type Limbs = [u64; 4];

/// r of BN254.
pub const BN254: Limbs = limbs(Bn254Fr::MODULUS);
/// r of BLS12-381.
pub const BLS12_381: Limbs = limbs(Bls12381Fr::MODULUS);

/// Primes of circom without proofs in this library, by circom's name, in hexadecimal.
const OTHERS: [(&str, &str); 6] = [
    ("bls12377", "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001"),
    ("goldilocks", "ffffffff00000001"),
    ("grumpkin", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    ("pallas", "40000000000000000000000000000000224698fc094cf91b992d30ed00000001"),
    ("secq256r1", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
    ("vesta", "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001"),
];

const fn limbs(modulus: &[u64]) -> Limbs {
    [modulus[0], modulus[1], modulus[2], modulus[3]]
}

/// Returns the curve whose scalars have this modulus (32-bit limbs, lowest first), and the modulus; or a description of the
/// prime.
pub fn find(words: &[u32]) -> Result<(Curve, Limbs), String> {
    let known = [(Curve::Bn254, BN254), (Curve::Bls12_381, BLS12_381)];
    let is = |modulus: &Limbs| {
        let limbs =
            words.as_chunks().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32);
        words.len() == 8 && limbs.eq(modulus.iter().copied())
    };
    if let Some(found) = known.into_iter().find(|(_, modulus)| is(modulus)) {
        return Ok(found);
    }
    let digits: String = words.iter().rev().map(|word| format!("{word:08x}")).collect();
    let digits = digits.trim_start_matches('0');
    Err(match OTHERS.iter().find(|(_, prime)| *prime == digits) {
        Some((name, _)) => format!("the prime of {name}"),
        None => format!("the prime 0x{digits}"),
    })
}
