//! Elliptic curves y^2 = x^3 + b, and the twisted Edwards form of one of them.
//!
//! * [`Affine`]: (x, y), the form of memory and of the outside.
//! * [`Projective`]: (X : Y : Z) with complete formulas: no input is exceptional, and no branch depends on a value. Used
//!   for secrets.
//! * [`Jacobian`]: fewer multiplications, and exceptional cases that branch; every function that uses it ends in
//!   `_vartime`.
//! * [`Edwards`]: the extended coordinates of -x^2 + y^2 = 1 + d x^2 y^2.
//!
//! A curve is a type without values that defines its constants and overrides what it computes faster than the general case
//! ([`Curve`]). The functions of formulas use the letters of the file of the same name in `spec/formulas`.

mod affine;
pub(crate) mod bls12;
mod edwards;
mod endomorphism;
pub mod formula;
mod jacobian;
mod multiply;
mod projective;
mod twist;

pub use affine::Affine;
pub use edwards::{Edwards, EdwardsAffine, EdwardsForm, Precomputed};
pub use endomorphism::Split;
pub use jacobian::Jacobian;
pub use projective::Projective;
pub use twist::Twist;

/// The primary numbers of `spec/curves`, and what follows from them.
#[allow(clippy::unreadable_literal)]
pub mod spec {
    include!(concat!(env!("OUT_DIR"), "/curves.rs"));
}

use crate::field::{Field, PrimeField};
use std::fmt::Debug;
use std::hash::Hash;
use subtle::Choice;

/// A curve y^2 = x^3 + b with b /= 0, and on it a subgroup of prime order r.
pub trait Curve: Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// Curve and group: `bls12_381_g1`.
    const NAME: &'static str;
    /// The field of the coordinates.
    type Base: Field;
    /// The integers modulo r.
    type Scalar: PrimeField;
    /// b.
    const B: Self::Base;
    /// The standard generator, of order r.
    const GENERATOR: Affine<Self>;
    /// The number of points of the curve, divided by r: 64-bit limbs, least significant first.
    const COFACTOR: &'static [u64];
    /// 3 b.
    const B3: Self::Base;
    /// A cube root of 1: (x, y) -> (beta x, y) multiplies points of the subgroup by the lambda of [`Self::SPLIT`].
    const BETA: Self::Base;
    /// The constants that split k into k1 + k2 lambda with short k1 and k2.
    const SPLIT: Split<Self::Scalar>;

    /// `3 b a`; a curve with a small b has something cheaper than a multiplication.
    fn times_b3(a: Self::Base) -> Self::Base {
        a * Self::B3
    }

    /// True when a point of the curve, the identity included, is in the subgroup of order r: always, if the cofactor is 1. A
    /// curve with an endomorphism has something cheaper than a multiplication by r.
    fn is_in_subgroup(point: &Projective<Self>) -> Choice {
        if Self::COFACTOR == [1] { Choice::from(1) } else { point.is_killed_by_order() }
    }

    /// A multiple of a point of the curve that is in the subgroup; which multiple is the curve's choice.
    fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
        point.times_public(Self::COFACTOR)
    }
}

/// Defines a group of a curve of `spec/curves` by its numbers. The braces contain the methods that the curve overrides.
macro_rules! group {
    ($(#[$doc:meta])* $group:ident of $curve:ident: g1 { $($own:tt)* }) => {
        $crate::curve::group! {
            $(#[$doc])* $group of $curve: g1 over $crate::curve::spec::$curve::Fp {
                fn times_b3(a: Self::Base) -> Self::Base {
                    match $crate::curve::spec::$curve::g1::SMALL_B3 {
                        0 => a * Self::B3,
                        _ => $crate::curve::times_small::<{ $crate::curve::spec::$curve::g1::SMALL_B3 }, _>(a),
                    }
                }

                $($own)*
            }
        }
    };
    ($(#[$doc:meta])* $group:ident of $curve:ident: $table:ident over $base:ty { $($own:tt)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $group;

        const _: () = {
            use $crate::curve::spec::$curve::{Fr, $table as numbers, endomorphism};
            use $crate::curve::{Affine, Curve, Split};

            impl Curve for $group {
                const NAME: &'static str = numbers::NAME;
                type Base = $base;
                type Scalar = Fr;
                const B: $base = <$base>::constant(numbers::B);
                const B3: $base = <$base>::constant(numbers::B3);
                const GENERATOR: Affine<Self> = Affine::new_unchecked(
                    <$base>::constant(numbers::X),
                    <$base>::constant(numbers::Y),
                );
                const COFACTOR: &'static [u64] = numbers::COFACTOR;
                const BETA: $base = <$base>::constant(numbers::BETA);
                const SPLIT: Split<Fr> = Split {
                    lambda: Fr::constant(endomorphism::LAMBDA),
                    quotients: endomorphism::QUOTIENTS,
                    steps: [
                        Fr::constant(endomorphism::STEPS[0]),
                        Fr::constant(endomorphism::STEPS[1]),
                    ],
                };

                $($own)*
            }
        };
    };
}
pub(crate) use group;

/// `N a` by doublings and additions, for small N.
pub(crate) fn times_small<const N: u32, F: Field>(a: F) -> F {
    let mut product = a;
    for bit in (0..N.ilog2()).rev() {
        product = product.double();
        if N >> bit & 1 == 1 {
            product += a;
        }
    }
    product
}
