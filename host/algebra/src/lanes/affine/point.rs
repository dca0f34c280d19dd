//! An affine point in memory.
//!
//! A batch of additions reads points from anywhere. A gather instruction fetches one word a lane and costs what
//! eight loads cost; so a point is K whole vectors of 64 bytes, eight points are loaded as rows, and a transpose
//! (24 shuffles for 8 x 8 words) makes lanes of them:
//!
//! * L = 8, K = 2: eight limbs of x, eight limbs of y; a point is two cache lines;
//! * L = 5, K = 1: four words of x, four words of y, numbers below 2^256 in Montgomery form; one cache line
//!   instead of the one to three that ten limbs would touch, for two dozen shifts in eight points.
//!
//! The identity is (0, 0), which is on no curve with b != 0.

use std::fmt;
use std::marker::PhantomData;

use crate::isa::Isa;
use crate::lanes::backend::{Backend, Kernel, LIMB_BITS, WIDTH, each, run};
use crate::lanes::held::{limbs_of_words, words_of_limbs};
use crate::lanes::{Held, Prime};

/// Words of a coordinate in a point of one vector.
const WORDS: usize = WIDTH / 2;

/// An affine point with coordinates in P, or the identity.
#[repr(C, align(64))]
pub struct Point<P, const L: usize, const K: usize> {
    rows: [[u64; WIDTH]; K],
    field: PhantomData<P>,
}

impl<P, const L: usize, const K: usize> Clone for Point<P, L, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, const L: usize, const K: usize> Copy for Point<P, L, K> {}

impl<P, const L: usize, const K: usize> fmt::Debug for Point<P, L, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a point of {L} limbs a coordinate")
    }
}

impl<P, const L: usize, const K: usize> Point<P, L, K> {
    /// The identity.
    pub const IDENTITY: Self = Self { rows: [[0; WIDTH]; K], field: PhantomData };

    #[inline(always)]
    pub(super) fn prefetch<B: Backend>(&self, b: B) {
        for row in &self.rows {
            b.prefetch(row);
        }
    }
}

impl<P: Prime<L>, const L: usize, const K: usize> Point<P, L, K> {
    const LAYOUT: () = assert!((L == 8 && K == 2) || (L <= 5 && K == 1));
    /// In a point of one vector there is room for any number below 2p.
    const TWO_P_FITS: bool = K == 2
        || 52 * L <= 64 * WORDS
        || P::CONSTANTS.multiples[2][L - 1] >> (64 * WORDS - (L - 1) * LIMB_BITS as usize) == 0;

    /// Eight points' coordinates.
    #[inline(always)]
    pub(super) fn gather<B: Backend>(b: B, points: [&Self; WIDTH]) -> [Held<B, P, L>; 2] {
        const { Self::LAYOUT }
        let blank = b.splat(0);
        let first = b.transpose(each!(i < WIDTH, blank => b.load(&points[i].rows[0])));
        if K == 1 {
            let x: [_; WORDS] = each!(j < WORDS, blank => first[j]);
            let y: [_; WORDS] = each!(j < WORDS, blank => first[WORDS + j]);
            return [Held::of(b, limbs_of_words(b, &x)), Held::of(b, limbs_of_words(b, &y))];
        }
        let second = b.transpose(each!(i < WIDTH, blank => b.load(&points[i].rows[K - 1])));
        let [x, y] = [each!(j < L, blank => first[j]), each!(j < L, blank => second[j])];
        [Held::of(b, x), Held::of(b, y)]
    }

    /// Each lane's point to its place among the points; lanes without a place are lost.
    #[inline(always)]
    pub(super) fn scatter<B: Backend>(
        b: B,
        x: Held<B, P, L>,
        y: Held<B, P, L>,
        points: &mut [Self],
        place: impl Fn(usize) -> Option<usize>,
    ) {
        const { Self::LAYOUT }
        let blank = b.splat(0);
        let rows = if K == 1 {
            let [x, y] = if Self::TWO_P_FITS { [x, y] } else { [x.canonical(), y.canonical()] };
            let [x, y] = [x.limbs(), y.limbs()];
            let x: [_; WORDS] = words_of_limbs(b, &x);
            let y: [_; WORDS] = words_of_limbs(b, &y);
            let xy = each!(j < WIDTH, blank => if j < WORDS { x[j] } else { y[j - WORDS] });
            [b.transpose(xy); 2]
        } else {
            let [x, y] = [x.limbs(), y.limbs()];
            let x = each!(j < WIDTH, blank => x[j]);
            let y = each!(j < WIDTH, blank => y[j]);
            [b.transpose(x), b.transpose(y)]
        };
        for (lane, (first, second)) in rows[0].into_iter().zip(rows[1]).enumerate() {
            if let Some(place) = place(lane) {
                for (row, words) in points[place].rows.iter_mut().zip([first, second]) {
                    b.store(words, row);
                }
            }
        }
    }

    /// Points from their coordinates, (0, 0) for the identity.
    pub fn from_coordinates(isa: Isa, coordinates: &[[P; 2]]) -> Vec<Self> {
        let mut points = vec![Self::IDENTITY; coordinates.len()];
        run(isa, FromCoordinates(coordinates, &mut points));
        points
    }

    /// Their coordinates, (0, 0) of the identity.
    pub fn to_coordinates(isa: Isa, points: &[Self]) -> Vec<[P; 2]> {
        let mut coordinates = vec![[P::ZERO; 2]; points.len()];
        run(isa, ToCoordinates(points, &mut coordinates));
        coordinates
    }
}

struct FromCoordinates<'a, P, const L: usize, const K: usize>(
    &'a [[P; 2]],
    &'a mut [Point<P, L, K>],
);

impl<P: Prime<L>, const L: usize, const K: usize> Kernel for FromCoordinates<'_, P, L, K> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        for (from, to) in self.0.chunks(WIDTH).zip(self.1.chunks_mut(WIDTH)) {
            let mut each = [[P::ZERO; WIDTH]; 2];
            for (lane, [x, y]) in from.iter().enumerate() {
                (each[0][lane], each[1][lane]) = (*x, *y);
            }
            let [x, y] = [Held::from_elements(b, &each[0]), Held::from_elements(b, &each[1])];
            let places = to.len();
            Point::scatter(b, x, y, to, |lane| (lane < places).then_some(lane));
        }
    }
}

struct ToCoordinates<'a, P, const L: usize, const K: usize>(&'a [Point<P, L, K>], &'a mut [[P; 2]]);

impl<P: Prime<L>, const L: usize, const K: usize> Kernel for ToCoordinates<'_, P, L, K> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        for (from, to) in self.0.chunks(WIDTH).zip(self.1.chunks_mut(WIDTH)) {
            let eight = std::array::from_fn(|lane| from.get(lane).unwrap_or(&from[0]));
            let [x, y] = Point::gather(b, eight);
            let [x, y] = [x.to_elements(), y.to_elements()];
            for (lane, to) in to.iter_mut().enumerate() {
                *to = [x[lane], y[lane]];
            }
        }
    }
}
