//! The prime fields of `spec/fields`.
//!
//! [`Field`] is what formulas need, [`PrimeField`] what a field of integers has besides. Nearly all fields are kept
//! in Montgomery form ([`Montgomery`]): only their [`Modulus`] is written down, the constants are computed from it.
//! Two primes near a power of two have a product of their own.
//!
//! Secrets belong into a wrapper that wipes them: elements can be wiped (`zeroize`), but show themselves to `Debug`.

pub(crate) use batch::batch_invert;
pub use montgomery::{Modulus, Montgomery};
pub(crate) use operators::operators;
pub(crate) use select::prefetch;
pub use traits::{DecodeError, Field, PrimeField};

mod batch;
mod bytes;
mod constants;
mod goldilocks;
pub(crate) mod limbs;
mod montgomery;
mod multiply;
mod operators;
mod power;
mod root;
mod safegcd;
mod secp256k1;
mod select;
mod signed62;
mod traits;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// The primary numbers of `spec/fields`.
pub mod spec {
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

/// The part of a [`Modulus`] that has a module with a product of its own.
macro_rules! own_product {
    ($limbs:expr, $own:ident $(, $inverse:ident)?) => {
        const R: [u64; $limbs] = $own::R;
        const R2: [u64; $limbs] = $own::R2;

        #[inline(always)]
        fn product(a: &[u64; $limbs], b: &[u64; $limbs]) -> [u64; $limbs] {
            $own::product(a, b)
        }

        #[inline(always)]
        fn sum_of_products<const COUNT: usize>(
            _: &[[u64; $limbs]; COUNT],
            _: &[[u64; $limbs]; COUNT],
        ) -> Option<[u64; $limbs]> {
            None
        }

        $(
            fn inverse(x: &[u64; $limbs]) -> Option<[u64; $limbs]> {
                Some($own::$inverse(x))
            }
        )?
    };
}

/// Defines fields from their modules in [`spec`], some with a product, and an inverse, of their own.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident: $modulus:ident = $spec:ident $(, $own:ident $(and $inverse:ident)?)?;)*) => {$(
        $(#[$doc])*
        pub type $field = Montgomery<$modulus, { spec::$spec::MODULUS.len() }>;

        #[doc = concat!("The modulus of [`", stringify!($field), "`].")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $modulus;

        impl Modulus<{ spec::$spec::MODULUS.len() }> for $modulus {
            const NAME: &'static str = spec::$spec::NAME;
            const MODULUS: [u64; spec::$spec::MODULUS.len()] = spec::$spec::MODULUS;
            const GENERATOR: Option<u64> = spec::$spec::GENERATOR;
            type Bytes = [u8; constants::bit_length(&spec::$spec::MODULUS).div_ceil(8) as usize];
            const ZERO_BYTES: Self::Bytes = [0; constants::bit_length(&spec::$spec::MODULUS).div_ceil(8) as usize];
            $(own_product! { spec::$spec::MODULUS.len(), $own $(, $inverse)? })?
        }
    )*};
}

fields! {
    /// 2^64 - 2^32 + 1.
    Goldilocks: GoldilocksModulus = goldilocks, goldilocks and inverse;
    /// Coordinates of secp256k1.
    Secp256k1Fp: Secp256k1FpModulus = secp256k1_fp, secp256k1;
    /// Scalars of secp256k1.
    Secp256k1Fn: Secp256k1FnModulus = secp256k1_fn;
    /// Coordinates of BN254.
    Bn254Fp: Bn254FpModulus = bn254_fp;
    /// Scalars of BN254.
    Bn254Fr: Bn254FrModulus = bn254_fr;
    /// Coordinates of BLS12-381.
    Bls12381Fp: Bls12381FpModulus = bls12_381_fp;
    /// Scalars of BLS12-381.
    Bls12381Fr: Bls12381FrModulus = bls12_381_fr;
    /// Coordinates of BLS12-377.
    Bls12377Fp: Bls12377FpModulus = bls12_377_fp;
    /// Scalars of BLS12-377.
    Bls12377Fr: Bls12377FrModulus = bls12_377_fr;
    /// Coordinates of the toy curve: integers modulo 97.
    ToyFp: ToyFpModulus = toy_fp;
    /// Scalars of the toy curve: integers modulo 79.
    ToyFr: ToyFrModulus = toy_fr;
    /// Scalars of the toy curve with an Edwards form: integers modulo 7.
    ToyEdwardsFr: ToyEdwardsFrModulus = toy_edwards_fr;
}
