//! Square roots, in constant time.

use subtle::CtOption;

use super::Field;
use super::constants::{shift_right, trailing_zeros};
use super::limbs::sub;

/// What the root of a prime p - 1 = 2^s t, t odd, needs.
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
    /// Of the odd prime p.
    pub const fn new(p: &[u64; N]) -> Self {
        let mut one = [0; N];
        one[0] = 1;
        let even = sub(p, &one).0;
        let two_adicity = trailing_zeros(&even);
        let odd_part = shift_right(&even, two_adicity);
        Self { two_adicity, odd_part, half_odd_part: shift_right(&odd_part, 1) }
    }
}

/// A square root of x, if there is one. `root_of_unity` has order 2^s.
///
/// Tonelli and Shanks in constant time: RFC 9380, appendix I.4. With s = 1 no turn of its loop is left, and what
/// remains is the power (p + 1) / 4.
pub fn sqrt<F: Field, const N: usize>(
    x: &F,
    constants: &RootConstants<N>,
    root_of_unity: F,
) -> CtOption<F> {
    let power = x.pow_vartime(&constants.half_odd_part);
    // root^2 = x t with t of order 2^(s-1) or less if x is a square.
    let mut root = power * x;
    let mut t = root * power;
    let mut c = root_of_unity;
    for i in (2..=constants.two_adicity).rev() {
        let mut last = t;
        for _ in 0..i - 2 {
            last = last.square();
        }
        let good = last.ct_eq(&F::ONE);
        root = F::conditional_select(&(root * c), &root, good);
        c = c.square();
        t = F::conditional_select(&(t * c), &t, good);
    }
    CtOption::new(root, root.square().ct_eq(x))
}
