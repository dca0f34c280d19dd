//! Scalars as digits.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use zeroize::Zeroize;

use super::Group;
use super::plan::{Plan, Window};
use crate::field::PrimeField;

/// Bytes of a scalar, lowest first.
pub const SCALAR_BYTES: usize = 32;

/// Scalar number `.0` is not below the order of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotReduced(pub usize);

impl fmt::Display for NotReduced {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "scalar {} is not below the order of the group", self.0)
    }
}

impl Error for NotReduced {}

type Words = [u64; 4];

/// Scalars, cut so that a window's digit is read without those below it. They are wiped in the end.
///
/// With k' = k + sum of 2^(c-1) 2^offset over all windows but the highest, the bits of k' in a window are the digit and
/// 2^(c-1). Of k and r - k, the smaller one is taken, with a sign.
pub struct Scalars {
    /// For each scalar with digits, twice the number of the point, plus 1 if it is subtracted.
    points: Vec<u32>,
    /// k' of these scalars.
    words: Vec<Words>,
    /// For each scalar 1 or -1, the same number as for those with digits.
    units: Vec<u32>,
}

impl Scalars {
    /// Bytes of memory for a scalar: its words, and an entry for its point among those with digits and among the units.
    pub(super) const BYTES_EACH: usize = size_of::<Words>() + 2 * size_of::<u32>();

    /// Returns an error if a scalar is not below r.
    pub fn check<C: Group>(scalars: &[[u8; SCALAR_BYTES]]) -> Result<(), NotReduced> {
        let r = order::<C>();
        let is_reduced = |bytes| subtract(&words(bytes), &r).1;
        scalars.iter().position(|bytes| !is_reduced(bytes)).map_or(Ok(()), |i| Err(NotReduced(i)))
    }

    /// Counts the scalars with digits: all but 0, 1 and -1. They are below r.
    pub fn count_with_digits<C: Group>(scalars: &[[u8; SCALAR_BYTES]]) -> usize {
        let one = [1, 0, 0, 0];
        let without = [[0; 4], one, subtract(&order::<C>(), &one).0];
        scalars.iter().filter(|bytes| !without.contains(&words(bytes))).count()
    }

    /// Canonical scalars below r; the first one's point has this number, and every point's is below 2^31, counted with its
    /// multiples.
    pub fn new<C: Group>(
        first: usize,
        scalars: &[[u8; SCALAR_BYTES]],
        plan: &Plan,
    ) -> Result<Self, NotReduced> {
        let r = order::<C>();
        let halves = halves(plan);
        let mut all = Self::with_room(scalars.len());
        for (i, bytes) in scalars.iter().enumerate() {
            let plus = words(bytes);
            let (minus, borrow) = subtract(&r, &plus);
            if borrow || minus == [0; 4] {
                return Err(NotReduced(i));
            }
            let (_, negated) = subtract(&minus, &plus);
            let magnitude = if negated { minus } else { plus };
            all.push(first + i, negated, &magnitude, &halves);
        }
        Ok(all)
    }

    /// Integers whose magnitude has as many bits as the plan is for, of the points from number 0 on.
    pub(super) fn short(integers: &[i128], plan: &Plan) -> Self {
        let halves = halves(plan);
        let mut all = Self::with_room(integers.len());
        for (i, k) in integers.iter().enumerate() {
            let size = k.unsigned_abs();
            all.push(i, *k < 0, &[size as u64, (size >> 64) as u64, 0, 0], &halves);
        }
        all
    }

    fn with_room(count: usize) -> Self {
        Self {
            points: Vec::with_capacity(count),
            words: Vec::with_capacity(count),
            units: Vec::with_capacity(count),
        }
    }

    fn push(&mut self, number: usize, negated: bool, magnitude: &Words, halves: &Words) {
        let point = (number as u32) << 1 | u32::from(negated);
        match magnitude {
            [0, 0, 0, 0] => {}
            [1, 0, 0, 0] => self.units.push(point),
            _ => {
                self.points.push(point);
                self.words.push(add(magnitude, halves));
            }
        }
    }

