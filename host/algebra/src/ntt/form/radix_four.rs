//! Butterflies of radix 4 and 2 for fields in which a product is cheap beside none: an element grows by a product for each
//! level of two, and is only carried.

use crate::ntt::tile::TileVector;

use super::{Arithmetic, Form};

/// t^2, t and t root; or t.
pub fn factors<F: Form<D>, const D: usize>(t: F, root: F, log_radix: u32) -> Vec<F> {
    if log_radix == 2 { vec![t.square(), t, t * root] } else { vec![t] }
}

/// Implements [`Arithmetic::butterflies`].
#[inline(always)]
pub fn butterflies<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    rows: &mut [TileVector<D>],
    factors: &[[u64; D]],
    log_radix: u32,
    plain: bool,
) {
    match (log_radix, plain) {
        (2, true) => plain_four::<F, A, D>(a, rows, factors),
        (2, false) => four::<F, A, D>(a, rows, factors),
        _ => two::<F, A, D>(a, rows, factors),
    }
}

#[inline(always)]
fn four<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    rows: &mut [TileVector<D>],
    factors: &[[u64; D]],
) {
    let [w, w0, w1] = [a.splat(&factors[0]), a.splat(&factors[1]), a.splat(&factors[2])];
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    let (p0, p1) = upper.split_at_mut(upper.len() / 2);
    let (p2, p3) = lower.split_at_mut(lower.len() / 2);
    for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
        let [x0, x1] = [a.kept(a.get(p0)), a.kept(a.get(p1))];
        let [x2, x3] = [a.settled(a.get(p2)), a.settled(a.get(p3))];
        let [y2, y3] = a.multiply([&x2, &x3], [&w, &w]);
        let [z0, z2] = [a.plus(&x0, &y2), a.minus(&x0, &y2)];
        let z1 = a.settled(a.plus(&x1, &y3));
        let z3 = a.settled(a.minus(&x1, &y3));
        let [y1, y3] = a.multiply([&z1, &z3], [&w0, &w1]);
        a.set(p0, &a.plus(&z0, &y1));
        a.set(p1, &a.plus(&z2, &y3));
        a.set(p2, &a.minus(&z0, &y1));
        a.set(p3, &a.minus(&z2, &y3));
    }
}

/// With t = 1, of elements that were just read and are below 1.1 p: one product, by the root, instead of four.
#[inline(always)]
fn plain_four<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    rows: &mut [TileVector<D>],
    factors: &[[u64; D]],
) {
    let root = a.splat(&factors[2]);
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    let (p0, p1) = upper.split_at_mut(upper.len() / 2);
    let (p2, p3) = lower.split_at_mut(lower.len() / 2);
    let (p0, p1) = (p0.as_chunks_mut::<2>().0, p1.as_chunks_mut::<2>().0);
    let (p2, p3) = (p2.as_chunks_mut::<2>().0, p3.as_chunks_mut::<2>().0);
    for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
        let x1 = [a.get(&p1[0]), a.get(&p1[1])];
        let x3 = [a.get(&p3[0]), a.get(&p3[1])];
        let z3 = [a.minus(&x1[0], &x3[0]), a.minus(&x1[1], &x3[1])];
        let z3 = [a.settled(z3[0]), a.settled(z3[1])];
        let y3 = a.multiply([&z3[0], &z3[1]], [&root, &root]);
        let mut g = 0;
        while g < 2 {
            let [x0, x2] = [a.get(&p0[g]), a.get(&p2[g])];
            let [z0, z1] = [a.plus(&x0, &x2), a.plus(&x1[g], &x3[g])];
            let z2 = a.minus(&x0, &x2);
            // z1 may be a little above 2p.
            let above = a.raised(&z0);
            a.set(&mut p0[g], &a.plus(&z0, &z1));
            a.set(&mut p1[g], &a.plus(&z2, &y3[g]));
            a.set(&mut p2[g], &a.minus(&above, &z1));
            a.set(&mut p3[g], &a.minus(&z2, &y3[g]));
            g += 1;
        }
    }
}

#[inline(always)]
fn two<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    rows: &mut [TileVector<D>],
    factors: &[[u64; D]],
) {
    let w = a.splat(&factors[0]);
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    let (upper, lower) = (upper.as_chunks_mut::<2>().0, lower.as_chunks_mut::<2>().0);
    for ([p0, p1], [p2, p3]) in upper.iter_mut().zip(lower) {
        let [x0, x1] = [a.kept(a.get(p0)), a.kept(a.get(p1))];
        let [x2, x3] = [a.settled(a.get(p2)), a.settled(a.get(p3))];
        let [y2, y3] = a.multiply([&x2, &x3], [&w, &w]);
        a.set(p0, &a.plus(&x0, &y2));
        a.set(p1, &a.plus(&x1, &y3));
        a.set(p2, &a.minus(&x0, &y2));
        a.set(p3, &a.minus(&x1, &y3));
    }
}
