//! Square roots, in constant time.

use std::iter::successors;

use subtle::{Choice, CtOption};

use super::Field;
use super::constants::{shift_right, trailing_zeros};
use super::limbs::sub;

/// The constants of the square root modulo a prime p with p - 1 = 2^s t, t odd.
#[derive(Clone, Copy, Debug)]
pub struct RootConstants<const N: usize> {
    /// s.
    pub two_adicity: u32,
    /// t.
    pub odd_part: [u64; N],
    /// (t - 1) / 2.
    pub half_odd_part: [u64; N],
}

impl<const N: usize> RootConstants<N> {
    /// Computes the constants for the odd prime p.
    pub const fn new(p: &[u64; N]) -> Self {
        let mut one = [0; N];
        one[0] = 1;
        let even = sub(p, &one).0;
        let two_adicity = trailing_zeros(&even);
        let odd_part = shift_right(&even, two_adicity);
        Self { two_adicity, odd_part, half_odd_part: shift_right(&odd_part, 1) }
    }
}

/// A square root of x, if there is one. `root_of_unity` has order 2^s, s at most 64.
///
/// Tonelli and Shanks with the logarithm by halves, in constant time: about s log2(s) multiplications after the power,
/// where one bit of the logarithm after the other takes s^2 / 2.
pub fn sqrt<F: Field, const N: usize>(
    x: &F,
    constants: &RootConstants<N>,
    root_of_unity: F,
) -> CtOption<F> {
    let power = x.pow_vartime(&constants.half_odd_part);
    // root^2 = x t, and if x is a square, so is t = x^odd_part: a power of c^2, c the root of unity.
    let root = power * x;
    let t = root * power;
    // c, c^2, c^4, …, -1.
    let powers: Vec<F> = successors(Some(root_of_unity), |c| Some(c.square()))
        .take(constants.two_adicity as usize)
        .collect();
    // t c^(2 k) = 1 makes root c^k a root of x.
    let k = negative_logarithm(&t, &powers[1..]);
    let root = root * power_by_bits(&powers, k);
    CtOption::new(root, root.square().ct_eq(x))
}

/// The k below 2^m with t h^k = 1, for a t in the group of h, which has order 2^m; `powers` are h, h^2, h^4, …, m of
/// them. The lower half of k is that of t^(2^(m - m/2)), and leaves the upper half (Pohlig, Hellman, IEEE Trans. Inf.
/// Theory 24, 1978). For other t, any number.
fn negative_logarithm<F: Field>(t: &F, powers: &[F]) -> u64 {
    let (bits, half) = (powers.len(), powers.len() / 2);
    if half == 0 {
        // h = -1, or nothing is left.
        return u64::from((!t.ct_eq(&F::ONE)).unwrap_u8()) & bits as u64;
    }
    let raised = (half..bits).fold(*t, |raised, _| raised.square());
    let low = negative_logarithm(&raised, &powers[bits - half..]);
    let rest = *t * power_by_bits(&powers[..half], low);
    low | negative_logarithm(&rest, &powers[half..]) << half
}

/// h^k for a k with no more bits than there are `powers` h, h^2, h^4, …
fn power_by_bits<F: Field>(powers: &[F], k: u64) -> F {
    (0..).zip(powers).fold(F::ONE, |product, (i, power)| {
        let bit = Choice::from((k >> i & 1) as u8);
        F::conditional_select(&product, &(product * power), bit)
    })
}
