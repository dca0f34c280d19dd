//! Squaring in the cyclotomic subgroup of Fp12: the elements with a^(p^4 - p^2 + 1) = 1, where the final
//! exponentiation of a pairing works.

use super::{Fp2, Fp12, Tower};
use crate::field::Field;

impl<T: Tower> Fp12<T> {
    /// a^2 for an a with a^(p^4 - p^2 + 1) = 1; for others the result is not the square.
    ///
    /// Formula `fp12_cyclotomic_sqr` (Granger, Scott, ePrint 2009/565, section 3.2): Fp12 as a cubic extension of
    /// `Fp4 = Fp2[s] / (s^2 - xi)`, s = w^3. 9 squarings in Fp2.
    pub fn cyclotomic_square(self) -> Self {
        let [a0, a1, a2, a3, a4, a5] = self.powers_of_w();
        // a = A + B w + C w^2 over Fp4; a^2 = (3 A^2 - 2 conj A) + (3 s C^2 + 2 conj B) w + (3 B^2 - 2 conj C) w^2.
        let (p5, p7) = fp4_square(a0, a3);
        let (q5, q7) = fp4_square(a1, a4);
        let (r5, r7) = fp4_square(a2, a5);
        let r8 = T::times_xi(r7);
        Self::from_powers_of_w([
            three_minus_two(p5, a0),
            three_plus_two(r8, a1),
            three_minus_two(q5, a2),
            three_plus_two(p7, a3),
            three_minus_two(r5, a4),
            three_plus_two(q7, a5),
        ])
    }

    /// a^(p^4 - p^2 + 1) = 1?
    pub fn is_cyclotomic(self) -> subtle::Choice {
        use subtle::ConstantTimeEq;
        (self.frobenius(4) * self).ct_eq(&self.frobenius(2)) & !self.is_zero()
    }
}

/// (x + y s)^2 with s^2 = xi: 3 squarings in Fp2.
pub(crate) fn fp4_square<T: Tower>(x: Fp2<T>, y: Fp2<T>) -> (Fp2<T>, Fp2<T>) {
    let x2 = x.square();
    let y2 = y.square();
    (x2 + T::times_xi(y2), (x + y).square() - x2 - y2)
}

/// 3 b - 2 a.
pub(crate) fn three_minus_two<T: Tower>(b: Fp2<T>, a: Fp2<T>) -> Fp2<T> {
    (b - a).double() + b
}

/// 3 b + 2 a.
pub(crate) fn three_plus_two<T: Tower>(b: Fp2<T>, a: Fp2<T>) -> Fp2<T> {
    (b + a).double() + b
}
