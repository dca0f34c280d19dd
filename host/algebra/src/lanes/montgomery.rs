//! Montgomery products of eight lanes, N of them side by side.
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

use super::backend::{Backend, LIMB_MASK, each};
use super::constants::Constants;

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
pub(super) const MOST_LIMBS_INTERLEAVED: usize = 5;

/// x y / R mod p, not fully reduced: each in normal limbs, x y <= p R; the result is < 2p, in normal limbs.
#[inline(always)]
pub(super) fn multiply<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
    y: [&[B::V; L]; N],
) -> [[B::V; L]; N] {
    if L > MOST_LIMBS_INTERLEAVED {
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
pub(super) fn sum_of_products<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [[&[B::V; L]; 2]; N],
    y: [[&[B::V; L]; 2]; N],
) -> [[B::V; L]; N] {
    if L > MOST_LIMBS_INTERLEAVED {
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

/// x^2 / R mod p: as [`multiply`] of x by itself. The product comes first, 2L columns of it, because each
/// x_i x_j with i < j is computed once and the columns are doubled.
#[inline(always)]
pub(super) fn square<B: Backend, const L: usize, const N: usize>(
    b: B,
    p: &Constants<L>,
    x: [&[B::V; L]; N],
) -> [[B::V; L]; N] {
    if L > MOST_LIMBS_INTERLEAVED {
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
    let zero = b.splat(0);
    // Columns 0 to L - 1 and L to 2L - 1 of the product.
    let mut columns = [[[zero; L]; 2]; N];
    for i in 0..L {
        for j in i + 1..L {
            for n in 0..N {
                let low = &mut columns[n][(i + j) / L][(i + j) % L];
                *low = b.add_low(*low, x[n][i], x[n][j]);
                let high = &mut columns[n][(i + j + 1) / L][(i + j + 1) % L];
                *high = b.add_high(*high, x[n][i], x[n][j]);
            }
        }
    }
    for i in 0..L {
        for n in 0..N {
            let (low, high) = (2 * i, 2 * i + 1);
            let sum = &mut columns[n][low / L][low % L];
            *sum = b.add_low(b.add(*sum, *sum), x[n][i], x[n][i]);
            let sum = &mut columns[n][high / L][high % L];
            *sum = b.add_high(b.add(*sum, *sum), x[n][i], x[n][i]);
        }
    }
    reduced(b, p, &columns)
}

/// Columns 0 to L - 1 and L to 2L - 1 of x y, each in normal limbs: sums of at most 2L halves of products, none of
/// which waits for another.
#[inline(always)]
pub(super) fn columns<B: Backend, const L: usize>(
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
pub(super) fn reduced<B: Backend, const L: usize, const N: usize>(
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

/// Normal limbs of a number >= 0: all but the last in [0, 2^52), the last as large as it must be. The limbs may
/// be negative.
#[inline(always)]
pub(crate) fn carried<B: Backend, const L: usize>(b: B, mut t: [B::V; L]) -> [B::V; L] {
    for j in 1..L {
        t[j] = b.add(t[j], b.carry(t[j - 1]));
        t[j - 1] = b.and(t[j - 1], b.splat(LIMB_MASK));
    }
    t
}
