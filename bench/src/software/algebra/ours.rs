//! Our side of each comparison.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::lanes::affine::{Addition, BATCH, Base, Point, add_assign_vartime};
use proofmill_algebra::lanes::{self, Lanes, Prime, Vectors};
use works::algebra::{Task, Work};

/// Returns elements that use all bits, derived from a public seed.
fn draw<P: PrimeField>(count: usize, salt: u64) -> Vec<P> {
    let element = |i: u64| P::from((i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..count as u64).map(|i| (0..3).fold(element(i), |x, _| x.square())).collect()
}

fn timed(repeat: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        work();
    }
    start.elapsed().as_secs_f64()
}

/// Prepares work on lists of elements: in lanes, or one at a time where there are none.
pub fn lists<P: Prime<L>, const L: usize>(work: &Work) -> Box<dyn FnMut() -> Result<f64>> {
    match Isa::best().vectors() {
        Some(vectors) => {
            let mut slices = Slices::<P, L>::new(vectors, work);
            Box::new(move || slices.seconds())
        }
        None => {
            let mut scalars = Scalars::<P>::new(work);
            Box::new(move || scalars.seconds())
        }
    }
}

/// Work on slices of lanes.
struct Slices<P, const L: usize> {
    vectors: Vectors,
    work: Work,
    a: Vec<Lanes<P, L>>,
    b: Vec<Lanes<P, L>>,
    results: Vec<Lanes<P, L>>,
}

impl<P: Prime<L>, const L: usize> Slices<P, L> {
    fn new(vectors: Vectors, work: &Work) -> Self {
        let a = lanes::from_elements(vectors, &draw::<P>(work.count, 1));
        let b = lanes::from_elements(vectors, &draw::<P>(work.count, 1 << 32));
        Self { vectors, work: work.clone(), results: a.clone(), a, b }
    }

    fn seconds(&mut self) -> Result<f64> {
        let Self { vectors, work, a, b, results } = self;
        let vectors = *vectors;
        let repeat = work.repeat;
        Ok(match work.task {
            Task::Multiply => timed(repeat, || lanes::mul(vectors, a, b, black_box(results))),
            Task::Square => timed(repeat, || lanes::square(vectors, a, black_box(results))),
            Task::Add => timed(repeat, || lanes::add(vectors, a, b, black_box(results))),
            Task::BatchInvert => timed(repeat, || lanes::invert(vectors, black_box(results))),
            other => anyhow::bail!("no {other:?} of vectors"),
        })
    }
}

/// Work on one element at a time.
pub struct Scalars<P> {
    work: Work,
    a: Vec<P>,
    b: Vec<P>,
    results: Vec<P>,
}

impl<P: PrimeField> Scalars<P> {
    pub fn new(work: &Work) -> Self {
        let (a, b) = (draw(work.count, 1), draw(work.count, 1 << 32));
        Self { work: work.clone(), results: a.clone(), a, b }
    }

    pub fn seconds(&mut self) -> Result<f64> {
        let Self { work, a, b, results } = self;
        let task = match work.task {
            Task::Multiply => |a: &P, b: &P| *a * b,
            Task::Square => |a: &P, _: &P| a.square(),
            Task::Add => |a: &P, b: &P| *a + b,
            Task::BatchInvert => {
                return Ok(timed(work.repeat, || P::batch_invert(black_box(results))));
            }
            Task::Invert => |a: &P, _: &P| a.invert().expect("not 0"),
            Task::Chain => return Ok(timed(work.repeat, || results[0] = product(results[0], a))),
            other => anyhow::bail!("no {other:?} of scalars"),
        };
        Ok(timed(work.repeat, || {
            for ((result, a), b) in results.iter_mut().zip(&*a).zip(&*b) {
                *result = task(a, b);
            }
            black_box(&mut *results);
        }))
    }
}

fn product<P: PrimeField>(first: P, factors: &[P]) -> P {
    factors.iter().fold(first, |product, factor| product * factor)
}

/// Additions of random points to random buckets, each bucket once in a batch. A run continues where the previous one ended,
/// so that all points are used before one is repeated, and points that do not fit into a cache are not found in it.
pub struct Points<P: Prime<L>, const L: usize, const K: usize> {
    buckets: Vec<Point<Base<P, L, K>>>,
    points: Vec<Point<Base<P, L, K>>>,
    additions: Vec<Addition>,
    next: usize,
}

impl<P: Prime<L>, const L: usize, const K: usize> Points<P, L, K> {
    /// Additions per run.
    pub const TURN: usize = 16 * BATCH;

    /// Creates points. They need not be on a curve, since the formula does not depend on it.
    pub fn new(buckets: usize, points: usize) -> Self {
        let coordinates = draw::<P>(2048, 1 << 33);
        let some = |first: usize| -> Vec<Point<Base<P, L, K>>> {
            let pairs: Vec<[P; 2]> = (0..512)
                .map(|i| [coordinates[first + 2 * i], coordinates[first + 2 * i + 1]])
                .collect();
            Point::from_coordinates(Isa::best(), &pairs)
        };
        let fill = |some: Vec<_>, count| some.into_iter().cycle().take(count).collect();
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            ((u128::from(state) * below as u128) >> 64) as usize
        };
        let mut additions = Vec::new();
        for _ in 0..(points / BATCH).next_multiple_of(Self::TURN / BATCH).max(Self::TURN / BATCH) {
            let mut free: Vec<u32> = (0..buckets as u32).collect();
            additions.extend((0..BATCH).map(|_| {
                let bucket = free.swap_remove(random(free.len()));
                Addition::new(bucket, random(points) as u32, random(2) == 1)
            }));
        }
        Self {
            buckets: fill(some(0), buckets),
            points: fill(some(1024), points),
            additions,
            next: 0,
        }
    }

    pub fn seconds(&mut self) -> f64 {
        let Self { buckets, points, additions, next } = self;
        let turn = &additions[*next..*next + Self::TURN];
        *next = (*next + Self::TURN) % additions.len();
        timed(1, || add_assign_vartime(Isa::best(), buckets, points, black_box(turn)))
    }
}
