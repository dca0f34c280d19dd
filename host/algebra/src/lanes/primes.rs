//! The fields that have lanes, and how many limbs each has.

use super::limbs::constants::Constants;
use crate::field::{
    Bls12377Fp, Bls12377Fr, Bls12381Fp, Bls12381Fr, Bn254Fp, Bn254Fr, PastaFp, PastaFq, PrimeField,
    Secp256k1Fn, Secp256k1Fp, ToyFp, ToyFr,
};

/// A prime field whose elements lanes hold in L limbs of 52 bits, with 16 p < 2^(52 L).
pub trait Prime<const L: usize>: PrimeField {
    /// The constants that follow from the modulus.
    const CONSTANTS: Constants<L> = Constants::of(Self::MODULUS, Self::KEPT_BITS);
    /// Scalar code keeps x as x times 2 to this modulo p.
    const KEPT_BITS: usize;
    /// The limbs that scalar code keeps it in.
    fn kept(&self) -> &[u64];
    /// The element kept in the first of these limbs; others than an element's are a bug of the caller.
    fn of_kept(limbs: &[u64]) -> Self;
}

macro_rules! primes {
    ($($limbs:literal: $($field:ty),*;)*) => {
        $($(impl Prime<$limbs> for $field {
            const KEPT_BITS: usize = <$field>::R_BITS;
            #[inline(always)]
            fn kept(&self) -> &[u64] {
                self.limbs()
            }
            #[inline(always)]
            fn of_kept(limbs: &[u64]) -> Self {
                <$field>::of_limbs(limbs)
            }
        })*)*
    };
}

// The toy fields in three sizes: alone, and with as many limbs as the others, nearly all of them zero. BN254 has a limb
// more where formulas need room.
primes! {
    1: ToyFp, ToyFr;
    5: ToyFp, ToyFr, Bn254Fp, Bn254Fr, Bls12381Fr, Bls12377Fr, Secp256k1Fp, Secp256k1Fn, PastaFp, PastaFq;
    6: Bn254Fp;
    8: ToyFp, ToyFr, Bls12381Fp, Bls12377Fp;
}
