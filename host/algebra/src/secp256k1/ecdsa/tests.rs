//! Every path against the definition: one claim, eight in lanes on either backend, batches on every instruction set.

use super::digits::{Half, split};
use super::*;
use crate::curve::{Affine, Curve, Projective};
use crate::secp256k1::{Fp, Secp256k1};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// SEC 1, 4.1.4, word by word, with complete formulas and an affine sum.
fn by_definition(claim: &Claim) -> Verdict {
    let scalar = |x| Option::<Fn>::from(Fn::from_canonical(x)).filter(|scalar| *scalar != Fn::ZERO);
    let [r, s] = [claim.r, claim.s].map(scalar);
    let [qx, qy] = [claim.qx, claim.qy].map(|x| Option::<Fp>::from(Fp::from_canonical(x)));
    let (Some(r), Some(s), Some(qx), Some(qy)) = (r, s, qx, qy) else {
        let key = qx.is_none() || qy.is_none();
        return Verdict::OutOfRange { r: r.is_none(), s: s.is_none(), key };
    };
    if qy.square() != qx.square() * qx + Secp256k1::B {
        return Verdict::NotOnCurve;
    }
    let inverse = s.invert().unwrap();
    let (u1, u2) = (Fn::reduced(claim.z) * inverse, r * inverse);
    let key = Projective::from(Affine::new_unchecked(qx, qy));
    let sum = generator().times(&u1) + key.times(&u2);
    if bool::from(sum.is_identity()) {
        return Verdict::Identity;
    }
    let x = Affine::from(sum).x().to_canonical();
    if Fn::reduced(x) == r { Verdict::Valid } else { Verdict::Mismatch }
}

/// Asserts that all paths agree with the definition, and returns its verdicts.
fn check(claims: &[Claim]) -> Vec<Verdict> {
    let expected: Vec<_> = claims.iter().map(by_definition).collect();
    for (claim, expected) in claims.iter().zip(&expected) {
        assert_eq!(verify_vartime(claim), *expected, "one: {claim:x?}");
    }
    for isa in Isa::available() {
        let mut verdicts = vec![Verdict::default(); claims.len()];
        verify_batch_vartime(isa, claims, &mut verdicts);
        for i in 0..claims.len() {
            assert_eq!(verdicts[i], expected[i], "{isa} {i}: {:x?}", claims[i]);
        }
        for (claim, expected) in claims.iter().zip(&expected) {
            if let Some(lanes) = isa.machine()
                && claim.out_of_range().is_none()
            {
                let outcome = in_lanes(lanes, claim);
                assert!(verdict(&outcome, 3).is_none_or(|verdict| verdict == *expected));
            }
        }
    }
    expected
}

/// One claim in all lanes.
fn in_lanes(machine: AnyMachine, claim: &Claim) -> Outcome {
    let inverse = Fn::reduced(claim.s).invert().unwrap();
    lanes::choose(machine, EightClaims([Prepared::new(claim, &inverse); WIDTH]))
}

fn generator() -> Projective<Secp256k1> {
    Projective::from(Secp256k1::GENERATOR)
}

fn random_scalar(rng: &mut impl Rng) -> Fn {
    Fn::reduced(rng.random())
}

/// The claim for which u1 and u2 are these, under the key Q, about this r.
fn with_multiples(u1: Fn, u2: Fn, key: Projective<Secp256k1>, r: Fn) -> Claim {
    let key = Affine::from(key);
    let s = r * u2.invert().unwrap();
    Claim {
        s: s.to_canonical(),
        r: r.to_canonical(),
        z: (u1 * s).to_canonical(),
        qx: key.x().to_canonical(),
        qy: key.y().to_canonical(),
    }
}

/// The same, about the r that makes it true; any r if the sum is the identity.
fn true_claim(u1: Fn, u2: Fn, key: Projective<Secp256k1>) -> Claim {
    let sum = generator().times(&u1) + key.times(&u2);
    let x = Affine::from(sum).x().to_canonical();
    let r = if bool::from(sum.is_identity()) { Fn::ONE } else { Fn::reduced(x) };
    with_multiples(u1, u2, key, r)
}

fn random_claim(rng: &mut impl Rng) -> Claim {
    let [u1, u2, d] = std::array::from_fn(|_| random_scalar(rng));
    true_claim(u1, u2, generator().times(&d))
}

#[test]
fn random_claims_and_corrupted_ones() {
    let mut rng = ChaCha20Rng::seed_from_u64(71);
    let mut claims: Vec<_> = (0..100).map(|_| random_claim(&mut rng)).collect();
    assert!(check(&claims).iter().all(|verdict| *verdict == Verdict::Valid));
    for claim in &mut claims {
        let Claim { s, r, z, .. } = claim;
        let bit = rng.random_range(0..256);
        [s, r, z][rng.random_range(0..3)][bit / 64] ^= 1 << (bit % 64);
    }
    assert!(check(&claims).iter().all(|verdict| *verdict != Verdict::Valid));
}

