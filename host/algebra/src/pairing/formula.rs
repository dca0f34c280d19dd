//! The formulas of a Miller loop, in the letters of the files of the same name in `spec/formulas`.
//!
//! An element of Fp12 is six coefficients, those of 1, v, v^2, w, v w, v^2 w.

#![allow(non_snake_case, clippy::many_single_char_names)]

use super::Coefficient;

/// Formula `line_dbl` (Aranha, Karabina, Longa, Gebotys, Lopez, ePrint 2010/526, section 4): 2 (X1 : Y1 : Z1) on the
/// twist, and [ly, lx, l1] of the tangent ly y + lx x + l1 there. `b3` is 3 b of the twist.
#[inline(always)]
pub fn line_dbl<C: Coefficient>([X1, Y1, Z1]: [C; 3], b3: C) -> ([C; 3], [C; 3]) {
    let A = X1 * Y1;
    let B = Y1.square();
    let C = Z1.square();
    let E = b3 * C;
    let F = E.small::<3>();
    let X3 = (A * (B - F)).small::<2>();
    let Y3 = (B + F).square() - E.square().small::<12>();
    let H = (Y1 + Z1).square() - (B + C);
    let Z3 = (B * H).small::<4>();
    let J = X1.square();
    ([X3, Y3, Z3], [-H, J.small::<3>(), E - B])
}

/// Formula `line_add` (the same source): (X1 : Y1 : Z1) + (X2, Y2), and [ly, lx, l1] of the chord through the two. Not
/// for the identity, nor for equal or opposite points.
#[inline(always)]
pub fn line_add<C: Coefficient>([X1, Y1, Z1]: [C; 3], [X2, Y2]: [C; 2]) -> ([C; 3], [C; 3]) {
    let theta = Y1 - Y2 * Z1;
    let ly = X1 - X2 * Z1;
    let C = theta.square();
    let D = ly.square();
    let E = ly * D;
    let F = Z1 * C;
    let G = X1 * D;
    let H = E + F - G.small::<2>();
    let X3 = ly * H;
    let Y3 = theta * (G - H) - E * Y1;
    let Z3 = Z1 * E;
    ([X3, Y3, Z3], [ly, -theta, theta * X2 - ly * Y2])
}

/// Formula `fp6_mul` (Devegili, O hEigeartaigh, Scott, Dahab, ePrint 2006/471, section 4, Karatsuba).
#[inline(always)]
fn fp6_mul<C: Coefficient>(a: [C; 3], b: [C; 3]) -> [C; 3] {
    let v0 = a[0] * b[0];
    let v1 = a[1] * b[1];
    let v2 = a[2] * b[2];
    let c0 = v0 + ((a[1] + a[2]) * (b[1] + b[2]) - v1 - v2).times_xi();
    let c1 = (a[0] + a[1]) * (b[0] + b[1]) - v0 - v1 + v2.times_xi();
    let c2 = (a[0] + a[2]) * (b[0] + b[2]) - v0 + v1 - v2;
    [c0, c1, c2]
}

/// Formula `fp6_mul_01`: by b0 + b1 v. 5 multiplications.
#[inline(always)]
pub fn fp6_mul_01<C: Coefficient>(a: [C; 3], [b0, b1]: [C; 2]) -> [C; 3] {
    let v0 = a[0] * b0;
    let v1 = a[1] * b1;
    let c0 = v0 + ((a[1] + a[2]) * b1 - v1).times_xi();
    let c1 = (a[0] + a[1]) * (b0 + b1) - v0 - v1;
    let c2 = (a[0] + a[2]) * b0 - v0 + v1;
    [c0, c1, c2]
}

/// Formula `fp6_mul_1`: by b1 v. 3 multiplications.
#[inline(always)]
pub fn fp6_mul_1<C: Coefficient>(a: [C; 3], b1: C) -> [C; 3] {
    [(a[2] * b1).times_xi(), a[0] * b1, a[1] * b1]
}

/// Formula `fp6_mul_fp2`: by b of Fp2. 3 multiplications.
#[inline(always)]
fn fp6_mul_fp2<C: Coefficient>(a: [C; 3], b: C) -> [C; 3] {
    [a[0] * b, a[1] * b, a[2] * b]
}

/// Formula `fp6_mul_v`: by v.
#[inline(always)]
fn fp6_mul_v<C: Coefficient>(a: [C; 3]) -> [C; 3] {
    [a[2].times_xi(), a[0], a[1]]
}

#[inline(always)]
fn fp6_add<C: Coefficient>(a: [C; 3], b: [C; 3]) -> [C; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn fp6_sub<C: Coefficient>(a: [C; 3], b: [C; 3]) -> [C; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a0 + a1 w as halves, and the whole again.
#[inline(always)]
fn halves<C: Coefficient>([a0, a1, a2, a3, a4, a5]: [C; 6]) -> [[C; 3]; 2] {
    [[a0, a1, a2], [a3, a4, a5]]
}

#[inline(always)]
fn whole<C: Coefficient>([a0, a1, a2]: [C; 3], [a3, a4, a5]: [C; 3]) -> [C; 6] {
    [a0, a1, a2, a3, a4, a5]
}

/// Formula `fp12_sqr` (ePrint 2006/471, section 3, complex squaring): 12 multiplications.
#[inline(always)]
pub fn fp12_sqr<C: Coefficient>(a: [C; 6]) -> [C; 6] {
    let [a0, a1] = halves(a);
    let m = fp6_mul(a0, a1);
    let t3 = fp6_mul(fp6_add(a0, a1), fp6_add(a0, fp6_mul_v(a1)));
    let c0 = fp6_sub(fp6_sub(t3, m), fp6_mul_v(m));
    whole(c0, [m[0].small::<2>(), m[1].small::<2>(), m[2].small::<2>()])
}

/// Formula `fp12_mul_014`: by b0 + b1 v + b4 v w, a line on an M-twist. 13 multiplications.
#[inline(always)]
pub fn fp12_mul_014<C: Coefficient>(a: [C; 6], [b0, b1, b4]: [C; 3]) -> [C; 6] {
    let [a0, a1] = halves(a);
    let A = fp6_mul_01(a0, [b0, b1]);
    let B = fp6_mul_1(a1, b4);
    let E = fp6_mul_01(fp6_add(a0, a1), [b0, b1 + b4]);
    whole(fp6_add(A, fp6_mul_v(B)), fp6_sub(fp6_sub(E, A), B))
}

/// Formula `fp12_mul_034`: by b0 + (b3 + b4 v) w, a line on a D-twist. 13 multiplications.
#[inline(always)]
pub fn fp12_mul_034<C: Coefficient>(a: [C; 6], [b0, b3, b4]: [C; 3]) -> [C; 6] {
    let [a0, a1] = halves(a);
    let A = fp6_mul_fp2(a0, b0);
    let B = fp6_mul_01(a1, [b3, b4]);
    let E = fp6_mul_01(fp6_add(a0, a1), [b0 + b3, b4]);
    whole(fp6_add(A, fp6_mul_v(B)), fp6_sub(fp6_sub(E, A), B))
}
