//! Field arithmetic for eight elements at a time, on AVX-512 IFMA: [`Vectors`] are the proof that the processor has it.
//!
//! Elements at rest are [`Lanes`]: structures of arrays, L limbs of 52 bits, eight lanes each. There are functions on
//! slices of them ([`mul`], [`square`], [`add`], [`sub`], [`invert`], ...). Whoever needs more than these writes a
//! [`Kernel`] of [`Held`] values, the elements in registers, and hands it to [`run`].
//!
//! Each kind of arithmetic is a folder: `limbs` of 52 bits, and `doubles` with AVX2 and FMA. Their common interface for an
//! algorithm is a [`Machine`].
//!
//! Affine points for batches of additions are in [`affine`].
//!
//! No branch and no memory access depends on the value of an element, unless the name of the function ends in `_vartime`.

use std::fmt;
use std::marker::PhantomData;

#[cfg(test)]
pub(crate) use backend::all_vectors;
pub use backend::{Backend, Kernel, Mask, Vectors, WIDTH, run};
pub(crate) use backend::{LIMB_BITS, both, each};
#[cfg(target_arch = "x86_64")]
pub use doubles::{
    Bytes, Doubles, Fma, Quad, SparseDoubles, SparsePair, Work, pair_product, pair_square,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use doubles::{DoublesRow, RowPairProducts, RowProducts};
pub use limbs::slices::{add, from_elements, invert, mul, square, sub, to_elements};
pub use limbs::{Held, Sum};
pub(crate) use limbs::{Lazy, Limbs, PairProducts, Row};
pub(crate) use limbs::{carried, limbs, limbs_of_words, words_of_limbs};
pub use machine::{AnyMachine, Choice, Machine, Task, choose, perform};
pub use powers::powers;
pub use primes::Prime;

pub mod affine;
mod backend;
mod bound;
#[cfg(target_arch = "x86_64")]
#[cfg_attr(not(kernels_of_doubles), expect(dead_code, reason = "no code makes an `Fma`"))]
mod doubles;
mod limbs;
mod machine;
mod powers;
mod primes;
#[cfg(test)]
#[expect(clippy::needless_range_loop, reason = "lanes and limbs have numbers")]
mod tests;

/// Eight elements of P at rest: word `limbs[j][i]` is limb j of lane i, normal, of a number below 2p in
/// Montgomery form with R = 2^(52 L). The same element has up to two forms: compare elements, not these.
#[repr(C, align(64))]
pub struct Lanes<P, const L: usize> {
    limbs: [[u64; WIDTH]; L],
    prime: PhantomData<P>,
}

impl<P, const L: usize> Lanes<P, L> {
    /// Eight zeros.
    pub const ZERO: Self = Self { limbs: [[0; WIDTH]; L], prime: PhantomData };
}

impl<P, const L: usize> Clone for Lanes<P, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, const L: usize> Copy for Lanes<P, L> {}

impl<P, const L: usize> fmt::Debug for Lanes<P, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "eight elements of {L} limbs") // they may be secret
    }
}
