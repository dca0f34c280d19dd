//! The steps of a Miller loop, from the number that it multiplies Q with.

/// An operation on T, the current multiple of Q, that yields a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// T := 2 T; before its line is multiplied to f, f is squared.
    Double,
    /// T := T + Q.
    Add,
    /// T := T - Q.
    Subtract,
    /// T := T + psi(Q).
    AddPsi,
    /// T := T - psi^2(Q).
    SubtractPsiSquared,
}

/// Double and add for n Q, n > 0.
pub fn binary(n: u64) -> Vec<Step> {
    let bits = (0..n.ilog2()).rev().map(|at| i8::from(n >> at & 1 == 1));
    steps(bits)
}

/// Double, add and subtract for n Q, n > 0: the non-adjacent form (Hankerson, Menezes, Vanstone, "Guide to elliptic
/// curve cryptography", algorithm 3.30) as the digits of 3n less those of n.
pub fn non_adjacent(n: u128) -> Vec<Step> {
    let triple = 3 * n;
    let digit = |at: u32| (triple >> at & 1) as i8 - (n >> at & 1) as i8;
    steps((1..triple.ilog2()).rev().map(digit))
}

/// The digits after the first, which is 1, from the highest.
fn steps(digits: impl Iterator<Item = i8>) -> Vec<Step> {
    let mut steps = Vec::new();
    for digit in digits {
        steps.push(Step::Double);
        match digit {
            1 => steps.push(Step::Add),
            -1 => steps.push(Step::Subtract),
            _ => {}
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(steps: &[Step]) -> i128 {
        steps.iter().fold(1, |t, step| match step {
            Step::Double => 2 * t,
            Step::Add => t + 1,
            Step::Subtract => t - 1,
            other => panic!("{other:?} in a multiple of Q"),
        })
    }

    #[test]
    fn steps_lead_to_their_number() {
        for n in (1..300).chain([0xd201_0000_0001_0000, u64::MAX]) {
            assert_eq!(value(&binary(n)), i128::from(n));
            let steps = non_adjacent(n.into());
            assert_eq!(value(&steps), i128::from(n));
            assert!(steps.windows(2).all(|pair| pair.contains(&Step::Double)));
        }
    }
}
