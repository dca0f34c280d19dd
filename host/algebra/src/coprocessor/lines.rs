//! The Miller value from precomputed line coefficients in memory, for a point of G2 that is used often.

use crate::bls12_381::{Fp2, Fp6, Fp12, G1, G2};
use crate::curve::Affine;
use crate::field::Field;
use crate::pairing::{Bls12381, Pairing, Step};

/// Lines of a point: a tangent for each doubling of the Miller loop, and a chord for each addition.
pub const LINES: usize = 68;

/// A line's elements of Fp2: b0 = l x - y and b1 = -l for the line with slope l through (x, y).
pub type Line = [Fp2; 2];

/// The lines of a point of the subgroup, in the order in which `miller_lines` takes them; zeros if it is the identity.
pub fn lines(q: &Affine<G2>) -> Vec<Line> {
    if q.is_identity().into() {
        return vec![[Fp2::ZERO; 2]; LINES];
    }
    let q = [q.x(), q.y()];
    let mut t = q;
    let next = |step| {
        let [x, y] = t;
        let (rise, run, other) = match step {
            Step::Double => (x.square().double() + x.square(), y.double(), x),
            _ => (y - q[1], x - q[0], q[0]),
        };
        // Multiples of a point of prime order by less than that: no tangent is vertical, no chord either.
        let slope = rise * run.invert().expect("the point is of the subgroup");
        let x3 = slope.square() - x - other;
        t = [x3, slope * (x - x3) - y];
        [slope * x - y, -slope]
    };
    Bls12381::steps().into_iter().map(next).collect()
}

/// Computes the product of the lines at a point of G1, scaled so that the coefficient of v w is 1, before the conjugation for a negative z; 1 for the identity.
pub(super) fn miller_lines(p: &Affine<G1>, lines: &[Line]) -> Fp12 {
    if p.is_identity().into() {
        return Fp12::ONE;
    }
    let inverse = p.y().invert().expect("the curve has no point of order two");
    let at = |[b0, b1]: Line| {
        let even = Fp6::new(b0.scale(inverse), b1.scale(p.x() * inverse), Fp2::ZERO);
        Fp12::new(even, Fp6::new(Fp2::ZERO, Fp2::ONE, Fp2::ZERO))
    };
    Bls12381::steps().into_iter().zip(lines).fold(Fp12::ONE, |f, (step, line)| {
        let f = if step == Step::Double { f.square() } else { f };
        f * at(*line)
    })
}
