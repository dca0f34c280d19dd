//! The toys, small enough for every pair of points and every scalar: y^2 = x^3 + 5 over F_97, of prime order 79, with a
//! tower over F_97; and y^2 = x^3 + 28 of order 112, which has a twisted Edwards form and points of order 2, as
//! BLS12-377 has.

use crate::curve::{
    Affine, Curve, EdwardsForm, Projective, Split, spec::toy as spec, spec::toy_edwards,
};
use crate::field::{ToyEdwardsFr, ToyFp, ToyFr};
use crate::tower::{self, Frobenius, Tower};
use std::sync::LazyLock;
use subtle::Choice;

/// Coordinates.
pub type Fp = ToyFp;
/// Scalars of [`Toy`].
pub type Fr = ToyFr;
/// 9409 elements.
pub type Fp2 = tower::Fp2<ToyTower>;
/// The tower's middle.
pub type Fp6 = tower::Fp6<ToyTower>;
/// The tower's top.
pub type Fp12 = tower::Fp12<ToyTower>;

/// The tower u^2 = 5, v^3 = 5 + 2u, w^2 = v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ToyTower;

/// The curve of order 79.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Toy;

/// The curve of order 112 = 16 * 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ToyEdwards;

impl Tower for ToyTower {
    type Base = Fp;
    const BETA: Fp = Fp::constant(spec::tower::BETA);
    const XI: Fp2 = Fp2::new(Fp::constant(spec::tower::XI[0]), Fp::constant(spec::tower::XI[1]));

    fn frobenius() -> &'static Frobenius<Self> {
        static CONSTANTS: LazyLock<Frobenius<ToyTower>> = LazyLock::new(Frobenius::compute);
        &CONSTANTS
    }
}

impl Curve for Toy {
    const NAME: &'static str = "toy";
    type Base = Fp;
    type Scalar = Fr;
    const B: Fp = Fp::constant(spec::g1::B);
    const B3: Fp = Fp::constant(spec::g1::B3);
    const GENERATOR: Affine<Self> =
        Affine::new_unchecked(Fp::constant(spec::g1::X), Fp::constant(spec::g1::Y));
    const COFACTOR: &'static [u64] = spec::g1::COFACTOR;
    const BETA: Fp = Fp::constant(spec::endomorphism::BETA);
    const SPLIT: Split<Fr> = Split {
        lambda: Fr::constant(spec::endomorphism::LAMBDA),
        quotients: spec::endomorphism::QUOTIENTS,
        steps: [
            Fr::constant(spec::endomorphism::STEPS[0]),
            Fr::constant(spec::endomorphism::STEPS[1]),
        ],
    };

    /// The cofactor is 1.
    fn is_in_subgroup(_: &Projective<Self>) -> Choice {
        Choice::from(1)
    }
}

impl Curve for ToyEdwards {
    const NAME: &'static str = "toy_edwards";
    type Base = Fp;
    type Scalar = ToyEdwardsFr;
    const B: Fp = Fp::constant(toy_edwards::g1::B);
    const B3: Fp = Fp::constant(toy_edwards::g1::B3);
    const GENERATOR: Affine<Self> =
        Affine::new_unchecked(Fp::constant(toy_edwards::g1::X), Fp::constant(toy_edwards::g1::Y));
    const COFACTOR: &'static [u64] = toy_edwards::g1::COFACTOR;
    const BETA: Fp = Fp::constant(toy_edwards::endomorphism::BETA);
    const SPLIT: Split<ToyEdwardsFr> = Split {
        lambda: ToyEdwardsFr::constant(toy_edwards::endomorphism::LAMBDA),
        quotients: toy_edwards::endomorphism::QUOTIENTS,
        steps: [
            ToyEdwardsFr::constant(toy_edwards::endomorphism::STEPS[0]),
            ToyEdwardsFr::constant(toy_edwards::endomorphism::STEPS[1]),
        ],
    };
}

impl EdwardsForm for ToyEdwards {
    const K: Fp = Fp::constant(toy_edwards::edwards::K);
    const ALPHA: Fp = Fp::constant(toy_edwards::edwards::ALPHA);
    const S: Fp = Fp::constant(toy_edwards::edwards::S);
    const SCALE: Fp = Fp::constant(toy_edwards::edwards::SCALE);
}
