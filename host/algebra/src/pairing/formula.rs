//! The formulas of a Miller loop, in the letters of the files of the same name in `spec/formulas`.
//!
//! An element of Fp12 is six coefficients, those of 1, v, v^2, w, v w, v^2 w.

#![allow(non_snake_case)]

use super::Coefficient;

/// Formula `line_dbl` (Aranha, Karabina, Longa, Gebotys, Lopez, ePrint 2010/526, section 4): 2 (X1 : Y1 : Z1) on the
/// twist, and [ly, lx, l1] of the tangent ly y + lx x + l1 there. `b3` is 3 b of the twist.
#[inline(always)]
pub fn line_dbl<C: Coefficient>([X1, Y1, Z1]: &[C; 3], b3: &C) -> ([C; 3], [C; 3]) {
    let A = X1.times(Y1);
    let B = Y1.squared();
    let C = Z1.squared();
    let E = b3.times(&C);
    let F = E.small::<3>();
    let X3 = A.times(&B.less(&F)).small::<2>();
    let Y3 = B.plus(&F).squared().less(&E.squared().small::<12>());
    let H = Y1.plus(Z1).squared().less(&B.plus(&C));
    let Z3 = B.times(&H).small::<4>();
    let lx = X1.squared().small::<3>();
    ([X3, Y3, Z3], [H.negative(), lx, E.less(&B)])
}

/// Formula `line_add` (the same source): (X1 : Y1 : Z1) + (X2, Y2), and [ly, lx, l1] of the chord through the two. Not
/// for the identity, nor for equal or opposite points.
#[inline(always)]
pub fn line_add<C: Coefficient>([X1, Y1, Z1]: &[C; 3], [X2, Y2]: &[C; 2]) -> ([C; 3], [C; 3]) {
    let theta = Y1.less(&Y2.times(Z1));
    let ly = X1.less(&X2.times(Z1));
    let D = ly.squared();
    let E = ly.times(&D);
    let F = Z1.times(&theta.squared());
    let G = X1.times(&D);
    let H = E.plus(&F).less(&G.small::<2>());
    let X3 = ly.times(&H);
    let Y3 = theta.times(&G.less(&H)).less(&E.times(Y1));
    let Z3 = Z1.times(&E);
    let l1 = theta.times(X2).less(&ly.times(Y2));
    ([X3, Y3, Z3], [ly, theta.negative(), l1])
}

/// Formula `fp6_mul` (Devegili, O hEigeartaigh, Scott, Dahab, ePrint 2006/471, section 4, Karatsuba).
#[inline(always)]
fn fp6_mul<C: Coefficient>(a: &[C; 3], b: &[C; 3]) -> [C; 3] {
    let v0 = a[0].times(&b[0]);
    let v1 = a[1].times(&b[1]);
    let v2 = a[2].times(&b[2]);
    let t0 = a[1].plus(&a[2]).times(&b[1].plus(&b[2]));
    let t1 = a[0].plus(&a[1]).times(&b[0].plus(&b[1]));
    let t2 = a[0].plus(&a[2]).times(&b[0].plus(&b[2]));
    let c0 = v0.plus(&t0.less(&v1).less(&v2).times_xi());
    let c1 = t1.less(&v0).less(&v1).plus(&v2.times_xi());
    let c2 = t2.less(&v0).plus(&v1).less(&v2);
    [c0, c1, c2]
}

/// Formula `fp6_mul_01`: by b0 + b1 v. 5 multiplications.
#[inline(always)]
pub fn fp6_mul_01<C: Coefficient>(a: &[C; 3], [b0, b1]: [&C; 2]) -> [C; 3] {
    let v0 = a[0].times(b0);
    let v1 = a[1].times(b1);
    let c0 = v0.plus(&a[1].plus(&a[2]).times(b1).less(&v1).times_xi());
    let c1 = a[0].plus(&a[1]).times(&b0.plus(b1)).less(&v0).less(&v1);
    let c2 = a[0].plus(&a[2]).times(b0).less(&v0).plus(&v1);
    [c0, c1, c2]
}

/// Formula `fp6_mul_1`: by b1 v. 3 multiplications.
#[inline(always)]
pub fn fp6_mul_1<C: Coefficient>(a: &[C; 3], b1: &C) -> [C; 3] {
    [a[2].times(b1).times_xi(), a[0].times(b1), a[1].times(b1)]
}

/// Formula `fp6_mul_fp2`: by b of Fp2. 3 multiplications.
#[inline(always)]
fn fp6_mul_fp2<C: Coefficient>(a: &[C; 3], b: &C) -> [C; 3] {
    [a[0].times(b), a[1].times(b), a[2].times(b)]
}

#[inline(always)]
fn fp6_add<C: Coefficient>(a: &[C; 3], b: &[C; 3]) -> [C; 3] {
    [a[0].plus(&b[0]), a[1].plus(&b[1]), a[2].plus(&b[2])]
}

/// a + v b.
#[inline(always)]
fn fp6_add_v<C: Coefficient>(a: &[C; 3], b: &[C; 3]) -> [C; 3] {
    [a[0].plus(&b[2].times_xi()), a[1].plus(&b[0]), a[2].plus(&b[1])]
}

/// Formula `fp12_sqr` (ePrint 2006/471, section 3, complex squaring): 12 multiplications.
#[inline(always)]
pub fn fp12_sqr<C: Coefficient>([a0, a1]: &[[C; 3]; 2]) -> [[C; 3]; 2] {
    let m = fp6_mul(a0, a1);
    let t3 = fp6_mul(&fp6_add(a0, a1), &fp6_add_v(a0, a1));
    let t5 = fp6_add_v(&m, &m);
    let c0 = [t3[0].less(&t5[0]), t3[1].less(&t5[1]), t3[2].less(&t5[2])];
    [c0, [m[0].small::<2>(), m[1].small::<2>(), m[2].small::<2>()]]
}

/// Formula `fp12_mul_014`: by b0 + b1 v + b4 v w, a line on an M-twist. 13 multiplications.
#[inline(always)]
pub fn fp12_mul_014<C: Coefficient>([a0, a1]: &[[C; 3]; 2], [b0, b1, b4]: &[C; 3]) -> [[C; 3]; 2] {
    let A = fp6_mul_01(a0, [b0, b1]);
    let B = fp6_mul_1(a1, b4);
    let E = fp6_mul_01(&fp6_add(a0, a1), [b0, &b1.plus(b4)]);
    [fp6_add_v(&A, &B), without(&E, &A, &B)]
}

/// Formula `fp12_mul_034`: by b0 + (b3 + b4 v) w, a line on a D-twist. 13 multiplications.
#[inline(always)]
pub fn fp12_mul_034<C: Coefficient>([a0, a1]: &[[C; 3]; 2], [b0, b3, b4]: &[C; 3]) -> [[C; 3]; 2] {
    let A = fp6_mul_fp2(a0, b0);
    let B = fp6_mul_01(a1, [b3, b4]);
    let E = fp6_mul_01(&fp6_add(a0, a1), [&b0.plus(b3), b4]);
    [fp6_add_v(&A, &B), without(&E, &A, &B)]
}

/// E - A - B.
#[inline(always)]
fn without<C: Coefficient>(E: &[C; 3], A: &[C; 3], B: &[C; 3]) -> [C; 3] {
    [E[0].less(&A[0]).less(&B[0]), E[1].less(&A[1]).less(&B[1]), E[2].less(&A[2]).less(&B[2])]
}
