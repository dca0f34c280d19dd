//! Square roots in lanes: the y of many points from their x.

use super::field::Element;
use super::point::Coordinates;
use crate::lanes::{Backend, Choice, Mask, WIDTH, each};
#[cfg(target_arch = "x86_64")]
use crate::lanes::{Fma, SparseDoubles};

/// Vectors side by side: a squaring waits for the one before, and two fill the time of each other.
const SIDE_BY_SIDE: usize = 2;
/// Elements in one go.
pub const AT_ONCE: usize = SIDE_BY_SIDE * WIDTH;

/// For each x below 2^256 in 64-bit limbs, a y below 2^256 with y^2 = x^3 + 7 modulo p; none if there is no such y.
pub struct Ordinates<'a>(pub &'a [[u64; 4]; AT_ONCE]);

impl Choice for Ordinates<'_> {
    type Output = [Option<[u64; 4]>; AT_ONCE];

    #[inline(always)]
    fn on_limbs<B: Backend>(self, b: B) -> Self::Output {
        ordinates::<Element<B>>(b, self.0)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> Self::Output {
        ordinates::<SparseDoubles>(fma, self.0)
    }
}

#[inline(always)]
fn ordinates<C: Coordinates>(
    proof: C::Proof,
    xs: &[[u64; 4]; AT_ONCE],
) -> [Option<[u64; 4]>; AT_ONCE] {
    let zero = C::small(proof, 0);
    let right = each!(n < SIDE_BY_SIDE, zero => {
        let x = C::load(proof, eight(xs, n));
        x.squared().times(&x).plus(&C::small(proof, 7))
    });
    let y = roots(&right);
    let mut ordinates = [None; AT_ONCE];
    for n in 0..SIDE_BY_SIDE {
        let exists: Mask = y[n].squared().are_equal(&right[n]);
        let words = y[n].store();
        for lane in 0..WIDTH {
            if exists >> lane & 1 == 1 {
                ordinates[WIDTH * n + lane] = Some(words[lane]);
            }
        }
    }
    ordinates
}

#[inline(always)]
fn eight(all: &[[u64; 4]; AT_ONCE], n: usize) -> &[[u64; 4]; WIDTH] {
    let (eights, _) = all.as_chunks();
    &eights[n]
}

/// x^((p + 1) / 4): the square root of a square, as p = 3 modulo 4. The exponent is 223 ones, a zero, 22 ones, four
/// zeros, two ones and two zeros; 253 squarings and 13 products.
#[inline(always)]
fn roots<C: Coordinates>(x: &[C; SIDE_BY_SIDE]) -> [C; SIDE_BY_SIDE] {
    let ones2 = join(x, 1, x);
    let ones3 = join(&ones2, 1, x);
    let ones6 = join(&ones3, 3, &ones3);
    let ones9 = join(&ones6, 3, &ones3);
    let ones11 = join(&ones9, 2, &ones2);
    let ones22 = join(&ones11, 11, &ones11);
    let ones44 = join(&ones22, 22, &ones22);
    let ones88 = join(&ones44, 44, &ones44);
    let ones176 = join(&ones88, 88, &ones88);
    let ones220 = join(&ones176, 44, &ones44);
    let ones223 = join(&ones220, 3, &ones3);
    let upper = join(&ones223, 23, &ones22);
    let all = join(&upper, 6, &ones2);
    each!(n < SIDE_BY_SIDE, x[0] => all[n].squared().squared())
}

/// The exponent of `high`, shifted, and that of `low` behind it.
#[inline(always)]
fn join<C: Coordinates>(
    high: &[C; SIDE_BY_SIDE],
    bits: u32,
    low: &[C; SIDE_BY_SIDE],
) -> [C; SIDE_BY_SIDE] {
    let mut power = *high;
    for _ in 0..bits {
        power = each!(n < SIDE_BY_SIDE, high[0] => power[n].squared());
    }
    each!(n < SIDE_BY_SIDE, high[0] => power[n].times(&low[n]))
}
