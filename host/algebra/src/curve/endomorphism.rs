//! The endomorphism (x, y) -> (beta x, y) of y^2 = x^3 + b, and scalars cut in two with it
//! (Gallant, Lambert, Vanstone, CRYPTO 2001).

use crate::field::PrimeField;
use subtle::{Choice, ConditionallySelectable};
use zeroize::Zeroize;

/// The constants that split scalars of one group. They are computed at build time from lambda and r, with a short
/// basis (a1, b1), (a2, b2) of the lattice a + b lambda = 0 mod r.
///
/// ```text
/// c1 = round(b2 k / r)     k2 = -c1 b1 - c2 b2
/// c2 = round(-b1 k / r)    k1 = k - k2 lambda
/// ```
///
/// The quotients are products: b2/r and -b1/r are kept as integers times 2^-320, and their signs with the b's that
/// they meet.
#[derive(Clone, Copy, Debug)]
pub struct Split<S: PrimeField> {
    /// lambda^2 + lambda + 1 = 0 mod r.
    pub lambda: S,
    /// round(2^320 |b2| / r) and round(2^320 |b1| / r).
    pub quotients: [[u64; 5]; 2],
    /// -b1 with the sign of b2, and b2 with the sign of b1.
    pub steps: [S; 2],
}

/// A number of few bits with a sign, as a scalar and as limbs.
pub(super) struct Short {
    /// True when the scalar is r minus the magnitude.
    pub negative: Choice,
    /// 64-bit limbs, least significant first.
    pub magnitude: [u64; 4],
}

impl Zeroize for Short {
    fn zeroize(&mut self) {
        self.negative = Choice::from(0);
        self.magnitude.zeroize();
    }
}

impl<S: PrimeField> Split<S> {
    /// The most bits of the halves of a scalar. With c1 and c2 rounded, |k1| is at most half of |a1| + |a2|, and |k2| half of
    /// |b1| + |b2|.
    pub(super) const BITS: u32 = S::BITS.div_ceil(2) + 1;

    /// k1 and k2 with k = k1 + k2 lambda mod r, both of [`Self::BITS`] bits at most. Constant time.
    pub(super) fn cut(&self, k: &S) -> [Short; 2] {
        let limbs = k.to_canonical();
        let [c1, c2]: [S; 2] =
            self.quotients.map(|quotient| scalar(&rounded_product(limbs.as_ref(), &quotient)));
        let k2 = c1 * self.steps[0] + c2 * self.steps[1];
        let k1 = *k - k2 * self.lambda;
        [short(k1), short(k2)]
    }
}

/// round(a b / 2^320).
fn rounded_product(a: &[u64], b: &[u64; 5]) -> [u64; 4] {
    let mut product = [0u64; 10];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (j, &y) in b.iter().enumerate() {
            carry += u128::from(x) * u128::from(y) + u128::from(product[i + j]);
            product[i + j] = carry as u64;
            carry >>= 64;
        }
        product[i + 5] = carry as u64;
    }
    let mut rounded = [product[5], product[6], product[7], product[8]];
    let mut carry = product[4] >> 63;
    for limb in &mut rounded {
        let (sum, overflow) = limb.overflowing_add(carry);
        (*limb, carry) = (sum, overflow.into());
    }
    rounded
}

/// A number below r as a scalar, whatever the width of r.
fn scalar<S: PrimeField>(limbs: &[u64]) -> S {
    let shift = S::from(1 << 32).square();
    limbs.iter().rev().fold(S::ZERO, |sum, &limb| sum * shift + S::from(limb))
}

fn short<S: PrimeField>(k: S) -> Short {
    let (plus, minus) = (k.to_canonical(), (-k).to_canonical());
    let mut borrow = 0u64;
    for (minus, plus) in minus.as_ref().iter().zip(plus.as_ref()) {
        let less = u128::from(*plus) + u128::from(borrow);
        borrow = (u128::from(*minus).wrapping_sub(less) >> 64) as u64 & 1;
    }
    let negative = Choice::from(borrow as u8);
    let mut magnitude = [0; 4];
    for ((limb, plus), minus) in magnitude.iter_mut().zip(plus.as_ref()).zip(minus.as_ref()) {
        *limb = u64::conditional_select(plus, minus, negative);
    }
    Short { negative, magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;
    use crate::field::Field;
    use crate::{bls12_377, bls12_381, bn254, pallas, secp256k1, toy, vesta};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    /// The magnitude as the scalar that it stands for, and its bits.
    fn value<S: PrimeField>(short: &Short) -> (S, u32) {
        let magnitude = scalar::<S>(&short.magnitude);
        let bits = short.magnitude.iter().rev().fold(0, |bits, limb| match bits {
            0 => 64 - limb.leading_zeros(),
            _ => bits + 64,
        });
        (if short.negative.into() { -magnitude } else { magnitude }, bits)
    }

    /// A quotient that is wrong would still give a right sum, only of long halves.
    fn halves_are_short<C: Curve>() {
        let one = C::Scalar::ONE;
        let half = one.double().invert().unwrap();
        let lambda = C::SPLIT.lambda;
        let mut rng = ChaCha20Rng::seed_from_u64(65);
        let random = (0..2_000).map(|_| scalar(&rng.random::<[u64; 4]>()));
        let edges = [C::Scalar::ZERO, one, half, lambda, lambda * half, lambda + one];
        for k in edges.into_iter().flat_map(|k| [k, -k, k - one]).chain(random) {
            let [(k1, bits1), (k2, bits2)] =
                C::SPLIT.cut(&k).map(|short| value::<C::Scalar>(&short));
            assert_eq!(k1 + k2 * lambda, k, "{}", C::NAME);
            let most = Split::<C::Scalar>::BITS;
            assert!(bits1 <= most && bits2 <= most, "{}: {k:?}: {bits1} and {bits2}", C::NAME);
        }
    }

    /// Half of |a1| + |a2| and of |b1| + |b2|, with 2^80 for the rounding of the quotients, has no more bits than halves may have.
    fn the_basis_is_short<C: Curve>() {
        let margin = C::Scalar::from(1 << 40).square();
        let steps = C::SPLIT.steps;
        for vectors in [steps, steps.map(|b| -b * C::SPLIT.lambda)] {
            let length = |part| scalar::<C::Scalar>(&short(part).magnitude);
            let sum = length(vectors[0]) + length(vectors[1]) + margin;
            let (_, bits) = value::<C::Scalar>(&short(sum));
            assert!(bits <= Split::<C::Scalar>::BITS + 1, "{}: {bits}", C::NAME);
        }
    }

    #[test]
    fn both_halves_of_a_scalar_are_short() {
        halves_are_short::<toy::Toy>();
        halves_are_short::<toy::ToyEdwards>();
        halves_are_short::<secp256k1::Secp256k1>();
        the_basis_is_short::<secp256k1::Secp256k1>();
        halves_are_short::<bn254::G1>();
        the_basis_is_short::<bn254::G1>();
        halves_are_short::<bls12_381::G1>();
        the_basis_is_short::<bls12_381::G1>();
        halves_are_short::<bls12_377::G1>();
        the_basis_is_short::<bls12_377::G1>();
        halves_are_short::<pallas::G1>();
        the_basis_is_short::<pallas::G1>();
        halves_are_short::<vesta::G1>();
        the_basis_is_short::<vesta::G1>();
    }
}