/// The last addition, of a multiple of lambda G, meets an equal point, then an opposite one: in lanes, and one at
/// a time, whose last digit is another.
#[test]
fn a_last_addition_of_equal_or_opposite_points() {
    let mut rng = ChaCha20Rng::seed_from_u64(72);
    let lambda = Secp256k1::SPLIT.lambda;
    let signed = |magnitude: u64, negative: bool| {
        let magnitude = Fn::from(magnitude);
        if negative { -magnitude } else { magnitude }
    };
    for _ in 0..10 {
        let [u1, u2] = std::array::from_fn(|_| random_scalar(&mut rng));
        let half: Half = split(&u1.to_canonical())[1];
        let window = half.windows().digit(0, generator::WINDOW);
        let narrow = half.non_adjacent(generator::WINDOW + 1)[0];
        let digits = [
            signed(2 * window.index as u64 + 1, window.negative),
            signed(narrow.unsigned_abs().into(), narrow < 0),
        ];
        for (path, digit) in digits.into_iter().enumerate() {
            for (sum, expected) in
                [((digit * lambda).double(), Verdict::Valid), (Fn::ZERO, Verdict::Identity)]
            {
                // u1 + u2 d is the sum.
                let d = (sum - u1) * u2.invert().unwrap();
                let claim = true_claim(u1, u2, generator().times(&d));
                assert_eq!(check(&[claim; 2]), [expected; 2]);
                for lanes in Isa::available().into_iter().filter_map(Isa::machine) {
                    let exceptional = in_lanes(lanes, &claim).exceptional;
                    assert_eq!(exceptional == 0xff, path == 0 || sum == Fn::ZERO, "{lanes:?}");
                }
            }
        }
    }
}

/// Keys that are met by the generator's multiples on the way: ±G, ±2^k G, ±lambda G, ±lambda^2 G and multiples of
/// these by digits.
#[test]
fn keys_that_are_close_to_the_generator() {
    let mut rng = ChaCha20Rng::seed_from_u64(73);
    let lambda = Secp256k1::SPLIT.lambda;
    let powers = (0..130).step_by(13).map(|k| Fn::from(2).pow_vartime(&[k]));
    let small = [1, 2, 3, 5, 31, 33].map(Fn::from);
    let logarithms: Vec<_> = powers.chain(small).collect();
    let mut claims = Vec::new();
    for d in logarithms.iter().flat_map(|d| [*d, *d * lambda, *d * lambda.square()]) {
        for d in [d, -d] {
            let key = generator().times(&d);
            let [a, b] = std::array::from_fn(|_| random_scalar(&mut rng));
            // Anything; equal and opposite multiples; small ones.
            for (u1, u2) in [(a, b), (b * d, b), (-b * d, b), (Fn::ONE, Fn::ONE), (Fn::ZERO, b)] {
                claims.push(true_claim(u1, u2, key));
            }
        }
    }
    let verdicts = check(&claims);
    assert!(verdicts.iter().all(|v| matches!(v, Verdict::Valid | Verdict::Identity)));
    let identities = verdicts.iter().filter(|verdict| **verdict == Verdict::Identity);
    assert!(identities.count() >= logarithms.len() * 6);
}

/// A point whose x is the first one from `x` on that the curve has.
fn point_from(x: Fp) -> Projective<Secp256k1> {
    let mut xs = std::iter::successors(Some(x), |x| Some(*x + Fp::ONE));
    let point = xs.find_map(|x| Option::<Affine<Secp256k1>>::from(Affine::from_x(x)));
    Projective::from(point.unwrap())
}

/// The key for which u1 G + u2 Q is this sum.
fn key_for(sum: Projective<Secp256k1>, u1: Fn, u2: Fn) -> Projective<Secp256k1> {
    (sum + -generator().times(&u1)).times(&u2.invert().unwrap())
}

#[test]
fn an_x_from_n_on_is_r_plus_n() {
    let mut rng = ChaCha20Rng::seed_from_u64(74);
    let [u1, u2] = std::array::from_fn(|_| random_scalar(&mut rng));
    let sum = point_from(Fp::reduced(limbs::add(&N, &[1, 0, 0, 0]).0));
    let claim = true_claim(u1, u2, key_for(sum, u1, u2));
    assert!(claim.r[1..] == [0; 3] && claim.other_x().is_some());
    assert_eq!(check(&[claim]), [Verdict::Valid]);
    // The other way round, a sum whose x is p - n and an r that is nearly 0.
    let sum = point_from(Fp::reduced(limbs::sub(&P, &N).0));
    let claim = with_multiples(u1, u2, key_for(sum, u1, u2), Fn::ONE);
    assert_eq!(check(&[claim]), [Verdict::Mismatch]);
}

