//! Scalars as digits.

use std::ops::Range;

use thiserror::Error;
use zeroize::Zeroize;

use super::Group;
use super::plan::{Plan, Window};
use crate::field::PrimeField;

/// Bytes of a scalar, lowest first.
pub const SCALAR_BYTES: usize = 32;

/// Scalar number `.0` is not below the order of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("scalar {0} is not below the order of the group")]
pub struct NotReduced(pub usize);

type Words = [u64; 4];

/// Scalars, cut so that a window's digit is read without those below it. They are wiped in the end.
///
/// With k' = k + sum of 2^(c-1) 2^offset over all windows but the highest, the bits of k' in a window are the digit and
/// 2^(c-1). Of k and r - k, the smaller one is taken, with a sign.
pub struct Scalars {
    /// Of those that have digits, twice the number of the point, and 1 more if it is subtracted.
    points: Vec<u32>,
    /// And k'.
    words: Vec<Words>,
    /// Numbers of the points with the scalars 1 and -1, and whether it is -1.
    units: Vec<(u32, bool)>,
}

impl Scalars {
    /// Bytes of memory for a scalar: its words and the number of its point, or that and a sign.
    pub(super) const BYTES_EACH: usize = size_of::<Words>() + 3 * size_of::<u32>();

    /// Canonical scalars below r, fewer than 2^31 of them.
    pub fn new<C: Group>(scalars: &[[u8; SCALAR_BYTES]], plan: &Plan) -> Result<Self, NotReduced> {
        let r = C::Scalar::MODULUS;
        let r: Words = std::array::from_fn(|i| r.get(i).copied().unwrap_or(0));
        let (lower, _) = plan.windows().split_at(plan.windows().len() - 1);
        let halves = lower.iter().fold([0; 4], |sum, window| {
            let bit = window.offset + window.bits - 1;
            let mut half = [0; 4];
            half[bit as usize / 64] = 1 << (bit % 64);
            add(&sum, &half)
        });
        let mut all = Self {
            points: Vec::with_capacity(scalars.len()),
            words: Vec::with_capacity(scalars.len()),
            units: Vec::new(),
        };
        for (point, bytes) in scalars.iter().enumerate() {
            let plus = words(bytes);
            let (minus, borrow) = subtract(&r, &plus);
            if borrow || minus == [0; 4] {
                return Err(NotReduced(point));
            }
            let (_, negated) = subtract(&minus, &plus);
            let magnitude = if negated { minus } else { plus };
            match magnitude {
                [0, 0, 0, 0] => {}
                [1, 0, 0, 0] => all.units.push((point as u32, negated)),
                _ => {
                    all.points.push((point as u32) << 1 | u32::from(negated));
                    all.words.push(add(&magnitude, &halves));
                }
            }
        }
        Ok(all)
    }

    /// Points that are added as they are, or subtracted.
    pub(super) fn units(&self) -> &[(u32, bool)] {
        &self.units
    }

    /// How many have digits: all but 0, 1 and -1.
    pub fn with_digits(&self) -> usize {
        self.points.len()
    }

    /// Of some scalars, the number of the point, whether it is subtracted, and the words that [`Digit::of`] reads.
    pub(super) fn range(&self, range: Range<usize>) -> impl Iterator<Item = (u32, bool, &Words)> {
        let points = self.points[range.clone()].iter().zip(&self.words[range]);
        points.map(|(point, words)| (point >> 1, point & 1 == 1, words))
    }
}

impl Drop for Scalars {
    fn drop(&mut self) {
        self.words.as_flattened_mut().zeroize();
        self.points.zeroize();
    }
}

/// How a window's digits are read.
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
