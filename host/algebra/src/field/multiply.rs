//! Montgomery multiplication in plain Rust (Montgomery, Math. Comp. 44, 1985), operand by operand and word by word:
//! the method CIOS of Koç, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms", 1996.
//! Several products share one reduction as in Longa, ePrint 2022/367, Algorithm 2.

use std::array::from_ref;

use super::constants::inverse_mod_word;
use super::limbs::{add_carry, mul_add, reduce_once};
#[cfg(target_arch = "x86_64")]
use super::x86_64;

/// What a reduction modulo p needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Reduction<const N: usize> {
    /// p, lowest limb first.
    pub p: [u64; N],
    /// -1/p modulo 2^64.
    pub negative_inverse: u64,
}

impl<const N: usize> Reduction<N> {
    /// Modulo an odd p.
    pub const fn new(p: [u64; N]) -> Self {
        Self { p, negative_inverse: inverse_mod_word(p[0]).wrapping_neg() }
    }

    /// Is (count + 1) p < 2^(64 N)? Then `count` products can be summed and reduced together in N + 1 limbs: with T
    /// below (count + 1) p, so is `(T + a[0][i] b[0] + a[1][i] b[1] + … + m p) / 2^64`. The last T, the sum of the
    /// products and of at most 2^(64 N) p, divided by 2^(64 N), is below 2 p if all a and b are below p; for a single
    /// product it is enough that b is.
    pub const fn fits(&self, count: usize) -> bool {
        (self.p[N - 1] as u128 + 1) * (count as u128 + 1) <= 1 << 64
    }
}

/// t + 2^(64 N) top = a b / 2^(64 N) modulo p, below 2 p, for a any number of N limbs and b below p. If the product
/// fits, top is 0.
#[inline(always)]
pub const fn multiply<const N: usize>(
    a: &[u64; N],
    b: &[u64; N],
    r: &Reduction<N>,
) -> ([u64; N], u64) {
    let (mut t, mut top) = ([0; N], 0);
    let mut i = 0;
    while i < N {
        // t = (t + a[i] b + m p) / 2^64, where m makes the sum divisible; still below 2 p.
        let (low, mut carry_b) = mul_add(t[0], a[i], b[0], 0);
        let m = low.wrapping_mul(r.negative_inverse);
        let (_, mut carry_p) = mul_add(low, m, r.p[0], 0);
        let mut j = 1;
        while j < N {
            let word;
            (word, carry_b) = mul_add(t[j], a[i], b[j], carry_b);
            (t[j - 1], carry_p) = mul_add(word, m, r.p[j], carry_p);
            j += 1;
        }
        if r.fits(1) {
            t[N - 1] = carry_b + carry_p;
        } else {
            let (word, over) = add_carry(carry_b, carry_p, 0);
            let (word, more) = add_carry(word, top, 0);
            t[N - 1] = word;
            top = over | more;
        }
        i += 1;
    }
    (t, top)
}

/// a b / 2^(64 N) modulo p, for any a, and b below p.
#[inline(always)]
pub fn product<const N: usize>(a: &[u64; N], b: &[u64; N], r: &Reduction<N>) -> [u64; N] {
    #[cfg(target_arch = "x86_64")]
    if r.fits(1)
        && let Some(product) = x86_64::sum_of_products(from_ref(a), from_ref(b), r)
    {
        return product;
    }
    let (t, top) = multiply(a, b, r);
    reduce_once(&t, top, &r.p)
}

/// `(a[0] b[0] + a[1] b[1] + …)` / 2^(64 N) modulo p, for a and b below p, where so many products fit.
#[inline(always)]
pub fn sum_of_products<const N: usize, const COUNT: usize>(
    a: &[[u64; N]; COUNT],
    b: &[[u64; N]; COUNT],
    r: &Reduction<N>,
) -> [u64; N] {
    #[cfg(target_arch = "x86_64")]
    if let Some(sum) = x86_64::sum_of_products(a, b, r) {
        return sum;
    }
    summed(a, b, r)
}

/// The same in plain Rust.
#[inline(always)]
pub(super) fn summed<const N: usize, const COUNT: usize>(
    a: &[[u64; N]; COUNT],
    b: &[[u64; N]; COUNT],
    r: &Reduction<N>,
) -> [u64; N] {
    reduce_once(&multiply_together(a, b, r), 0, &r.p)
}

/// `(a[0] b[0] + a[1] b[1] + …)` / 2^(64 N) modulo p, below 2 p, for a and b below p, where so many products fit.
#[inline(always)]
fn multiply_together<const N: usize, const COUNT: usize>(
    a: &[[u64; N]; COUNT],
    b: &[[u64; N]; COUNT],
    r: &Reduction<N>,
) -> [u64; N] {
    let mut t = [0; N];
    for i in 0..N {
        let mut top = 0;
        for (a, b) in a.iter().zip(b) {
            let mut carry = 0;
            for j in 0..N {
                (t[j], carry) = mul_add(t[j], a[i], b[j], carry);
            }
            top += carry;
        }
        let m = t[0].wrapping_mul(r.negative_inverse);
        let (_, mut carry) = mul_add(t[0], m, r.p[0], 0);
        for j in 1..N {
            (t[j - 1], carry) = mul_add(t[j], m, r.p[j], carry);
        }
        t[N - 1] = top + carry;
    }
    t
}

#[cfg(test)]
mod tests;
