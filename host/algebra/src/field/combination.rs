//! Sums of small multiples with one reduction.

use super::Modulus;
use super::limbs::{add_carry, mul_add, reduce_once};
use super::montgomery::Montgomery;
use super::multiply::Reduction;

/// Of terms of four limbs.
const N: usize = 4;

impl<P: Modulus<N>> Montgomery<P, N> {
    /// `(factors[0] terms[0] + factors[1] terms[1] + …)` / 2^64, for factors whose sum is below 2^63.
    ///
    /// The sum is below 2^63 p; with the multiple of p below 2^64 p that makes it divisible by 2^64 and is divided too, the
    /// result is below 2p.
    #[inline]
    pub(crate) fn combination(terms: &[Self], factors: &[u64]) -> Self {
        let reduction = const { &Reduction::new(P::MODULUS) };
        let (mut t, mut top) = ([0; N], 0);
        for (term, &factor) in terms.iter().zip(factors) {
            let mut carry = 0;
            for (word, &limb) in t.iter_mut().zip(term.limbs()) {
                (*word, carry) = mul_add(*word, factor, limb, carry);
            }
            top += carry;
        }
        let multiple = t[0].wrapping_mul(reduction.negative_inverse);
        let (_, mut carry) = mul_add(t[0], multiple, reduction.p[0], 0);
        for j in 1..N {
            (t[j - 1], carry) = mul_add(t[j], multiple, reduction.p[j], carry);
        }
        let over;
        (t[N - 1], over) = add_carry(top, carry, 0);
        Self::of_limbs(&reduce_once(&t, over, &reduction.p))
    }
}
