//! Multi-scalar multiplication: on the toy curve against sums of multiples, on the real ones against arkworks.

use ark_ec::short_weierstrass::{Affine as ArkAffine, Projective as ArkProjective, SWCurveConfig};
use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::{Field as _, PrimeField as _};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::{
    Buckets, Group, MULTIPLES, NotReduced, Plan, SCALAR_BYTES, Scalars, Stored, affine_sum_vartime,
    combine, precomputed, stored, sum_vartime,
};
use proofmill_algebra::{Isa, bls12_377, bls12_381, bn254, pallas, toy, vesta};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

type Bytes = [u8; SCALAR_BYTES];

fn bytes<S: PrimeField>(k: S) -> Bytes {
    let mut bytes = [0; SCALAR_BYTES];
    bytes[..S::BYTES].copy_from_slice(k.to_le_bytes().as_ref());
    bytes
}

/// Every point with every scalar of the toy curve, and some pairs of points with some pairs of scalars.
#[test]
fn one_and_two_points_of_the_toy_curve_are_right() {
    let points: Vec<_> = multiples::<toy::Toy>(79);
    for isa in Isa::available() {
        let all = stored(isa, &points);
        for (i, k) in (0..79 * 79).map(|n| (n / 79, n % 79)) {
            let scalar = bytes(toy::Fr::from(k as u64));
            let found = sum_vartime(isa, &all[i..=i], &[scalar]).unwrap();
            assert_eq!(Affine::from(found), points[i * k % 79], "{k} {i}");
        }
        for (i, j) in (0..79 * 79).map(|n| (n / 79, n % 79)).step_by(13) {
            for (k, l) in (0..79 * 79).map(|n| (n / 79, n % 79)).step_by(101) {
                let scalars = [k, l].map(|k| bytes(toy::Fr::from(k as u64)));
                let found = sum_vartime(isa, &[all[i], all[j]], &scalars).unwrap();
                let few = affine_sum_vartime(isa, &[points[i], points[j]], &scalars).unwrap();
                for found in [found, few] {
                    let found = Affine::from(found);
                    assert_eq!(found, points[(i * k + j * l) % 79], "{k} {i} + {l} {j}");
                }
            }
        }
    }
}

/// 0, G, 2 G, ...
fn multiples<C: Curve>(count: usize) -> Vec<Affine<C>> {
    let next = |sum: &Projective<C>| Some(*sum + C::GENERATOR);
    let all: Vec<_> = std::iter::successors(Some(Projective::IDENTITY), next).take(count).collect();
    Affine::batch(&all)
}

fn to_ark<A: SWCurveConfig, C: Curve<Base: Coordinate>>(point: &Affine<C>) -> ArkAffine<A> {
    if bool::from(point.is_identity()) {
        return ArkAffine::identity();
    }
    let coordinate = |c: C::Base| {
        let mut bytes = vec![0; C::Base::BYTES];
        c.write_le(&mut bytes);
        let each = A::BaseField::extension_degree() as usize;
        let parts = bytes.chunks(bytes.len() / each);
        A::BaseField::from_base_prime_field_elems(
            parts.map(ark_ff::PrimeField::from_le_bytes_mod_order),
        )
        .expect("as many parts")
    };
    ArkAffine::new_unchecked(coordinate(point.x()), coordinate(point.y()))
}

struct Curves<A: SWCurveConfig, C: Group> {
    ours: Vec<Affine<C>>,
    ark: Vec<ArkAffine<A>>,
}

impl<A: SWCurveConfig, C: Group<Base: Coordinate>> Curves<A, C> {
    /// Multiples of the generator by a sequence without order, and now and then the identity.
    fn new(count: usize) -> Self {
        let mut ours = multiples(257);
        while ours.len() < count {
            let pairs: Vec<_> = ours.iter().rev().zip(&ours[3..]).map(|(&p, &q)| (p, q)).collect();
            ours.extend(Affine::sums_vartime(&pairs));
        }
        ours.truncate(count);
        let ark = ours.iter().map(to_ark).collect();
        Self { ours, ark }
    }

