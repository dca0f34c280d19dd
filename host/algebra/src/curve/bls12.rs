//! Subgroups and cofactors of the two groups of a BLS12 curve, by its parameter z and two endomorphisms: phi(x, y) = (beta x, y) of the first
//! group, and psi of the second. r = z^4 - z^2 + 1.
//!
//! Membership tests compare an endomorphism with a short multiple: Scott, ePrint 2021/1130. Cofactors are cleared by short multiples: Wahby,
//! Boneh, ePrint 2019/403, section 5; Budroni, Pintore, ePrint 2017/419. RFC 9380 clears those of BLS12-381 with the same multiples.

use super::{Curve, Projective, Twist};
use crate::tower::Tower;
use subtle::{Choice, ConstantTimeEq};

/// The parameter of a BLS12 curve, at its tower.
pub(crate) trait Bls12: Tower {
    /// |z|, as limbs.
    const Z: [u64; 1];
    /// True when z is negative.
    const NEGATIVE: bool;
}

/// Returns whether a point of the first curve is in the subgroup: phi(P) = (z^2 - 1) P (ePrint 2021/1130, section 6). The kernel of
/// phi - (z^2 - 1) has z^4 - z^2 + 1 = r points, its norm, so it is exactly the subgroup.
pub(crate) fn is_in_g1<T: Bls12, C: Curve<Base = T::Base>>(point: &Projective<C>) -> Choice {
    let z2 = point.times_public(&T::Z).times_public(&T::Z);
    point.endomorphism().ct_eq(&(z2 - *point))
}

/// Returns |z - 1| P, which is in the first group.
pub(crate) fn clear_g1<T: Bls12, C: Curve<Base = T::Base>>(point: &Projective<C>) -> Projective<C> {
    let multiple = point.times_public(&T::Z);
    if T::NEGATIVE { *point + multiple } else { multiple - *point }
}

/// Returns whether a point of the twist is in the subgroup: psi(P) = z P (ePrint 2021/1130, section 4). Then (p - z) P = 0, as
/// psi^2 - (z + 1) psi + p = 0, and the greatest common divisor of p - z and the number of points is r (El Housni, Guillevic, Piellard,
/// ePrint 2022/352).
pub(crate) fn is_in_g2<C: Twist<Tower: Bls12>>(point: &Projective<C>) -> Choice {
    point.psi().ct_eq(&times_z(point))
}

/// Returns (z^2 - z - 1) P + (z - 1) psi(P) + psi^2(2 P), which is in the second group.
pub(crate) fn clear_g2<C: Twist<Tower: Bls12>>(point: &Projective<C>) -> Projective<C> {
    let psi = point.psi();
    let z_minus_1 = times_z(point) - *point;
    times_z(&(z_minus_1 + psi)) - *point - psi + point.double().psi().psi()
}

/// Returns z P.
fn times_z<C: Twist<Tower: Bls12>>(point: &Projective<C>) -> Projective<C> {
    let multiple = point.times_public(&C::Tower::Z);
    if C::Tower::NEGATIVE { -multiple } else { multiple }
}