/// r = x + 2^256 - n, of which r + n is x modulo 2^256.
#[test]
fn an_r_that_wraps_around_256_bits_is_not_x() {
    let mut rng = ChaCha20Rng::seed_from_u64(75);
    for _ in 0..20 {
        let [u1, u2] = std::array::from_fn(|_| random_scalar(&mut rng));
        let sum = generator().times(&random_scalar(&mut rng));
        let x = Affine::from(sum).x().to_canonical();
        let (r, carry) = limbs::sub(&x, &N);
        assert_eq!(carry, 1, "x is below n, so this is x + 2^256 - n");
        let r = Option::<Fn>::from(Fn::from_canonical(r)).unwrap();
        let claim = with_multiples(u1, u2, key_for(sum, u1, u2), r);
        assert_eq!(check(&[claim]), [Verdict::Mismatch]);
    }
}

#[test]
fn digests_count_modulo_n() {
    let mut rng = ChaCha20Rng::seed_from_u64(76);
    let [u2, d] = std::array::from_fn(|_| random_scalar(&mut rng));
    let key = generator().times(&d);
    let zero = true_claim(Fn::ZERO, u2, key);
    let one = limbs::sub(&N, &[1, 0, 0, 0]).0;
    let all_ones = Fn::reduced([u64::MAX; 4]);
    // z = u1 s = -1 and z = 2^256 - 1, by a choice of the sum: u1 = z / s for any s.
    let with_digest = |z: Fn| {
        let s = random_scalar(&mut ChaCha20Rng::seed_from_u64(77));
        let u1 = z * s.invert().unwrap();
        let sum = generator().times(&random_scalar(&mut ChaCha20Rng::seed_from_u64(78)));
        let r = Fn::reduced(Affine::from(sum).x().to_canonical());
        let u2 = r * s.invert().unwrap();
        with_multiples(u1, u2, key_for(sum, u1, u2), r)
    };
    let claims = [
        zero,
        Claim { z: N, ..zero },
        with_digest(-Fn::ONE),
        Claim { z: [u64::MAX; 4], ..with_digest(all_ones) },
    ];
    assert_eq!(claims[2].z, one);
    assert_eq!(check(&claims), [Verdict::Valid; 4]);
}

#[test]
fn ranges_are_all_looked_at_and_first() {
    let good = random_claim(&mut ChaCha20Rng::seed_from_u64(79));
    let bad = |r, s, key| Verdict::OutOfRange { r, s, key };
    let zero = [0; 4];
    let small = Affine::from(point_from(Fp::ONE)).x().to_canonical();
    let unreduced = limbs::add(&small, &P).0;
    let cases = [
        (Claim { r: zero, ..good }, bad(true, false, false)),
        (Claim { r: N, ..good }, bad(true, false, false)),
        (Claim { s: zero, ..good }, bad(false, true, false)),
        (Claim { s: N, ..good }, bad(false, true, false)),
        (Claim { r: zero, s: zero, ..good }, bad(true, true, false)),
        (Claim { qx: P, ..good }, bad(false, false, true)),
        (Claim { qx: unreduced, ..good }, bad(false, false, true)),
        (Claim { qy: [u64::MAX; 4], ..good }, bad(false, false, true)),
        (Claim { r: [u64::MAX; 4], s: N, qx: P, qy: zero, ..good }, bad(true, true, true)),
        (Claim { r: zero, qx: zero, qy: zero, ..good }, bad(true, false, false)),
        (Claim { qx: zero, qy: zero, ..good }, Verdict::NotOnCurve),
        (Claim { qx: good.qy, qy: good.qx, ..good }, Verdict::NotOnCurve),
        (
            Claim { qy: [good.qy[0] ^ 1, good.qy[1], good.qy[2], good.qy[3]], ..good },
            Verdict::NotOnCurve,
        ),
        (good, Verdict::Valid),
    ];
    let (claims, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    assert_eq!(check(&claims), expected);
}

#[test]
fn a_batch_of_any_size_keeps_its_order() {
    let mut rng = ChaCha20Rng::seed_from_u64(80);
    let claims: Vec<_> = (0..19).map(|_| random_claim(&mut rng)).collect();
    for count in 0..claims.len() {
        let mut claims = claims[..count].to_vec();
        for bad in claims.iter_mut().skip(2).step_by(5) {
            bad.z[0] ^= 1;
        }
        for out_of_range in claims.iter_mut().skip(3).step_by(7) {
            out_of_range.s = N;
        }
        check(&claims);
    }
}
