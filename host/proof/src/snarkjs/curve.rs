//! Curves in these files: identified by their primes, and in JSON by a name.

use proofmill_algebra::field::{
    Bls12377Fp, Bls12377Fr, Bls12381Fp, Bls12381Fr, Bn254Fp, Bn254Fr, PrimeField,
};
use proofmill_op::msm::Curve;

use super::container::Part;
use crate::Result;

/// Properties of a curve.
#[derive(Debug)]
pub(super) struct Facts {
    /// The curve.
    pub curve: Curve,
    /// proofmill's name of the curve.
    pub name: &'static str,
    /// snarkjs's name of the curve.
    pub word: &'static str,
    /// p, the modulus of coordinates, in 64-bit limbs.
    pub base: &'static [u64],
    /// r, the modulus of scalars.
    pub scalar: &'static [u64],
    /// The largest s for which 2^s divides r - 1.
    pub two_adicity: u32,
}

pub(super) const BN254: Facts = Facts {
    curve: Curve::Bn254,
    name: "bn254",
    word: "bn128",
    base: Bn254Fp::MODULUS,
    scalar: Bn254Fr::MODULUS,
    two_adicity: Bn254Fr::TWO_ADICITY,
};

const BLS12_381: Facts = Facts {
    curve: Curve::Bls12_381,
    name: "bls12_381",
    word: "bls12381",
    base: Bls12381Fp::MODULUS,
    scalar: Bls12381Fr::MODULUS,
    two_adicity: Bls12381Fr::TWO_ADICITY,
};

/// The curves with files.
const KNOWN: [&Facts; 2] = [&BN254, &BLS12_381];

/// Bytes of a scalar.
pub(super) const SCALAR_BYTES: usize = proofmill_op::msm::SCALAR_BYTES;

/// One of a curve's primes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Prime {
    Base,
    Scalar,
}

impl Facts {
    /// Returns the properties of a curve, or `None` if snarkjs has no files of it.
    pub fn of(curve: Curve) -> Option<&'static Self> {
        KNOWN.into_iter().find(|facts| facts.curve == curve)
    }

    /// Finds a curve by snarkjs's name, or by proofmill's, which other tools write.
    pub fn by_word(word: &str) -> Option<&'static Self> {
        KNOWN.into_iter().find(|facts| facts.word == word || facts.name == word)
    }

    /// Returns the words for all curves that have files.
    pub fn words() -> String {
        KNOWN.map(|facts| format!("{} ({})", facts.word, facts.name)).join(", ")
    }

    /// Returns proofmill's names of all curves that have files.
    pub fn names() -> String {
        KNOWN.map(|facts| facts.name).join(" and ")
    }

    /// Returns the bytes of an element of Fp.
    pub fn base_bytes(&self) -> usize {
        8 * self.base.len()
    }

    fn prime(&self, which: Prime) -> &'static [u64] {
        match which {
            Prime::Base => self.base,
            Prime::Scalar => self.scalar,
        }
    }

    /// Reads the length of a prime and the prime.
    pub fn read(part: &mut Part<'_>, which: Prime) -> Result<&'static Self> {
        let start = part.at();
        let bytes = part.u32("a prime's length")?;
        let lengths: &[u32] = match which {
            Prime::Base => &[32, 48],
            Prime::Scalar => &[SCALAR_BYTES as u32],
        };
        if !lengths.contains(&bytes) {
            let known = lengths.iter().map(u32::to_string).collect::<Vec<_>>().join(" or ");
            let problem = format!("a prime of {bytes} bytes, not of {known}");
            return Err(part.wrong(start, problem).into());
        }
        let prime = part.take(bytes as usize, "a prime")?;
        if let Some(found) = KNOWN.into_iter().find(|facts| is(&prime, facts.prime(which))) {
            return Ok(found);
        }
        let refused = is(&prime, Bls12377Fp::MODULUS) || is(&prime, Bls12377Fr::MODULUS);
        let names = Self::names();
        let problem = if refused {
            format!("the prime of bls12_377; the curves that are read are {names}")
        } else {
            let digits: String = prime.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            format!("the prime 0x{digits} is of no curve that is read: {names}")
        };
        Err(part.wrong(start + 4, problem).into())
    }
}

/// Returns whether the bytes encode the integer.
pub(super) fn is(bytes: &[u8], integer: &[u64]) -> bool {
    let words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    bytes.len() == 8 * integer.len() && words.eq(integer.iter().copied())
}

/// Returns whether an integer of the modulus's length, little-endian, is below it.
pub(super) fn is_below(integer: &[u8], modulus: &[u64]) -> bool {
    let words = integer.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    words.rev().lt(modulus.iter().rev().copied())
}
