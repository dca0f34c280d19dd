//! The three pairings.

use super::limbs::LaneTower;
use super::{
    Cyclotomic, Kind, Pair, Pairing, Prepared, PreparedPair, Step, cyclotomic, exponentiation, few,
    lanes, miller, schedule,
};
#[cfg(feature = "bls12_377")]
use crate::bls12_377;
use crate::curve::{Affine, spec};
use crate::lanes::AnyMachine;
use crate::tower::Fp12;
use crate::{bls12_381, bn254};

/// Defines the functions of a pairing for one element at a time, compiled in this crate for each curve.
macro_rules! in_words {
    () => {
        fn hard_part_in_words(f: Fp12<Self::Tower>) -> Fp12<Self::Tower> {
            Self::hard_part(f)
        }

        fn prepare(q: &Affine<Self::G2>) -> Prepared<Self> {
            miller::prepare(q)
        }

        fn miller_loop_in_words(pairs: &[PreparedPair<'_, Self>]) -> Fp12<Self::Tower> {
            miller::one_by_one(pairs)
        }
    };
}

/// The pairing of BN254: the steps of 6 u + 2, then two lines of Frobenius images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bn254;

impl Pairing for Bn254 {
    const NAME: &'static str = "bn254";
    type Tower = bn254::Bn254Tower;
    type G1 = bn254::G1;
    type G2 = bn254::G2;
    const TWIST: Kind = Kind::D;
    const NEGATIVE: bool = false;
    const IN_LANES: [usize; 2] = [2, 5];

    fn steps() -> Vec<Step> {
        let mut steps =
            schedule::non_adjacent(6 * u128::from(spec::bn254::parameter::MAGNITUDE) + 2);
        steps.extend([Step::AddPsi, Step::SubtractPsiSquared]);
        steps
    }

    fn miller_loop_in_lanes(lanes: AnyMachine, pairs: &[Pair<Self>]) -> Fp12<Self::Tower> {
        lanes::miller_loop::<Self, 5>(lanes, pairs)
    }

    fn miller_loop_of_few(
        machine: AnyMachine,
        fresh: &[Pair<Self>],
        prepared: &[PreparedPair<'_, Self>],
    ) -> Fp12<Self::Tower> {
        few::miller_loop::<Self, 6>(machine, fresh, prepared)
    }

    #[inline(always)]
    fn hard_part<F: Cyclotomic>(f: F) -> F {
        exponentiation::bn(&f, spec::bn254::parameter::MAGNITUDE)
    }

    fn hard_part_in_lanes(machine: AnyMachine, f: Fp12<Self::Tower>) -> Fp12<Self::Tower> {
        cyclotomic::hard_part::<Self, 5, 6>(machine, f)
    }

    in_words!();
}

/// This pairing needs reductions within its formulas.
impl LaneTower<6> for bn254::Bn254Tower {
    const SMALL_XI: [u32; 2] = [9, 1];
}

impl LaneTower<5> for bn254::Bn254Tower {
    const SMALL_XI: [u32; 2] = [9, 1];
}

impl LaneTower<8> for bls12_381::Bls12381Tower {
    const SMALL_XI: [u32; 2] = [1, 1];
}

#[cfg(feature = "bls12_377")]
impl LaneTower<8> for bls12_377::Bls12377Tower {
    const SMALL_XI: [u32; 2] = [0, 1];
}

/// Defines the pairing of a BLS curve with embedding degree 12: the steps of |z|.
macro_rules! bls12 {
    ($(#[$doc:meta])* $name:ident, $curve:ident, $tower:ident, $twist:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name;

        impl Pairing for $name {
            const NAME: &'static str = stringify!($curve);
            type Tower = $curve::$tower;
            type G1 = $curve::G1;
            type G2 = $curve::G2;
            const TWIST: Kind = Kind::$twist;
            const NEGATIVE: bool = spec::$curve::parameter::NEGATIVE;
            const IN_LANES: [usize; 2] = [3, 6];

            fn steps() -> Vec<Step> {
                schedule::binary(spec::$curve::parameter::MAGNITUDE)
            }

            fn miller_loop_in_lanes(
                lanes: AnyMachine,
                pairs: &[Pair<Self>],
            ) -> Fp12<Self::Tower> {
                lanes::miller_loop::<Self, 8>(lanes, pairs)
            }

            fn miller_loop_of_few(
                machine: AnyMachine,
                fresh: &[Pair<Self>],
                prepared: &[PreparedPair<'_, Self>],
            ) -> Fp12<Self::Tower> {
                few::miller_loop::<Self, 8>(machine, fresh, prepared)
            }

            #[inline(always)]
            fn hard_part<F: Cyclotomic>(f: F) -> F {
                exponentiation::bls12(&f, spec::$curve::parameter::MAGNITUDE, Self::NEGATIVE)
            }

            fn hard_part_in_lanes(machine: AnyMachine, f: Fp12<Self::Tower>) -> Fp12<Self::Tower> {
                cyclotomic::hard_part::<Self, 8, 8>(machine, f)
            }

            in_words!();
        }
    };
}

bls12! {
    /// The pairing of BLS12-381.
    Bls12381, bls12_381, Bls12381Tower, M
}

#[cfg(feature = "bls12_377")]
bls12! {
    /// The pairing of BLS12-377.
    Bls12377, bls12_377, Bls12377Tower, D
}
