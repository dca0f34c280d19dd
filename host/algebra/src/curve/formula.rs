//! The point formulas, each in the letters of the file of its name in `spec/formulas`. They are arithmetic alone: the
//! specification and this file document their domains, and the callers ensure them.
//!
//! A point is an array of its coordinates in the order of the file's inputs. The constants `b3` and `k` come as
//! functions that multiply by them.

#![allow(non_snake_case)]

use crate::field::Field;

/// ePrint 2015/1060, Algorithm 7: complete addition in homogeneous coordinates. 12 multiplications, 2 by b3.
/// Not for two points whose difference has order 2: these give (0 : 0 : 0).
pub fn rcb_add<F: Field>(p: [F; 3], q: [F; 3], b3: impl Fn(F) -> F) -> [F; 3] {
    let ([X1, Y1, Z1], [X2, Y2, Z2]) = (p, q);
    let t0 = X1 * X2;
    let t1 = Y1 * Y2;
    let t2 = Z1 * Z2;
    let t7 = (X1 + Y1) * (X2 + Y2) - (t0 + t1);
    let t12 = (Y1 + Z1) * (Y2 + Z2) - (t1 + t2);
    let t17 = (X1 + Z1) * (X2 + Z2) - (t0 + t2);
    let t18 = triple(t0);
    let t19 = b3(t2);
    let t20 = t1 + t19;
    let t21 = t1 - t19;
    let t22 = b3(t17);
    let X3 = t7 * t21 - t12 * t22;
    let Y3 = t21 * t20 + t22 * t18;
    let Z3 = t20 * t12 + t18 * t7;
    [X3, Y3, Z3]
}

/// ePrint 2015/1060, Algorithm 8: the same with a second point that is a pair, so not the identity.
/// 11 multiplications, 2 by b3.
pub fn rcb_madd<F: Field>(p: [F; 3], q: [F; 2], b3: impl Fn(F) -> F) -> [F; 3] {
    let ([X1, Y1, Z1], [X2, Y2]) = (p, q);
    let t0 = X1 * X2;
    let t1 = Y1 * Y2;
    let t6 = (X2 + Y2) * (X1 + Y1) - (t0 + t1);
    let t8 = Y2 * Z1 + Y1;
    let t10 = X2 * Z1 + X1;
    let t11 = triple(t0);
    let t12 = b3(Z1);
    let t13 = t1 + t12;
    let t14 = t1 - t12;
    let t15 = b3(t10);
    let X3 = t6 * t14 - t8 * t15;
    let Y3 = t14 * t13 + t15 * t11;
    let Z3 = t13 * t8 + t11 * t6;
    [X3, Y3, Z3]
}

/// ePrint 2015/1060, Algorithm 9: doubling of every point. 6 multiplications, 2 squarings, 1 by b3.
pub fn rcb_dbl<F: Field>(p: [F; 3], b3: impl Fn(F) -> F) -> [F; 3] {
    let [X1, Y1, Z1] = p;
    let t0 = Y1.square();
    let t1 = t0.double().double().double();
    let t2 = Y1 * Z1;
    let t4 = b3(Z1.square());
    let t5 = t4 * t1;
    let t6 = t0 + t4;
    let Z3 = t2 * t1;
    let t8 = t0 - triple(t4);
    let Y3 = t5 + t8 * t6;
    let X3 = (t8 * (X1 * Y1)).double();
    [X3, Y3, Z3]
}

/// EFD add-2007-bl: Jacobian addition. 11 multiplications, 5 squarings.
/// Not for the identity, nor for equal points. Opposite points give Z3 = 0.
pub fn jacobian_add<F: Field>(p: [F; 3], q: [F; 3]) -> [F; 3] {
    let ([X1, Y1, Z1], [X2, Y2, Z2]) = (p, q);
    let Z1Z1 = Z1.square();
    let Z2Z2 = Z2.square();
    let U1 = X1 * Z2Z2;
    let U2 = X2 * Z1Z1;
    let S1 = Y1 * (Z2 * Z2Z2);
    let S2 = Y2 * (Z1 * Z1Z1);
    let H = U2 - U1;
    let I = H.double().square();
    let J = H * I;
    let r = (S2 - S1).double();
    let V = U1 * I;
    let X3 = r.square() - J - V.double();
    let Y3 = r * (V - X3) - (S1 * J).double();
    let Z3 = ((Z1 + Z2).square() - Z1Z1 - Z2Z2) * H;
    [X3, Y3, Z3]
}

