//! Montgomery products of eight lanes, N of them in parallel.
//!
//! Koc, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms" (1996): CIOS, on limbs of
//! 52 bits, with sums that carry only at the end. For each limb b_i of b:
//!
//! 1. t += a b_i
//! 2. q = -t_0 / p mod 2^52
//! 3. t = (t + q p) / 2^52
//!
//! The lower half of q p_0 is never computed: it makes the lowest limb a multiple of 2^52, so what it hands on
//! is ceil(t_0 / 2^52).
//!
//! There is no final subtraction. t = (a b + q p) / R with q < R, so t < 2p as long as a b <= p R. A column
//! takes at most 4 L products of less than 2^52 and a carry, so it never leaves 64 bits.
//!
//! N = 2 keeps the multipliers busy: a step 2 to 3 is a chain of 12 cycles, in which a five-limb product alone
//! has too little to do (1.95 ns against 1.6 ns an element on Zen 5 at 4.1 GHz; its two multipliers allow 1.52).

use super::carried;
use super::constants::Constants;
use crate::lanes::backend::{Backend, LIMB_BITS, LIMB_MASK, each};

/// One or two results, the first element of `$result` each. Two copies of the code rather than a loop, which
/// would keep its values in memory.
macro_rules! one_by_one {
    ($n:ident < $count:expr, $result:expr) => {{
        const { assert!($count == 1 || $count == 2) }
        let $n = 0;
        let mut results = [$result[0]; $count];
        if $count == 2 {
            let $n = 1;
            results[$n] = $result[0];
        }
        results
    }};
}

/// With more limbs, two products do not fit into 32 registers.
pub(in crate::lanes) const MAX_LIMBS_INTERLEAVED: usize = 5;

/// x y / R mod p, not fully reduced: each in normal limbs, x y <= p R; the result is < 2p, in normal limbs.
#[inline(always)]
pub(in crate::lanes) fn multiply<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
    y: [&[B::V; L]; N],
) -> [[B::V; L]; N] {
    if L > MAX_LIMBS_INTERLEAVED {
        return one_by_one!(n < N, product(b, p, [x[n]], [y[n]]));
    }
    product(b, p, x, y)
}

#[inline(always)]
fn product<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
    y: [&[B::V; L]; N],
) -> [[B::V; L]; N] {
    let zero = b.splat(0);
    let mut t = [[zero; L]; N];
    for i in 0..L {
        let mut top = [zero; N];
        for j in 0..L {
            for n in 0..N {
                t[n][j] = b.add_low(t[n][j], x[n][j], y[n][i]);
            }
        }
        let q = quotients(b, p, each!(n < N, zero => t[n][0]));
        for j in 0..L {
            for n in 0..N {
                let sum = if j + 1 < L { &mut t[n][j + 1] } else { &mut top[n] };
                *sum = b.add_high(*sum, x[n][j], y[n][i]);
            }
        }
        add_multiple(b, p, &mut t, top, q);
    }
    each!(n < N, [zero; L] => carried(b, t[n]))
}

/// (x0 y0 + x1 y1) / R mod p with one reduction: each in normal limbs, x0 y0 + x1 y1 <= p R; the result is < 2p, in
/// normal limbs. A column takes at most 6 L products.
#[inline(always)]
pub(in crate::lanes) fn sum_of_products<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [[&[B::V; L]; 2]; N],
    y: [[&[B::V; L]; 2]; N],
) -> [[B::V; L]; N] {
    if L > MAX_LIMBS_INTERLEAVED {
        return one_by_one!(n < N, product_sum(b, p, [x[n]], [y[n]]));
    }
    product_sum(b, p, x, y)
}

#[inline(always)]
fn product_sum<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [[&[B::V; L]; 2]; N],
    y: [[&[B::V; L]; 2]; N],
) -> [[B::V; L]; N] {
    let zero = b.splat(0);
    let mut t = [[zero; L]; N];
    for i in 0..L {
        let mut top = [zero; N];
        for term in 0..2 {
            for j in 0..L {
                for n in 0..N {
                    t[n][j] = b.add_low(t[n][j], x[n][term][j], y[n][term][i]);
                }
            }
        }
        let q = quotients(b, p, each!(n < N, zero => t[n][0]));
        for term in 0..2 {
            for j in 0..L {
                for n in 0..N {
                    let sum = if j + 1 < L { &mut t[n][j + 1] } else { &mut top[n] };
                    *sum = b.add_high(*sum, x[n][term][j], y[n][term][i]);
                }
            }
        }
        add_multiple(b, p, &mut t, top, q);
    }
    each!(n < N, [zero; L] => carried(b, t[n]))
}

/// x^2 / R mod p: as [`multiply`] of x by itself. Each x_i x_j with i < j is computed once, as x_i d_j with the limbs d of
/// 2x. Those above i are more than twice the limbs of x above i by the bit that x_i hands on, so that x_i is taken away
/// where it has this bit. Of row i all columns up to i are complete, and t is the window of L columns from there.
#[inline(always)]
pub(in crate::lanes) fn square<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
) -> [[B::V; L]; N] {
    if L > MAX_LIMBS_INTERLEAVED {
        return one_by_one!(n < N, squared(b, p, [x[n]]));
    }
    squared(b, p, x)
}

