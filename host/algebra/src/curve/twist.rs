//! Second groups: curves over Fp2 that are a sextic twist of the first, and the endomorphism that they have from it.

use super::{Affine, Curve, Projective};
use crate::field::Field;
use crate::tower::{Fp2, Tower};

/// A curve over Fp2 that is a sextic twist of a curve over Fp: y^2 = x^3 + b/xi (a D-twist) or y^2 = x^3 + b xi (an
/// M-twist).
pub trait Twist: Curve<Base = Fp2<Self::Tower>> {
    /// The tower whose Fp2 and xi these are.
    type Tower: Tower;

    /// What x and y are multiplied with after conjugation: gamma^2 and gamma^3 with gamma = xi^((p - 1) / 6) for a
    /// D-twist, its inverse for an M-twist.
    fn psi_constants() -> &'static [Fp2<Self::Tower>; 2];

    /// The two constants of a D-twist, computed.
    fn of_d_twist() -> [Fp2<Self::Tower>; 2] {
        let frobenius = Self::Tower::frobenius();
        [frobenius.gamma(1, 2), frobenius.gamma(1, 3)]
    }

    /// The two constants of an M-twist, computed.
    fn of_m_twist() -> [Fp2<Self::Tower>; 2] {
        Self::of_d_twist().map(|gamma| gamma.invert().unwrap_or(Fp2::ZERO))
    }
}

impl<C: Twist> Projective<C> {
    /// psi: untwist, p-th power, twist (Galbraith, Lin, Scott, ePrint 2008/194). psi^2 - t psi + p = 0 with t the
    /// trace of the first curve; on points of the subgroup it is a multiplication by p.
    pub fn psi(&self) -> Self {
        let [x, y] = C::psi_constants();
        Self { X: self.X.conjugate() * *x, Y: self.Y.conjugate() * *y, Z: self.Z.conjugate() }
    }
}

impl<C: Twist> Affine<C> {
    /// psi: untwist, p-th power, twist.
    pub fn psi(&self) -> Self {
        let [x, y] = C::psi_constants();
        Self::new_unchecked(self.x().conjugate() * *x, self.y().conjugate() * *y)
    }
}
