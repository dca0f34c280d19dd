//! Butterflies of radix 4 and 2 for fields in which a product is cheap beside none: an element grows by a product for each
//! level of two, and is only carried.

use crate::lanes::{Backend, each};
use crate::ntt::tile::{Eight, splat};

use super::Form;

/// t^2, t and t root; or t.
pub fn factors<F: Form<D>, const D: usize>(t: F, root: F, log_radix: u32) -> Vec<F> {
    if log_radix == 2 { vec![t.square(), t, t * root] } else { vec![t] }
}

/// As [`Form::butterflies`].
#[inline(always)]
pub fn butterflies<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    rows: &mut [Eight<D>],
    factors: &[[u64; D]],
    log_radix: u32,
    plain: bool,
) {
    match (log_radix, plain) {
        (2, true) => plain_four::<F, B, D>(b, rows, factors),
        (2, false) => four::<F, B, D>(b, rows, factors),
        _ => two::<F, B, D>(b, rows, factors),
    }
}

/// held + product.
#[inline(always)]
fn plus<B: Backend, const D: usize>(b: B, held: &[B::V; D], product: &[B::V; D]) -> [B::V; D] {
    each!(j < D, held[0] => b.add(held[j], product[j]))
}

#[inline(always)]
fn four<F: Form<D>, B: Backend, const D: usize>(b: B, rows: &mut [Eight<D>], factors: &[[u64; D]]) {
    let [w, w0, w1] = [splat(b, &factors[0]), splat(b, &factors[1]), splat(b, &factors[2])];
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    let (p0, p1) = upper.split_at_mut(upper.len() / 2);
    let (p2, p3) = lower.split_at_mut(lower.len() / 2);
    for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
        let [x0, x1] = [p0.get(b), p1.get(b)];
        let [x2, x3] = [F::settled(b, p2.get(b)), F::settled(b, p3.get(b))];
        let [y2, y3] = F::multiply(b, [&x2, &x3], [&w, &w]);
        let [z0, z2] = [plus(b, &x0, &y2), F::minus(b, &x0, &y2)];
        let z1 = F::settled(b, plus(b, &x1, &y3));
        let z3 = F::settled(b, F::minus(b, &x1, &y3));
        let [y1, y3] = F::multiply(b, [&z1, &z3], [&w0, &w1]);
        p0.set(b, &plus(b, &z0, &y1));
        p1.set(b, &plus(b, &z2, &y3));
        p2.set(b, &F::minus(b, &z0, &y1));
        p3.set(b, &F::minus(b, &z2, &y3));
    }
}

/// With t = 1, of elements that were just read and are below 1.1 p: one product, by the root, instead of four.
#[inline(always)]
fn plain_four<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    rows: &mut [Eight<D>],
    factors: &[[u64; D]],
) {
    let root = splat(b, &factors[2]);
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    let (p0, p1) = upper.split_at_mut(upper.len() / 2);
    let (p2, p3) = lower.split_at_mut(lower.len() / 2);
    let (p0, p1) = (p0.as_chunks_mut::<2>().0, p1.as_chunks_mut::<2>().0);
    let (p2, p3) = (p2.as_chunks_mut::<2>().0, p3.as_chunks_mut::<2>().0);
    for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
        let x1 = [p1[0].get(b), p1[1].get(b)];
        let x3 = [p3[0].get(b), p3[1].get(b)];
        let z3 = [F::minus(b, &x1[0], &x3[0]), F::minus(b, &x1[1], &x3[1])];
        let z3 = [F::settled(b, z3[0]), F::settled(b, z3[1])];
        let y3 = F::multiply(b, [&z3[0], &z3[1]], [&root, &root]);
        let mut g = 0;
        while g < 2 {
            let [x0, x2] = [p0[g].get(b), p2[g].get(b)];
            let [z0, z1] = [plus(b, &x0, &x2), plus(b, &x1[g], &x3[g])];
            let z2 = F::minus(b, &x0, &x2);
            // 2p more: z1 may be a little above 2p.
            let above = F::minus(b, &z0, &each!(j < D, z0[0] => b.splat(0)));
            p0[g].set(b, &plus(b, &z0, &z1));
            p1[g].set(b, &plus(b, &z2, &y3[g]));
            p2[g].set(b, &F::minus(b, &above, &z1));
            p3[g].set(b, &F::minus(b, &z2, &y3[g]));
            g += 1;
        }
    }
}

#[inline(always)]
fn two<F: Form<D>, B: Backend, const D: usize>(b: B, rows: &mut [Eight<D>], factors: &[[u64; D]]) {
    let w = splat(b, &factors[0]);
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    let (upper, lower) = (upper.as_chunks_mut::<2>().0, lower.as_chunks_mut::<2>().0);
    for ([p0, p1], [p2, p3]) in upper.iter_mut().zip(lower) {
        let [x0, x1] = [p0.get(b), p1.get(b)];
        let [x2, x3] = [F::settled(b, p2.get(b)), F::settled(b, p3.get(b))];
        let [y2, y3] = F::multiply(b, [&x2, &x3], [&w, &w]);
        p0.set(b, &plus(b, &x0, &y2));
        p1.set(b, &plus(b, &x1, &y3));
        p2.set(b, &F::minus(b, &x0, &y2));
        p3.set(b, &F::minus(b, &x1, &y3));
    }
}
