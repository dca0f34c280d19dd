//! Batches of affine additions against the chord and the tangent, one by one.

use proofmill_algebra::Isa;
use proofmill_algebra::field::*;
use proofmill_algebra::lanes::Prime;
use proofmill_algebra::lanes::affine::{Addition, BATCH, Base, Point, add_assign_vartime};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

type Xy<P> = [P; 2];

fn identity<P: PrimeField>() -> Xy<P> {
    [P::ZERO; 2]
}

fn negated<P: PrimeField>([x, y]: Xy<P>) -> Xy<P> {
    [x, -y]
}

/// Silverman, The Arithmetic of Elliptic Curves, III.2.3, on y^2 = x^3 + b.
fn sum<P: PrimeField>(p: Xy<P>, q: Xy<P>) -> Xy<P> {
    let ([x1, y1], [x2, y2]) = (p, q);
    let slope = if p == identity() {
        return q;
    } else if q == identity() {
        return p;
    } else if x1 != x2 {
        (y2 - y1) * (x2 - x1).invert_vartime().unwrap()
    } else if y1 == y2 && y1 != P::ZERO {
        (x1.square().double() + x1.square()) * y1.double().invert_vartime().unwrap()
    } else {
        return identity();
    };
    let x3 = slope.square() - x1 - x2;
    [x3, slope * (x1 - x3) - y1]
}

/// Does all of these additions at once; a bucket for each.
fn check<P: Prime<L>, const L: usize, const K: usize>(
    points: &[Xy<P>],
    pairs: &[(usize, usize, bool)],
) {
    for isa in Isa::available() {
        let firsts: Vec<_> = pairs.iter().map(|&(first, ..)| points[first]).collect();
        let mut buckets = Point::<Base<P, L, K>>::from_coordinates(isa, &firsts);
        let seconds = Point::<Base<P, L, K>>::from_coordinates(isa, points);
        let additions: Vec<_> = pairs
            .iter()
            .enumerate()
            .map(|(i, &(_, second, negated))| Addition::new(i as u32, second as u32, negated))
            .collect();
        add_assign_vartime(isa, &mut buckets, &seconds, &additions);
        let found = Point::to_coordinates(isa, &buckets);
        for (found, &(first, second, is_negated)) in found.iter().zip(pairs) {
            let (p, q) = (points[first], points[second]);
            let q = if is_negated { negated(q) } else { q };
            assert_eq!(*found, sum(p, q), "{p:?} + {q:?}, {isa}");
        }
    }
}

/// Every point of y^2 = x^3 + b over a toy field, and the identity.
fn all_points<P: PrimeField>(b: u64) -> Vec<Xy<P>> {
    let p = P::MODULUS[0];
    let all = (0..p * p).map(|i| [P::from(i % p), P::from(i / p)]);
    let on_curve = |[x, y]: &Xy<P>| y.square() == x.square() * *x + P::from(b);
    std::iter::once(identity()).chain(all.filter(on_curve)).collect()
}

#[test]
fn toy_curves_are_right_for_every_pair_and_sign() {
    // The toy curve, and one with points of order 2, which doubling must send to the identity.
    for b in [5, 8] {
        let points = all_points::<ToyFp>(b);
        let n = points.len();
        let pairs: Vec<_> = (0..2 * n * n).map(|i| (i % n, i / n % n, i / n >= n)).collect();
        check::<_, 5, 1>(&points, &pairs);
        check::<_, 8, 2>(&points, &pairs);
    }
}

/// Some multiples of a point, found by trying x, on y^2 = x^3 + b.
fn multiples<P: PrimeField>(b: u64, count: usize) -> Vec<Xy<P>> {
    let on_curve = |x: u64| {
        let x = P::from(x);
        Option::<P>::from((x.square() * x + P::from(b)).sqrt()).map(|y| [x, y])
    };
    let base = (1..).find_map(on_curve).unwrap();
    let mut multiples = vec![identity(), base];
    while multiples.len() < count {
        multiples.push(sum(multiples[multiples.len() - 1], base));
    }
    multiples
}

fn random_and_exceptional<P: Prime<L>, const L: usize, const K: usize>(b: u64) {
    let seed = rand::rng().random();
    println!("{}, seed {seed}", P::NAME);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let points = multiples::<P>(b, 100);
    // No addition, less than a vector, a vector, a step, more; more than a batch.
    for count in [0, 1, 7, 8, 9, 16, 17, 100, BATCH, BATCH + 33] {
        let pairs: Vec<_> = (0..count)
            .map(|_| {
                let (first, second) = (rng.random_range(0..100), rng.random_range(0..100));
                match rng.random_range(0..100) {
                    0 => (first, first, false),
                    1 => (first, first, true),
                    2 => (0, second, rng.random()),
                    3 => (first, 0, rng.random()),
                    _ => (first, second, rng.random()),
                }
            })
            .collect();
        check::<P, L, K>(&points, &pairs);
    }
}

#[test]
fn real_curves_are_right_for_random_and_exceptional_pairs() {
    random_and_exceptional::<Bls12381Fp, 8, 2>(4);
    random_and_exceptional::<Bn254Fp, 5, 1>(3);
    random_and_exceptional::<PastaFp, 5, 1>(5);
    random_and_exceptional::<PastaFq, 5, 1>(5);
}

/// Scalar code compares the lowest words of x first. The chord does not depend on the curve.
#[test]
fn points_whose_lowest_words_are_equal_or_zero_are_added_as_others() {
    let points: Vec<_> = (0..20)
        .map(|i| {
            let x = Bn254Fp::from_montgomery([[0, 7][i % 2], i as u64 / 2, 5, 0]).unwrap();
            [x, Bn254Fp::from(3 + i as u64)]
        })
        .chain([identity()])
        .collect();
    let n = points.len();
    let pairs: Vec<_> = (0..2 * n * n).map(|i| (i % n, i / n % n, i / n >= n)).collect();
    check::<_, 5, 1>(&points, &pairs);
}

#[test]
fn a_bucket_collects_over_batches() {
    let points = multiples::<Bn254Fp>(3, 50);
    for isa in Isa::available() {
        let seconds = Point::<Base<_, 5, 1>>::from_coordinates(isa, &points);
        let mut buckets = vec![Point::IDENTITY; BATCH];
        let additions: Vec<_> = (0..4 * BATCH)
            .map(|i| Addition::new((i % BATCH) as u32, (i * 7 % 50) as u32, i % 3 == 0))
            .collect();
        add_assign_vartime(isa, &mut buckets, &seconds, &additions);
        for (i, found) in Point::to_coordinates(isa, &buckets).into_iter().enumerate() {
            let expected = (0..4).map(|round| round * BATCH + i).fold(identity(), |all, i| {
                let point = points[i * 7 % 50];
                sum(all, if i % 3 == 0 { negated(point) } else { point })
            });
            assert_eq!(found, expected, "bucket {i}, {isa}");
        }
    }
}
