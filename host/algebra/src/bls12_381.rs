//! BLS12-381: y^2 = x^3 + 4 over Fp, and its M-twist y^2 = x^3 + 4 (1 + u) over Fp2.

use crate::curve::bls12::{self, Bls12};
use crate::curve::{Projective, Twist, group, spec::bls12_381 as spec, times_small};
use crate::once::Once;
use crate::tower::{self, Frobenius, Tower};
use subtle::Choice;

pub use spec::{Fp, Fr};

/// Coordinates of G2.
pub type Fp2 = tower::Fp2<Bls12381Tower>;
/// The tower's middle.
pub type Fp6 = tower::Fp6<Bls12381Tower>;
/// The target field of the pairing.
pub type Fp12 = tower::Fp12<Bls12381Tower>;

/// The tower u^2 = -1, v^3 = 1 + u, w^2 = v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bls12381Tower;

impl Bls12 for Bls12381Tower {
    const Z: [u64; 1] = [spec::parameter::MAGNITUDE];
    const NEGATIVE: bool = spec::parameter::NEGATIVE;
}

impl Tower for Bls12381Tower {
    type Base = Fp;
    const BETA: Fp = Fp::constant(spec::tower::BETA);
    const MINUS_BETA: u32 = 1;
    const XI: Fp2 = Fp2::constant(spec::tower::XI);

    fn frobenius() -> &'static Frobenius<Self> {
        static CONSTANTS: Once<Frobenius<Bls12381Tower>> = Once::new();
        CONSTANTS.get_or_init(Frobenius::compute)
    }

    fn times_beta(a: Fp) -> Fp {
        -a
    }

    fn times_xi(a: Fp2) -> Fp2 {
        Fp2::new(a.c0 - a.c1, a.c0 + a.c1)
    }
}

group! {
    /// The first group.
    G1 of bls12_381: g1 {
        fn is_in_subgroup(point: &Projective<Self>) -> Choice {
            bls12::is_in_g1::<Bls12381Tower, _>(point)
        }

        fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
            bls12::clear_g1::<Bls12381Tower, _>(point)
        }
    }
}

group! {
    /// The second group.
    G2 of bls12_381: g2 over Fp2 {
        fn times_b3(a: Fp2) -> Fp2 {
            times_small::<12, _>(Bls12381Tower::times_xi(a))
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
    type Tower = Bls12381Tower;

    fn psi_constants() -> &'static [Fp2; 2] {
        static CONSTANTS: Once<[Fp2; 2]> = Once::new();
        CONSTANTS.get_or_init(G2::of_m_twist)
    }
}
