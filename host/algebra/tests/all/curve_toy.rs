//! The toy curves, exhaustively: every pair of points in every form of addition, every scalar with every point,
//! against the chord and the tangent in plain integers.

use proofmill_algebra::curve::{
    Affine, Curve, Edwards, EdwardsAffine, EdwardsForm, Jacobian, Projective,
};
use proofmill_algebra::field::{Field, PrimeField, ToyFp};
use proofmill_algebra::toy::{Toy, ToyEdwards};

const P: i64 = 97;

/// The identity is `None`.
type Plain = Option<(i64, i64)>;

fn inverse(a: i64) -> i64 {
    (1..P).find(|b| (a * b).rem_euclid(P) == 1).expect("not 0")
}

/// P + Q by the book: Silverman, "The arithmetic of elliptic curves", III.2.3.
fn plain_sum(p: Plain, q: Plain) -> Plain {
    let (Some((x1, y1)), Some((x2, y2))) = (p, q) else { return p.or(q) };
    let slope = if x1 != x2 {
        (y2 - y1) * inverse(x2 - x1)
    } else if (y1 + y2) % P == 0 {
        return None;
    } else {
        3 * x1 * x1 * inverse(2 * y1)
    };
    let x3 = (slope * slope - x1 - x2).rem_euclid(P);
    Some((x3, (slope * (x1 - x3) - y1).rem_euclid(P)))
}

fn plain_multiple(n: u64, p: Plain) -> Plain {
    (0..n).fold(None, |sum, _| plain_sum(sum, p))
}

fn integer(a: ToyFp) -> i64 {
    a.to_canonical()[0] as i64
}

fn fp(a: i64) -> ToyFp {
    ToyFp::from(a.rem_euclid(P) as u64)
}

fn plain<C: Curve<Base = ToyFp>>(point: impl Into<Affine<C>>) -> Plain {
    let point = point.into();
    (!bool::from(point.is_identity())).then(|| (integer(point.x()), integer(point.y())))
}

fn affine<C: Curve<Base = ToyFp>>(point: Plain) -> Affine<C> {
    point.map_or(Affine::IDENTITY, |(x, y)| Affine::new(fp(x), fp(y)).expect("on the curve"))
}

/// Every point, the identity included.
fn points<C: Curve<Base = ToyFp>>() -> Vec<Plain> {
    let all = (0..P).flat_map(|x| (0..P).map(move |y| (x, y)));
    let on = all.filter(|&(x, y)| {
        bool::from(Affine::<C>::new_unchecked(fp(x), fp(y)).is_on_curve()) && (x, y) != (0, 0)
    });
    on.map(Some).chain([None]).collect()
}

/// The same point with another Z.
fn projective<C: Curve<Base = ToyFp>>(point: Plain, z: i64) -> Projective<C> {
    Projective::from(affine::<C>(point)).coordinates().map(|coordinate| coordinate * fp(z)).into()
}

fn jacobian<C: Curve<Base = ToyFp>>(point: Plain, z: i64) -> Jacobian<C> {
    let (x, y) = point.map_or((fp(1), fp(1)), |(x, y)| (fp(x), fp(y)));
    let z = if point.is_some() { fp(z) } else { ToyFp::ZERO };
    let scale = fp(if point.is_some() { integer(z) } else { 7 });
    [x * scale.square(), y * scale.square() * scale, z].into()
}

fn every_pair<C: Curve<Base = ToyFp>>(order: usize) {
    let points = points::<C>();
    assert_eq!(points.len(), order);
    for &p in &points {
        let z = 2 + p.map_or(0, |(x, y)| (x + y) % 90);
        let (projective_p, jacobian_p) = (projective::<C>(p, z), jacobian::<C>(p, z));
        assert_eq!(plain::<C>(projective_p), p);
        assert_eq!(plain::<C>(Projective::from(jacobian_p)), p);
        assert_eq!(plain::<C>(projective_p.double()), plain_sum(p, p), "2 {p:?}");
        let twice = Projective::from(jacobian_p.double_vartime());
        assert_eq!(plain::<C>(twice), plain_sum(p, p), "2 {p:?}");
        for &q in &points {
            let sum = plain_sum(p, q);
            let z = 3 + q.map_or(0, |(x, y)| (2 * x + y) % 90);
            assert_eq!(plain::<C>(projective_p + projective(q, z)), sum, "{p:?} + {q:?}");
            assert_eq!(plain::<C>(projective_p + affine::<C>(q)), sum, "{p:?} + {q:?}");
            let minus = projective_p - -projective::<C>(q, z);
            assert_eq!(plain::<C>(minus), sum, "{p:?} - -{q:?}");
            let full = Projective::from(jacobian_p.add_vartime(&jacobian(q, z)));
            assert_eq!(plain::<C>(full), sum, "{p:?} + {q:?}");
            let mixed = Projective::from(jacobian_p.add_mixed_vartime(&affine(q)));
            assert_eq!(plain::<C>(mixed), sum, "{p:?} + {q:?}");
            assert_eq!(projective_p == projective(q, z), p == q, "{p:?} == {q:?}");
        }
    }
    let all = points.iter().flat_map(|&p| points.iter().map(move |&q| (p, q)));
    let (pairs, sums): (Vec<_>, Vec<_>) =
        all.map(|(p, q)| ((affine::<C>(p), affine(q)), plain_sum(p, q))).unzip();
    let found = Affine::sums_vartime(&pairs);
    assert_eq!(found.into_iter().map(plain::<C>).collect::<Vec<_>>(), sums);

    let sums: Vec<_> = points.iter().map(|&p| projective::<C>(p, 5)).collect();
    assert_eq!(Affine::batch(&sums).into_iter().map(plain::<C>).collect::<Vec<_>>(), points);
}

