//! Butterflies of radix 8, 4 and 2, with the roots 2^24, 2^48 = i and -1.
//!
//! x_0 loses what its digits have above 48 bits, the others are multiplied, or all have just been read and have no more. So the sum of
//! those that are added is at most 3.75 2^50 (radix 8: x_0, and seven below 2^49 + 2^38), and of those that are subtracted 2^51 and
//! little more: [`ABOVE`], added to x_0 and therefore to every result, keeps each from being negative. If all are
//! added, it is not needed, and the sum with it would exceed the range.

use crate::lanes::{Backend, each};
use crate::ntt::tile::{TileVector, splat};

use super::{BITS, DIGIT, less, plus, plus_constant, product, zero};

/// 2^51, and a bit more for what is above a product's 2^49, or below 0.
const ABOVE: [u64; 2] = zero((1 << 19) + (1 << 10));
/// What the sum of all has less.
const LESS: [u64; 2] = zero(1 << 19);

/// Implements [`super::Arithmetic::butterflies`].
#[inline(always)]
pub fn butterflies<B: Backend>(
    b: B,
    rows: &mut [TileVector<2>],
    factors: &[[u64; 2]],
    log_radix: u32,
    plain: bool,
) {
    match (log_radix, plain) {
        (3, true) => eight::<B, true>(b, rows, factors),
        (3, false) => eight::<B, false>(b, rows, factors),
        (2, _) => four(b, rows, factors),
        _ => two(b, rows, factors),
    }
}

/// The digits' parts above 48 bits go to the other digit; and [`ABOVE`].
#[inline(always)]
fn first<B: Backend>(b: B, [x0, x1]: [B::V; 2]) -> [B::V; 2] {
    let digit = b.splat(DIGIT);
    let low = b.sub(b.and(x0, digit), b.shift_right(x1, BITS));
    let high = b.add(b.and(x1, digit), b.shift_right(x0, BITS));
    plus_constant(b, &[low, high], ABOVE)
}

/// x + i y.
#[inline(always)]
fn plus_i<B: Backend>(b: B, x: &[B::V; 2], y: &[B::V; 2]) -> [B::V; 2] {
    [b.sub(x[0], y[1]), b.add(x[1], y[0])]
}

/// x - i y.
#[inline(always)]
fn less_i<B: Backend>(b: B, x: &[B::V; 2], y: &[B::V; 2]) -> [B::V; 2] {
    [b.add(x[0], y[1]), b.sub(x[1], y[0])]
}

/// 2^24 x, for digits that are not negative: between -2^40 and 2^48 + 2^40.
#[inline(always)]
fn times_root<B: Backend>(b: B, x: &[B::V; 2]) -> [B::V; 2] {
    let lower = b.splat((1 << (BITS / 2)) - 1);
    let up = |x| b.shift_left(b.and(x, lower), BITS / 2);
    let (over0, over1) = (b.shift_right(x[0], BITS / 2), b.shift_right(x[1], BITS / 2));
    [b.sub(up(x[0]), over1), b.add(up(x[1]), over0)]
}

