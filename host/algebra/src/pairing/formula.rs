//! The formulas of a Miller loop, in the letters of the files of the same name in `spec/formulas`.
//!
//! An element of Fp12 is six coefficients, those of 1, v, v^2, w, v w, v^2 w. Formulas in Fp12 are in two parts, what the products
//! are made of and what they are for: none of these products waits for another.

#![allow(non_snake_case)]

use super::{Coefficient, Linear};

/// An element of Fp6: the coefficients of 1, v, v^2.
pub type Six<C> = [C; 3];
/// An element of Fp12.
pub type Twelve<C> = [Six<C>; 2];

/// Products of factors that do not wait for each other.
#[inline(always)]
fn products<C: Coefficient, const N: usize>(a: [&C; N], b: [&C; N]) -> [C; N] {
    let mut products = [*a[0]; N];
    for i in 0..N {
        products[i] = a[i].times(b[i]);
    }
    products
}

/// The same of a and b, and squares of c.
#[inline(always)]
fn products_and_squares<C: Coefficient, const N: usize, const M: usize>(
    a: [&C; N],
    b: [&C; N],
    c: [&C; M],
) -> ([C; N], [C; M]) {
    let mut squares = [*c[0]; M];
    for i in 0..M {
        squares[i] = c[i].squared();
    }
    (products(a, b), squares)
}

#[inline(always)]
fn multiplied<C: Coefficient, const N: usize>([x, y]: &[[C; N]; 2]) -> [C; N] {
    products(references(x), references(y))
}

#[inline(always)]
fn references<C, const N: usize>(all: &[C; N]) -> [&C; N] {
    let mut references = [&all[0]; N];
    for i in 1..N {
        references[i] = &all[i];
    }
    references
}

#[inline(always)]
fn both<C: Copy>(x: &[C; 6], y: &[C; 6]) -> [C; 12] {
    [x[0], x[1], x[2], x[3], x[4], x[5], y[0], y[1], y[2], y[3], y[4], y[5]]
}

#[inline(always)]
fn three<C: Copy>(x: &[C; 6], y: &[C; 6], z: &[C; 6]) -> [C; 18] {
    let mut all = [x[0]; 18];
    for i in 0..6 {
        (all[i], all[6 + i], all[12 + i]) = (x[i], y[i], z[i]);
    }
    all
}

/// Formula `line_dbl` (Aranha, Karabina, Longa, Gebotys, Lopez, ePrint 2010/526, section 4): 2 (X1 : Y1 : Z1) on the
/// twist, and [ly, lx, l1] of the tangent ly y + lx x + l1 there. `b3` is 3 b of the twist.
#[inline(always)]
pub fn line_dbl<C: Coefficient>([X1, Y1, Z1]: &[C; 3], b3: &C) -> ([C; 3], [C; 3]) {
    let YZ = Y1.plus(Z1);
    let ([A], [B, C, D, XX]) = products_and_squares([X1], [Y1], [Y1, Z1, &YZ, X1]);
    let E = b3.times(&C);
    let F = E.small::<3>();
    let H = D.less(&B.plus(&C));
    let (BF, G) = (B.less(&F), B.plus(&F));
    let ([X3, Z3], [GG, EE]) = products_and_squares([&A, &B], [&BF, &H], [&G, &E]);
    let Y3 = GG.less(&EE.small::<12>());
    ([X3.small::<2>(), Y3, Z3.small::<4>()], [H.negative(), XX.small::<3>(), E.less(&B)])
}

/// Formula `line_add` (the same source): (X1 : Y1 : Z1) + (X2, Y2), and [ly, lx, l1] of the chord through the two. Not
/// for the identity, nor for equal or opposite points.
#[inline(always)]
pub fn line_add<C: Coefficient>([X1, Y1, Z1]: &[C; 3], [X2, Y2]: &[C; 2]) -> ([C; 3], [C; 3]) {
    let [YZ, XZ] = products([Y2, X2], [Z1, Z1]);
    let (theta, ly) = (Y1.less(&YZ), X1.less(&XZ));
    let ([X, Y], [D, T]) = products_and_squares([&theta, &ly], [X2, Y2], [&ly, &theta]);
    let [E, F, G] = products([&ly, Z1, X1], [&D, &T, &D]);
    let H = E.plus(&F).less(&G.small::<2>());
    let GH = G.less(&H);
    let [X3, M, N, Z3] = products([&ly, &theta, &E, Z1], [&H, &GH, Y1, &E]);
    ([X3, M.less(&N), Z3], [ly, theta.negative(), X.less(&Y)])
}

/// What the six products of `fp6_mul` (Devegili, O hEigeartaigh, Scott, Dahab, ePrint 2006/471, section 4, Karatsuba)
/// are made of.
#[inline(always)]
fn fp6_factors<C: Linear>(a: &Six<C>) -> [C; 6] {
    [a[0], a[1], a[2], a[1].plus(&a[2]), a[0].plus(&a[1]), a[0].plus(&a[2])]
}

