//! BLS12-381: y^2 = x^3 + 4 over Fp, and its M-twist y^2 = x^3 + 4 (1 + u) over Fp2.

use crate::curve::{Projective, Twist, group, spec::bls12_381 as spec, times_small};
use crate::once::Once;
use crate::tower::{self, Frobenius, Tower};
use subtle::{Choice, ConstantTimeEq};

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

/// |z|; z itself is negative.
pub(crate) const Z: [u64; 1] = [spec::parameter::MAGNITUDE];

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
        /// phi(P) = (z^2 - 1) P (Scott, ePrint 2021/1130, section 6). The number of points in the kernel of phi - (z^2 - 1) is
        /// its norm z^4 - z^2 + 1 = r, so the kernel is exactly the subgroup.
        fn is_in_subgroup(point: &Projective<Self>) -> Choice {
            let z2 = point.times_public(&Z).times_public(&Z);
            point.endomorphism().ct_eq(&(z2 - *point))
        }

        /// (1 - z) P (Wahby, Boneh, ePrint 2019/403, section 5): what RFC 9380 clears with.
        fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
            *point + point.times_public(&Z)
        }
    }
}

group! {
    /// The second group.
    G2 of bls12_381: g2 over Fp2 {
        fn times_b3(a: Fp2) -> Fp2 {
            times_small::<12, _>(Bls12381Tower::times_xi(a))
        }

        /// psi(P) = z P (Scott, ePrint 2021/1130, section 4). Then (p - z) P = 0, as psi^2 - (z + 1) psi + p = 0, and the
        /// greatest common divisor of p - z and the number of points is r (El Housni, Guillevic, Piellard, ePrint
        /// 2022/352).
        fn is_in_subgroup(point: &Projective<Self>) -> Choice {
            (-point.psi()).ct_eq(&point.times_public(&Z))
        }

        /// (z^2 - z - 1) P + (z - 1) psi(P) + psi^2(2 P) (Budroni, Pintore, ePrint 2017/419): what RFC 9380 clears with.
        fn clear_cofactor(point: &Projective<Self>) -> Projective<Self> {
            let z = |point: &Projective<Self>| -point.times_public(&Z);
            let psi = point.psi();
            let z_minus_1 = z(point) - *point;
            z(&(z_minus_1 + psi)) - *point - psi + point.double().psi().psi()
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