/// Radix 8: two of radix 4, of the even and of the odd ones, and one level of 2.
#[inline(always)]
fn eight<B: Backend, const PLAIN: bool>(b: B, rows: &mut [TileVector<2>], factors: &[[u64; 2]]) {
    let w = each!(j < 7, [b.splat(0); 2] => splat(b, &factors[j]));
    let part = rows.len() / 8;
    let mut parts = rows.chunks_exact_mut(part);
    let parts: [_; 8] = std::array::from_fn(|_| parts.next().expect("eight"));
    let [p0, p1, p2, p3, p4, p5, p6, p7] = parts.map(|part: &mut [TileVector<2>]| part.iter_mut());
    let low = p0.zip(p1).zip(p2).zip(p3);
    let high = p4.zip(p5).zip(p6).zip(p7);
    for ((((p0, p1), p2), p3), (((p4, p5), p6), p7)) in low.zip(high) {
        macro_rules! input {
            ($row:ident, $j:literal) => {{
                let x = $row.load(b);
                if PLAIN { x } else { product(b, &x, &w[$j - 1]) }
            }};
        }
        let x0 = p0.load(b);
        let x0 = if PLAIN { plus_constant(b, &x0, ABOVE) } else { first(b, x0) };
        let x4 = input!(p4, 4);
        let [s0, d0] = [plus(b, &x0, &x4), less(b, &x0, &x4)];
        let [x2, x6] = [input!(p2, 2), input!(p6, 6)];
        let [s2, d2] = [plus(b, &x2, &x6), less(b, &x2, &x6)];
        let [e0, e2] = [plus(b, &s0, &s2), less(b, &s0, &s2)];
        let [e1, e3] = [plus_i(b, &d0, &d2), less_i(b, &d0, &d2)];
        let [x1, x5] = [input!(p1, 1), input!(p5, 5)];
        let [s1, d1] = [plus(b, &x1, &x5), plus_constant(b, &less(b, &x1, &x5), ABOVE)];
        let [x3, x7] = [input!(p3, 3), input!(p7, 7)];
        let [s3, d3] = [plus(b, &x3, &x7), less(b, &x3, &x7)];
        let [o0, o2] = [plus(b, &s1, &s3), less(b, &s1, &s3)];
        let [o1, o3] = [plus_i(b, &d1, &d3), less_i(b, &d1, &d3)];
        let [o1, o3] = [times_root(b, &o1), times_root(b, &o3)];
        let fewer = [b.splat(LESS[0]), b.splat(LESS[1])];
        p0.store(b, &less(b, &plus(b, &e0, &o0), &fewer));
        p1.store(b, &plus(b, &e1, &o1));
        p2.store(b, &plus_i(b, &e2, &o2));
        p3.store(b, &plus_i(b, &e3, &o3));
        p4.store(b, &less(b, &e0, &o0));
        p5.store(b, &less(b, &e1, &o1));
        p6.store(b, &less_i(b, &e2, &o2));
        p7.store(b, &less_i(b, &e3, &o3));
    }
}

#[inline(always)]
fn four<B: Backend>(b: B, rows: &mut [TileVector<2>], factors: &[[u64; 2]]) {
    let [w1, w2, w3] = [splat(b, &factors[0]), splat(b, &factors[1]), splat(b, &factors[2])];
    let (low, high) = rows.split_at_mut(rows.len() / 2);
    let (p0, p1) = low.split_at_mut(low.len() / 2);
    let (p2, p3) = high.split_at_mut(high.len() / 2);
    for (((p0, p1), p2), p3) in p0.iter_mut().zip(p1).zip(p2).zip(p3) {
        let [x0, x2] = [first(b, p0.load(b)), product(b, &p2.load(b), &w2)];
        let [x1, x3] = [product(b, &p1.load(b), &w1), product(b, &p3.load(b), &w3)];
        let [s0, d0] = [plus(b, &x0, &x2), less(b, &x0, &x2)];
        let [s1, d1] = [plus(b, &x1, &x3), less(b, &x1, &x3)];
        p0.store(b, &plus(b, &s0, &s1));
        p1.store(b, &plus_i(b, &d0, &d1));
        p2.store(b, &less(b, &s0, &s1));
        p3.store(b, &less_i(b, &d0, &d1));
    }
}

#[inline(always)]
fn two<B: Backend>(b: B, rows: &mut [TileVector<2>], factors: &[[u64; 2]]) {
    let w = splat(b, &factors[0]);
    let (upper, lower) = rows.split_at_mut(rows.len() / 2);
    for (p0, p1) in upper.iter_mut().zip(lower) {
        let [x0, x1] = [first(b, p0.load(b)), product(b, &p1.load(b), &w)];
        p0.store(b, &plus(b, &x0, &x1));
        p1.store(b, &less(b, &x0, &x1));
    }
}
