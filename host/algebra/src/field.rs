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

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod batch;
mod bytes;
mod combination;
mod constants;
mod goldilocks;
pub(crate) mod limbs;
mod montgomery;
mod multiply;
mod operators;
mod power;
mod root;
mod safegcd;
pub(crate) mod secp256k1;
pub(crate) mod select;
mod signed62;
mod traits;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::Adx;

/// The primary numbers of `spec/fields`.
pub mod spec {
    include!(concat!(env!("OUT_DIR"), "/fields.rs"));
}

/// The part of a [`Modulus`] that has a product of its own; nothing for the others.
macro_rules! own_product {
    (goldilocks) => {
        own_product! { 1, goldilocks }

        fn inverse(x: &[u64; 1]) -> Option<[u64; 1]> {
            Some(goldilocks::inverse(x))
        }
    };
    (secp256k1_fp) => {
        own_product! { 4, secp256k1 }
    };
    ($field:ident) => {};
    ($limbs:literal, $own:ident) => {
        const R: [u64; $limbs] = $own::R;
        const R2: [u64; $limbs] = $own::R2;

        #[inline(always)]
        fn product(a: &[u64; $limbs], b: &[u64; $limbs]) -> [u64; $limbs] {
            $own::product(a, b)
        }
    };
}

/// Defines fields from their modules in [`spec`].
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident: $modulus:ident = $spec:ident;)*) => {$(
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
            own_product! { $spec }
        }
    )*};
}

// All of `spec/fields`.
include!(concat!(env!("OUT_DIR"), "/field_types.rs"));
