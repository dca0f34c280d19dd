//! Factors that are computed once for a plan.

use crate::field::PrimeField;

use super::form::Form;

/// Returns the first powers of x: 1, x, x^2, ...
pub fn powers<F: PrimeField>(x: F, count: usize) -> Vec<F> {
    std::iter::successors(Some(F::ONE), |power| Some(*power * x)).take(count).collect()
}

/// The number with the bits of i, of which there are so many, in the other order.
pub fn reversed(i: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) }
}

/// A transform of n = 2^log rows that gives values at g w^k, w a root of unity of order n, in steps.
///
/// A block of m rows is a polynomial modulo x^m - v^m, where v = g w^e. Butterflies of radix r leave it modulo
/// x^(m / r) - (v w^(k n / m))^(m / r), for k from 0 to r - 1: r blocks. With t = v^(m / r), and parts x_j of m / r rows, they
/// are the sums of (w^(n / r))^(j k) t^j x_j: e becomes e + k n / m. The row in the end holds the value for k = e.
pub struct Steps<const D: usize> {
    pub list: Vec<Step<D>>,
    /// g is 1, and so is the first t.
    pub is_plain: bool,
    /// The row of each result.
    rows: Vec<u32>,
}

/// Butterflies of a radix, of blocks of one size.
pub struct Step<const D: usize> {
    pub log_radix: u32,
    /// Rows of a block.
    pub block: usize,
    /// For each block, the radix minus one factors: [`Form::butterfly_factors`].
    pub factors: Vec<[u64; D]>,
}

impl<const D: usize> Steps<D> {
    /// Computes the tables from log, w and g, with the digits of factors.
    pub fn new<F: Form<D>>((log, w, g): (u32, F, F), digits: fn(&F) -> [u64; D]) -> Self {
        let n = 1usize << log;
        let powers = powers(w, n);
        let (mut list, mut exponents) = (Vec::new(), vec![0]);
        let mut left = log;
        while left > 0 {
            let log_radix = next_radix(left, F::MAX_LOG_RADIX);
            let (radix, blocks, part) = (1 << log_radix, exponents.len(), 1 << (left - log_radix));
            let given = powers[n / radix];
            let root = F::butterfly_root(given);
            let shift = g.pow_vartime(&[part as u64]);
            let mut factors = Vec::with_capacity((radix - 1) * blocks);
            for e in &exponents {
                let t = shift * powers[e * part % n];
                let of_block = F::butterfly_factors(t, root, log_radix);
                factors.extend(of_block.iter().map(digits));
            }
            let of_root = logarithms(given, root, radix);
            let next = |e: &usize| of_root.iter().map(move |k| e + k * blocks).collect::<Vec<_>>();
            exponents = exponents.iter().flat_map(next).collect();
            list.push(Step { log_radix, block: radix * part, factors });
            left -= log_radix;
        }
        let mut rows = vec![0; n];
        for (row, e) in exponents.iter().enumerate() {
            rows[*e] = row as u32;
        }
        Self { list, is_plain: g == F::ONE, rows }
    }

    /// The row of result k.
    pub fn row(&self, k: usize) -> usize {
        self.rows[k] as usize
    }
}

/// The logarithm of the next radix: the largest, but no 2 is left over for the end if there may be two 4s instead.
fn next_radix(left: u32, most: u32) -> u32 {
    if left == most + 1 { left / 2 } else { most.min(left) }
}

/// Of each c below r the k for which given^k = root^c, of roots of unity of the same order r.
fn logarithms<F: PrimeField>(given: F, root: F, r: usize) -> Vec<usize> {
    let given = powers(given, r);
    let exponent = |sought: &F| given.iter().position(|power| power == sought);
    let found = powers(root, r).iter().map(exponent).collect::<Option<_>>();
    found.expect("roots of the same order")
}