    /// Points that are added as they are: twice the number, and 1 more for those that are subtracted.
    pub(super) fn units(&self) -> &[u32] {
        &self.units
    }

    /// Returns the number of scalars with digits: all but 0, 1 and -1.
    pub fn with_digits(&self) -> usize {
        self.points.len()
    }

    /// Returns for some scalars the number of the point, whether it is subtracted, and the words that [`Digit::of`] reads.
    pub(super) fn range(&self, range: Range<usize>) -> impl Iterator<Item = (u32, bool, &Words)> {
        let points = self.points[range.clone()].iter().zip(&self.words[range]);
        points.map(|(point, words)| (point >> 1, point & 1 == 1, words))
    }
}

impl Drop for Scalars {
    fn drop(&mut self) {
        self.words.as_flattened_mut().zeroize();
        self.points.zeroize();
        self.units.zeroize();
    }
}

/// The position of a window's digits.
#[derive(Clone, Copy)]
pub(super) struct Digit {
    word: usize,
    next: usize,
    shift: u32,
    mask: u32,
    half: i32,
}

impl Digit {
    pub(super) fn new(window: Window, is_highest: bool) -> Self {
        let word = window.offset as usize / 64;
        Self {
            word,
            next: (word + 1).min(3), // a window that ends in the last word needs no other
            shift: window.offset % 64,
            mask: (1 << window.bits) - 1,
            half: if is_highest { 0 } else { 1 << (window.bits - 1) },
        }
    }

    /// The digit's magnitude, and whether it is negative.
    #[inline(always)]
    pub(super) fn of(self, words: &Words) -> (u32, bool) {
        let both = u128::from(words[self.next]) << 64 | u128::from(words[self.word]);
        let digit = ((both >> self.shift) as u32 & self.mask).cast_signed() - self.half;
        (digit.unsigned_abs(), digit < 0)
    }
}

/// The sum of 2^(c-1) 2^offset over all windows but the highest.
fn halves(plan: &Plan) -> Words {
    let digits: Vec<_> = plan.digits().collect();
    let (_, lower) = digits.split_last().expect("a digit at least");
    lower.iter().fold([0; 4], |sum, window| {
        let bit = window.offset + window.bits - 1;
        let mut half = [0; 4];
        half[bit as usize / 64] = 1 << (bit % 64);
        add(&sum, &half)
    })
}

fn order<C: Group>() -> Words {
    let r = C::Scalar::MODULUS;
    std::array::from_fn(|i| r.get(i).copied().unwrap_or(0))
}

