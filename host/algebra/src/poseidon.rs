//! Poseidon as Filecoin uses it, over the scalars of BLS12-381: hashes of 2 to 36 elements (Grassi, Khovratovich, Rechberger,
//! Roy, Schofnegger, ePrint 2019/458; `spec/model/poseidon.py` has the definition).
//!
//! The state is a tag, which identifies the domain ([`Domain`]), and the preimage. Each round adds constants, raises all elements
//! (eight full rounds) or the first (the partial rounds) to the power of 5 and multiplies by a matrix. The digest is the
//! second element.
//!
//! All numbers (`numbers.rs`) are computed when an [`Instance`] is first used. The permutation has one of two forms: `scaled.rs`
//! for states of up to twelve elements, `moving.rs` for more. Each is written once over an `Arithmetic` and runs on 64-bit limbs, on
//! limbs of 52 bits and on floating-point limbs: one, sixteen and eight hashes at a time.
//!
//! The time depends on no element, except for one that is rejected.

use crate::field::{Bls12381Fr, PrimeField};
use crate::isa::Isa;
use crate::ntt::NotBelowModulus;
use crate::once::Once;
use numbers::Numbers;
pub use scaled::{MAX_SCALED_WIDTH, ScaledConstants, ScaledRound};
use table::Tables;

mod arithmetic;
mod batch;
#[cfg(target_arch = "x86_64")]
mod doubles;
mod grain;
mod limbs;
mod matrix;
mod moving;
mod numbers;
pub mod plain;
mod scaled;
mod table;
#[cfg(test)]
mod tests;
mod words;

/// The primary numbers of `spec/hashes`.
mod spec {
    include!(concat!(env!("OUT_DIR"), "/poseidon.rs"));
}

/// The type of the hashed elements.
pub type Scalar = Bls12381Fr;

/// Bytes of an element and of a digest: a canonical integer, lowest byte first.
pub const ELEMENT_BYTES: usize = <Scalar as PrimeField>::BYTES;
/// The fewest elements of a preimage.
pub const MIN_ARITY: usize = spec::MIN_ARITY;
/// The most elements of a preimage.
pub const MAX_ARITY: usize = MIN_ARITY + spec::PARTIAL_ROUNDS.len() - 1;

/// Elements of the largest state.
const MAX_WIDTH: usize = MAX_ARITY + 1;

/// The strength, which determines the number of partial rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strength {
    /// The strength that Filecoin uses.
    #[default]
    Standard,
    /// A quarter more.
    Strengthened,
}

/// The kind of the hashed data, which determines the tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Domain {
    /// The children of a node, or a column: tag 2^arity - 1.
    #[default]
    MerkleTree,
    /// A message of any length, which the caller padded: tag 2^64.
    VariableLength,
    /// So many elements, at least one and at most the arity; zeros follow them: tag 2^64 times the length.
    ConstantLength(usize),
    /// Encryption: tag 2^32.
    Encryption,
}

impl Domain {
    /// Elements of a preimage for an arity; none if it cannot be hashed.
    pub fn elements(self, arity: usize) -> Option<usize> {
        match self {
            Self::ConstantLength(length) => (1..=arity).contains(&length).then_some(length),
            _ => Some(arity),
        }
    }

    /// The first element of the state: a canonical integer, little-endian.
    pub fn tag(self, arity: usize) -> [u8; ELEMENT_BYTES] {
        let tag = match self {
            Self::MerkleTree => (1 << arity) - 1,
            Self::VariableLength => spec::VARIABLE_LENGTH,
            Self::ConstantLength(length) => length as u128 * spec::CONSTANT_LENGTH,
            Self::Encryption => spec::ENCRYPTION,
        };
        let mut bytes = [0; ELEMENT_BYTES];
        bytes[..16].copy_from_slice(&tag.to_le_bytes());
        bytes
    }
}

/// An arity and a strength, with all numbers that follow from them.
pub struct Instance {
    arity: usize,
    numbers: Numbers,
    tables: Tables,
}

impl Instance {
    /// Returns the instance of this arity; `None` if it is below [`MIN_ARITY`] or above [`MAX_ARITY`]. It is computed once, in a few milliseconds (the
    /// largest: 50).
    pub fn of(arity: usize, strength: Strength) -> Option<&'static Self> {
        const COUNT: usize = MAX_ARITY - MIN_ARITY + 1;
        static ALL: [[Once<Instance>; COUNT]; 2] = [const { [const { Once::new() }; COUNT] }; 2];
        let place = ALL[strength as usize].get(arity.checked_sub(MIN_ARITY)?)?;
        Some(place.get_or_init(|| Self {
            arity,
            numbers: Numbers::of(arity, strength),
            tables: Tables::default(),
        }))
    }

    /// The constants for another arithmetic, which makes x y `product` of x and y, and a sum of multiples times `combination` of a combination. None for states of
    /// more than [`MAX_SCALED_WIDTH`] elements.
    ///
    /// # Panics
    /// If `product` or `combination` is 0.
    pub fn scaled(&self, product: Scalar, combination: Scalar) -> Option<ScaledConstants> {
        (self.numbers.width <= MAX_SCALED_WIDTH)
            .then(|| ScaledConstants::new(&self.numbers, product, combination))
    }

    /// Elements of a preimage.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The digests of preimages that follow each other, each of [`Domain::elements`] of [`ELEMENT_BYTES`], in as many bytes as
    /// digests have. An element that is not below the modulus is named by its number among all.
    ///
    /// # Panics
    /// If these are no whole preimages, or the digests too few or too many, or the domain has no preimage of this arity.
    pub fn hash(
        &self,
        isa: Isa,
        domain: Domain,
        preimages: &[u8],
        digests: &mut [u8],
    ) -> Result<(), NotBelowModulus> {
        let elements = domain.elements(self.arity).expect("a domain for this arity");
        let tag = Scalar::from_le_bytes(&domain.tag(self.arity)).expect("a tag of at most 70 bits");
        self.hash_with(isa, tag, elements, preimages, digests)
    }

    /// Hashes with any tag and with `elements` elements in each preimage, followed by zeros.
    ///
    /// # Panics
    /// If these are no whole preimages, or the digests too few or too many, or `elements` is 0 or more than the arity.
    pub fn hash_with(
        &self,
        isa: Isa,
        tag: Scalar,
        elements: usize,
        preimages: &[u8],
        digests: &mut [u8],
    ) -> Result<(), NotBelowModulus> {
        assert!((1..=self.arity).contains(&elements), "{elements} elements of {}", self.arity);
        let (preimages, rest) = preimages.as_chunks();
        let (digests, no_digest) = digests.as_chunks_mut();
        assert!(rest.is_empty() && no_digest.is_empty(), "whole elements and whole digests");
        assert_eq!(preimages.len(), elements * digests.len(), "a digest for each preimage");
        batch::hash(self, isa, batch::Batch { tag, elements, preimages, digests })
    }
}
