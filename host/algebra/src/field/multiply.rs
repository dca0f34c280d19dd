//! Montgomery multiplication in plain Rust (Montgomery, Math. Comp. 44, 1985), operand by operand and word by word:
//! the method CIOS of Koç, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms", 1996.
//! Several products share one reduction as in Longa, ePrint 2022/367, Algorithm 2.

#[cfg(target_arch = "aarch64")]
use super::aarch64;
use super::constants::inverse_mod_word;
use super::limbs::{add, add_carry, add_mod, mul_add, reduce_once, sub};
#[cfg(target_arch = "x86_64")]
use super::x86_64::{Adx, products};

/// The constants of a reduction modulo p.
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

    /// Returns whether (count + 1) p < 2^(64 N). Then `count` products can be summed and reduced together in N + 1 limbs: with T
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

/// a b / 2^(64 N) modulo p, for any a, and b below p; where two products fit, also for b below 2 p and a b below 2^(64 N) p.
///
/// There is one function for a size, with the processor's instructions or without, and not one at every place where
/// something is multiplied: a call takes less time than what a hundred copies push out of the first-level cache.
#[inline(always)]
pub fn product<const N: usize>(a: &[u64; N], b: &[u64; N], r: &Reduction<N>) -> [u64; N] {
    #[cfg(target_arch = "x86_64")]
    if products::has(N)
        && r.fits(1)
        && let Some(adx) = Adx::detect()
    {
        return products::product(adx, a, b, r);
    }
    // Taken apart: a result that either way writes to the same place is copied from there, faster than it arrives.
    let product = portable_product(a, b, r);
    std::array::from_fn(|i| product[i])
}

#[inline(never)]
fn portable_product<const N: usize>(a: &[u64; N], b: &[u64; N], r: &Reduction<N>) -> [u64; N] {
    #[cfg(target_arch = "aarch64")]
    if r.fits(1)
        && let Some(t) = aarch64::sum_of_products([a], [b], r)
    {
        return reduce_once(&t, 0, &r.p);
    }
    let (t, top) = multiply(a, b, r);
    reduce_once(&t, top, &r.p)
}

/// (x - y) b / 2^(64 N) modulo p, for numbers below p, where a product fits.
#[inline(always)]
pub fn product_of_difference<const N: usize>(
    x: &[u64; N],
    y: &[u64; N],
    b: &[u64; N],
    r: &Reduction<N>,
) -> [u64; N] {
    product(&less_multiple(x, y, 1, &r.p), b, r)
}

/// (a0 + a1 u)(b0 + b1 u) / 2^(64 N) modulo p, where u^2 = -n. For a and b below p, where max(n, 2) products fit.
#[inline(always)]
pub fn quadratic_product<const N: usize>(
    a: &[[u64; N]; 2],
    b: &[[u64; N]; 2],
    n: u32,
    r: &Reduction<N>,
) -> [[u64; N]; 2] {
    debug_assert!(r.fits(n.max(2) as usize), "sums of products that fit");
    quadratic(a, &less_multiple(&[0; N], &a[1], n, &r.p), b, r)
}

/// (x0 - y0 + (x1 - y1) u)(b0 + b1 u) / 2^(64 N) modulo p likewise, where 2 n + 1 products fit.
#[inline(always)]
pub fn quadratic_product_of_difference<const N: usize>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
    b: &[[u64; N]; 2],
    n: u32,
    r: &Reduction<N>,
) -> [[u64; N]; 2] {
    debug_assert!(r.fits(2 * n as usize + 1), "sums of products that fit");
    let a = [less_multiple(&x[0], &y[0], 1, &r.p), less_multiple(&x[1], &y[1], 1, &r.p)];
    let negative = less_multiple(&y[1], &x[1], 1, &r.p);
    quadratic(&a, &plus_multiple(&[0; N], &negative, n), b, r)
}

/// a0 b0 + minus b1 and a0 b1 + a1 b0, divided by 2^(64 N), modulo p: two sums of two products, each reduced once (Aranha,
/// Karabina, Longa, Gebotys, Lopez, ePrint 2010/526, section 3). For b below p, and a0 + minus and a0 + a1 up to 2^(64 N),
/// where two products fit: with a sum of products below 2^(64 N) p, the reduced one is below 2 p.
#[inline(always)]
fn quadratic<const N: usize>(
    a: &[[u64; N]; 2],
    minus: &[u64; N],
    b: &[[u64; N]; 2],
    r: &Reduction<N>,
) -> [[u64; N]; 2] {
    #[cfg(target_arch = "x86_64")]
    if products::has(N)
        && let Some(adx) = Adx::detect()
    {
        return products::quadratic(adx, a, minus, b, r);
    }
    let c0 = portable_sum_of_products([&a[0], minus], [&b[0], &b[1]], r);
    [c0, portable_sum_of_products([&a[0], &a[1]], [&b[1], &b[0]], r)]
}

#[inline(never)]
fn portable_sum_of_products<const N: usize>(
    a: [&[u64; N]; 2],
    b: [&[u64; N]; 2],
    r: &Reduction<N>,
) -> [u64; N] {
    #[cfg(target_arch = "aarch64")]
    if let Some(t) = aarch64::sum_of_products(a, b, r) {
        return reduce_once(&t, 0, &r.p);
    }
    reduce_once(&multiply_together(a, b, r), 0, &r.p)
}

/// (a0 + a1 u)^2 / 2^(64 N) modulo p, where u^2 = -n for an odd n, as (a0 + a1) (a0 - n a1) + (n - 1) a0 a1 and 2 a0 a1. For a
/// below p, where 2 n + 1 products fit.
#[inline(always)]
pub fn quadratic_square<const N: usize>(
    a: &[[u64; N]; 2],
    n: u32,
    r: &Reduction<N>,
) -> [[u64; N]; 2] {
    debug_assert!(n % 2 == 1 && r.fits(2 * n as usize + 1), "products that fit");
    let (twice, _) = add(&a[0], &a[0]);
    let c1 = product(&twice, &a[1], r);
    // Below 2 p, and its other factor below (n + 1) p.
    let (sum, _) = add(&a[0], &a[1]);
    let mut c0 = product(&less_multiple(&a[0], &a[1], n, &r.p), &sum, r);
    // c1 is twice what is added n - 1 times.
    for _ in 0..n / 2 {
        c0 = add_mod(&c0, &c1, &r.p);
    }
    [c0, c1]
}

/// a + n (p - b), for a and b below p.
#[inline(always)]
fn less_multiple<const N: usize>(a: &[u64; N], b: &[u64; N], n: u32, p: &[u64; N]) -> [u64; N] {
    plus_multiple(a, &sub(p, b).0, n)
}

/// a + n b.
#[inline(always)]
fn plus_multiple<const N: usize>(a: &[u64; N], b: &[u64; N], n: u32) -> [u64; N] {
    if n == 1 {
        return add(a, b).0;
    }
    let (mut t, mut carry) = (*a, 0);
    for i in 0..N {
        (t[i], carry) = mul_add(t[i], b[i], n.into(), carry);
    }
    t
}

/// `(a[0] b[0] + a[1] b[1] + …)` / 2^(64 N) modulo p, below 2 p, for b below p, where so many products fit and their sum is below
/// 2^(64 N) p.
#[inline(always)]
fn multiply_together<const N: usize, const COUNT: usize>(
    a: [&[u64; N]; COUNT],
    b: [&[u64; N]; COUNT],
    r: &Reduction<N>,
) -> [u64; N] {
    let mut t = [0; N];
    for i in 0..N {
        let mut top = 0;
        for (a, b) in a.into_iter().zip(b) {
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