/// Returns the result from these products.
#[inline(always)]
fn fp6_sums<C: Linear>([v0, v1, v2, t0, t1, t2]: [&C; 6]) -> Six<C> {
    let c0 = v0.plus(&t0.less(v1).less(v2).times_xi());
    let c1 = t1.less(v0).less(v1).plus(&v2.times_xi());
    let c2 = t2.less(v0).plus(v1).less(v2);
    [c0, c1, c2]
}

/// The end of `fp6_mul_01`: v0 = a0 b0, v1 = a1 b1, (a1 + a2) b1, (a0 + a1) (b0 + b1), (a0 + a2) b0.
#[inline(always)]
fn fp6_sums_01<C: Linear>([v0, v1, t0, t1, t2]: [&C; 5]) -> Six<C> {
    let c0 = v0.plus(&t0.less(v1).times_xi());
    let c1 = t1.less(v0).less(v1);
    [c0, c1, t2.less(v0).plus(v1)]
}

#[inline(always)]
fn fp6_add<C: Linear>(a: &Six<C>, b: &Six<C>) -> Six<C> {
    [a[0].plus(&b[0]), a[1].plus(&b[1]), a[2].plus(&b[2])]
}

/// a + v b.
#[inline(always)]
fn fp6_add_v<C: Linear>(a: &Six<C>, b: &Six<C>) -> Six<C> {
    [a[0].plus(&b[2].times_xi()), a[1].plus(&b[0]), a[2].plus(&b[1])]
}

/// Formula `fp12_sqr` (ePrint 2006/471, section 3, complex squaring): 12 multiplications.
#[inline(always)]
pub fn fp12_sqr<C: Coefficient>(a: &Twelve<C>) -> Twelve<C> {
    fp12_sqr_sums(&multiplied(&fp12_sqr_factors(a)))
}

/// Returns the factors of the products of `fp12_sqr`.
#[inline(always)]
pub fn fp12_sqr_factors<C: Linear>([a0, a1]: &Twelve<C>) -> [[C; 12]; 2] {
    let [x, y] = [fp6_factors(a0), fp6_factors(a1)];
    let [z, w] = [fp6_factors(&fp6_add(a0, a1)), fp6_factors(&fp6_add_v(a0, a1))];
    [both(&x, &z), both(&y, &w)]
}

/// Returns the result of `fp12_sqr` from these products.
#[inline(always)]
pub fn fp12_sqr_sums<C: Linear>(p: &[C; 12]) -> Twelve<C> {
    let m = fp6_sums([&p[0], &p[1], &p[2], &p[3], &p[4], &p[5]]);
    let t3 = fp6_sums([&p[6], &p[7], &p[8], &p[9], &p[10], &p[11]]);
    let t5 = fp6_add_v(&m, &m);
    let c0 = [t3[0].less(&t5[0]), t3[1].less(&t5[1]), t3[2].less(&t5[2])];
    [c0, [m[0].small::<2>(), m[1].small::<2>(), m[2].small::<2>()]]
}

/// Returns the factors of the products of `fp12_mul` (Karatsuba).
#[inline(always)]
pub fn fp12_mul_factors<C: Linear>([a0, a1]: &Twelve<C>, [b0, b1]: &Twelve<C>) -> [[C; 18]; 2] {
    let x = three(&fp6_factors(a0), &fp6_factors(a1), &fp6_factors(&fp6_add(a0, a1)));
    let y = three(&fp6_factors(b0), &fp6_factors(b1), &fp6_factors(&fp6_add(b0, b1)));
    [x, y]
}

/// Returns the result of `fp12_mul` from these products.
#[inline(always)]
pub fn fp12_mul_sums<C: Linear>(p: &[C; 18]) -> Twelve<C> {
    let A = fp6_sums([&p[0], &p[1], &p[2], &p[3], &p[4], &p[5]]);
    let B = fp6_sums([&p[6], &p[7], &p[8], &p[9], &p[10], &p[11]]);
    let E = fp6_sums([&p[12], &p[13], &p[14], &p[15], &p[16], &p[17]]);
    [fp6_add_v(&A, &B), without(&E, &A, &B)]
}

/// Returns the operands of the squares of `fp12_cyclotomic_sqr` (Granger, Scott, ePrint 2009/565, section 3.2): the coefficients
/// of w^i and w^(i + 3), and their sum.
#[inline(always)]
pub fn fp12_cyclotomic_sqr_factors<C: Linear>([[a0, a2, a4], [a1, a3, a5]]: &Twelve<C>) -> [C; 9] {
    [*a0, *a3, a0.plus(a3), *a1, *a4, a1.plus(a4), *a2, *a5, a2.plus(a5)]
}

