//! The Miller value as the published card computes it. The one of [`crate::pairing`] differs by factors in Fp2. The final exponentiation
//! removes them, but in this module they are part of the result.

#![allow(non_snake_case)]

use crate::bls12_381::{Fp, Fp2, Fp6, Fp12, G1, G2};
use crate::curve::Affine;
use crate::field::Field;
use crate::pairing::{Bls12381, Pairing, Step};

/// Computes the product of lines, before the conjugation for a negative z; 1 if a point is the identity. Points are in Jacobian coordinates,
/// lines as in Beuchat et al., ePrint 2010/354, Algorithms 26 and 27.
pub(super) fn miller_loop(p: &Affine<G1>, q: &Affine<G2>) -> Fp12 {
    if bool::from(p.is_identity() | q.is_identity()) {
        return Fp12::ONE;
    }
    let (p, q) = ([p.x(), p.y()], [q.x(), q.y()]);
    let mut T = [q[0], q[1], Fp2::ONE];
    let mut f = Fp12::ONE;
    for step in Bls12381::steps() {
        let line = match step {
            Step::Double => {
                f = f.square();
                double(&mut T)
            }
            _ => add(&mut T, q),
        };
        f *= at(line, p);
    }
    f
}

/// l0 + lx x v + ly y v w.
fn at([l0, lx, ly]: [Fp2; 3], [x, y]: [Fp; 2]) -> Fp12 {
    let even = Fp6::new(l0, lx.scale(x), Fp2::ZERO);
    let odd = Fp6::new(Fp2::ZERO, ly.scale(y), Fp2::ZERO);
    Fp12::new(even, odd)
}

/// T = 2 T, and the tangent.
fn double(T: &mut [Fp2; 3]) -> [Fp2; 3] {
    let [X, Y, Z] = *T;
    let [XX, YY, ZZ] = [X, Y, Z].map(|a| a.square());
    let M = XX.double() + XX;
    let S = (X * YY).double().double();
    let X3 = M.square() - S.double();
    let Y3 = M * (S - X3) - YY.square().double().double().double();
    let Z3 = (Y * Z).double();
    *T = [X3, Y3, Z3];
    [(X * M).double() - YY.double().double(), -(M * ZZ).double(), (Z3 * ZZ).double()]
}

/// T = T + Q, and the chord.
fn add(T: &mut [Fp2; 3], [x, y]: [Fp2; 2]) -> [Fp2; 3] {
    let [X, Y, Z] = *T;
    let ZZ = Z.square();
    let H = x * ZZ - X;
    let R = (y * ZZ * Z - Y).double();
    let I = H.square().double().double();
    let (J, V) = (H * I, X * I);
    let X3 = R.square() - J - V.double();
    let Y3 = R * (V - X3) - (Y * J).double();
    let Z3 = (Z * H).double();
    *T = [X3, Y3, Z3];
    [(R * x - y * Z3).double(), -R.double(), Z3.double()]
}
