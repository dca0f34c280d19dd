//! Number-theoretic transforms: values of a polynomial at all powers of a root of unity, and back, in the fields that
//! have a [`Form`].
//!
//! [`Transform`] defines the result, for a size n, a power of two:
//!
//! ```text
//! X_k = scale output^k (sum over i < n of input^i x_i root^(i k))
//! ```
//!
//! Elements are canonical integers, lowest byte first, and are in natural order before and after.
//!
//! [`Plan`] computes it for n from [`MIN_SIZE`] on in two passes over memory (Bailey, "FFTs in external or
//! hierarchical memory", 1990): x is a matrix of n1 rows and n2 columns. The first pass transforms columns, sixteen side by side, and
//! multiplies by what lies between the passes; the second transforms rows, sixteen side by side. Each pass is made of
//! tiles, which are independent of each other: threads are the caller's business. [`direct`] is the slow, obvious
//! way, for small sizes.

pub use direct::direct;
pub use form::Form;
pub use plan::{MIN_SIZE, NotBelowModulus, Plan};
pub use pointwise::a_b_less_c;
pub use tile::{PIECE, Tile};
pub use transform::{MAX_LOG_SIZE, SizeError, Transform, least_non_residue_root, log_size};

mod between;
mod direct;
mod form;
mod passes;
mod plan;
mod pointwise;
mod tables;
mod tile;
mod transform;
mod words;
