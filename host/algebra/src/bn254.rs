//! BN254 (alt_bn128, bn256): y^2 = x^3 + 3 over Fp, of prime order, and its D-twist y^2 = x^3 + 3/(9 + u) over Fp2.

use crate::curve::{Projective, Twist, group, spec::bn254 as spec, times_small};
use crate::once::Once;
use crate::tower::{self, Frobenius, Tower};
use subtle::{Choice, ConstantTimeEq};

pub use spec::{Fp, Fr};

/// Coordinates of G2.
pub type Fp2 = tower::Fp2<Bn254Tower>;
/// The tower's middle.
pub type Fp6 = tower::Fp6<Bn254Tower>;
/// The target field of the pairing.
pub type Fp12 = tower::Fp12<Bn254Tower>;

/// The tower u^2 = -1, v^3 = 9 + u, w^2 = v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bn254Tower;

/// The parameter u of the family (not the u of the tower).
const U: [u64; 1] = [spec::parameter::MAGNITUDE];

impl Tower for Bn254Tower {
    type Base = Fp;
    const BETA: Fp = Fp::constant(spec::tower::BETA);
    const MINUS_BETA: u32 = 1;
    const XI: Fp2 = Fp2::constant(spec::tower::XI);

    fn frobenius() -> &'static Frobenius<Self> {
        static CONSTANTS: Once<Frobenius<Bn254Tower>> = Once::new();
        CONSTANTS.get_or_init(Frobenius::compute)
    }

    fn times_beta(a: Fp) -> Fp {
        -a
    }

    fn times_xi(a: Fp2) -> Fp2 {
        let nine = |a| times_small::<9, _>(a);
        Fp2::new(nine(a.c0) - a.c1, nine(a.c1) + a.c0)
    }
}

group! {
    /// The first group.
    G1 of bn254: g1 {}
}

group! {
    /// The second group.
    G2 of bn254: g2 over Fp2 {
        /// (u + 1) P + psi(u P) + psi^2(u P) = psi^3(2 u P) (Dai, Lin, Zhao, Zhou, ePrint 2022/348, section 3). The
        /// greatest common divisor of the norm of u + 1 + u psi + u psi^2 - 2 u psi^3 and the number of points is r.
        fn is_in_subgroup(point: &Projective<Self>) -> Choice {
            let u = point.times_public(&U);
            let psi = u.psi();
            (u + *point + psi + psi.psi()).ct_eq(&psi.psi().psi().double())
        }

        /// u P + psi(3 u P) + psi^2(u P) + psi^3(P) (Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, SAC 2011).
        fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
            let u = point.times_public(&U);
            u + (u.double() + u).psi() + u.psi().psi() + point.psi().psi().psi()
        }
    }
}

impl Twist for G2 {
    type Tower = Bn254Tower;

    fn psi_constants() -> &'static [Fp2; 2] {
        static CONSTANTS: Once<[Fp2; 2]> = Once::new();
        CONSTANTS.get_or_init(G2::of_d_twist)
    }
}
