//! Square roots of many elements of the fields of Pallas and Vesta, where p - 1 = 2^32 t with t odd.
//!
//! 1. The powers x^((t - 1) / 2), computed in lanes. They give r and v = x^t with r^2 = x v.
//! 2. v is a power of c, the root of unity of order 2^32. If e is even with v c^e = 1, then r c^(e / 2) is a root of x. The four digits of e in
//!    base 256 are read from a table of the logarithms of order 256, lowest digit first (Sarkar, ePrint 2020/1407). If e is odd, x is no square.

use std::collections::HashSet;

use super::{FEW, Roots};
use crate::field::{PastaFp, PastaFq, PrimeField};
use crate::isa::Isa;
use crate::lanes::{self, Prime};
use crate::once::Once;

/// Bits of a digit of e.
const DIGIT: u32 = 8;
/// Digits of e.
const DIGITS: usize = 4;
/// The values of a digit.
const VALUES: usize = 1 << DIGIT;
/// Bits of a place in the table of logarithms, most of whose places are empty.
const PLACE: u32 = 16;

/// The logarithms of a field.
struct Logarithms<F> {
    /// c^(256^j d) at [j][d].
    powers: [Vec<F>; DIGITS],
    /// The lowest of the bits that make places.
    shift: u32,
    /// At the place of h^-d: d, where h = c^(256^3) has order 256.
    digits: Vec<u8>,
}

impl<F: PrimeField> Logarithms<F> {
    fn new() -> Self {
        let mut base = F::ROOT_OF_UNITY.expect("the specification has a generator");
        let powers: [Vec<F>; DIGITS] = std::array::from_fn(|_| {
            let powers: Vec<_> = std::iter::successors(Some(F::ONE), |power| Some(*power * base))
                .take(VALUES)
                .collect();
            base *= powers[VALUES - 1];
            powers
        });
        let last = &powers[DIGITS - 1];
        let places = |shift| last.iter().map(|power| place(power, shift)).collect::<Vec<_>>();
        let are_different =
            |places: &[usize]| places.iter().collect::<HashSet<_>>().len() == VALUES;
        let shift = (0..u64::BITS - PLACE).find(|&shift| are_different(&places(shift)));
        let shift = shift.expect("most shifts have no collision");
        let mut digits = vec![0; 1 << PLACE];
        for (d, place) in places(shift).into_iter().enumerate() {
            // h^-d = h^(256 - d).
            digits[place] = (VALUES - d) as u8;
        }
        Self { powers, shift, digits }
    }

    /// Returns c^e.
    fn power(&self, e: u32) -> F {
        let digits = e.to_le_bytes().into_iter();
        digits
            .zip(&self.powers)
            .fold(F::ONE, |product, (d, powers)| product * powers[usize::from(d)])
    }

    /// Returns the e with v c^e = 1. v is a power of c.
    fn negative_logarithm(&self, v: F) -> u32 {
        let mut raised = [v; DIGITS];
        for j in 1..DIGITS {
            raised[j] = (0..DIGIT).fold(raised[j - 1], |power, _| power.square());
        }
        let mut e = 0_u32;
        for j in 0..DIGITS {
            // (v c^e)^(256^(3 - j)) has order 256.
            let rest = DIGITS - 1 - j;
            let known = self.power(e << (DIGIT as usize * rest));
            let digit = self.digits[place(&(raised[rest] * known), self.shift)];
            e |= u32::from(digit) << (DIGIT as usize * j);
        }
        e
    }

    /// Returns a root of x, where `power` is x^((t - 1) / 2).
    fn root(&self, x: F, power: F) -> Option<F> {
        if x == F::ZERO {
            return Some(x);
        }
        let root = power * x;
        let e = self.negative_logarithm(root * power);
        (e % 2 == 0).then(|| root * self.power(e / 2))
    }
}

/// The bits of the canonical integer's lowest limb, from `shift` on.
fn place<F: PrimeField>(element: &F, shift: u32) -> usize {
    (element.to_canonical().as_ref()[0] >> shift) as usize % (1 << PLACE)
}

/// (t - 1) / 2 = (p - 1) / 2^33, as p - 1 = 2^32 t.
fn exponent<F: PrimeField>() -> Vec<u64> {
    const SHIFT: u32 = 33;
    let p = F::MODULUS;
    let above = |i: usize| p.get(i + 1).map_or(0, |limb| limb << (64 - SHIFT));
    (0..p.len()).map(|i| p[i] >> SHIFT | above(i)).collect()
}

fn sqrt_each_vartime<F: Prime<5>>(
    isa: Isa,
    logarithms: &Logarithms<F>,
    elements: &[F],
) -> Vec<Option<F>> {
    let mut powers = elements.to_vec();
    match isa.machine().filter(|_| elements.len() > FEW) {
        Some(machine) => lanes::powers(machine, &mut powers, &exponent::<F>()),
        None => powers.iter_mut().for_each(|x| *x = x.pow_vartime(&exponent::<F>())),
    }
    elements.iter().zip(powers).map(|(x, power)| logarithms.root(*x, power)).collect()
}

macro_rules! roots {
    ($($field:ty),*) => {$(
        impl Roots for $field {
            fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>> {
                static LOGARITHMS: Once<Logarithms<$field>> = Once::new();
                sqrt_each_vartime(isa, LOGARITHMS.get_or_init(Logarithms::new), elements)
            }
        }
    )*};
}

roots! { PastaFp, PastaFq }

#[cfg(test)]
mod tests {
    use super::*;

    /// Every digit of every place, and every pair of neighbouring digits 0 and 255.
    fn examine<F: PrimeField>() {
        let logarithms = Logarithms::<F>::new();
        let c = F::ROOT_OF_UNITY.unwrap();
        let digits = (0..=255).flat_map(|d| [d, d << 8, d << 16, d << 24]);
        for e in digits.chain([u32::MAX, 0x00ff_00ff, 0xff00_ff00, 0x1234_5678]) {
            assert_eq!(logarithms.power(e), c.pow_vartime(&[e.into()]));
            let inverse = logarithms.power(e).invert_vartime().unwrap();
            assert_eq!(logarithms.negative_logarithm(inverse), e, "{e:#x}");
        }
    }

    #[test]
    fn logarithms_of_all_digits() {
        examine::<PastaFp>();
        examine::<PastaFq>();
    }
}
