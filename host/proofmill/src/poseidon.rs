//! Poseidon as Filecoin uses it, over the scalars of BLS12-381: hashes of 2 to 36 elements, and Merkle trees of them.
//!
//! Elements and digests are integers below r, little-endian, 32 bytes each. Digests are those of the crate `neptune`.
//!
//! ```
//! use proofmill::poseidon;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = proofmill::open("cpu:?threads=1")?;
//! // Two preimages of two elements each.
//! let preimages: Vec<u8> = [0u8, 1, 2, 3].into_iter().flat_map(element).collect();
//! let digests = poseidon::hash(&device, 2, preimages)?;
//! assert_eq!(digests.len(), 64);
//! assert_eq!(digests[..4], [0xff, 0xe7, 0x02, 0x9a]);
//!
//! fn element(small: u8) -> [u8; 32] {
//!     let mut bytes = [0; 32];
//!     bytes[0] = small;
//!     bytes
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Request`] has the other domains and the other strength. For progress, or not to wait, submit it to the device. [`tree`]
//! builds trees, and makes and checks inclusion proofs. [`plain`] has circomlib's Poseidon, and Poseidon2.

pub use proofmill_op::poseidon::{
    Domain, ELEMENT_BYTES, Instance, Layers, MAX_ARITY, MIN_ARITY, Output, Progress, Request,
    Response, Strength,
};

use crate::{Data, Device, Result, Submit};

#[cfg(feature = "neptune")]
pub mod neptune;
pub mod plain;
pub mod tree;

/// The digests of preimages of `arity` elements each, as nodes of a Merkle tree are hashed.
pub fn hash(device: &dyn Device, arity: usize, preimages: impl Into<Data>) -> Result<Vec<u8>> {
    digests(device, Request::new(arity, preimages))
}

/// Any hashes. Waits for them.
pub fn digests(device: &dyn Device, request: Request) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.digests)
}

/// Computes layers of trees and returns the requested ones, one layer after the other, each node's digest in its place. A card keeps intermediate
/// layers in its memory; if the memory is too small, the error contains the number of nodes that fit.
///
/// ```
/// use proofmill::poseidon::{self, Layers, Output};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = proofmill::open("cpu:?threads=1")?;
/// // 64 columns of 11 elements are the leaves of a tree of arity 8.
/// let columns = Layers::new(8, 2, vec![0; 64 * 11 * 32]).of_columns(11);
/// let nodes = poseidon::layers(&device, columns.clone())?;
/// assert_eq!(nodes.len(), (64 + 8 + 1) * 32);
/// let root = poseidon::layers(&device, columns.with_output(Output::Last))?;
/// assert_eq!(root, nodes[72 * 32..]);
/// # Ok(())
/// # }
/// ```
pub fn layers(device: &dyn Device, request: Layers) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.digests)
}

fn is_arity(elements: usize) -> bool {
    (MIN_ARITY..=MAX_ARITY).contains(&elements)
}

fn expected_arity() -> String {
    format!("expected {MIN_ARITY} to {MAX_ARITY}")
}
