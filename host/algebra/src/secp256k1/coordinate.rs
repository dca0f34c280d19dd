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
        let ([x0, x1, x2, x3, x4], [y0, y1, y2, y3, y4]) = (self.0, y.0);
        folded(
            #[inline(always)]
            |column| match column {
                0 => wide(x0, y0),
                1 => wide(x0, y1) + wide(x1, y0),
                2 => wide(x0, y2) + wide(x1, y1) + wide(x2, y0),
                3 => wide(x0, y3) + wide(x1, y2) + wide(x2, y1) + wide(x3, y0),
                4 => wide(x0, y4) + wide(x1, y3) + wide(x2, y2) + wide(x3, y1) + wide(x4, y0),
                5 => wide(x1, y4) + wide(x2, y3) + wide(x3, y2) + wide(x4, y1),
                6 => wide(x2, y4) + wide(x3, y3) + wide(x4, y2),
                7 => wide(x3, y4) + wide(x4, y3),
                _ => wide(x4, y4),
            },
        )
    }

    /// x^2.
    #[inline(always)]
    pub fn square(&self) -> Coordinate {
        const { assert!(M <= LARGEST) }
        let [x0, x1, x2, x3, x4] = self.0;
        folded(
            #[inline(always)]
            |column| match column {
                0 => wide(x0, x0),
                1 => wide(2 * x0, x1),
                2 => wide(2 * x0, x2) + wide(x1, x1),
                3 => wide(2 * x0, x3) + wide(2 * x1, x2),
                4 => wide(x0, 2 * x4) + wide(2 * x1, x3) + wide(x2, x2),
                5 => wide(x1, 2 * x4) + wide(2 * x2, x3),
                6 => wide(x2, 2 * x4) + wide(x3, x3),
                7 => wide(x3, 2 * x4),
                _ => wide(x4, x4),
            },
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
        // With what is at or above 2^256 folded: below 2^256 + 2^60, so only 0 and p are 0.
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
