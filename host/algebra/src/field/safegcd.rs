//! Inversion by division steps: Bernstein and Yang, "Fast constant-time gcd computation and modular inversion", ePrint
//! 2019/266.
//!
//! From f = p, g = x and delta = 1/2, a division step on the integers f (odd) and g is
//!
//! ```text
//! delta, f, g = 1 - delta, g, (g - f) / 2             if delta > 0 and g is odd
//!               1 + delta, f, (g + (g mod 2) f) / 2   otherwise
//! ```
//!
//! After enough of them ([`steps_needed`]) g is 0 and f is plus or minus the greatest common divisor, 1. (The paper
//! begins with delta = 1. The half is due to Wuille, "Bounds on divsteps iterations in safegcd", 2021.) Steps are
//! linear in f and g and depend, 62 at a time, on the 62 lowest bits only. So a batch is done on one word ([`packed`]),
//! which gives a 2 x 2 matrix of words with denominator 2^62; then the matrix is applied to all of f and g
//! ([`apply_exactly`]), and modulo p to d and e, which keep d x = f scale and e x = g scale ([`apply_modulo`]).
//! At the end f = ±1, and ±d is the inverse times `scale`: with R^2 for scale, the inverse in Montgomery form of
//! a number in Montgomery form.

use super::constants::{bit_length, inverse_mod_word};
use super::signed62::{LIMB_BITS, MASK, Signed62};

mod packed;

/// Division steps from delta = 1/2 that end with g = 0, for 0 <= g <= f < 2^bits: Wuille, "Bounds on divsteps
/// iterations in safegcd", 2021; proved in Coq by Hvass, Aranha, Spitters, ePrint 2021/549.
const fn steps_needed(bits: u32) -> u32 {
    ((45907 * bits as u64 + 26313) / 19929) as u32
}

/// The constants of inversion modulo p.
#[derive(Clone, Copy, Debug)]
pub struct Inversion<const N: usize> {
    p: Signed62<N>,
    /// 1/p modulo 2^62.
    p_inverse: i64,
    /// A factor of the result.
    scale: Signed62<N>,
    /// Batches of the constant-time loop.
    batches: u32,
}

/// 2^62 times the matrix that some division steps are: (f, g) becomes (u f + v g, q f + r g) / 2^62. The sum of the
/// absolute values of a row is at most 2^62.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

impl<const N: usize> Inversion<N> {
    /// Modulo the odd prime p; the result of [`Self::invert`] is scale/x.
    pub const fn new(p: &[u64; N], scale: &[u64; N]) -> Self {
        Self {
            p: Signed62::new(p),
            p_inverse: (inverse_mod_word(p[0]) & MASK as u64) as i64,
            scale: Signed62::new(scale),
            batches: steps_needed(bit_length(p)).div_ceil(packed::BATCH),
        }
    }

    /// scale/x modulo p, and 0 for 0, for x below p. The sequence of instructions is the same for every x.
    pub fn invert(&self, x: &[u64; N]) -> [u64; N] {
        let (mut f, mut g) = (self.p, Signed62::new(x));
        let (mut d, mut e) = (Signed62::ZERO, self.scale);
        // Minus delta, less a half.
        let mut zeta = -1;
        for _ in 0..self.batches {
            let matrix;
            (zeta, matrix) = packed::batch(zeta, f.low[0], g.low[0]);
            (d, e) = apply_modulo(&d, &e, &matrix, self);
            (f, g) = apply_exactly(&f, &g, &matrix);
        }
        d.normalized(f.sign(), &self.p).limbs()
    }

    /// Inverts in a time that depends on x: stops when g is 0, and processes runs of zero bits of g at once.
    pub fn invert_vartime(&self, x: &[u64; N]) -> [u64; N] {
        let (mut f, mut g) = (self.p, Signed62::new(x));
        let (mut d, mut e) = (Signed62::ZERO, self.scale);
        // Minus delta, which begins at 1 here.
        let mut eta = -1;
        while !g.is_zero_vartime() {
            let matrix;
            (eta, matrix) = batch_vartime(eta, f.low[0], g.low[0]);
            (d, e) = apply_modulo(&d, &e, &matrix, self);
            (f, g) = apply_exactly(&f, &g, &matrix);
        }
        d.normalized(f.sign(), &self.p).limbs()
    }
}

/// 62 division steps on the lowest bits of f and g. `eta` is -delta.
fn batch_vartime(mut eta: i64, f: i64, g: i64) -> (i64, Matrix) {
    let (mut f, mut g) = (f, g);
    let (mut u, mut v, mut q, mut r) = (1i64, 0i64, 0i64, 1i64);
    let mut left = LIMB_BITS;
    loop {
        // While g is even, a step halves it. Bits above the batch are not its business.
        let zeros = (g | -1 << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= i64::from(zeros);
        left -= zeros;
        if left == 0 {
            return (eta, Matrix { u, v, q, r });
        }
        if eta < 0 {
            eta = -eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, -u);
            (v, r) = (r, -v);
        }
        // Until eta is negative again, steps add f to g where g is odd. A multiple of f clears up to six bits of g
        // at once: -1/f = f (f^2 - 2) modulo 64.
        let bits = (eta + 1).min(i64::from(left)).min(6);
        let negative_inverse = f.wrapping_mul(f.wrapping_mul(f).wrapping_sub(2));
        let w = g.wrapping_mul(negative_inverse) & ((1 << bits) - 1);
        g = g.wrapping_add(f.wrapping_mul(w));
        q += u * w;
        r += v * w;
    }
}

/// The matrix times (f, g); the division leaves no remainder.
#[inline(always)]
fn apply_exactly<const N: usize>(
    f: &Signed62<N>,
    g: &Signed62<N>,
    matrix: &Matrix,
) -> (Signed62<N>, Signed62<N>) {
    let row = |a, b| Signed62::combination([(a, f), (b, g)]);
    (row(matrix.u, matrix.v), row(matrix.q, matrix.r))
}

/// The matrix times (d, e) modulo p; all are above -2 p and below p.
#[inline(always)]
fn apply_modulo<const N: usize>(
    d: &Signed62<N>,
    e: &Signed62<N>,
    matrix: &Matrix,
    modulus: &Inversion<N>,
) -> (Signed62<N>, Signed62<N>) {
    let row = |a: i64, b: i64| {
        // Adds p to a negative d or e, and then the multiple of p, from -2^62 + 1 to 0 of them, that makes the sum
        // divisible by 2^62.
        let multiple = (a & d.sign()) + (b & e.sign());
        let low = a.wrapping_mul(d.low[0]).wrapping_add(b.wrapping_mul(e.low[0]));
        let excess = low.wrapping_mul(modulus.p_inverse).wrapping_add(multiple) & MASK;
        Signed62::combination([(a, d), (b, e), (multiple - excess, &modulus.p)])
    };
    (row(matrix.u, matrix.v), row(matrix.q, matrix.r))
}

#[cfg(test)]
mod tests;
