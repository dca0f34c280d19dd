//! Multiples of points: in constant time by a fixed window, and faster where nothing is secret.

use super::endomorphism::{Short, Split};
use super::{Affine, Curve, Jacobian, Projective};
use crate::field::PrimeField;
use std::iter::successors;
use std::ops::Add;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, Zeroizing};

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
        Self::sum_of_multiples_vartime(&[*self], &[*k])
    }

    /// The sum of k P over points P of the subgroup and as many k, in constant time: like [`Self::sum_of_multiples_vartime`], but
    /// with windows of a fixed width, for each of which a table is read whole.
    pub fn sum_of_multiples(points: &[Self], scalars: &[C::Scalar]) -> Self {
        let tables: Vec<_> = points.iter().map(multiples).collect();
        let mut halves = Zeroizing::new(Vec::with_capacity(2 * scalars.len()));
        scalars.iter().for_each(|k| halves.extend(C::SPLIT.cut(k)));
        let windows = Split::<C::Scalar>::BITS as usize;
        (0..windows.div_ceil(WINDOW)).rev().fold(Self::IDENTITY, |sum, window| {
            let shifted = (0..WINDOW).fold(sum, |sum, _| sum.double());
            halves.iter().enumerate().fold(shifted, |sum, (number, half)| {
                let multiple = chosen(&tables[number / 2], digit(&half.magnitude, window));
                let multiple = if number % 2 == 1 { multiple.endomorphism() } else { multiple };
                sum + Self::conditional_select(&multiple, &-multiple, half.negative)
            })
        })
    }

    /// The sum of k P over points P of the subgroup and as many k: scalars cut in two by the endomorphism, all halves in
    /// non-adjacent form, one sequence of doublings (Straus, 1964). For few points. What it keeps of the scalars, except on the
    /// stack, is wiped.
    pub fn sum_of_multiples_vartime(points: &[Self], scalars: &[C::Scalar]) -> Self {
        let points: Vec<_> = points.iter().map(|point| Jacobian::from(*point)).collect();
        let tables = odd_multiples_vartime(&points);
        let mut digits = Digits::with_room(2 * points.len());
        for k in scalars {
            C::SPLIT.cut(k).iter().for_each(|half| digits.push(half));
        }
        let images: Vec<_> = tables.iter().map(Affine::endomorphism).collect();
        let tables = [&tables[..], &images[..]];

        let mut sum = Jacobian::IDENTITY;
        for row in digits.rows() {
            sum = sum.double_vartime();
            for (number, &digit) in row.iter().enumerate().filter(|(_, digit)| **digit != 0) {
                let table = &tables[number % 2][number / 2 * ODD..];
                sum = sum.add_mixed_vartime(&multiple(table, digit));
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
    let table = multiples(point);
    (0..bits.div_ceil(WINDOW)).rev().fold(G::IDENTITY, |sum, window| {
        let shifted = (0..WINDOW).fold(sum, |sum, _| sum.double());
        shifted + chosen(&table, digit(n, window))
    })
}

/// 0, P, 2 P, ..., 15 P.
fn multiples<G: Additive>(point: &G) -> Vec<G> {
    successors(Some(G::IDENTITY), |multiple| Some(*multiple + *point)).take(1 << WINDOW).collect()
}

/// The bits of a window, the lowest of which has number 0.
fn digit(n: &[u64], window: usize) -> u64 {
    let at = window * WINDOW;
    n[at / 64] >> (at % 64) & ((1 << WINDOW) - 1)
}

/// The entry with this index; every entry is read.
fn chosen<G: Additive>(table: &[G], index: u64) -> G {
    (0u64..).zip(table).fold(G::IDENTITY, |found, (at, entry)| {
        G::conditional_select(&found, entry, at.ct_eq(&index))
    })
}

/// P, 3 P, 5 P, ..., 15 P of each, for one inversion.
fn odd_multiples_vartime<C: Curve>(points: &[Jacobian<C>]) -> Vec<Affine<C>> {
    let mut odd = Vec::with_capacity(ODD * points.len());
    for point in points {
        let twice = point.double_vartime();
        odd.extend(successors(Some(*point), |before| Some(before.add_vartime(&twice))).take(ODD));
    }
    Jacobian::batch_to_affine_vartime(&odd)
}

/// The entry of a table of odd multiples that belongs to an odd digit.
fn multiple<C: Curve>(table: &[Affine<C>], digit: i8) -> Affine<C> {
    let entry = table[usize::from(digit.unsigned_abs() / 2)];
    if digit < 0 { -entry } else { entry }
}

/// Digits of numbers in non-adjacent form, wiped in the end.
struct Digits {
    /// A row for each power of two, with a digit of each number.
    rows: Zeroizing<Vec<i8>>,
    numbers: usize,
    pushed: usize,
    /// Rows with digits other than 0.
    length: usize,
}

impl Digits {
    /// Bits of the largest magnitude with the carry of its highest digit.
    const LENGTH: usize = 257;

    fn with_room(numbers: usize) -> Self {
        let rows = Zeroizing::new(vec![0; Self::LENGTH * numbers]);
        Self { rows, numbers, pushed: 0, length: 0 }
    }

    /// Adds a number (Hankerson, Menezes, Vanstone, "Guide to elliptic curve cryptography", algorithm 3.35). Zeros between two
    /// digits are skipped in one step.
    fn push(&mut self, k: &Short) {
        let limbs = k.magnitude;
        let bits = |at: usize| {
            let above = limbs.get(at / 64 + 1).map_or(0, |&limb| u128::from(limb) << 64);
            let limb = limbs.get(at / 64).map_or(0, |&limb| u128::from(limb));
            ((above | limb) >> (at % 64)) as u64
        };
        // The number from bit `at` on is that of `limbs`, plus the carry.
        let (mut at, mut carry) = (0, 0);
        while at < Self::LENGTH {
            let low = bits(at);
            if low & 1 == carry {
                // As many digits are 0 as the lowest bits are like the carry.
                let alike = if carry == 1 { low.trailing_ones() } else { low.trailing_zeros() };
                at += alike.clamp(1, 64) as usize;
                continue;
            }
            let low = (low & ((1 << NAF) - 1)) + carry;
            carry = u64::from(low > 1 << (NAF - 1));
            let digit = low as i8 - ((carry as i8) << NAF);
            self.rows[at * self.numbers + self.pushed] =
                if k.negative.into() { -digit } else { digit };
            self.length = self.length.max(at + 1);
            at += NAF as usize;
        }
        self.pushed += 1;
    }

    /// Returns the rows, the highest power first.
    fn rows(&self) -> impl Iterator<Item = &[i8]> {
        (0..self.length).rev().map(|at| &self.rows[at * self.numbers..][..self.numbers])
    }
}
