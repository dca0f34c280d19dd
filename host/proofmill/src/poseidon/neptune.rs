//! The traits and builders of the crate `neptune`, by the same names and in the same shapes, on devices of proofmill.
//!
//! Code that builds Filecoin's trees with `neptune` changes its imports: `neptune::tree_builder` becomes
//! `proofmill::poseidon::neptune::tree_builder`, and so do `column_tree_builder` and `batch_hasher`. Elements are
//! [`blstrs::Scalar`], preimages arrays of the crate `generic_array`, so that values go to and fro. Digests and trees are equal.
//!
//! ```
//! use blstrs::Scalar;
//! use generic_array::typenum::{U8, U11};
//! use generic_array::{GenericArray, sequence::GenericSequence as _};
//! use proofmill::poseidon::neptune::batch_hasher::Batcher;
//! use proofmill::poseidon::neptune::column_tree_builder::{ColumnTreeBuilder, ColumnTreeBuilderTrait as _};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // 64 columns of eleven elements, and a tree of arity 8 over their hashes.
//! let mut builder = ColumnTreeBuilder::<Scalar, U11, U8>::new(
//!     Some(Batcher::new_cpu(700_000)),
//!     Some(Batcher::new_cpu(700_000)),
//!     64,
//! )?;
//! let column = |i: u64| GenericArray::generate(|j| Scalar::from(11 * i + j as u64));
//! let columns: Vec<GenericArray<Scalar, U11>> = (0..64).map(column).collect();
//! builder.add_columns(&columns[..40])?;
//! let (leaves, tree) = builder.add_final_columns(&columns[40..])?;
//! assert_eq!((leaves.len(), tree.len()), (64, 8 + 1));
//! # Ok(())
//! # }
//! ```
//!
//! Differences:
//! - A [`Batcher`](batch_hasher::Batcher) is a device: `new_cpu` uses all threads of the CPU, `on` any other device. It
//!   splits batches itself; `max_batch_size` returns the number that the caller chose.
//! - Without a batcher, the builders use the CPU too.
//! - Leaves that are no power of the arity, too many rows to discard and unsupported arities are errors, where `neptune`
//!   panics.
//! - A tree with missing leaves is an error. `neptune` uses zeros in their place.

use blstrs::Scalar;
use ff::PrimeField;
use generic_array::{ArrayLength, GenericArray};

use super::ELEMENT_BYTES;
pub use super::Strength;
pub use crate::Error;
use crate::Result;

pub mod batch_hasher;
pub mod column_tree_builder;
#[cfg(test)]
mod tests;
pub mod tree_builder;

/// A field whose elements can be hashed: they convert to and from canonical integers, little-endian.
pub trait NeptuneField: PrimeField<Repr = [u8; ELEMENT_BYTES]> {}

impl NeptuneField for Scalar {}

/// The number of elements that a hash takes, as a type: all arities of `neptune`, and any other from 2 to 36.
pub trait Arity<F>: ArrayLength<F> {}

impl<F, A: ArrayLength<F>> Arity<F> for A {}

/// Hashes many preimages.
pub trait BatchHasher<F: NeptuneField, A: Arity<F>> {
    /// The digests of preimages, in the same order.
    fn hash(&mut self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>>;

    /// Hashes into the given places. Another number of places is an error.
    fn hash_into_slice(
        &mut self,
        target_slice: &mut [F],
        preimages: &[GenericArray<F, A>],
    ) -> Result<()> {
        if target_slice.len() != preimages.len() {
            let (places, count) = (target_slice.len(), preimages.len());
            let problem = format!("{places} places for {count} digests");
            return Err(Error::argument("target_slice", problem));
        }
        target_slice.copy_from_slice(&self.hash(preimages)?);
        Ok(())
    }

    /// Returns the number of preimages that the caller should pass at a time.
    fn max_batch_size(&self) -> usize {
        700_000
    }
}

/// Elements as requests have them: canonical integers, little-endian, [`ELEMENT_BYTES`] each.
pub fn to_bytes<'a, F: NeptuneField>(elements: impl IntoIterator<Item = &'a F>) -> Vec<u8> {
    elements.into_iter().flat_map(F::to_repr).collect()
}

/// The elements of such bytes. An error if these are no whole elements, or if one is not below r.
pub fn from_bytes<F: NeptuneField>(bytes: &[u8]) -> Result<Vec<F>> {
    let (elements, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let problem = format!("{} bytes are not whole elements", bytes.len());
        return Err(Error::argument("bytes", problem));
    }
    let element = |(number, element): (usize, &[u8; ELEMENT_BYTES])| {
        let problem = || Error::argument("bytes", format!("element {number} is not below r"));
        Option::from(F::from_repr(*element)).ok_or_else(problem)
    };
    elements.iter().enumerate().map(element).collect()
}
