//! secp256k1: y^2 = x^3 + 7, of prime order.

use crate::curve::{Affine, Curve, Projective, Split, spec::secp256k1 as spec, times_small};
use crate::field::{PrimeField, Secp256k1Fn, Secp256k1Fp};
use crate::isa::Isa;
use crate::lanes::choose;
use lanes::{AT_ONCE, Ordinates};
use subtle::Choice;

mod coordinate;
pub mod ecdsa;
mod lanes;

/// Coordinates.
pub type Fp = Secp256k1Fp;
/// Scalars.
pub type Fn = Secp256k1Fn;

/// The curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Secp256k1;

impl Curve for Secp256k1 {
    const NAME: &'static str = "secp256k1";
    type Base = Fp;
    type Scalar = Fn;
    const B: Fp = Fp::constant(spec::g1::B);
    const B3: Fp = Fp::constant(spec::g1::B3);
    const GENERATOR: Affine<Self> =
        Affine::new_unchecked(Fp::constant(spec::g1::X), Fp::constant(spec::g1::Y));
    const COFACTOR: &'static [u64] = spec::g1::COFACTOR;
    const BETA: Fp = Fp::constant(spec::endomorphism::BETA);
    const SPLIT: Split<Fn> = Split {
        lambda: Fn::constant(spec::endomorphism::LAMBDA),
        quotients: spec::endomorphism::QUOTIENTS,
        steps: [
            Fn::constant(spec::endomorphism::STEPS[0]),
            Fn::constant(spec::endomorphism::STEPS[1]),
        ],
    };

    fn times_b3(a: Fp) -> Fp {
        times_small::<21, _>(a)
    }

    /// The cofactor is 1.
    fn is_in_subgroup(_: &Projective<Self>) -> Choice {
        Choice::from(1)
    }
}

/// For each x, a y with y^2 = x^3 + 7, either of the two; none where there is none.
pub(crate) fn ordinates_vartime(isa: Isa, xs: &[Fp]) -> Vec<Option<Fp>> {
    let Some(lanes) = isa.machine() else {
        let point = |x: &Fp| Option::<Affine<Secp256k1>>::from(Affine::from_x(*x));
        return xs.iter().map(|x| point(x).map(|point| point.y())).collect();
    };
    xs.chunks(AT_ONCE)
        .flat_map(|xs| {
            let mut words = [[0; 4]; AT_ONCE];
            for (words, x) in words.iter_mut().zip(xs) {
                *words = x.to_canonical();
            }
            let ordinates = choose(lanes, Ordinates(&words));
            ordinates.into_iter().take(xs.len()).map(|y| y.map(Fp::reduced)).collect::<Vec<_>>()
        })
        .collect()
}
