//! Powers with a public exponent: sliding windows.

use super::Field;

/// Bits of a window; odd powers up to x^31 are kept.
const WINDOW: usize = 5;

/// x^e, e in limbs, lowest first. The sequence of operations follows from e alone.
pub fn pow_vartime<F: Field>(x: &F, exponent: &[u64]) -> F {
    let bit = |i: usize| exponent[i / 64] >> (i % 64) & 1;
    let Some(highest) = (0..64 * exponent.len()).rev().find(|&i| bit(i) == 1) else {
        return F::ONE;
    };
    let odd = odd_powers(x);
    // The highest window that ends with a one, so that its value is odd: where it ends, and half its value.
    let window = |left: usize| {
        let end = (left.saturating_sub(WINDOW)..left).find(|&i| bit(i) == 1).expect("left - 1");
        let value = (end..left).rev().fold(0, |value, i| value << 1 | bit(i));
        (end, value as usize / 2)
    };
    let (mut left, half) = window(highest + 1);
    let mut power = odd[half];
    while left > 0 {
        if bit(left - 1) == 0 {
            power = power.square();
            left -= 1;
            continue;
        }
        let (end, half) = window(left);
        for _ in end..left {
            power = power.square();
        }
        power *= &odd[half];
        left = end;
    }
    power
}

/// x, x^3, x^5, …
fn odd_powers<F: Field>(x: &F) -> [F; 1 << (WINDOW - 1)] {
    let square = x.square();
    let mut powers = [*x; 1 << (WINDOW - 1)];
    for i in 1..powers.len() {
        powers[i] = powers[i - 1] * square;
    }
    powers
}
