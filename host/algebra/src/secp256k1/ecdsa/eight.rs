//! Eight claims at a time.
//!
//! All lanes go through the same doublings and additions, because no digit is 0 ([`super::digits`]): with windows of
//! 5 bits for the key and of 13 bits for the generator, 125 doublings, 51 additions of multiples of Q or lambda Q, and
//! 20 of multiples of G or lambda G. Q's odd multiples share one denominator z, so on the curve y^2 = x^3 + 7 z^6 they
//! are affine: the sum is computed there, and G's multiples meet it with Z z in place of Z.
//!
//! A sum that meets an equal or an opposite point gets Z = 0 and keeps it, so that one check at the end distinguishes these,
//! and a sum that is the identity, from all others. They only result from crafted claims; the caller verifies them again.

use super::Claim;
use super::digits::{self, BITS, Digit, Half, Windows};
use super::generator::{Generator, WINDOW, generator};
use crate::curve::spec::secp256k1::endomorphism::BETA;
use crate::field::PrimeField;
use crate::lanes::{Backend, Choice, Mask, WIDTH};
#[cfg(target_arch = "x86_64")]
use crate::lanes::{Fma, SparseDoubles};
use crate::secp256k1::Fn;
use crate::secp256k1::lanes::{Affine, Coordinates, Element, Jacobian, Line};

/// Bits of a window of the key's scalar.
const KEY_WINDOW: u32 = 5;
/// Odd multiples of a key.
const MULTIPLES: usize = 1 << (KEY_WINDOW - 1);

/// A claim whose numbers are in range, and its scalars.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<'a> {
    pub claim: &'a Claim,
    /// The digits of the halves of u1.
    pub u1: [Windows; 2],
    /// The digits of the halves of u2.
    pub u2: [Windows; 2],
}

impl<'a> Prepared<'a> {
    /// With 1 / s.
    pub fn new(claim: &'a Claim, inverse: &Fn) -> Self {
        let halves = |x: [u64; 4]| {
            digits::split(&(Fn::reduced(x) * inverse).to_canonical()).map(Half::windows)
        };
        Self { claim, u1: halves(claim.z), u2: halves(claim.r) }
    }
}

/// The outcomes of eight claims, a bit each. Those of `on_curve` that are `exceptional` are not decided.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub on_curve: Mask,
    pub exceptional: Mask,
    pub matching: Mask,
}

/// The work on eight claims.
pub struct EightClaims<'a>(pub [Prepared<'a>; WIDTH]);

impl Choice for EightClaims<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn on_limbs<B: Backend>(self, b: B) -> Outcome {
        verify::<Element<B>>(b, &self.0)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> Outcome {
        verify::<SparseDoubles>(fma, &self.0)
    }
}

