//! Field arithmetic for eight elements at a time, on AVX-512 IFMA: [`Vectors`] are the proof that the processor has it.
//!
//! Elements at rest are [`Lanes`]: structures of arrays, L limbs of 52 bits, eight lanes each. There are functions on
//! slices of them ([`mul`], [`square`], [`add`], [`sub`], [`invert`], ...). Whoever needs more than these writes a
//! [`Kernel`] of [`Held`] values, the elements in registers, and hands it to [`run`].
//!
//! Affine points for batches of additions are in [`affine`].
//!
//! Nothing here branches or looks up memory by the value of an element, unless its name ends in `_vartime`.

use std::fmt;
use std::marker::PhantomData;

#[cfg(test)]
pub(crate) use backend::all_vectors;
pub use backend::{Backend, Kernel, Mask, Vectors, WIDTH, run};
pub(crate) use backend::{LIMB_BITS, LIMB_MASK, both, each};
pub(crate) use constants::limbs;
#[cfg(target_arch = "x86_64")]
pub use fma::{
    Bytes, Doubles, Fma, Quad, SparseDoubles, SparsePair, Work, pair_product, pair_square,
};
pub use held::{Held, Sum};
pub(crate) use held::{limbs_of_words, words_of_limbs};
pub(crate) use lazy::Lazy;
pub use machine::{AnyMachine, Choice, Machine, Task, choose, perform};
pub(crate) use montgomery::carried;
pub use powers::powers;
pub use primes::Prime;
pub(crate) use row::{PairProducts, Row};
pub use slices::{add, from_elements, invert, mul, square, sub, to_elements};

pub mod affine;
mod backend;
mod columns;
mod constants;
#[cfg(target_arch = "x86_64")]
#[cfg_attr(not(kernels_of_doubles), expect(dead_code, reason = "nobody makes an `Fma`"))]
mod fma;
mod held;
#[cfg(kernels_of_limbs)]
mod ifma;
mod lazy;
mod machine;
#[expect(
    clippy::needless_range_loop,
    reason = "limbs have numbers, which say where a product goes"
)]
mod montgomery;
#[cfg(feature = "emulation")]
mod portable;
mod powers;
mod primes;
mod row;
mod slices;
#[cfg(test)]
#[expect(clippy::needless_range_loop, reason = "lanes and limbs have numbers")]
mod tests;
mod word_form;

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
