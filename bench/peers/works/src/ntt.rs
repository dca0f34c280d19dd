//! Number-theoretic transforms.

use serde::{Deserialize, Serialize};

/// A forward transform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Which of a library's transforms; nothing where there is but one.
    pub transform: String,
    /// The field by its name in `spec`.
    pub instance: String,
    /// The logarithm of the number of elements.
    pub log_size: u32,
    /// Threads.
    pub threads: usize,
    /// From canonical bytes to canonical bytes, lowest first, both in natural order; else from the library's own elements to
    /// the same, in the order that it takes the least time in.
    pub bytes: bool,
}
