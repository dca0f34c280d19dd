//! Verifiable delay functions: y = x^(2^t) in a group of unknown order takes t squarings one after the other, and a proof convinces
//! a verifier in a few hundred multiplications.
//!
//! | module | group | content |
//! |---|---|---|
//! | [`wesolowski`] | residues modulo N and sign | proofs of one element (Wesolowski, ePrint 2018/623) made and verified |
//! | [`pietrzak`] | residues modulo N | proofs by halving (Pietrzak, ePrint 2018/627) verified |
//! | [`chia`] | classes of binary quadratic forms | Chia's proofs (`chiavdf`) verified |
//! | [`states`] | | the file of intermediate states, from which an evaluation continues |
//! | [`record`] | | proofs as JSON |
//! | [`moduli`] | | moduli of public origin |
//! | [`prime`] | | hash to prime, and the test for primes |
//!
//! The modulus is the trusted setup: whoever knows its factors computes y at once, and can prove anything. Devices make the squarings
//! ([`proofmill_op::vdf`]); proofs are made and verified on this processor.

pub mod chia;
pub mod class_group;
pub mod moduli;
mod number;
pub mod pietrzak;
pub mod prime;
mod quotient;
pub mod record;
pub mod states;
pub mod wesolowski;

pub use number::{format_number, number, parse_number};

use std::sync::Arc;

use num_bigint::BigUint;
use num_integer::Integer;
use proofmill_algebra::modulus::{Modulus, Residue};
use proofmill_op::vdf::Request;

use crate::{Error, Result};

/// The smallest number of bits of a modulus that [`Claim::new`] accepts: shorter ones have been factored.
pub const MIN_BITS: u64 = 1024;

/// The residues modulo N, a group of unknown order for whoever does not know the factors of N.
#[derive(Clone, Debug)]
pub struct Group(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    modulus: Modulus,
    n: BigUint,
}

impl Group {
    /// Returns the group of a modulus in little-endian bytes: odd, of [`MIN_BITS`] to 4,096 bits, and neither prime, nor a square, nor
    /// divisible by a prime below 2,048. The error describes the problem.
    pub fn new(modulus: &[u8]) -> Result<Self> {
        let group = Self::with_any_modulus(modulus)?;
        let (n, wrong) = (&group.0.n, |problem: String| Err(Error::argument("modulus", problem)));
        if n.bits() < MIN_BITS {
            let bits = n.bits();
            return wrong(format!(
                "has {bits} bits; expected at least {MIN_BITS}, because shorter ones can be factored"
            ));
        }
        if let Some(factor) = prime::small_factor(n) {
            return wrong(format!("has the factor {factor}; expected unknown factors"));
        }
        if n.sqrt().pow(2) == *n {
            return wrong("is a square; expected unknown factors".into());
        }
        if prime::is_probable_prime(n) {
            return wrong("is prime, so the order of its group is known".into());
        }
        Ok(group)
    }

    /// Returns the group of any odd modulus from 3 on, without the checks of [`Group::new`]: for tests, and for a modulus that the caller
    /// vouches for.
    pub fn with_any_modulus(modulus: &[u8]) -> Result<Self> {
        let n = BigUint::from_bytes_le(modulus);
        let modulus =
            Modulus::new(modulus).map_err(|error| Error::argument("modulus", error.to_string()))?;
        Ok(Self(Arc::new(Parts { modulus, n })))
    }

    /// Returns the modulus in little-endian bytes.
    pub fn modulus(&self) -> Vec<u8> {
        self.0.n.to_bytes_le()
    }
}

/// A modulus N, an input x and a number t of squarings: the statement without its output.
#[derive(Clone, Debug)]
pub struct Claim {
    group: Group,
    x: BigUint,
    squarings: u64,
}

