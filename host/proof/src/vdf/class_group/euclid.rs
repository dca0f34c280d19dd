//! Euclid's algorithm that stops at a bound, with Lehmer's steps on 64-bit words.
//!
//! The remainders of (a, b) are r_(i+1) = r_(i-1) - q_i r_i. Their cofactors c_i follow the same rule from (0, 1), so
//! r_i = c_i b (mod a), and their signs alternate. Lehmer's step computes several quotients from the leading 63 bits of
//! both remainders. Jebelean's condition (*A double-digit Lehmer–Euclid algorithm*, 1995) accepts only quotients that
//! are exact for all lower bits. The matrix of the quotients is then applied to the long numbers at once.
//!
//! The stop inside a Lehmer step compares leading words only. They are inexact by up to a cofactor, so the last step
//! may pass the bound by a remainder. Composition works with any stop. The encoding of a form depends on it: chiavdf
//! (and Flint, from which it has the function) also stops at this point, so the 63 bits and both comparisons are part of the
//! format.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;

/// Two consecutive remainders and the magnitudes of their cofactors: little-endian limbs without leading zeros.
pub(super) struct Remainders {
    r2: Vec<u64>,
    r1: Vec<u64>,
    c2: Vec<u64>,
    c1: Vec<u64>,
    /// The sign of `c1`; `c2` has the other.
    sign: Sign,
}

/// The matrix of a Lehmer step, by magnitudes: r2' = ±(u2 r2 - v2 r1), r1' = ±(v1 r1 - u1 r2).
struct Matrix {
    u2: u64,
    v2: u64,
    u1: u64,
    v1: u64,
    /// The number of quotients. The upper signs hold if it is even.
    steps: u32,
}

/// Runs Euclid's algorithm on `a` and `b` until the last remainder is 0 or at most `bound`.
pub(super) fn partial(a: &BigUint, b: &BigUint, bound: &BigUint) -> Remainders {
    let (r2, r1, bound) = (a.to_u64_digits(), b.to_u64_digits(), bound.to_u64_digits());
    let mut state = Remainders { r2, r1, c2: Vec::new(), c1: vec![1], sign: Sign::Plus };
    while !state.r1.is_empty() && compare(&state.r1, &bound) == Ordering::Greater {
        let matrix = lehmer(&state.r2, &state.r1, &bound);
        if matrix.steps == 0 { state.divide() } else { state.apply(&matrix) }
    }
    state
}

/// Computes g = gcd(a, b) and a c with c b = g (mod a).
pub(super) fn gcd(a: &BigUint, b: &BigUint) -> (BigUint, BigInt) {
    let end = partial(a, b, &BigUint::zero());
    (from_limbs(&end.r2), end.c2())
}

impl Remainders {
    /// Returns the remainder before the last.
    pub fn r2(&self) -> BigInt {
        from_limbs(&self.r2).into()
    }

    /// Returns the last remainder.
    pub fn r1(&self) -> BigInt {
        from_limbs(&self.r1).into()
    }

    /// Returns the cofactor of `r2`.
    pub fn c2(&self) -> BigInt {
        BigInt::from_biguint(-self.sign, from_limbs(&self.c2))
    }

    /// Returns the cofactor of `r1`.
    pub fn c1(&self) -> BigInt {
        BigInt::from_biguint(self.sign, from_limbs(&self.c1))
    }

    /// Returns the sign of the cofactor of `r1`. The determinant r2 c1 - r1 c2 is a with this sign.
    pub fn sign(&self) -> Sign {
        self.sign
    }