fn words(bytes: &[u8; SCALAR_BYTES]) -> Words {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

/// a + b, below 2^256.
fn add(a: &Words, b: &Words) -> Words {
    let mut carry = 0;
    std::array::from_fn(|i| {
        carry += u128::from(a[i]) + u128::from(b[i]);
        let word = carry as u64;
        carry >>= 64;
        word
    })
}

/// a - b, and whether it is negative.
fn subtract(a: &Words, b: &Words) -> (Words, bool) {
    let mut borrow = false;
    let difference = std::array::from_fn(|i| {
        let (partial, first) = a[i].overflowing_sub(b[i]);
        let (word, second) = partial.overflowing_sub(borrow.into());
        borrow = first | second;
        word
    });
    (difference, borrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::{bls12_377, bls12_381, bn254, pallas, toy};

    /// The digits of every number of windows that a plan may have give the scalar, and each has a bucket.
    fn examine<C: Group>() {
        let half = -C::Scalar::from(2).invert_vartime().unwrap();
        let small = [0, 1, 2, 3, 1 << 19, (1 << 20) - 1].map(C::Scalar::from);
        let all_bits = half.square() + C::Scalar::from(5);
        let scalars: Vec<_> = small
            .into_iter()
            .chain([half, half - C::Scalar::ONE, all_bits, all_bits.square()])
            .flat_map(|k| [k, -k])
            .collect();
        let bytes: Vec<_> = scalars
            .iter()
            .map(|k| {
                let mut bytes = [0; SCALAR_BYTES];
                bytes[..C::Scalar::BYTES].copy_from_slice(k.to_le_bytes().as_ref());
                bytes
            })
            .collect();
        let bits = C::Scalar::BITS;
        let plans = [1, 2, 4, 8, 16].into_iter().flat_map(|multiples: u32| {
            let bits = bits.div_ceil(multiples);
            let counts = bits.div_ceil(20)..=bits.div_ceil(2);
            counts.map(move |count| Plan::with_windows::<C>(count, multiples as usize))
        });
        for plan in plans {
            let cut = Scalars::new::<C>(0, &bytes, &plan).unwrap();
            assert_eq!(cut.with_digits(), Scalars::count_with_digits::<C>(&bytes));
            let sign = |k: C::Scalar, negated| if negated { -k } else { k };
            let mut found = vec![C::Scalar::ZERO; scalars.len()];
            for &unit in cut.units() {
                found[unit as usize >> 1] = sign(C::Scalar::ONE, unit & 1 == 1);
            }
            for (point, subtracted, words) in cut.range(0..cut.with_digits()) {
                let digits: Vec<_> = plan.digits().collect();
                let sum = digits.iter().rev().fold(C::Scalar::ZERO, |sum, &window| {
                    let is_highest = Some(&window) == digits.last();
                    let (digit, negated) = Digit::new(window, is_highest).of(words);
                    assert!(digit as usize <= window.buckets(), "{plan:?} {window:?}");
                    let shifted = (0..window.bits).fold(sum, |sum, _| sum.double());
                    shifted + sign(C::Scalar::from(u64::from(digit)), negated)
                });
                found[point as usize] = sign(sum, subtracted);
            }
            assert!(found == scalars, "{} {plan:?}", C::NAME);
        }
    }

    #[test]
    fn digits_make_the_scalar() {
        examine::<toy::Toy>();
        examine::<bn254::G1>();
        examine::<bls12_381::G1>();
        examine::<bls12_377::G1>();
        examine::<pallas::G1>();
    }

    /// The same of integers with a sign, in plans for as many bits.
    #[test]
    fn digits_make_the_short_integer() {
        let sizes = [0, 1, 2, 3, 1 << 63, u64::MAX - 1, u64::MAX];
        let integers: Vec<_> =
            sizes.into_iter().flat_map(|size| [i128::from(size), -i128::from(size)]).collect();
        for points in [1, 20, 2000, 1 << 20] {
            let plan = Plan::of_short::<bls12_381::G1>(points, 64);
            let cut = Scalars::short(&integers, &plan);
            let mut found = vec![0; integers.len()];
            let sign = |k: i128, negated| if negated { -k } else { k };
            for &unit in cut.units() {
                found[unit as usize >> 1] = sign(1, unit & 1 == 1);
            }
            for (point, subtracted, words) in cut.range(0..cut.with_digits()) {
                let windows = plan.windows();
                let sum = windows.iter().fold(0, |sum, &window| {
                    let is_highest = Some(&window) == windows.last();
                    let (digit, negated) = Digit::new(window, is_highest).of(words);
                    assert!(digit as usize <= window.buckets(), "{plan:?} {window:?}");
                    sum + sign(i128::from(digit) << window.offset, negated)
                });
                found[point as usize] = sign(sum, subtracted);
            }
            assert_eq!(found, integers);
        }
    }

    #[test]
    fn the_first_scalar_from_r_on_is_found() {
        let r = order::<bls12_377::G1>();
        let bytes = |words: Words| {
            let mut bytes = [0; SCALAR_BYTES];
            bytes.as_chunks_mut::<8>().0.copy_from_slice(&words.map(u64::to_le_bytes));
            bytes
        };
        let (last, _) = subtract(&r, &[1, 0, 0, 0]);
        assert_eq!(Scalars::check::<bls12_377::G1>(&[[0; 32], bytes(last)]), Ok(()));
        let found = Scalars::check::<bls12_377::G1>(&[bytes(last), bytes(r), [0xff; 32]]);
        assert_eq!(found, Err(NotReduced(1)));
    }
}