#[inline(always)]
fn verify<C: Coordinates>(proof: C::Proof, claims: &[Prepared<'_>; WIDTH]) -> Outcome {
    let mut lines = [Line([0; WIDTH]); WIDTH];
    for i in 0..WIDTH {
        let (x, y) = (&claims[i].claim.qx, &claims[i].claim.qy);
        lines[i].0[..4].copy_from_slice(x);
        lines[i].0[4..].copy_from_slice(y);
    }
    let key = C::of_lines(proof, lines.each_ref());
    let right = key.x.squared().times(&key.x).plus(&C::small(proof, 7));
    let on_curve = key.y.squared().are_equal(&right);

    let mut table = [[C::BLANK; WIDTH]; MULTIPLES];
    let z = odd_multiples(proof, &key, &mut table);
    let mut sum = multiply(proof, claims, &table, &z);
    sum.Z = sum.Z.times(&z);
    let exceptional = sum.Z.are_zero();
    let matching = matches(proof, claims, &sum);
    Outcome { on_curve, exceptional, matching }
}

/// Q, 3 Q, 5 Q, ..., each coordinate with the same denominators z^2 and z^3; gives z.
#[inline(always)]
fn odd_multiples<C: Coordinates>(
    proof: C::Proof,
    key: &Affine<C>,
    table: &mut [[C::Stored; WIDTH]; MULTIPLES],
) -> C {
    let one = C::small(proof, 1);
    let twice = C::double(&Jacobian { X: key.x, Y: key.y, Z: one });
    // On the curve where 2 Q is affine.
    let square = twice.Z.squared();
    let step = Affine { x: twice.X, y: twice.Y };
    let cube = square.times(&twice.Z);
    let mut sum = Jacobian { X: key.x.times(&square), Y: key.y.times(&cube), Z: one };
    let mut multiples = [(sum.X, sum.Y, one); MULTIPLES];
    for multiple in multiples.iter_mut().skip(1) {
        let ratio;
        (sum, ratio) = C::add(&sum, &sum.Z, &step);
        *multiple = (sum.X, sum.Y, ratio);
    }
    // Backwards, each with the denominators of the last.
    let (x, y, mut ratio) = multiples[MULTIPLES - 1];
    table[MULTIPLES - 1] = C::stored(proof, &Affine { x, y });
    for i in (0..MULTIPLES - 1).rev() {
        let (x, y, next) = multiples[i];
        let square = ratio.squared();
        let cube = square.times(&ratio);
        let point = Affine { x: x.times(&square), y: y.times(&cube) };
        table[i] = C::stored(proof, &point);
        ratio = ratio.times(&next);
    }
    sum.Z.times(&twice.Z)
}

/// u1 G + u2 Q on the curve of the table.
#[inline(always)]
fn multiply<C: Coordinates>(
    proof: C::Proof,
    claims: &[Prepared<'_>; WIDTH],
    table: &[[C::Stored; WIDTH]; MULTIPLES],
    z: &C,
) -> Jacobian<C> {
    let generator = generator();
    let beta = C::words(proof, &BETA);
    let first = of_key::<C>(proof, claims, table, 0, BITS - KEY_WINDOW);
    let mut sum = Jacobian { X: first.x, Y: first.y, Z: C::small(proof, 1) };
    for bit in (0..=BITS - KEY_WINDOW).rev() {
        if bit < BITS - KEY_WINDOW {
            sum = C::double(&sum);
        }
        let key = bit % KEY_WINDOW == 0;
        for turn in 0..4 {
            let half = turn % 2;
            let (z, point) = if turn < 2 {
                if !key || (half == 0 && bit == BITS - KEY_WINDOW) {
                    continue;
                }
                let mut point = of_key::<C>(proof, claims, table, half, bit);
                if half == 1 {
                    point.x = point.x.times(&beta);
                }
                (sum.Z, point)
            } else {
                if bit % WINDOW != 0 {
                    continue;
                }
                (sum.Z.times(z), of_generator::<C>(proof, claims, generator, half, bit))
            };
            (sum, _) = C::add(&sum, &z, &point);
        }
    }
    sum
}

/// The multiples of Q that digits of u2 choose.
#[inline(always)]
fn of_key<C: Coordinates>(
    proof: C::Proof,
    claims: &[Prepared<'_>; WIDTH],
    table: &[[C::Stored; WIDTH]; MULTIPLES],
    half: usize,
    bit: u32,
) -> Affine<C> {
    let mut points = [&table[0][0]; WIDTH];
    let mut negative = 0;
    for lane in 0..WIDTH {
        let digit: Digit = claims[lane].u2[half].digit(bit, KEY_WINDOW);
        points[lane] = &table[digit.index][lane];
        negative |= Mask::from(digit.negative) << lane;
    }
    C::of_stored(proof, points).negate(negative)
}

/// The multiples of G or of lambda G that digits of u1 choose.
#[inline(always)]
fn of_generator<C: Coordinates>(
    proof: C::Proof,
    claims: &[Prepared<'_>; WIDTH],
    generator: &Generator,
    half: usize,
    bit: u32,
) -> Affine<C> {
    let table = &generator.multiples[half];
    let mut lines = [&table[0]; WIDTH];
    let mut negative = 0;
    for lane in 0..WIDTH {
        let digit: Digit = claims[lane].u1[half].digit(bit, WINDOW);
        lines[lane] = &table[digit.index];
        negative |= Mask::from(digit.negative) << lane;
    }
    C::of_lines(proof, lines).negate(negative)
}

/// Returns the mask of the lanes where the x of the sum is r, or r + n if that is below p.
#[inline(always)]
fn matches<C: Coordinates>(
    proof: C::Proof,
    claims: &[Prepared<'_>; WIDTH],
    sum: &Jacobian<C>,
) -> Mask {
    let square = sum.Z.squared();
    let mut r = [Line([0; WIDTH]); WIDTH];
    for lane in 0..WIDTH {
        let claim = claims[lane].claim;
        r[lane].0[..4].copy_from_slice(&claim.r);
        r[lane].0[4..].copy_from_slice(&claim.other_x().unwrap_or(claim.r));
    }
    let candidates = C::of_lines(proof, r.each_ref());
    let [first, second] = [candidates.x.times(&square), candidates.y.times(&square)];
    sum.X.are_equal(&first) | sum.X.are_equal(&second)
}
