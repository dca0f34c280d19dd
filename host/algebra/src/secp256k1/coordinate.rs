//! One element modulo p = 2^256 - C, C = 2^32 + 977, for speed where nothing is secret.
//!
//! Five limbs, four of 52 bits and a highest one of 48, with room above: sums need no carries and no comparison with p.
//! How much room a value takes stands in its type: the limbs of a `Coordinate<M>` are at most 2 M times the largest
//! normal ones. A product takes factors up to [`LARGEST`] and gives a `Coordinate<1>`.

use crate::field::spec::secp256k1_fp::MODULUS;
use crate::lanes::{LIMB_BITS, LIMB_MASK, limbs};

/// The largest M of a factor: the limbs are below 2^57.
const LARGEST: u64 = 16;
/// 2^256 modulo p.
const C: u64 = MODULUS[0].wrapping_neg();
/// 2^260 modulo p.
const FOLD: u64 = C << 4;
/// Bits of the highest limb.
const TOP_BITS: u32 = 48;
/// Its largest normal value.
const TOP_MASK: u64 = (1 << TOP_BITS) - 1;
/// p.
const P: [u64; 5] = limbs(&MODULUS);

/// An element in limbs, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate<const M: u64 = 1>([u64; 5]);

impl Coordinate {
    /// 1.
    pub const ONE: Self = Self([1, 0, 0, 0, 0]);

    /// 0.
    pub const ZERO: Coordinate<0> = Coordinate([0; 5]);

    /// The number of four words, below 2^256.
    #[inline(always)]
    pub const fn new(words: &[u64; 4]) -> Self {
        Self(limbs(words))
    }
}

impl<const M: u64> Coordinate<M> {
    /// x y.
    #[inline(always)]
    pub fn times<const N: u64>(&self, y: &Coordinate<N>) -> Coordinate {
        const { assert!(M <= LARGEST && N <= LARGEST) }
        folded(
            #[inline(always)]
            |k| column(k, &self.0, &y.0),
        )
    }

    /// x^2.
    #[inline(always)]
    pub fn square(&self) -> Coordinate {
        const { assert!(M <= LARGEST) }
        let twice = self.0.map(|limb| 2 * limb);
        folded(
            #[inline(always)]
            |k| square_column(k, &self.0, &self.0, &twice),
        )
    }

    /// x y + z w, in less time than two products.
    #[inline(always)]
    pub fn sum_of_products<const N: u64, const K: u64, const J: u64>(
        x: &Self,
        y: &Coordinate<N>,
        z: &Coordinate<K>,
        w: &Coordinate<J>,
    ) -> Coordinate {
        const { assert!(M * N + K * J <= LARGEST * LARGEST) }
        folded(
            #[inline(always)]
            |k| column(k, &x.0, &y.0) + column(k, &z.0, &w.0),
        )
    }

    /// x y + F z^2, likewise.
    #[inline(always)]
    pub fn product_and_square<const N: u64, const K: u64, const F: u64>(
        x: &Self,
        y: &Coordinate<N>,
        z: &Coordinate<K>,
    ) -> Coordinate {
        const { assert!(M * N + F * K * K <= LARGEST * LARGEST) }
        let (few, twice_few) = (z.0.map(|limb| F * limb), z.0.map(|limb| 2 * F * limb));
        folded(
            #[inline(always)]
            |k| column(k, &x.0, &y.0) + square_column(k, &z.0, &few, &twice_few),
        )
    }

    /// x + y.
    #[inline(always)]
    pub fn plus<const N: u64, const S: u64>(&self, y: &Coordinate<N>) -> Coordinate<S> {
        const { assert!(M + N <= S) }
        Coordinate(std::array::from_fn(|i| self.0[i] + y.0[i]))
    }

    /// x - y.
    #[inline(always)]
    pub fn minus<const N: u64, const S: u64>(&self, y: &Coordinate<N>) -> Coordinate<S> {
        const { assert!(M + N < S) }
        // 2 (N + 1) p has no limb below those of y.
        Coordinate(std::array::from_fn(|i| self.0[i] + 2 * (N + 1) * P[i] - y.0[i]))
    }

    /// k x.
    #[inline(always)]
    pub fn small<const K: u64, const S: u64>(&self) -> Coordinate<S> {
        const { assert!(K * M <= S) }
        Coordinate(self.0.map(|limb| K * limb))
    }

