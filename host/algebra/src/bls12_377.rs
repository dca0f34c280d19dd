//! BLS12-377: y^2 = x^3 + 1 over Fp, its D-twist y^2 = x^3 + 1/u over Fp2, and the twisted Edwards form of the first.
//! The curve over Fp has points of order 2, unlike the other curves of this crate.

use crate::curve::bls12::{self, Bls12};
use crate::curve::{EdwardsForm, Projective, Twist, group, spec::bls12_377 as spec, times_small};
use crate::once::Once;
use crate::tower::{self, Frobenius, Tower};
use subtle::Choice;

pub use spec::{Fp, Fr};

/// Coordinates of G2.
pub type Fp2 = tower::Fp2<Bls12377Tower>;
/// The tower's middle.
pub type Fp6 = tower::Fp6<Bls12377Tower>;
/// The target field of the pairing.
pub type Fp12 = tower::Fp12<Bls12377Tower>;

/// The tower u^2 = -5, v^3 = u, w^2 = v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bls12377Tower;

impl Bls12 for Bls12377Tower {
    const Z: [u64; 1] = [spec::parameter::MAGNITUDE];
    const NEGATIVE: bool = spec::parameter::NEGATIVE;
}

impl Tower for Bls12377Tower {
    type Base = Fp;
    const BETA: Fp = Fp::constant(spec::tower::BETA);
    const MINUS_BETA: u32 = 5;
    const XI: Fp2 = Fp2::constant(spec::tower::XI);

    fn frobenius() -> &'static Frobenius<Self> {
        static CONSTANTS: Once<Frobenius<Bls12377Tower>> = Once::new();
        CONSTANTS.get_or_init(Frobenius::compute)
    }

    fn times_beta(a: Fp) -> Fp {
        -times_small::<5, _>(a)
    }

    fn times_xi(a: Fp2) -> Fp2 {
        Fp2::new(Self::times_beta(a.c1), a.c0)
    }
}

group! {
    /// The first group.
    G1 of bls12_377: g1 {
        fn is_in_subgroup(point: &Projective<Self>) -> Choice {
            bls12::is_in_g1::<Bls12377Tower, _>(point)
        }

        fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
            bls12::clear_g1::<Bls12377Tower, _>(point)
        }
    }
}

impl EdwardsForm for G1 {
    const K: Fp = Fp::constant(spec::edwards::K);
    const ALPHA: Fp = Fp::constant(spec::edwards::ALPHA);
    const S: Fp = Fp::constant(spec::edwards::S);
    const SCALE: Fp = Fp::constant(spec::edwards::SCALE);
}

group! {
    /// The second group.
    G2 of bls12_377: g2 over Fp2 {
        /// 3b has no coefficient of 1.
        fn times_b3(a: Fp2) -> Fp2 {
            let b3 = Self::B3.c1;
            Fp2::new(Bls12377Tower::times_beta(a.c1 * b3), a.c0 * b3)
        }

        fn is_in_subgroup(point: &Projective<Self>) -> Choice {
            bls12::is_in_g2(point)
        }

        fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
            bls12::clear_g2(point)
        }
    }
}

impl Twist for G2 {
    type Tower = Bls12377Tower;

    fn psi_constants() -> &'static [Fp2; 2] {
        static CONSTANTS: Once<[Fp2; 2]> = Once::new();
        CONSTANTS.get_or_init(G2::of_d_twist)
    }
}
