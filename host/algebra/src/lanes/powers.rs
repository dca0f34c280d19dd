//! Powers of many elements with one exponent, sixteen at a time.

use super::affine::Residue;
use super::backend::{WIDTH, both};
use super::machine::{AnyMachine, Machine, Task, perform};
use super::primes::Prime;

/// Bits of a window; odd powers up to x^31 are kept.
const WINDOW: usize = 5;
/// The number of odd powers.
const ODD: usize = 1 << (WINDOW - 1);
/// Elements under way at a time.
const STEP: usize = 2 * WIDTH;

/// Each element becomes its power with a public exponent: limbs, lowest first, not 0.
pub fn powers<P: Prime<L>, const L: usize>(
    machine: AnyMachine,
    elements: &mut [P],
    exponent: &[u64],
) {
    let (first, windows) = windows(exponent);
    perform(machine, Powers::<P, L> { elements, first, windows: &windows });
}

/// The first window as half of its odd value; then squarings, and half of the odd value that is multiplied with, if there is one.
fn windows(exponent: &[u64]) -> (usize, Vec<(usize, Option<usize>)>) {
    let bit = |i: usize| exponent[i / 64] >> (i % 64) & 1;
    let highest = (0..64 * exponent.len()).rev().find(|&i| bit(i) == 1);
    let mut left = highest.expect("an exponent that is not 0") + 1;
    let (mut first, mut windows, mut squarings) = (None, vec![], 0);
    while left > 0 {
        if bit(left - 1) == 0 {
            (left, squarings) = (left - 1, squarings + 1);
            continue;
        }
        let end = (left.saturating_sub(WINDOW)..left).find(|&i| bit(i) == 1).expect("left - 1");
        let half = (end..left).rev().fold(0, |value, i| value << 1 | bit(i)) as usize / 2;
        match first {
            None => first = Some(half),
            Some(_) => windows.push((squarings + left - end, Some(half))),
        }
        (left, squarings) = (end, 0);
    }
    if squarings > 0 {
        windows.push((squarings, None));
    }
    (first.expect("the highest bit"), windows)
}

struct Powers<'a, P, const L: usize> {
    elements: &'a mut [P],
    first: usize,
    windows: &'a [(usize, Option<usize>)],
}

impl<P: Prime<L>, const L: usize> Task for Powers<'_, P, L> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self, m: M) {
        for sixteen in self.elements.chunks_mut(STEP) {
            let mut elements = [[P::ZERO; WIDTH]; 2];
            elements.as_flattened_mut()[..sixteen.len()].copy_from_slice(sixteen);
            let x: [M::Eight<P, L>; 2] = both!(n => Residue::from_elements(m, &elements[n]));
            let square = Residue::squares(x.each_ref());
            let mut odd = [x; ODD];
            for i in 1..ODD {
                odd[i] = Residue::products(odd[i - 1].each_ref(), square.each_ref());
            }
            let mut power = odd[self.first];
            for (squarings, half) in self.windows {
                for _ in 0..*squarings {
                    power = Residue::squares(power.each_ref());
                }
                if let Some(half) = half {
                    power = Residue::products(power.each_ref(), odd[*half].each_ref());
                }
            }
            let powers = both!(n => power[n].to_elements());
            sixteen.copy_from_slice(&powers.as_flattened()[..sixteen.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use crate::bls12_381::Fp;
    use crate::field::{Field, PrimeField};

    #[test]
    fn powers_are_those_of_one_by_one() {
        let elements: Vec<_> = (0..19).map(|i| Fp::from(i * i + i)).collect();
        for exponent in [&[1][..], &[2], &[31], &[32], &[0xffff_0000, 5], Fp::MODULUS] {
            let wanted: Vec<_> = elements.iter().map(|x| x.pow_vartime(exponent)).collect();
            for machine in Isa::available().into_iter().filter_map(Isa::machine) {
                for count in [0, 1, 16, 19] {
                    let mut found = elements[..count].to_vec();
                    powers(machine, &mut found, exponent);
                    assert_eq!(found, wanted[..count]);
                }
            }
        }
    }
}