    /// Makes one step, with a long division if `r2` is long.
    fn divide(&mut self) {
        if let ([r2], [r1]) = (&self.r2[..], &self.r1[..]) {
            return self.apply(&Matrix { u2: 0, v2: 1, u1: 1, v1: r2 / r1, steps: 1 });
        }
        let (quotient, remainder) = from_limbs(&self.r2).div_rem(&from_limbs(&self.r1));
        self.r2 = std::mem::replace(&mut self.r1, remainder.to_u64_digits());
        let c = from_limbs(&self.c2) + quotient * from_limbs(&self.c1);
        self.c2 = std::mem::replace(&mut self.c1, c.to_u64_digits());
        self.sign = -self.sign;
    }

    /// Makes all steps of a matrix.
    fn apply(&mut self, m: &Matrix) {
        if m.steps.is_multiple_of(2) {
            differences(&mut self.r2, &mut self.r1, m);
        } else {
            let swapped = Matrix { u2: m.v2, v2: m.u2, u1: m.v1, v1: m.u1, steps: m.steps };
            differences(&mut self.r1, &mut self.r2, &swapped);
            std::mem::swap(&mut self.r2, &mut self.r1);
            self.sign = -self.sign;
        }
        sums(&mut self.c2, &mut self.c1, m);
    }
}

/// Replaces x by u2 x - v2 y and y by v1 y - u1 x. Neither is negative, and no factor exceeds 63 bits, except where the
/// products have one limb.
fn differences(x: &mut Vec<u64>, y: &mut Vec<u64>, m: &Matrix) {
    pad(x, y);
    let product = |x: u64, y: u64| (u128::from(x) * u128::from(y)) as i128;
    let (mut carry_x, mut carry_y) = (0, 0);
    for (x, y) in x.iter_mut().zip(y.iter_mut()) {
        let sum_x = product(m.u2, *x) - product(m.v2, *y) + carry_x;
        let sum_y = product(m.v1, *y) - product(m.u1, *x) + carry_y;
        (*x, *y) = (sum_x as u64, sum_y as u64);
        (carry_x, carry_y) = (sum_x >> 64, sum_y >> 64);
    }
    trim(x);
    trim(y);
}

/// Replaces x by u2 x + v2 y and y by u1 x + v1 y. Cofactors and the matrix both alternate in sign, so magnitudes add.
fn sums(x: &mut Vec<u64>, y: &mut Vec<u64>, m: &Matrix) {
    pad(x, y);
    let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
    let (mut carry_x, mut carry_y) = (0, 0);
    for (x, y) in x.iter_mut().zip(y.iter_mut()) {
        let sum_x = product(m.u2, *x) + product(m.v2, *y) + carry_x;
        let sum_y = product(m.u1, *x) + product(m.v1, *y) + carry_y;
        (*x, *y) = (sum_x as u64, sum_y as u64);
        (carry_x, carry_y) = (sum_x >> 64, sum_y >> 64);
    }
    x.push(carry_x as u64);
    y.push(carry_y as u64);
    trim(x);
    trim(y);
}

/// Returns the quotients that the leading 63 bits of `r2` and `r1` prove, until `r1` reaches `bound`.
fn lehmer(r2: &[u64], r1: &[u64], bound: &[u64]) -> Matrix {
    let shift = bit_length(r2).max(bit_length(r1)).saturating_sub(63);
    let (mut x2, mut x1, bound) = (word(r2, shift), word(r1, shift), word(bound, shift));
    let mut m = Matrix { u2: 1, v2: 0, u1: 0, v1: 1, steps: 0 };
    while x1 > bound {
        let quotient = x2 / x1;
        let x = x2 - quotient * x1;
        // No overflow: a cofactor is at most the first x2 by the last x1, below 2^63.
        let (u, v) = (m.u2 + quotient * m.u1, m.v2 + quotient * m.v1);
        let (least, gap) = if m.steps.is_multiple_of(2) { (v, u + m.u1) } else { (u, v + m.v1) };
        if x < least || x1 - x < gap {
            break;
        }
        (x2, x1) = (x1, x);
        m = Matrix { u2: m.u1, v2: m.v1, u1: u, v1: v, steps: m.steps + 1 };
    }
    m
}