#[test]
fn every_pair_of_the_toy() {
    every_pair::<Toy>(79);
}

#[test]
fn every_pair_of_the_toy_with_points_of_order_2() {
    every_pair::<ToyEdwards>(112);
}

fn every_scalar<C: Curve<Base = ToyFp>>() {
    let r = C::Scalar::MODULUS[0];
    for p in points::<C>() {
        let point = projective::<C>(p, 11);
        let subgroup = plain_multiple(r, p).is_none();
        assert_eq!(bool::from(affine::<C>(p).is_in_subgroup()), subgroup, "{p:?}");
        assert_eq!(bool::from(point.is_killed_by_order()), subgroup, "{p:?}");
        let cleared = plain::<C>(C::clear_cofactor(&point));
        assert_eq!(cleared, plain_multiple(C::COFACTOR[0], p));
        for n in 0..2 * r {
            let wanted = plain_multiple(n, p);
            assert_eq!(plain::<C>(point.times_integer(&[n])), wanted, "{n} {p:?}");
            assert_eq!(plain::<C>(point.times_public(&[n])), wanted, "{n} {p:?}");
            if n < r {
                assert_eq!(plain::<C>(point.times(&C::Scalar::from(n))), wanted, "{n} {p:?}");
            }
            if subgroup {
                let k = C::Scalar::from(n);
                assert_eq!(plain::<C>(point.times_vartime(&k)), wanted, "{n} {p:?}");
                // Beside a multiple of another point, as in the blinding of proofs.
                let (points, scalars) = ([point, C::GENERATOR.into()], [k, k + C::Scalar::from(3)]);
                let expected = point.times(&k) + points[1].times(&scalars[1]);
                assert_eq!(Projective::sum_of_multiples(&points, &scalars), expected, "{n} {p:?}");
            }
        }
        if subgroup {
            assert_eq!(point.endomorphism(), point.times(&C::SPLIT.lambda), "lambda {p:?}");
        }
    }
}

#[test]
fn every_scalar_with_every_point() {
    every_scalar::<Toy>();
    every_scalar::<ToyEdwards>();
}

/// The image in Edwards form; none for an exceptional point.
fn image(p: Plain) -> Option<EdwardsAffine<ToyEdwards>> {
    EdwardsAffine::of(&affine(p)).into()
}

fn of_image(point: Edwards<ToyEdwards>) -> Option<Plain> {
    Option::from(point.to_affine())
        .map(|point: EdwardsAffine<ToyEdwards>| plain(point.weierstrass()))
}

#[test]
fn every_point_has_an_image_or_is_one_of_four() {
    let s = ToyEdwards::S;
    let exceptional = |p: &Plain| {
        p.is_some_and(|(x, y)| {
            let t = s * (fp(x) - ToyEdwards::ALPHA);
            t == -ToyFp::ONE || y == 0 && t != ToyFp::ZERO
        })
    };
    let (without, with): (Vec<_>, Vec<_>) =
        points::<ToyEdwards>().into_iter().partition(exceptional);
    assert_eq!(without.len(), 4);
    without.iter().for_each(|&p| assert_eq!(image(p), None, "{p:?}"));
    for &p in &with {
        let image = image(p).expect("an image");
        assert!(bool::from(image.is_on_curve()), "{p:?}");
        assert_eq!(plain(image.weierstrass()), p);
    }
    let on = (0..P).flat_map(|x| (0..P).map(move |y| (x, y)));
    let on = on.filter(|&(x, y)| EdwardsAffine::<ToyEdwards>::new(fp(x), fp(y)).is_some().into());
    assert_eq!(on.count(), with.len(), "each point of the Edwards form is the image of one");
}

#[test]
fn every_sum_in_edwards_form_is_right_or_missed() {
    let all: Vec<_> = points::<ToyEdwards>().into_iter().filter(|&p| image(p).is_some()).collect();
    let odd = |p: Plain| plain_multiple(7, p).is_none();
    let mut missed = 0;
    for &p in &all {
        let left = Edwards::from(image(p).unwrap());
        for &q in &all {
            let right = image(q).unwrap();
            let wanted = plain_sum(p, q);
            for sum in [left + right.into(), left.add_precomputed(&right.precompute())] {
                let is_missed = bool::from(sum.is_missed());
                missed += usize::from(is_missed);
                assert!(!(is_missed && odd(p) && odd(q)), "{p:?} + {q:?} is missed");
                assert_eq!(of_image(sum), (!is_missed).then_some(wanted), "{p:?} + {q:?}");
                let more = sum + left;
                assert!(!is_missed || more.is_missed().into(), "something comes of a missed sum");
            }
        }
        let twice = left.double();
        let wanted = (!bool::from(twice.is_missed())).then_some(plain_sum(p, p));
        assert_eq!(of_image(twice), wanted, "2 {p:?}");
        assert!(!odd(p) || wanted.is_some(), "2 {p:?} is missed");
    }
    assert!(missed > 0, "the toy has no exceptional pair, so it shows nothing");
}

#[test]
fn every_multiple_in_edwards_form() {
    for p in points::<ToyEdwards>().into_iter().filter(|&p| plain_multiple(7, p).is_none()) {
        let point = Edwards::from(image(p).unwrap());
        for k in 0..7 {
            let multiple = point.times(&k.into());
            assert_eq!(of_image(multiple), Some(plain_multiple(k, p)), "{k} {p:?}");
            assert_eq!(bool::from(multiple.is_identity()), plain_multiple(k, p).is_none());
        }
        assert!(bool::from((point - point).is_identity()));
    }
}
