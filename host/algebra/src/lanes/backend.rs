//! The instructions that a lane kernel requires: eight 64-bit lanes and the two halves of a 52-bit product.
//!
//! A kernel is written once, as a [`Kernel`], over any [`Backend`]; [`run`] picks the backend. Every operation
//! is fully defined, so that two backends give the same bits, in redundant forms too.
//!
//! CPUs without such vectors use scalar code instead, one level higher: for a batch of additions, for a pass of a transform.
//! Unit tests, and the feature `emulation`, have a backend of 64-bit integers, slow, to test the kernels on any CPU.

use super::limbs::constants::Constants;
use super::limbs::product;
use crate::isa::Isa;
#[cfg(any(kernels_of_limbs, test, feature = "emulation"))]
use crate::isa::Level;

/// Lanes of a vector.
pub const WIDTH: usize = 8;
/// Bits of a limb.
pub const LIMB_BITS: u32 = 52;
/// The mask of a limb's bits.
pub const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// A set of lanes, one bit each, lane 0 in the lowest.
pub type Mask = u8;

/// A processor's eight lanes. A value of this type is the proof that the processor has them.
pub trait Backend: Copy {
    /// Eight 64-bit words.
    type V: Copy;

    /// Returns the word in every lane.
    fn splat(self, word: u64) -> Self::V;
    /// Eight words from memory, lane 0 first.
    fn load(self, words: &[u64; WIDTH]) -> Self::V;
    /// Eight words to memory, lane 0 first.
    fn store(self, a: Self::V, words: &mut [u64; WIDTH]);
    /// Eight words from memory, lane 0 first, each lowest byte first.
    fn load_bytes(self, bytes: &[u8; 8 * WIDTH]) -> Self::V;
    /// Eight words to memory, likewise.
    fn store_bytes(self, a: Self::V, bytes: &mut [u8; 8 * WIDTH]);
    /// a + b modulo 2^64.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b modulo 2^64.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// The bits that both have.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// The bits that either has.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// a * 2^bits modulo 2^64, bits < 64.
    fn shift_left(self, a: Self::V, bits: u32) -> Self::V;
    /// floor(a / 2^bits), bits < 64.
    fn shift_right(self, a: Self::V, bits: u32) -> Self::V;
    /// floor(a / 2^52) of a signed a: what a limb gives to the next one.
    fn carry(self, a: Self::V) -> Self::V;
    /// acc + the lower 52 bits of the product of the lower 52 bits of a and of b, modulo 2^64.
    fn add_low(self, acc: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// acc + the upper 52 bits of that product, modulo 2^64.
    fn add_high(self, acc: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// b in the lanes of the mask, a in the others.
    fn select(self, mask: Mask, a: Self::V, b: Self::V) -> Self::V;
    /// Returns the mask of the lanes where a = b.
    fn equal(self, a: Self::V, b: Self::V) -> Mask;
    /// Returns the mask of the lanes where a < b.
    fn below(self, a: Self::V, b: Self::V) -> Mask;
    /// Returns the mask of the lanes where a, as a signed number, is negative.
    fn negative(self, a: Self::V) -> Mask;
    /// Lane i of the result is lane (i + lanes) mod 8 of a; lanes is 1, 2 or 4.
    fn rotate(self, a: Self::V, lanes: usize) -> Self::V;
    /// Lane i of the result is lane `from[i]` of a; lanes are below 8.
    fn permute(self, a: Self::V, from: [u8; WIDTH]) -> Self::V;
    /// Lane i of vector j becomes lane j of vector i.
    fn transpose(self, rows: [Self::V; WIDTH]) -> [Self::V; WIDTH];
    /// `product::multiply`. A backend whose code for it is long keeps one copy.
    #[inline(always)]
    fn multiply<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [&[Self::V; L]; N],
        y: [&[Self::V; L]; N],
    ) -> [[Self::V; L]; N] {
        product::multiply(self, p, x, y)
    }
    /// `product::sum_of_products`, likewise.
    #[inline(always)]
    fn sum_of_products<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [[&[Self::V; L]; 2]; N],
        y: [[&[Self::V; L]; 2]; N],
    ) -> [[Self::V; L]; N] {
        product::sum_of_products(self, p, x, y)
    }
    /// `product::square`, likewise.
    #[inline(always)]
    fn square<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [&[Self::V; L]; N],
    ) -> [[Self::V; L]; N] {
        product::square(self, p, x)
    }
    /// Runs a kernel out of line: for code that is rare, or long and used in many places.
    fn outline<K: Kernel>(self, kernel: K) -> K::Output;
    /// A hint that this line of memory is needed soon.
    fn prefetch<T>(self, line: &T);
}

/// The array of a body's values for j from 0 on, as many as `$count`; `$blank` is any value of their type. This is
/// a loop: a closure in its place, as `std::array::from_fn` takes one, would be a function of its own, without
/// the backend's instructions unless the optimiser cares to inline it.
macro_rules! each {
    ($j:ident < $count:expr, $blank:expr => $body:expr) => {{
        let mut values = [$blank; $count];
        let mut $j = 0;
        while $j < $count {
            values[$j] = $body;
            $j += 1;
        }
        values
    }};
}
pub(crate) use each;

/// The array of a body's values for n = 0 and n = 1: two copies of the body, so that what is large stays in
/// registers.
macro_rules! both {
    ($n:ident => $body:expr) => {
        [
            {
                let $n = 0;
                $body
            },
            {
                let $n = 1;
                $body
            },
        ]
    };
}
pub(crate) use both;

/// Something to do on whatever backend there is. Mark `run` with `#[inline(always)]`, and all that it calls:
/// only code that ends up inside the backend's entry is compiled for its instructions. So no closures, and no
/// library functions that take some, around an operation of a backend: `each` is a loop.
pub trait Kernel {
    /// The result.
    type Output;
    /// Executes the work.
    fn run<B: Backend>(self, backend: B) -> Self::Output;
}

/// The vectors of this processor. There is one only where it has them; [`Isa::vectors`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(Kind);

/// What there may be.
#[derive(Clone, Copy, Debug)]
enum Kind {
    #[cfg(kernels_of_limbs)]
    Ifma,
    #[cfg(any(test, feature = "emulation"))]
    Emulated,
}

impl Isa {
    /// The vectors for lanes that this level has. Where there are none, scalar code does the work.
    pub fn vectors(self) -> Option<Vectors> {
        match self.0 {
            #[cfg(kernels_of_limbs)]
            Level::Avx512Ifma => Some(Vectors(Kind::Ifma)),
            #[cfg(any(test, feature = "emulation"))]
            Level::Emulated => Some(Vectors(Kind::Emulated)),
            _ => None,
        }
    }
}

/// Executes the work with these vectors.
#[cfg_attr(
    not(any(kernels_of_limbs, test, feature = "emulation")),
    expect(unused_variables, reason = "there are no vectors")
)]
pub fn run<K: Kernel>(vectors: Vectors, kernel: K) -> K::Output {
    match vectors.0 {
        #[cfg(kernels_of_limbs)]
        Kind::Ifma => super::limbs::ifma::run(kernel),
        #[cfg(any(test, feature = "emulation"))]
        Kind::Emulated => kernel.run(super::limbs::portable::Portable),
    }
}

/// Returns all available vectors: emulated ones, and those of this process.
#[cfg(test)]
pub(crate) fn all_vectors() -> Vec<Vectors> {
    Isa::available().into_iter().filter_map(Isa::vectors).collect()
}
