//! Number-theoretic transforms.

use serde::{Deserialize, Serialize};

/// A forward transform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The name of a library's transform; empty if it has only one.
    pub transform: String,
    /// The field by its name in `spec`.
    pub instance: String,
    /// The logarithm of the number of elements.
    pub log_size: u32,
    /// Threads.
    pub threads: usize,
    /// Transforms canonical bytes to canonical bytes, little-endian, both in natural order; otherwise the library's own elements to
    /// the same, in its fastest order.
    pub bytes: bool,
}