impl Claim {
    /// Returns the claim for an input in little-endian bytes. It is from 2 to N - 2 and has no factor in common with N; `squarings` is at
    /// least 1. An error names the argument.
    pub fn new(group: &Group, input: &[u8], squarings: u64) -> Result<Self> {
        let claim = Self::with_any_input(group, input, squarings)?;
        let one = BigUint::from(1_u8);
        if claim.x <= one || claim.x == claim.n() - &one {
            return Err(Error::argument(
                "input",
                "is 0, 1 or -1; expected a number that squaring changes",
            ));
        }
        let common = claim.x.gcd(claim.n());
        if common != one {
            return Err(Error::argument(
                "input",
                format!("shares the factor {common} with the modulus"),
            ));
        }
        Ok(claim)
    }

    /// Returns the claim for any input below N.
    pub fn with_any_input(group: &Group, input: &[u8], squarings: u64) -> Result<Self> {
        let x = BigUint::from_bytes_le(input);
        if x >= group.0.n {
            return Err(Error::argument("input", "is not below the modulus"));
        }
        if squarings == 0 {
            return Err(Error::argument("squarings", "is 0; expected at least 1"));
        }
        Ok(Self { group: group.clone(), x, squarings })
    }

    fn n(&self) -> &BigUint {
        &self.group.0.n
    }

    fn arithmetic(&self) -> &Modulus {
        &self.group.0.modulus
    }

    /// Returns the number t of squarings.
    pub fn squarings(&self) -> u64 {
        self.squarings
    }

    /// Returns the modulus in little-endian bytes, [`Claim::byte_count`] of them.
    pub fn modulus(&self) -> Vec<u8> {
        self.group.modulus()
    }

    /// Returns the input in little-endian bytes, as many as the modulus has.
    pub fn input(&self) -> Vec<u8> {
        self.bytes(&self.x)
    }

    /// Returns the number of bytes of the modulus and of every residue.
    pub fn byte_count(&self) -> usize {
        self.arithmetic().byte_count()
    }

    /// Returns the request for the squarings, with a state after each `stride` of them.
    pub fn request(&self, stride: u64) -> Request {
        Request { stride, ..Request::new(self.modulus(), self.input(), self.squarings) }
    }

    /// Returns the smaller of y and N - y: the representative of y in the group modulo sign.
    pub fn canonical(&self, y: &[u8]) -> Result<Vec<u8>> {
        let y = self.number("output", y)?;
        Ok(self.bytes(&self.smaller(y)))
    }

    fn smaller(&self, y: BigUint) -> BigUint {
        let negative = self.n() - &y;
        if negative < y { negative } else { y }
    }

    /// Converts a number below N.
    fn residue(&self, number: &BigUint) -> Residue {
        let residue = self.arithmetic().residue(&number.to_bytes_le());
        residue.expect("numbers of a claim are below its modulus")
    }

    /// Returns the number of a residue.
    fn value(&self, residue: &Residue) -> BigUint {
        BigUint::from_bytes_le(&self.arithmetic().to_bytes(residue))
    }

    /// Reads a residue; an error names the argument.
    fn number(&self, name: &'static str, bytes: &[u8]) -> Result<BigUint> {
        let value = BigUint::from_bytes_le(bytes);
        if value >= *self.n() {
            return Err(Error::argument(name, "is not below the modulus"));
        }
        Ok(value)
    }

    /// Reads a residue in [0, N / 2]; an error names the argument.
    fn smaller_number(&self, name: &'static str, bytes: &[u8]) -> Result<BigUint> {
        let value = self.number(name, bytes)?;
        if &value + &value > *self.n() {
            return Err(Error::argument(
                name,
                "is above N / 2; expected the smaller of y and N - y",
            ));
        }
        Ok(value)
    }

    /// Returns little-endian bytes, as many as the modulus has.
    fn bytes(&self, value: &BigUint) -> Vec<u8> {
        let mut bytes = value.to_bytes_le();
        bytes.resize(self.byte_count(), 0);
        bytes
    }

    /// Returns big-endian bytes, as many as the modulus has: the form in which transcripts hash a number.
    fn hashed_bytes(&self, value: &BigUint) -> Vec<u8> {
        let mut bytes = self.bytes(value);
        bytes.reverse();
        bytes
    }
}
