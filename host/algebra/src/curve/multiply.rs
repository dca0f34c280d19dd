//! Multiples of points: in constant time by a fixed window, and faster where nothing is secret.

use super::endomorphism::Short;
use super::{Affine, Curve, Jacobian, Projective};
use crate::field::PrimeField;
use std::iter::successors;
use std::ops::Add;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

/// Bits of a window in constant time: a table of 16 points is read whole for each.
const WINDOW: usize = 4;

/// Width of the non-adjacent form: digits are odd, below 2^(NAF - 1) = 16, and NAF - 1 zeros follow each.
const NAF: u32 = 5;
/// The number of odd multiples.
const ODD: usize = 1 << (NAF - 2);

impl<C: Curve> Projective<C> {
    /// k P for any P of the curve. Constant time, but for a P outside the subgroup of a curve with points of order 2
    /// (BLS12-377 G1): some of its multiples differ by one of these, which shows. Such a P is to be refused first.
    pub fn times(&self, k: &C::Scalar) -> Self {
        times(self, k)
    }

    /// n P for any P of the curve and any integer n of 64-bit limbs, least significant first. Constant time like
    /// [`Self::times`], but for the number of limbs.
    pub fn times_integer(&self, n: &[u64]) -> Self {
        windows(self, n, 64 * n.len())
    }

    /// Computes n P for a public integer n: the time depends on n, not on P.
    pub fn times_public(&self, n: &[u64]) -> Self {
        let bits =
            n.iter().rev().flat_map(|limb| (0..64).rev().map(move |bit| limb >> bit & 1 == 1));
        let mut after_the_first = bits.skip_while(|bit| !bit);
        if after_the_first.next().is_none() {
            return Self::IDENTITY;
        }
        after_the_first.fold(*self, |sum, bit| {
            let twice = sum.double();
            if bit { twice + *self } else { twice }
        })
    }

    /// r P = 0? True for the points of the subgroup, on any curve.
    pub fn is_killed_by_order(&self) -> Choice {
        self.times_public(C::Scalar::MODULUS).is_identity()
    }

    /// k P for a P of the subgroup: [`Self::sum_of_multiples_vartime`] of one.
    pub fn times_vartime(&self, k: &C::Scalar) -> Self {
        Self::sum_of_multiples_vartime(&[(*self, *k)])
    }

    /// The sum of k P over all pairs of a P of the subgroup and a k: scalars cut in two by the endomorphism, all halves in
    /// non-adjacent form, one sequence of doublings (Straus, 1964). For few points.
    pub fn sum_of_multiples_vartime(terms: &[(Self, C::Scalar)]) -> Self {
        let points: Vec<_> = terms.iter().map(|(point, _)| *point).collect();
        let tables = odd_multiples_vartime(&points);
        let images: Vec<_> = tables.iter().map(Affine::endomorphism).collect();
        let tables =
            tables.chunks(ODD).zip(images.chunks(ODD)).flat_map(|(table, image)| [table, image]);
        let halves = terms.iter().flat_map(|(_, k)| C::SPLIT.cut_vartime(k));
        let each: Vec<_> = halves.map(|half| non_adjacent_form(&half)).zip(tables).collect();

        let mut sum = Jacobian::IDENTITY;
        for at in (0..each.iter().map(|(digits, _)| digits.len()).max().unwrap_or(0)).rev() {
            sum = sum.double_vartime();
            for (digits, table) in &each {
                match digits.get(at) {
                    None | Some(0) => {}
                    Some(&digit) => sum = sum.add_mixed_vartime(&multiple(table, digit)),
                }
            }
        }
        sum.into()
    }
}

impl<C: Curve> Additive for Projective<C> {
    const IDENTITY: Self = Self::IDENTITY;

    fn double(&self) -> Self {
        self.double()
    }
}

/// The operations of a group that a fixed window needs.
pub(super) trait Additive: Copy + Add<Output = Self> + ConditionallySelectable {
    /// The sum of nothing.
    const IDENTITY: Self;

    /// P + P.
    fn double(&self) -> Self;
}

/// k P by windows; the copy of k is wiped.
pub(super) fn times<G: Additive, S: PrimeField>(point: &G, k: &S) -> G {
    let mut limbs = k.to_canonical();
    let multiple = windows(point, limbs.as_ref(), S::BITS as usize);
    limbs.as_mut().zeroize();
    multiple
}

/// n P with the first `bits` bits of n, by windows from the top. What is done and what is read depends on `bits` alone.
fn windows<G: Additive>(point: &G, n: &[u64], bits: usize) -> G {
    let table: Vec<_> = successors(Some(G::IDENTITY), |multiple| Some(*multiple + *point))
        .take(1 << WINDOW)
        .collect();
    (0..bits.div_ceil(WINDOW)).rev().fold(G::IDENTITY, |sum, window| {
        let at = window * WINDOW;
        let digit = n[at / 64] >> (at % 64) & ((1 << WINDOW) - 1);
        let shifted = (0..WINDOW).fold(sum, |sum, _| sum.double());
        shifted + chosen(&table, digit)
    })
}

/// The entry with this index; every entry is read.
fn chosen<G: Additive>(table: &[G], index: u64) -> G {
    (0u64..).zip(table).fold(G::IDENTITY, |found, (at, entry)| {
        G::conditional_select(&found, entry, at.ct_eq(&index))
    })
}

/// P, 3 P, 5 P, ..., 15 P of each, for one inversion.
fn odd_multiples_vartime<C: Curve>(points: &[Projective<C>]) -> Vec<Affine<C>> {
    let odd = points.iter().flat_map(|point| {
        let point = Jacobian::from(*point);
        let twice = point.double_vartime();
        successors(Some(point), move |multiple| Some(multiple.add_vartime(&twice))).take(ODD)
    });
    Jacobian::batch_to_affine_vartime(&odd.collect::<Vec<_>>())
}

/// The entry of a table of odd multiples that belongs to an odd digit.
fn multiple<C: Curve>(table: &[Affine<C>], digit: i8) -> Affine<C> {
    let entry = table[usize::from(digit.unsigned_abs() / 2)];
    if digit < 0 { -entry } else { entry }
}

/// Digits of the non-adjacent form, least significant first (Hankerson, Menezes, Vanstone, "Guide to elliptic curve
/// cryptography", algorithm 3.35).
fn non_adjacent_form(k: &Short) -> Vec<i8> {
    let mut rest = k.magnitude.clone();
    rest.push(0); // room for the carry of a negative digit
    let mut digits = Vec::with_capacity(64 * rest.len());
    while rest.iter().any(|&limb| limb != 0) {
        let mut digit = 0i8;
        if rest[0] & 1 == 1 {
            let low = (rest[0] & ((1 << NAF) - 1)) as i8;
            digit = if low < 1 << (NAF - 1) { low } else { low - (1 << NAF) };
            subtract(&mut rest, digit);
        }
        digits.push(if k.negative { -digit } else { digit });
        halve(&mut rest);
    }
    digits
}

/// Subtracts a digit, of either sign; the difference is not negative.
fn subtract(number: &mut [u64], digit: i8) {
    let mut borrow = i128::from(digit);
    for limb in number {
        let difference = i128::from(*limb) - borrow;
        *limb = difference as u64;
        borrow = -(difference >> 64);
    }
}

fn halve(number: &mut [u64]) {
    let mut above = 0;
    for limb in number.iter_mut().rev() {
        (*limb, above) = (*limb >> 1 | above << 63, *limb & 1);
    }
}
