//! Eight elements with floating-point limbs, with AVX2 and FMA: about twice as fast as scalar code.
//!
//! A residue is five signed digits of 51 bits, or six or eight of 48, each a double; a register has one digit of four elements.
//! Fused multiply-adds give both halves of a product of digits exactly ([`product`]). Integers are converted to
//! doubles and back only when elements are read and written. All digits are integers of at most 2^53 and no operation divides, so neither
//! denormals nor infinities nor NaN can occur, and the time depends on no value.
//!
//! The bounds below are those that `spec/model/doubles.py` proves by interval analysis, for each modulus.
//!
//! | | L = 5, W = 51 | L = 6 and 8, W = 48 |
//! |---|---|---|
//! | normal: digits, and value | 2^50 + 4, 0.52 p | 2^47 + 16, 1.6 p |
//! | sum of two: digits | 2^50 + 4, with carries | 2^48 + 32, without |
//! | a product takes | normal or sums of two; of BLS12-381's scalars only normal | normal or sums; with carries two against four |
//! | it is | normal | normal, but of two sums up to 1.9 p |

mod combination;
mod constants;
mod element;
mod extension;
mod memory;
mod plain;
mod product;
mod quad;
mod row;
mod sparse;
#[cfg(test)]
mod tests;

use std::arch::x86_64::*;

use super::affine::base::Pair;
use super::backend::{Mask, WIDTH};
use super::machine::{Choice, Machine, Task};
use super::primes::Prime;
use crate::tower::Tower;
pub use element::Doubles;
pub use extension::{DoublesPair, pair_product, pair_square};
pub use plain::Bytes;
pub use quad::Quad;
pub use row::{DoublesRow, RowPairProducts, RowProducts};
pub use sparse::{SparseDoubles, SparsePair};

/// The machine of CPUs with AVX2 and FMA. It is created only after an `Isa` has detected the instructions, so the
/// `unsafe` blocks of this module may use them.
#[derive(Clone, Copy, Debug)]
pub struct Fma(());

impl Fma {
    /// For [`Isa::machine`](crate::Isa::machine), which knows that the processor has the instructions.
    pub(super) fn new() -> Self {
        Self(())
    }

    pub(super) fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` exists.
        unsafe { entry(task) }
    }

    /// Executes the work in a separate function.
    #[inline(always)]
    pub fn outline<W: Work>(self, work: W) -> W::Output {
        // SAFETY: `self` exists.
        unsafe { worked(work) }
    }

    pub(super) fn choose<C: Choice>(self, choice: C) -> C::Output {
        // SAFETY: `self` exists.
        unsafe { chosen(choice) }
    }
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn entry<T: Task>(task: T) -> T::Output {
    task.run(Fma(()))
}

/// Work with floating-point limbs; as for a [`Task`], `run` is `#[inline(always)]` and so is all that it calls.
pub trait Work {
    /// The result.
    type Output;
    /// Executes the work.
    fn run(self, fma: Fma) -> Self::Output;
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn worked<W: Work>(work: W) -> W::Output {
    work.run(Fma(()))
}

#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn chosen<C: Choice>(choice: C) -> C::Output {
    choice.on_doubles(Fma(()))
}

impl Machine for Fma {
    type Eight<P: Prime<L>, const L: usize> = Doubles<P, L>;
    type EightPair<T: Tower<Base: Prime<L>>, const N: usize, const L: usize> = DoublesPair<T, N, L>;
    type Rows = [memory::Row; WIDTH];

    #[inline(always)]
    fn gather<P: Prime<L>, const L: usize, const K: usize>(
        self,
        pairs: [&Pair<K>; WIDTH],
        [first, second]: [&mut Doubles<P, L>; 2],
    ) {
        let to = [std::ptr::from_mut(first), std::ptr::from_mut(second)];
        // SAFETY: `self` exists; with L and K as compared, the types are the same.
        unsafe {
            match (L, K) {
                (5, 1) => memory::gather_five(copied(pairs), copied(to)),
                (8, 2) => memory::gather_eight(copied(pairs), copied(to)),
                _ => unreachable!("pairs of five digits in one vector or of eight in two"),
            }
        }
    }
    #[inline(always)]
    fn scatter<P: Prime<L>, const L: usize, const K: usize>(
        self,
        pairs: [&Doubles<P, L>; 2],
    ) -> Self::Rows {
        // SAFETY: as for `gather`.
        unsafe {
            match (L, K) {
                (5, 1) => memory::scatter_five(copied(pairs)),
                (8, 2) => memory::scatter_eight(copied(pairs)),
                _ => unreachable!("pairs of five digits in one vector or of eight in two"),
            }
        }
    }
    #[inline(always)]
    fn store<const K: usize>(self, rows: &Self::Rows, lane: usize, pair: &mut Pair<K>) {
        // SAFETY: `self` exists.
        unsafe { memory::store(&rows[lane], pair) };
    }
    #[inline(always)]
    fn coefficients_mut<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>(
        self,
        pair: &mut DoublesPair<T, N, L>,
    ) -> [&mut Doubles<T::Base, L>; 2] {
        pair.0.each_mut()
    }
    #[inline(always)]
    fn coefficients<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>(
        self,
        pair: &DoublesPair<T, N, L>,
    ) -> [&Doubles<T::Base, L>; 2] {
        pair.0.each_ref()
    }
    #[inline(always)]
    fn word_form<P: Prime<L>, const L: usize>(self) -> Doubles<P, L> {
        Doubles::from_word_form(self)
    }
    #[inline(always)]
    fn take_word_form<P: Prime<L>, const L: usize>(
        self,
        form: &Doubles<P, L>,
        rows: &mut [[u64; WIDTH]],
        [first, second]: [&mut Doubles<P, L>; 2],
    ) -> Mask {
        let (of_first, of_second) = rows.split_at_mut(P::MODULUS.len());
        first.take_word_form(form, of_first) | second.take_word_form(form, of_second)
    }
    #[inline(always)]
    fn outline<T: Task>(self, task: T) -> T::Output {
        self.run(task)
    }
    #[inline(always)]
    fn prefetch<T>(self, line: &T) {
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) }
    }
}

/// A value of the type that this is, which the compiler cannot see.
///
/// # Safety
/// It is the same type.
#[inline(always)]
unsafe fn copied<A: Copy, B: Copy>(a: A) -> B {
    // SAFETY: the caller's.
    unsafe { std::ptr::from_ref(&a).cast::<B>().read() }
}