    fn check(&self, isa: Isa, name: &str, scalars: &[C::Scalar]) {
        let count = scalars.len();
        let encoded: Vec<_> = scalars.iter().copied().map(bytes).collect();
        let points = stored(isa, &self.ours[..count]);
        let found = Affine::from(sum_vartime(isa, &points, &encoded).unwrap());
        if count <= 100 {
            let affine = affine_sum_vartime(isa, &self.ours[..count], &encoded).unwrap();
            assert_eq!(Affine::from(affine), found, "{} {name} {count} {isa}", C::NAME);
        }
        let bigints: Vec<_> =
            encoded.iter().map(|k| A::ScalarField::from_le_bytes_mod_order(k)).collect();
        let expected: ArkProjective<A> =
            VariableBaseMSM::msm(&self.ark[..count], &bigints).unwrap();
        assert_eq!(
            to_ark::<A, C>(&found),
            expected.into_affine(),
            "{} {name} {count} {isa}",
            C::NAME
        );
    }
}

/// Lists of scalars by kind.
type Kinds<S> = Vec<(&'static str, Vec<S>)>;

/// Scalars that treat buckets badly.
fn distributions<S: PrimeField>(count: usize, rng: &mut ChaCha20Rng) -> Kinds<S> {
    let mut random = || {
        let mut bytes = [0; 64];
        rng.fill(&mut bytes[..]);
        S::reduce_wide_le(&bytes)
    };
    let some = random();
    let all = |k: S| vec![k; count];
    vec![
        ("random", (0..count).map(|_| random()).collect()),
        ("all 0", all(S::ZERO)),
        ("all 1", all(S::ONE)),
        ("all r - 1", all(-S::ONE)),
        ("all equal", all(some)),
        ("equal or opposite", (0..count).map(|i| if i % 2 == 0 { some } else { -some }).collect()),
        ("one bucket", all(S::from(3))),
        ("small", (0..count as u64).map(|i| S::from(i % 7)).collect()),
        ("sparse", (0..count).map(|i| if i % 97 == 5 { random() } else { S::ZERO }).collect()),
        (
            "a witness",
            (0..count)
                .map(|i| match i % 7 {
                    0..3 => S::ZERO,
                    3 | 4 => S::ONE,
                    _ => random(),
                })
                .collect(),
        ),
    ]
}

/// The kinds that are enough where something else is tried out.
fn few<S>(all: Kinds<S>) -> Kinds<S> {
    const FEW: [&str; 3] = ["random", "equal or opposite", "a witness"];
    let few: Vec<_> = all.into_iter().filter(|(name, _)| FEW.contains(name)).collect();
    assert_eq!(few.len(), FEW.len());
    few
}

/// Random scalars and those of a witness, of a random number of points up to the largest.
fn examine_many<A: SWCurveConfig, C: Group<Base: Coordinate>>(largest: usize) {
    let seed = rand::rng().random();
    println!("{}, seed {seed}", C::NAME);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let count = rng.random_range(largest / 2..=largest);
    let curves = Curves::<A, C>::new(count);
    for (name, scalars) in distributions(count, &mut rng) {
        if ["random", "a witness"].contains(&name) {
            curves.check(Isa::best(), name, &scalars);
        }
    }
}

#[test]
fn many_points_are_right_in_g1() {
    examine_many::<ark_bn254::g1::Config, bn254::G1>(1 << 14);
    examine_many::<ark_bls12_381::g1::Config, bls12_381::G1>(1 << 14);
    examine_many::<ark_bls12_377::g1::Config, bls12_377::G1>(1 << 14);
    examine_many::<ark_pallas::PallasConfig, pallas::G1>(1 << 14);
    examine_many::<ark_vesta::VestaConfig, vesta::G1>(1 << 14);
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn up_to_2_16_points_are_right_in_every_group() {
    for _ in 0..3 {
        examine_many::<ark_bn254::g1::Config, bn254::G1>(1 << 16);
        examine_many::<ark_bls12_381::g1::Config, bls12_381::G1>(1 << 16);
        examine_many::<ark_bls12_377::g1::Config, bls12_377::G1>(1 << 16);
        examine_many::<ark_pallas::PallasConfig, pallas::G1>(1 << 16);
        examine_many::<ark_vesta::VestaConfig, vesta::G1>(1 << 16);
    }
    examine_many::<ark_bn254::g2::Config, bn254::G2>(1 << 16);
    examine_many::<ark_bls12_381::g2::Config, bls12_381::G2>(1 << 16);
    examine_many::<ark_bls12_377::g2::Config, bls12_377::G2>(1 << 16);
}

/// However threads share windows and points, and however scalars come in pieces, the sum is the same.
fn examine_copies(kinds: impl Fn(Kinds<bn254::Fr>) -> Kinds<bn254::Fr>) {
    type C = bn254::G1;
    let isa = Isa::best();
    let points = stored(isa, &multiples::<C>(300));
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for (name, scalars) in kinds(distributions(300, &mut rng)) {
        let scalars: Vec<_> = scalars.into_iter().map(bytes).collect();
        let expected = sum_vartime::<C>(isa, &points, &scalars).unwrap();
        for (copies, threads, piece) in [(1, 40, 300), (2, 2, 100), (4, 11, 7), (64, 64, 299)] {
            let plan = Plan::with_windows::<C>(30, 1).with_copies(copies);
            let found = in_parts(isa, &points, &scalars, &plan, threads, piece);
            assert_eq!(found, expected, "{name} {copies} {threads}");
        }
    }
}

#[test]
fn copies_of_buckets_and_pieces_of_scalars_do_not_change_the_sum() {
    examine_copies(few);
}

#[test]
#[ignore = "a minute"]
fn copies_of_buckets_and_pieces_of_scalars_do_not_change_the_sum_of_any_scalars() {
    examine_copies(|all| all);
}

/// The sum by a plan's parts, one after the other, with scalars in pieces.
fn in_parts<C: Group>(
    isa: Isa,
    points: &[Stored<C>],
    scalars: &[Bytes],
    plan: &Plan,
    threads: usize,
    piece: usize,
) -> Projective<C> {
    let cut = |(i, some)| Scalars::new::<C>(i * piece, some, plan).unwrap();
    let pieces: Vec<_> = scalars.chunks(piece).enumerate().map(cut).collect();
    let mut buckets = Buckets::<C>::new(plan);
    let mut parts = buckets.parts(plan, threads);
    assert!(parts.len() <= threads);
    for part in &mut parts {
        part.accumulate(isa, points, &pieces, &|_| true).unwrap();
    }
    let sums: Vec<_> = parts.iter().map(|part| part.sums(isa)).collect();
    combine(plan, &sums)
}

/// Tests every number of multiples, with identities among the points and scalars of every requested kind.
fn examine_multiples<C: Group<Base: Coordinate>>(
    isas: &[Isa],
    kinds: impl Fn(Kinds<C::Scalar>) -> Kinds<C::Scalar>,
) {
    let mut rng = ChaCha20Rng::seed_from_u64(6);
    let mut affine = multiples::<C>(400);
    affine[100..160].fill(Affine::IDENTITY);
    for &isa in isas {
        let points = stored(isa, &affine);
        let mut cases = Vec::new();
        for (name, scalars) in kinds(distributions(400, &mut rng)) {
            let scalars: Vec<_> = scalars.into_iter().map(bytes).collect();
            let expected = sum_vartime::<C>(isa, &points, &scalars).unwrap();
            cases.push((name, scalars, expected));
        }
        for (multiples, threads) in MULTIPLES.into_iter().zip([1, 2, 3, 1, 2]) {
            let plan = Plan::new::<C>(400, threads, multiples);
            let all = precomputed::<C>(isa, &points, multiples);
            for (name, scalars, expected) in &cases {
                let found = in_parts(isa, &all, scalars, &plan, threads, 150);
                assert_eq!(found, *expected, "{} {name} {multiples} {isa}", C::NAME);
            }
        }
    }
}

#[test]
fn precomputed_multiples_do_not_change_the_sum() {
    examine_multiples::<toy::Toy>(&[Isa::words(), Isa::best()], |all| all);
    examine_multiples::<bn254::G1>(&[Isa::best()], |all| all);
    examine_multiples::<bn254::G2>(&[Isa::best()], few);
    examine_multiples::<bls12_381::G1>(&[Isa::best()], few);
    examine_multiples::<bls12_381::G2>(&[Isa::best()], few);
    examine_multiples::<bls12_377::G1>(&[Isa::best()], few);
    examine_multiples::<bls12_377::G2>(&[Isa::best()], few);
    examine_multiples::<pallas::G1>(&[Isa::best()], few);
    examine_multiples::<vesta::G1>(&[Isa::best()], few);
}

#[test]
#[ignore = "a minute"]
fn precomputed_multiples_do_not_change_the_sum_of_any_scalars() {
    examine_multiples::<bn254::G2>(&[Isa::best()], |all| all);
    examine_multiples::<bls12_381::G1>(&[Isa::best()], |all| all);
    examine_multiples::<bls12_381::G2>(&[Isa::best()], |all| all);
    examine_multiples::<bls12_377::G1>(&[Isa::best()], |all| all);
    examine_multiples::<bls12_377::G2>(&[Isa::best()], |all| all);
    examine_multiples::<pallas::G1>(&[Isa::best()], |all| all);
    examine_multiples::<vesta::G1>(&[Isa::best()], |all| all);
}

#[test]
fn a_plan_for_fewer_points_takes_no_more_memory() {
    for threads in [1, 2, 3, 64] {
        let plan = Plan::new::<bn254::G1>(1 << 16, threads, 1);
        for points in [0, 1, 100, 5000, 40_000, 1 << 16] {
            let fewer = plan.for_fewer::<bn254::G1>(points, threads);
            let bytes = |plan: &Plan| plan.bytes::<bn254::G1>(1 << 16, threads);
            assert!(bytes(&fewer) <= bytes(&plan), "{points} {threads}");
        }
        assert_eq!(plan.for_fewer::<bn254::G1>(1 << 16, threads), plan);
        assert!(plan.for_fewer::<bn254::G1>(5000, threads).windows().len() > plan.windows().len());
    }
}

#[test]
fn a_plan_has_work_for_more_threads_than_windows() {
    let few = Plan::new::<bn254::G1>(1 << 16, 1, 1);
    assert_eq!(few.copies(), 1);
    let many = Plan::new::<bn254::G1>(1 << 20, 64, 1);
    assert!(many.copies() > 1 && many.windows().len() < 64, "{many:?}");
    let mut buckets = Buckets::<bn254::G1>::new(&many);
    assert!(buckets.parts(&many, 64).len() > many.windows().len());
}

fn examine<A: SWCurveConfig, C: Group<Base: Coordinate>>(largest: usize) {
    let seed = rand::rng().random();
    println!("{}, seed {seed}", C::NAME);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let curves = Curves::<A, C>::new(largest);
    for count in [0, 1, 2, 3, 7, 8, 9, 100, rng.random_range(4..1000), largest] {
        for (name, scalars) in distributions(count, &mut rng) {
            curves.check(Isa::best(), name, &scalars);
        }
    }
    // Equal points, opposite points and the identity.
    let mut hard = curves;
    for i in 0..300 {
        hard.ours[i] = match i % 3 {
            0 => hard.ours[5],
            1 => -hard.ours[5],
            _ => Affine::IDENTITY,
        };
    }
    hard.ark = hard.ours.iter().map(to_ark).collect();
    for (name, scalars) in distributions(300, &mut rng) {
        for isa in [Isa::words(), Isa::best()] {
            hard.check(isa, name, &scalars);
        }
    }
}

#[test]
fn bn254_g1_is_that_of_arkworks() {
    examine::<ark_bn254::g1::Config, bn254::G1>(4096);
}
#[test]
fn bn254_g2_is_that_of_arkworks() {
    examine::<ark_bn254::g2::Config, bn254::G2>(2000);
}
#[test]
fn bls12_381_g1_is_that_of_arkworks() {
    examine::<ark_bls12_381::g1::Config, bls12_381::G1>(4096);
}
#[test]
fn bls12_381_g2_is_that_of_arkworks() {
    examine::<ark_bls12_381::g2::Config, bls12_381::G2>(2000);
}
#[test]
fn bls12_377_g1_is_that_of_arkworks() {
    examine::<ark_bls12_377::g1::Config, bls12_377::G1>(4096);
}
#[test]
fn bls12_377_g2_is_that_of_arkworks() {
    examine::<ark_bls12_377::g2::Config, bls12_377::G2>(2000);
}
#[test]
fn pallas_is_that_of_arkworks() {
    examine::<ark_pallas::PallasConfig, pallas::G1>(4096);
}
#[test]
fn vesta_is_that_of_arkworks() {
    examine::<ark_vesta::VestaConfig, vesta::G1>(4096);
}

#[test]
fn a_scalar_that_is_not_below_r_is_named() {
    let points = stored(Isa::best(), &[bn254::G1::GENERATOR; 3]);
    let mut r = [0; SCALAR_BYTES];
    for (bytes, limb) in r.chunks_mut(8).zip(bn254::Fr::MODULUS) {
        bytes.copy_from_slice(&limb.to_le_bytes());
    }
    for bad in [r, [0xff; SCALAR_BYTES]] {
        let scalars = [[1; SCALAR_BYTES], [2; SCALAR_BYTES], bad];
        let found = sum_vartime::<bn254::G1>(Isa::best(), &points, &scalars);
        assert_eq!(found.unwrap_err(), NotReduced(2));
        let affine = [bn254::G1::GENERATOR; 3];
        let found = affine_sum_vartime::<bn254::G1>(Isa::best(), &affine, &scalars);
        assert_eq!(found.unwrap_err(), NotReduced(2));
    }
}