#[inline(always)]
fn squared<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
) -> [[B::V; L]; N] {
    const { assert!(L <= 8) }
    let zero = b.splat(0);
    let doubled = each!(n < N, [zero; L] => twice(b, x[n]));
    let mut t = [[zero; L]; N];
    macro_rules! rows {
        ($($i:literal)*) => {$(
            if $i < L {
                add_row::<B, L, N, $i>(b, p, x, &doubled, &mut t);
            }
        )*};
    }
    rows!(0 1 2 3 4 5 6 7);
    each!(n < N, [zero; L] => carried(b, t[n]))
}

/// Row I of a square, and its step of the reduction. The row is a constant, as a loop over rows of different lengths would
/// keep its columns in memory.
#[inline(always)]
fn add_row<B: Backend, const L: usize, const N: usize, const I: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
    doubled: &[[B::V; L]; N],
    t: &mut [[B::V; L]; N],
) {
    let zero = b.splat(0);
    let mut top = [zero; N];
    for j in I..L {
        for n in 0..N {
            let y = if j == I { x[n][I] } else { doubled[n][j] };
            t[n][j] = b.add_low(t[n][j], x[n][I], y);
        }
    }
    let q = quotients(b, p, each!(n < N, zero => t[n][0]));
    for j in I..L {
        for n in 0..N {
            let y = if j == I { x[n][I] } else { doubled[n][j] };
            let sum = if j + 1 < L { &mut t[n][j + 1] } else { &mut top[n] };
            *sum = b.add_high(*sum, x[n][I], y);
        }
    }
    if I + 1 < L {
        for n in 0..N {
            let handed_on = b.negative(b.shift_left(x[n][I], 64 - LIMB_BITS));
            t[n][I + 1] = b.sub(t[n][I + 1], b.select(handed_on, zero, x[n][I]));
        }
    }
    add_multiple(b, p, t, top, q);
}

/// 2x of normal limbs of a number < R / 2, in limbs of which only the lower 52 bits count.
#[inline(always)]
fn twice<B: Backend, const L: usize>(b: B, x: &[B::V; L]) -> [B::V; L] {
    each!(j < L, x[0] => {
        let twice = b.add(x[j], x[j]);
        if j == 0 { twice } else { b.add(twice, b.shift_right(x[j - 1], LIMB_BITS - 1)) }
    })
}

/// Columns 0 to L - 1 and L to 2L - 1 of x y, each in normal limbs: sums of at most 2L halves of products, none of
/// which waits for another.
#[inline(always)]
pub(in crate::lanes) fn columns<B: Backend, const L: usize>(
    b: B,
    x: &[B::V; L],
    y: &[B::V; L],
) -> [[B::V; L]; 2] {
    let zero = b.splat(0);
    let (mut low, mut t) = ([zero; L], [zero; L]);
    for i in 0..L {
        for j in 0..L {
            t[j] = b.add_low(t[j], x[j], y[i]);
        }
        low[i] = t[0];
        for j in 0..L {
            let above = if j + 1 < L { t[j + 1] } else { zero };
            t[j] = b.add_high(above, x[j], y[i]);
        }
    }
    [low, t]
}

/// V / R mod p of columns of either sign, below 2^60, whose numbers V are not negative: the result is < V / R + p, in
/// normal limbs.
#[inline(always)]
pub(in crate::lanes) fn reduced<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    columns: &[[[B::V; L]; 2]; N],
) -> [[B::V; L]; N] {
    let zero = b.splat(0);
    let mut t = each!(n < N, [zero; L] => columns[n][0]);
    for i in 0..L {
        let q = quotients(b, p, each!(n < N, zero => t[n][0]));
        add_multiple(b, p, &mut t, each!(n < N, zero => columns[n][1][i]), q);
    }
    each!(n < N, [zero; L] => carried(b, t[n]))
}

/// Step 2.
#[inline(always)]
fn quotients<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    lowest: [B::V; N],
) -> [B::V; N] {
    let zero = b.splat(0);
    each!(n < N, zero => b.add_low(zero, lowest[n], b.splat(p.negative_inverse)))
}

/// Step 3, where `top` is the limb above the L of t.
#[inline(always)]
fn add_multiple<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    t: &mut [[B::V; L]; N],
    top: [B::V; N],
    q: [B::V; N],
) {
    let p = &p.multiples[1];
    let all = b.splat(LIMB_MASK);
    let given = each!(n < N, all => b.carry(b.add(t[n][0], all)));
    for j in 1..L {
        for n in 0..N {
            t[n][j] = b.add_low(t[n][j], q[n], b.splat(p[j]));
        }
    }
    for j in 0..L {
        for n in 0..N {
            let above = if j + 1 < L { t[n][j + 1] } else { top[n] };
            let above = if j == 0 { b.add(above, given[n]) } else { above };
            t[n][j] = b.add_high(above, q[n], b.splat(p[j]));
        }
    }
}