/// EFD madd-2007-bl: the same with a second point that is a pair. 7 multiplications, 4 squarings.
/// Not for the first point the identity, nor for equal points. Opposite points give Z3 = 0.
pub fn jacobian_madd<F: Field>(p: [F; 3], q: [F; 2]) -> [F; 3] {
    let ([X1, Y1, Z1], [X2, Y2]) = (p, q);
    let Z1Z1 = Z1.square();
    let U2 = X2 * Z1Z1;
    let S2 = Y2 * (Z1 * Z1Z1);
    let H = U2 - X1;
    let HH = H.square();
    let I = HH.double().double();
    let J = H * I;
    let r = (S2 - Y1).double();
    let V = X1 * I;
    let X3 = r.square() - J - V.double();
    let Y3 = r * (V - X3) - (Y1 * J).double();
    let Z3 = (Z1 + H).square() - Z1Z1 - HH;
    [X3, Y3, Z3]
}

/// EFD dbl-2009-l: Jacobian doubling of every point. 2 multiplications, 5 squarings.
pub fn jacobian_dbl<F: Field>(p: [F; 3]) -> [F; 3] {
    let [X1, Y1, Z1] = p;
    let A = X1.square();
    let B = Y1.square();
    let C = B.square();
    let D = ((X1 + B).square() - A - C).double();
    let E = triple(A);
    let F = E.square();
    let X3 = F - D.double();
    let Y3 = E * (D - X3) - C.double().double().double();
    let Z3 = (Y1 * Z1).double();
    [X3, Y3, Z3]
}

/// The chord, with inv = 1 / (X2 - X1). 2 multiplications, 1 squaring.
/// Not for the identity, nor for equal or opposite points.
pub fn affine_add<F: Field>(p: [F; 2], q: [F; 2], inv: F) -> [F; 2] {
    let ([X1, Y1], [X2, Y2]) = (p, q);
    let L = (Y2 - Y1) * inv;
    let X3 = L.square() - X1 - X2;
    let Y3 = L * (X1 - X3) - Y1;
    [X3, Y3]
}

/// The tangent, with inv = 1 / (2 Y1). 2 multiplications, 2 squarings.
/// Not for the identity, nor for points of order 2.
pub fn affine_dbl<F: Field>(p: [F; 2], inv: F) -> [F; 2] {
    let [X1, Y1] = p;
    let L = triple(X1.square()) * inv;
    let X3 = L.square() - X1.double();
    let Y3 = L * (X1 - X3) - Y1;
    [X3, Y3]
}

/// EFD add-2008-hwcd-3: addition on -x^2 + y^2 = 1 + d x^2 y^2, k = 2 d. 8 multiplications, 1 by k.
/// Z3 = 0 for a pair whose sum has no image in the plane.
pub fn hwcd_add<F: Field>(p: [F; 4], q: [F; 4], k: impl Fn(F) -> F) -> [F; 4] {
    let ([X1, Y1, Z1, T1], [X2, Y2, Z2, T2]) = (p, q);
    let A = (Y1 - X1) * (Y2 - X2);
    let B = (Y1 + X1) * (Y2 + X2);
    let C = k(T1 * T2);
    let D = (Z1 * Z2).double();
    hwcd_last(B - A, D - C, D + C, B + A)
}

/// EFD madd-2008-hwcd-3: the same with a second point (y - x, y + x, k x y). 7 multiplications.
pub fn hwcd_madd_precomputed<F: Field>(p: [F; 4], q: [F; 3]) -> [F; 4] {
    let ([X1, Y1, Z1, T1], [YmX2, YpX2, kT2]) = (p, q);
    let A = (Y1 - X1) * YmX2;
    let B = (Y1 + X1) * YpX2;
    let C = T1 * kT2;
    let D = Z1.double();
    hwcd_last(B - A, D - C, D + C, B + A)
}

/// EFD dbl-2008-hwcd with a = -1: doubling. 4 multiplications, 4 squarings.
/// Z3 = 0 for a point whose double has no image in the plane.
pub fn hwcd_dbl<F: Field>(p: [F; 3]) -> [F; 4] {
    let [X1, Y1, Z1] = p;
    let A = X1.square();
    let B = Y1.square();
    let C = Z1.square().double();
    let E = (X1 + Y1).square() - A - B;
    let G = B - A;
    hwcd_last(E, G - C, G, -(A + B))
}

/// The end of all three formulas: the four products of two quotients E/G and H/F.
fn hwcd_last<R: Field>(E: R, F: R, G: R, H: R) -> [R; 4] {
    let X3 = E * F;
    let Y3 = G * H;
    let T3 = E * H;
    let Z3 = F * G;
    [X3, Y3, Z3, T3]
}

fn triple<F: Field>(a: F) -> F {
    a.double() + a
}
