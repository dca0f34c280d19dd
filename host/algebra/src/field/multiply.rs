//! Montgomery multiplication in plain Rust (Montgomery, Math. Comp. 44, 1985), operand by operand and word by word:
//! the method CIOS of Koç, Acar, Kaliski, "Analyzing and comparing Montgomery multiplication algorithms", 1996.

use super::limbs::{add_carry, mul_add, reduce_once};

/// a b / 2^(64 N) modulo p, for a any number of N limbs and b below p. `negative_inverse` is -1/p modulo 2^64.
#[inline(always)]
pub const fn multiply<const N: usize>(
    a: &[u64; N],
    b: &[u64; N],
    p: &[u64; N],
    negative_inverse: u64,
) -> [u64; N] {
    // t + 2^(64 N) top < 2 p at the end of each turn.
    let (mut t, mut top) = ([0; N], 0);
    let mut i = 0;
    while i < N {
        // t = (t + a[i] b + m p) / 2^64, where m makes the sum divisible.
        let (low, mut carry_b) = mul_add(t[0], a[i], b[0], 0);
        let m = low.wrapping_mul(negative_inverse);
        let (_, mut carry_p) = mul_add(low, m, p[0], 0);
        let mut j = 1;
        while j < N {
            let word;
            (word, carry_b) = mul_add(t[j], a[i], b[j], carry_b);
            (t[j - 1], carry_p) = mul_add(word, m, p[j], carry_p);
            j += 1;
        }
        let (word, over) = add_carry(carry_b, carry_p, 0);
        let (word, more) = add_carry(word, top, 0);
        t[N - 1] = word;
        top = over | more;
        i += 1;
    }
    reduce_once(&t, top, p)
}