/// Returns the low 64 bits of a number shifted right.
fn word(limbs: &[u64], shift: usize) -> u64 {
    let limb = |index| limbs.get(index).copied().unwrap_or(0);
    let (low, high) = (limb(shift / 64), limb(shift / 64 + 1));
    match shift % 64 {
        0 => low,
        bits => low >> bits | high << (64 - bits),
    }
}

fn bit_length(limbs: &[u64]) -> usize {
    limbs.last().map_or(0, |top| 64 * limbs.len() - top.leading_zeros() as usize)
}

fn compare(x: &[u64], y: &[u64]) -> Ordering {
    x.len().cmp(&y.len()).then_with(|| x.iter().rev().cmp(y.iter().rev()))
}

/// Gives both numbers the same number of limbs.
fn pad(x: &mut Vec<u64>, y: &mut Vec<u64>) {
    let length = x.len().max(y.len());
    x.resize(length, 0);
    y.resize(length, 0);
}

fn trim(limbs: &mut Vec<u64>) {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
}

fn from_limbs(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|limb| [*limb as u32, (*limb >> 32) as u32]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdf::class_group::tests::random;

    /// Runs Euclid's algorithm by its definition, to the bound or to the remainder `last` behind it.
    fn plain(a: &BigInt, b: &BigInt, bound: &BigInt, last: &BigInt) -> [BigInt; 4] {
        let (mut r2, mut r1, mut c2, mut c1) =
            (a.clone(), b.clone(), BigInt::zero(), BigInt::from(1));
        let mut behind = false;
        while !r1.is_zero() && (r1 > *bound || !behind && r1 != *last) {
            behind = r1 <= *bound;
            let q = &r2 / &r1;
            (r2, r1) = (r1.clone(), r2 - &q * r1);
            (c2, c1) = (c1.clone(), c2 - q * c1);
        }
        [r2, r1, c2, c1]
    }

    fn check(a: BigUint, b: BigUint, bound: BigUint) {
        let found = partial(&a, &b, &bound);
        let (a, b, bound) = (BigInt::from(a), BigInt::from(b), BigInt::from(bound));
        let (r2, r1, c2, c1) = (found.r2(), found.r1(), found.c2(), found.c1());
        assert_eq!([&r2, &r1, &c2, &c1], plain(&a, &b, &bound, &r1).each_ref(), "{a} {b} {bound}");
        assert!(r1 <= bound);
        assert!(Integer::is_multiple_of(&(&c1 * &b - &r1), &a));
        assert!(Integer::is_multiple_of(&(&c2 * &b - &r2), &a));
        assert_eq!(r2 * c1 - r1 * c2, if found.sign() == Sign::Plus { a } else { -a });
    }

    #[test]
    fn small_numbers() {
        for (a, b) in (1u32..40).flat_map(|a| (0u32..60).map(move |b| (a, b))) {
            [0u32, 1, 3, 6, 100]
                .into_iter()
                .for_each(|bound| check(a.into(), b.into(), bound.into()));
        }
    }

    #[test]
    fn long_numbers_with_short_and_long_quotients() {
        for seed in 0..300u32 {
            let bits = |k: u32| 1 + (seed * k) % 520;
            let (a, b) = (random(bits(7), seed), random(bits(11), seed + 1_000));
            check(a.clone() + 1u32, b.clone(), BigUint::zero());
            check(a.clone() + 1u32, b, a.sqrt());
        }
        // Consecutive Fibonacci numbers have the shortest quotients.
        let (mut a, mut b) = (BigUint::from(1u32), BigUint::from(1u32));
        for _ in 0..700 {
            (b, a) = (a.clone(), a + b);
            check(a.clone(), b.clone(), BigUint::zero());
        }
        let power: BigUint = BigUint::from(1u32) << 512;
        check(power.clone(), &power - 1u32, BigUint::from(1u32) << 256);
    }
}
