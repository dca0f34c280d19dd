//! A curve with the parts of RedDSA that depend on it.

use blake2b_simd::Params;
use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;

use super::{Signature, SignatureKind};

/// A curve with its encoding of points, bases and sums.
pub trait Scheme {
    /// The two kinds on this curve.
    const KINDS: [SignatureKind; 2];
    /// The encodings of their bases.
    const BASES: [[u8; 32]; 2];
    /// The personalization of the challenge's hash.
    const PERSONALIZATION: &'static [u8; 16];
    /// The integers modulo the order r of the bases.
    type Scalar: PrimeField;
    /// A point of the curve, of any order.
    type Point: Copy + Send + Sync;
    /// A sum of points.
    type Sum: Send;

    /// Decodes points; none for an encoding that is not canonical.
    fn decode_each(isa: Isa, encodings: &[[u8; 32]]) -> Vec<Option<Self::Point>>;

    /// Computes a sum of multiples on this thread. The magnitude of the short factors is below 2^127.
    fn sum(
        isa: Isa,
        long: &[(Self::Point, Self::Scalar)],
        short: &[(Self::Point, i128)],
    ) -> Self::Sum;

    /// Returns whether the cofactor times the total of some sums is the identity.
    fn is_small_order(sums: Vec<Self::Sum>) -> bool;
}

/// Computes the challenge: BLAKE2b-512 of R, vk and the message, little-endian, modulo r.
pub fn challenge<S: Scheme>(signature: &Signature) -> S::Scalar {
    let mut state = Params::new().hash_length(64).personal(S::PERSONALIZATION).to_state();
    state.update(&signature.signature[..32]).update(&signature.key).update(&signature.message);
    S::Scalar::reduce_wide_le(state.finalize().as_array())
}

/// Returns the integer as a scalar.
pub fn scalar<F: PrimeField>(integer: i128) -> F {
    let magnitude = integer.unsigned_abs();
    let high = F::from((magnitude >> 64) as u64) * F::from(1 << 32).square();
    (high + F::from(magnitude as u64)).signed(integer < 0)
}

#[cfg(test)]
mod tests {
    use ::reddsa::{SigType, SigningKey, VerificationKey, orchard, sapling};

    use proofmill_algebra::field::Field;

    use super::*;
    use crate::reddsa::redjubjub::RedJubjub;
    use crate::reddsa::redpallas::RedPallas;

    /// The verification key of the signing key 1.
    fn base<T: SigType>() -> [u8; 32] {
        let mut one = [0; 32];
        one[0] = 1;
        let key = SigningKey::<T>::from_bytes(&one).unwrap();
        VerificationKey::from(&key).into()
    }

    #[test]
    fn bases_are_those_of_the_crate_reddsa() {
        let sapling = [base::<sapling::SpendAuth>(), base::<sapling::Binding>()];
        assert_eq!(RedJubjub::BASES, sapling);
        let orchard = [base::<orchard::SpendAuth>(), base::<orchard::Binding>()];
        assert_eq!(RedPallas::BASES, orchard);
    }

    #[test]
    fn integers_are_scalars_with_their_sign() {
        type F = proofmill_algebra::jubjub::Fr;
        assert_eq!(scalar::<F>(0), F::ZERO);
        assert_eq!(scalar::<F>(-3), -F::from(3));
        let high = F::from(1 << 63).double();
        assert_eq!(scalar::<F>((5 << 64) + 7), high * F::from(5) + F::from(7));
        assert_eq!(scalar::<F>(-i128::MAX), -(high * F::from(1 << 63) - F::ONE));
    }
}