    /// Is x 0?
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        const { assert!(M <= LARGEST) }
        // With what is at or above 2^256 folded, and limbs below 2^58: below 2^256 + 2^214, so only 0 and p are 0.
        let mut x = self.0;
        x[0] += (x[4] >> TOP_BITS) * C;
        x[4] &= TOP_MASK;
        let lowest = x[0] & LIMB_MASK;
        if lowest != 0 && lowest != P[0] {
            return false;
        }
        for i in 1..5 {
            x[i] += x[i - 1] >> LIMB_BITS;
            x[i - 1] &= LIMB_MASK;
        }
        x == [0; 5] || x == P
    }
}

#[inline(always)]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// Column k of x y.
#[inline(always)]
fn column(k: usize, x: &[u64; 5], y: &[u64; 5]) -> u128 {
    match k {
        0 => wide(x[0], y[0]),
        1 => wide(x[0], y[1]) + wide(x[1], y[0]),
        2 => wide(x[0], y[2]) + wide(x[1], y[1]) + wide(x[2], y[0]),
        3 => wide(x[0], y[3]) + wide(x[1], y[2]) + wide(x[2], y[1]) + wide(x[3], y[0]),
        4 => {
            let outer = wide(x[0], y[4]) + wide(x[4], y[0]);
            outer + wide(x[1], y[3]) + wide(x[2], y[2]) + wide(x[3], y[1])
        }
        5 => wide(x[1], y[4]) + wide(x[2], y[3]) + wide(x[3], y[2]) + wide(x[4], y[1]),
        6 => wide(x[2], y[4]) + wide(x[3], y[3]) + wide(x[4], y[2]),
        7 => wide(x[3], y[4]) + wide(x[4], y[3]),
        _ => wide(x[4], y[4]),
    }
}

/// Column k of x y, for a y that is a multiple of x and `twice` that is 2 y.
#[inline(always)]
fn square_column(k: usize, x: &[u64; 5], y: &[u64; 5], twice: &[u64; 5]) -> u128 {
    match k {
        0 => wide(x[0], y[0]),
        1 => wide(x[1], twice[0]),
        2 => wide(x[2], twice[0]) + wide(x[1], y[1]),
        3 => wide(x[3], twice[0]) + wide(x[2], twice[1]),
        4 => wide(x[4], twice[0]) + wide(x[3], twice[1]) + wide(x[2], y[2]),
        5 => wide(x[4], twice[1]) + wide(x[3], twice[2]),
        6 => wide(x[4], twice[2]) + wide(x[3], y[3]),
        7 => wide(x[4], twice[3]),
        _ => wide(x[4], y[4]),
    }
}

/// What the columns of a product are modulo p. A column that counts 2^260 or more goes [`FOLD`] times to the one five
/// places lower; columns 3 and 4 first, because what column 4 has too much goes to column 0.
#[inline(always)]
fn folded(column: impl Fn(usize) -> u128) -> Coordinate {
    let low = |sum: u128| sum as u64 & LIMB_MASK;
    // Half a column, of 64 bits, and the rest, which counts 2^12 times a column more.
    let halves =
        |sum: u128| (wide(sum as u64, FOLD), wide((sum >> 64) as u64, FOLD << (64 - LIMB_BITS)));
    let (to_3, to_4) = halves(column(8));
    let sum = column(3) + to_3;
    let t3 = low(sum);
    let sum = (sum >> LIMB_BITS) + column(4) + to_4;
    let t4 = low(sum);
    let sum = (sum >> LIMB_BITS) + column(5);
    let at_256 = low(sum) << (LIMB_BITS - TOP_BITS) | t4 >> TOP_BITS;
    let high = (sum >> LIMB_BITS) + column(6);
    let sum = column(0) + wide(at_256, C);
    let t0 = low(sum);
    let sum = (sum >> LIMB_BITS) + column(1) + wide(low(high), FOLD);
    let t1 = low(sum);
    let (to_2, to_3) = halves((high >> LIMB_BITS) + column(7));
    let sum = (sum >> LIMB_BITS) + column(2) + to_2;
    let t2 = low(sum);
    let sum = (sum >> LIMB_BITS) + to_3 + u128::from(t3);
    let t3 = low(sum);
    let t4 = (t4 & TOP_MASK) + (sum >> LIMB_BITS) as u64;
    Coordinate([t0, t1, t2, t3, t4])
}

#[cfg(test)]
mod tests;
