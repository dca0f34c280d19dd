//! Random multiples of many points.
//!
//! A factor is a + b lambda with a and b of 64 random bits each, lambda what the endomorphism multiplies with: half of the doublings that a number
//! of 128 bits takes. a and b are the sums of d_i 16^i over sixteen digits d_i of -15, -13, ..., 15: each odd number below 2^64 in size once. Different a and b make different
//! factors, because no short a and b give 0 modulo r ([`Split`](crate::curve::Split)). No digit is 0 and no sum on the way meets what is added to it: a and b of both would be
//! equal or opposite, and they are a multiple of 16 and a digit.

use super::{Batched, FEW, add_each};
use crate::curve::{Affine, Curve, Projective};
use crate::field::PrimeField;
use crate::isa::Isa;
use crate::lanes::affine::{Ladder, Rung};
use crate::msm::{Stored, affine, short_sum_vartime, stored};

/// Bytes of a random number.
pub const FACTOR_BYTES: usize = 16;
/// Bits of a digit.
const DIGIT: u32 = 4;
/// Digits of a and of b.
const DIGITS: usize = 16;
/// Bits of a and of b.
const HALF_BITS: u32 = DIGIT * DIGITS as u32;

/// Random factors for the points of a curve's groups.
#[derive(Clone, Debug)]
pub struct Factors<S> {
    /// The digits of each, highest first: one of a, one of b, and so on.
    digits: Vec<Vec<i8>>,
    values: Vec<S>,
}

impl<S: PrimeField> Factors<S> {
    /// From random numbers, which are all different in probability: those of one are as different.
    pub fn new<C: Curve<Scalar = S>>(random: &[[u8; FACTOR_BYTES]]) -> Self {
        let digits = random.iter().map(|bytes| {
            let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            nibbles.map(|nibble| 2 * nibble as i8 - 15).collect()
        });
        let digits: Vec<Vec<i8>> = digits.collect();
        let lambda = C::SPLIT.lambda;
        let number = |half: i128| {
            let size = S::from(half.unsigned_abs() as u64);
            if half < 0 { -size } else { size }
        };
        let value = |digits: &Vec<i8>| {
            let [a, b] = halves(digits);
            number(a) + number(b) * lambda
        };
        let values = digits.iter().map(value).collect();
        Self { digits, values }
    }

    /// The factors.
    pub fn values(&self) -> &[S] {
        &self.values
    }

    /// The factors of these places.
    pub fn of(&self, places: &[usize]) -> Self {
        Self {
            digits: places.iter().map(|&place| self.digits[place].clone()).collect(),
            values: places.iter().map(|&place| self.values[place]).collect(),
        }
    }

    /// The sum of each point times its factor: points of the subgroup, as many as factors. On this thread alone.
    pub fn sum_vartime<C: Batched<Scalar = S>>(
        &self,
        isa: Isa,
        points: &[Affine<C>],
    ) -> Projective<C> {
        assert_eq!(points.len(), self.values.len(), "a factor a point");
        // a times P and b times lambda P.
        let points: Vec<_> = points.iter().flat_map(|p| [*p, p.endomorphism()]).collect();
        let halves: Vec<_> = self.digits.iter().flat_map(|digits| halves(digits)).collect();
        short_sum_vartime::<C>(isa, &stored(isa, &points), &halves, HALF_BITS)
    }

    /// Each point times its factor: points of the subgroup, as many as factors.
    pub fn times_each_vartime<C: Batched<Scalar = S>>(
        &self,
        isa: Isa,
        points: &[Affine<C>],
    ) -> Vec<Affine<C>> {
        assert_eq!(points.len(), self.values.len(), "a factor a point");
        let one = |i: usize| Projective::from(points[i]).times_vartime(&self.values[i]);
        let Some((multiples, failed)) = self.climb(isa, points) else {
            let multiples: Vec<_> = (0..points.len()).map(one).collect();
            return Affine::batch(&multiples);
        };
        let mut multiples = affine::<C>(isa, &multiples);
        for place in failed {
            multiples[place] = one(place).into();
        }
        multiples
    }

    fn climb<C: Batched>(
        &self,
        isa: Isa,
        points: &[Affine<C>],
    ) -> Option<(Vec<Stored<C>>, Vec<usize>)> {
        isa.machine()?;
        if points.len() <= FEW {
            return None;
        }
        // P, 3 P, ..., 15 P.
        let mut tables = vec![stored(isa, points)];
        let mut twice = tables[0].clone();
        add_each::<C>(isa, &mut twice, &tables[0], false);
        for i in 1..1 << (DIGIT - 1) {
            let mut next = tables[i - 1].clone();
            add_each::<C>(isa, &mut next, &twice, false);
            tables.push(next);
        }
        let rungs: Vec<_> = (0..2 * DIGITS)
            .map(|i| Rung { doublings: if i % 2 == 0 { DIGIT } else { 0 }, image: i % 2 == 1 })
            .collect();
        let digits = &self.digits;
        C::climb(isa, &Ladder { tables: &tables, beta: C::BETA, rungs: &rungs, last: 0, digits })
    }
}

/// a and b, from their digits.
fn halves(digits: &[i8]) -> [i128; 2] {
    digits.chunks(2).fold([0; 2], |[a, b], digits| {
        [(a << DIGIT) + i128::from(digits[0]), (b << DIGIT) + i128::from(digits[1])]
    })
}