/// Returns the result of `fp12_cyclotomic_sqr` from these squares.
#[inline(always)]
pub fn fp12_cyclotomic_sqr_sums<C: Linear>(
    [[a0, a2, a4], [a1, a3, a5]]: &Twelve<C>,
    p: &[C; 9],
) -> Twelve<C> {
    let (p5, p7) = fp4_sqr_sums([&p[0], &p[1], &p[2]]);
    let (q5, q7) = fp4_sqr_sums([&p[3], &p[4], &p[5]]);
    let (r5, r7) = fp4_sqr_sums([&p[6], &p[7], &p[8]]);
    let r8 = r7.times_xi();
    let c0 = [three_minus_two(&p5, a0), three_minus_two(&q5, a2), three_minus_two(&r5, a4)];
    [c0, [three_plus_two(&r8, a1), three_plus_two(&p7, a3), three_plus_two(&q7, a5)]]
}

/// (x + y s)^2 with s^2 = xi of x^2, y^2 and (x + y)^2.
#[inline(always)]
fn fp4_sqr_sums<C: Linear>([x2, y2, both]: [&C; 3]) -> (C, C) {
    (x2.plus(&y2.times_xi()), both.less(x2).less(y2))
}

/// 3 b - 2 a.
#[inline(always)]
fn three_minus_two<C: Linear>(b: &C, a: &C) -> C {
    b.less(a).small::<2>().plus(b)
}

/// 3 b + 2 a.
#[inline(always)]
fn three_plus_two<C: Linear>(b: &C, a: &C) -> C {
    b.plus(a).small::<2>().plus(b)
}

/// Formula `fp12_mul_014`: by b0 + b1 v + b4 v w, a line on an M-twist. 13 multiplications.
#[inline(always)]
pub fn fp12_mul_014<C: Coefficient>(a: &Twelve<C>, b: &[C; 3]) -> Twelve<C> {
    fp12_mul_014_sums(&multiplied(&fp12_mul_014_factors(a, b)))
}

/// Returns the factors of the products of `fp12_mul_014`.
#[inline(always)]
pub fn fp12_mul_014_factors<C: Linear>(
    [a0, a1]: &Twelve<C>,
    [b0, b1, b4]: &[C; 3],
) -> [[C; 13]; 2] {
    let x = fp6_factors(a0);
    let z = fp6_factors(&fp6_add(a0, a1));
    let b01 = b0.plus(b1);
    let b14 = b1.plus(b4);
    let b014 = b01.plus(b4);
    [
        [x[0], x[1], x[3], x[4], x[5], a1[0], a1[1], a1[2], z[0], z[1], z[3], z[4], z[5]],
        [*b0, *b1, *b1, b01, *b0, *b4, *b4, *b4, *b0, b14, b14, b014, *b0],
    ]
}

/// Returns the result of `fp12_mul_014` from these products.
#[inline(always)]
pub fn fp12_mul_014_sums<C: Linear>(p: &[C; 13]) -> Twelve<C> {
    let A = fp6_sums_01([&p[0], &p[1], &p[2], &p[3], &p[4]]);
    let B = [p[7].times_xi(), p[5], p[6]];
    let E = fp6_sums_01([&p[8], &p[9], &p[10], &p[11], &p[12]]);
    [fp6_add_v(&A, &B), without(&E, &A, &B)]
}

/// Formula `fp12_mul_034`: by b0 + (b3 + b4 v) w, a line on a D-twist. 13 multiplications.
#[inline(always)]
pub fn fp12_mul_034<C: Coefficient>(a: &Twelve<C>, b: &[C; 3]) -> Twelve<C> {
    fp12_mul_034_sums(&multiplied(&fp12_mul_034_factors(a, b)))
}

/// Returns the factors of the products of `fp12_mul_034`.
#[inline(always)]
pub fn fp12_mul_034_factors<C: Linear>(
    [a0, a1]: &Twelve<C>,
    [b0, b3, b4]: &[C; 3],
) -> [[C; 13]; 2] {
    let y = fp6_factors(a1);
    let z = fp6_factors(&fp6_add(a0, a1));
    let b34 = b3.plus(b4);
    let b03 = b0.plus(b3);
    let b034 = b03.plus(b4);
    [
        [a0[0], a0[1], a0[2], y[0], y[1], y[3], y[4], y[5], z[0], z[1], z[3], z[4], z[5]],
        [*b0, *b0, *b0, *b3, *b4, *b4, b34, *b3, b03, *b4, *b4, b034, b03],
    ]
}

/// Returns the result of `fp12_mul_034` from these products.
#[inline(always)]
pub fn fp12_mul_034_sums<C: Linear>(p: &[C; 13]) -> Twelve<C> {
    let A = [p[0], p[1], p[2]];
    let B = fp6_sums_01([&p[3], &p[4], &p[5], &p[6], &p[7]]);
    let E = fp6_sums_01([&p[8], &p[9], &p[10], &p[11], &p[12]]);
    [fp6_add_v(&A, &B), without(&E, &A, &B)]
}

/// E - A - B.
#[inline(always)]
fn without<C: Linear>(E: &Six<C>, A: &Six<C>, B: &Six<C>) -> Six<C> {
    [E[0].less(&A[0]).less(&B[0]), E[1].less(&A[1]).less(&B[1]), E[2].less(&A[2]).less(&B[2])]
}
