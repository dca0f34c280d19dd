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
    let mut result = None;
    let mut left = highest + 1;
    while left > 0 {
        if bit(left - 1) == 0 {
            result = result.map(|r: F| r.square());
            left -= 1;
            continue;
        }
        // The window ends with a one, so that its value is odd.
        let end = (left.saturating_sub(WINDOW)..left).find(|&i| bit(i) == 1).expect("left - 1");
        let value = (end..left).rev().fold(0, |value, i| value << 1 | bit(i));
        let power = odd[value as usize / 2];
        result = Some(match result {
            None => power,
            Some(r) => (end..left).fold(r, |r, _| r.square()) * power,
        });
        left = end;
    }
    result.expect("the highest bit is a one")
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
