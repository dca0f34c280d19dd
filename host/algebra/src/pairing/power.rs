//! Powers in the cyclotomic subgroup of Fp12, where inverses are conjugates. The exponents are public.

use subtle::ConditionallySelectable;

use super::Cyclotomic;
use crate::field::Field;
use crate::tower::{Fp2, Fp12, Tower, fp4_square, three_minus_two, three_plus_two};

/// Width of the windows: odd digits below 2^(WIDTH - 1) = 8, of either sign.
const WIDTH: u32 = 4;

/// f^n for n > 0 with many bits: non-adjacent form of width 4, cyclotomic squares.
#[inline(always)]
pub fn power<F: Cyclotomic>(f: &F, n: u64) -> F {
    let square = f.squared();
    let mut odd = [*f; 1 << (WIDTH - 2)];
    for i in 1..odd.len() {
        odd[i] = odd[i - 1].times(&square);
    }
    let digits = digits(n);
    let (first, others) = digits.split_last().expect("a digit of n > 0");
    let mut power = odd[usize::from(first.unsigned_abs() / 2)];
    for digit in others.iter().rev() {
        power = power.squared();
        let factor = &odd[usize::from(digit.unsigned_abs() / 2)];
        match digit.signum() {
            0 => {}
            1 => power = power.times(factor),
            _ => power = power.times(&factor.inverse()),
        }
    }
    power
}

/// f^n for n > 0, by its bits from the highest.
#[inline(always)]
pub fn power_by_bits<F: Cyclotomic>(f: &F, n: u64) -> F {
    let mut power = *f;
    for at in (0..n.ilog2()).rev() {
        power = power.squared();
        if n >> at & 1 == 1 {
            power = power.times(f);
        }
    }
    power
}

/// Digits of a number, the lowest first (Hankerson, Menezes, Vanstone, "Guide to elliptic curve cryptography",
/// algorithm 3.35).
fn digits(n: u64) -> Vec<i8> {
    let mut rest = i128::from(n);
    let mut digits = Vec::new();
    while rest != 0 {
        let low = (rest & ((1 << WIDTH) - 1)) as i8;
        let digit = match low {
            even if even % 2 == 0 => 0,
            small if small < 1 << (WIDTH - 1) => small,
            large => large - (1 << WIDTH),
        };
        digits.push(digit);
        rest = (rest - i128::from(digit)) / 2;
    }
    digits
}

/// f^n for n > 0 with few bits: compressed squares (Karabina, ePrint 2010/542), of which those that n has a bit for are
/// decompressed with one inversion and multiplied.
pub fn power_by_few_bits<T: Tower>(f: Fp12<T>, n: u64) -> Fp12<T> {
    let mut square = Compressed::of(f);
    let mut factors = Vec::with_capacity(n.count_ones() as usize);
    for at in 0..=n.ilog2() {
        if n >> at & 1 == 1 {
            factors.push(square);
        }
        square = square.square();
    }
    let factors = Compressed::decompress(&factors);
    factors.into_iter().reduce(|product, factor| product * factor).unwrap_or(Fp12::ONE)
}

/// The coefficients of w, w^2, w^4 and w^5 of an element of the cyclotomic subgroup: they determine the others.
#[derive(Clone, Copy)]
struct Compressed<T: Tower>([Fp2<T>; 4]);

impl<T: Tower> Compressed<T> {
    fn of(f: Fp12<T>) -> Self {
        let [_, a1, a2, _, a4, a5] = f.powers_of_w();
        Self([a1, a2, a4, a5])
    }

    /// ePrint 2010/542, section 3: what [`Fp12::cyclotomic_square`] does to these four. 6 squarings in Fp2.
    fn square(self) -> Self {
        let [a1, a2, a4, a5] = self.0;
        let (q5, q7) = fp4_square(a1, a4);
        let (r5, r7) = fp4_square(a2, a5);
        let r8 = T::times_xi(r7);
        Self([
            three_plus_two(r8, a1),
            three_minus_two(q5, a2),
            three_minus_two(r5, a4),
            three_plus_two(q7, a5),
        ])
    }

    /// ePrint 2010/542, theorem 3.1:
    ///
    /// ```text
    /// a3 = (xi a5^2 + 3 a2^2 - 2 a4) / (4 a1), or 2 a2 a5 / a4 if a1 = 0
    /// a0 = xi (2 a3^2 + a1 a5 - 3 a2 a4) + 1
    /// ```
    ///
    /// where 0/0 is defined as 0: if a1 = a4 = 0, the element is 1, as the subgroup has none of order 3.
    fn decompress(all: &[Self]) -> Vec<Fp12<T>> {
        let ratio = |&Self([a1, a2, a4, a5]): &Self| {
            let a2a2 = a2.square();
            let usual = T::times_xi(a5.square()) + a2a2.double() + a2a2 - a4.double();
            let numerator = Fp2::conditional_select(&usual, &(a2 * a5).double(), a1.is_zero());
            (numerator, Fp2::conditional_select(&a1.double().double(), &a4, a1.is_zero()))
        };
        let (numerators, mut inverses): (Vec<_>, Vec<_>) = all.iter().map(ratio).unzip();
        Fp2::batch_invert(&mut inverses);
        let whole = |(&Self([a1, a2, a4, a5]), a3): (&Self, Fp2<T>)| {
            let a2a4 = a2 * a4;
            let a0 = a3.square().double() + a1 * a5 - a2a4.double() - a2a4;
            Fp12::from_powers_of_w([T::times_xi(a0) + Fp2::ONE, a1, a2, a3, a4, a5])
        };
        let a3 = numerators.into_iter().zip(inverses).map(|(n, inverse)| n * inverse);
        all.iter().zip(a3).map(whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bls12_381;

    /// An element of the cyclotomic subgroup.
    fn cyclotomic() -> bls12_381::Fp12 {
        let c = |i: u64| Fp2::new((i + 2).into(), (3 * i * i).into());
        let f = Fp12::from_powers_of_w([0, 1, 2, 3, 4, 5].map(c));
        let f = f.conjugate() * f.invert().unwrap();
        f.frobenius(2) * f
    }

    #[test]
    fn both_ways_are_powers() {
        let f = cyclotomic();
        for n in (1..70).chain([0xd201_0000_0001_0000, 0x44e9_92b4_4a69_09f1, u64::MAX]) {
            assert_eq!(power(&f, n), f.pow_vartime(&[n]), "{n:x}");
            assert_eq!(power_by_bits(&f, n), f.pow_vartime(&[n]), "{n:x}");
            assert_eq!(power_by_few_bits(f, n), f.pow_vartime(&[n]), "{n:x}");
        }
    }

    #[test]
    fn one_and_its_neighbours_in_form_are_decompressed() {
        let one = bls12_381::Fp12::ONE;
        assert_eq!(power_by_few_bits(one, 5), one);
        let f = cyclotomic();
        assert_eq!(Compressed::decompress(&[Compressed::of(f), Compressed::of(one)]), [f, one]);
    }
}
