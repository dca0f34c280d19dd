//! Eight lanes of plain `u64`. Operations are functions of their own: kernels are compiled quickly, for tests, and run slowly.

use super::constants::Constants;
use super::product;
use crate::lanes::backend::{Backend, Kernel, LIMB_BITS, LIMB_MASK, Mask, WIDTH, each};

/// The backend of no processor.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

type V = [u64; WIDTH];

#[inline(always)]
fn each(f: impl Fn(usize) -> u64) -> V {
    std::array::from_fn(f)
}

#[inline(always)]
fn mask(f: impl Fn(usize) -> bool) -> Mask {
    (0..WIDTH).fold(0, |mask, lane| mask | u8::from(f(lane)) << lane)
}

/// The product of the lower 52 bits.
#[inline(always)]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a & LIMB_MASK) * u128::from(b & LIMB_MASK)
}

impl Backend for Portable {
    type V = V;

    #[inline(always)]
    fn splat(self, word: u64) -> V {
        [word; WIDTH]
    }
    #[inline(always)]
    fn load(self, words: &[u64; WIDTH]) -> V {
        *words
    }
    #[inline(always)]
    fn store(self, a: V, words: &mut [u64; WIDTH]) {
        *words = a;
    }
    #[inline(always)]
    fn load_bytes(self, bytes: &[u8; 8 * WIDTH]) -> V {
        let (words, _) = bytes.as_chunks();
        each(|i| u64::from_le_bytes(words[i]))
    }
    #[inline(always)]
    fn store_bytes(self, a: V, bytes: &mut [u8; 8 * WIDTH]) {
        let (words, _) = bytes.as_chunks_mut();
        words.iter_mut().zip(a).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    }
    #[inline(never)]
    fn add(self, a: V, b: V) -> V {
        each(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(never)]
    fn sub(self, a: V, b: V) -> V {
        each(|i| a[i].wrapping_sub(b[i]))
    }
    #[inline(never)]
    fn and(self, a: V, b: V) -> V {
        each(|i| a[i] & b[i])
    }
    #[inline(never)]
    fn or(self, a: V, b: V) -> V {
        each(|i| a[i] | b[i])
    }
    #[inline(never)]
    fn shift_left(self, a: V, bits: u32) -> V {
        each(|i| a[i] << bits)
    }
    #[inline(never)]
    fn shift_right(self, a: V, bits: u32) -> V {
        each(|i| a[i] >> bits)
    }
    #[inline(never)]
    fn carry(self, a: V) -> V {
        each(|i| (a[i].cast_signed() >> LIMB_BITS).cast_unsigned())
    }
    #[inline(always)]
    fn add_low(self, acc: V, a: V, b: V) -> V {
        each(|i| acc[i].wrapping_add(product(a[i], b[i]) as u64 & LIMB_MASK))
    }
    #[inline(always)]
    fn add_high(self, acc: V, a: V, b: V) -> V {
        each(|i| acc[i].wrapping_add((product(a[i], b[i]) >> LIMB_BITS) as u64))
    }
    #[inline(never)]
    fn select(self, mask: Mask, a: V, b: V) -> V {
        each(|i| if mask >> i & 1 == 1 { b[i] } else { a[i] })
    }
    #[inline(never)]
    fn equal(self, a: V, b: V) -> Mask {
        mask(|i| a[i] == b[i])
    }
    #[inline(never)]
    fn below(self, a: V, b: V) -> Mask {
        mask(|i| a[i] < b[i])
    }
    #[inline(never)]
    fn negative(self, a: V) -> Mask {
        mask(|i| a[i].cast_signed() < 0)
    }
    #[inline(never)]
    fn rotate(self, a: V, lanes: usize) -> V {
        each(|i| a[(i + lanes) % WIDTH])
    }
    #[inline(never)]
    fn permute(self, a: V, from: [u8; WIDTH]) -> V {
        each(|i| a[usize::from(from[i] % 8)])
    }
    #[inline(never)]
    fn transpose(self, rows: [V; WIDTH]) -> [V; WIDTH] {
        std::array::from_fn(|j| each(|i| rows[i][j]))
    }
    #[inline(always)]
    fn multiply<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [&[V; L]; N],
        y: [&[V; L]; N],
    ) -> [[V; L]; N] {
        each!(n < N, [[0; WIDTH]; L] => multiply(p, x[n], y[n]))
    }
    #[inline(always)]
    fn sum_of_products<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [[&[V; L]; 2]; N],
        y: [[&[V; L]; 2]; N],
    ) -> [[V; L]; N] {
        each!(n < N, [[0; WIDTH]; L] => sum_of_products(p, x[n], y[n]))
    }
    #[inline(always)]
    fn square<const L: usize, const N: usize>(
        self,
        p: &Constants<L>,
        x: [&[V; L]; N],
    ) -> [[V; L]; N] {
        each!(n < N, [[0; WIDTH]; L] => square(p, x[n]))
    }
    #[inline(never)]
    fn outline<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
    #[inline(always)]
    fn prefetch<T>(self, _line: &T) {}
}

#[inline(never)]
fn multiply<const L: usize>(p: &Constants<L>, x: &[V; L], y: &[V; L]) -> [V; L] {
    let [product] = product::multiply(Portable, p, [x], [y]);
    product
}

#[inline(never)]
fn sum_of_products<const L: usize>(p: &Constants<L>, x: [&[V; L]; 2], y: [&[V; L]; 2]) -> [V; L] {
    let [sum] = product::sum_of_products(Portable, p, [x], [y]);
    sum
}

#[inline(never)]
fn square<const L: usize>(p: &Constants<L>, x: &[V; L]) -> [V; L] {
    let [square] = product::square(Portable, p, [x]);
    square
}
