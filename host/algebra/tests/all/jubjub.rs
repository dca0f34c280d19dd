//! Jubjub and its encoding beside the crate `jubjub`, on every path of this processor.

use jubjub::{AffinePoint, ExtendedPoint};
use proofmill_algebra::Isa;
use proofmill_algebra::encoding::{EncodingError, jubjub as encoding};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::jubjub::{Affine, COFACTOR, Extended, Fp, Fr, sum_vartime};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(80)
}

fn theirs(point: &Affine) -> ExtendedPoint {
    AffinePoint::from_bytes(encoding::encode(point)).unwrap().into()
}

fn bytes(point: &ExtendedPoint) -> [u8; 32] {
    AffinePoint::from(point).to_bytes()
}

fn random_scalar(rng: &mut ChaCha20Rng) -> Fr {
    Fr::reduce_wide_le(&std::array::from_fn(|_| rng.random()))
}

/// All eight points of an order that divides 8, then random points of any order.
fn points(rng: &mut ChaCha20Rng) -> Vec<Affine> {
    let whole = sum_vartime(&[Affine::GENERATOR], &[-Fr::ONE]) + Affine::GENERATOR.into();
    let mut small = vec![Extended::IDENTITY];
    while small.len() < COFACTOR as usize {
        small.push(*small.last().unwrap() + whole);
    }
    let some = (0..40).map(|i| {
        let multiple = sum_vartime(&[Affine::GENERATOR], &[random_scalar(rng)]);
        multiple + small[i % small.len()]
    });
    small.iter().copied().chain(some).map(|point| point.to_affine()).collect()
}

#[test]
fn group_operations_are_those_of_the_crate() {
    let points = points(&mut rng());
    for (i, p) in points.iter().enumerate() {
        let (ours, crates) = (Extended::from(*p), theirs(p));
        assert_eq!(Affine::new(p.x(), p.y()), Some(*p));
        assert_eq!(Affine::new(p.x() + Fp::ONE, p.y()), None);
        assert_eq!(encoding::encode(&ours.double().to_affine()), bytes(&crates.double()));
        assert_eq!(encoding::encode(&-*p), bytes(&-crates));
        assert_eq!(ours.is_small_order(), i < 8);
        assert_eq!(ours.is_small_order(), bool::from(crates.is_small_order()));
        assert_eq!(ours.is_identity(), i == 0);
        let multiple = ours.times_cofactor().to_affine();
        assert_eq!(encoding::encode(&multiple), bytes(&crates.mul_by_cofactor()));
        for q in &points[..20] {
            let sum = (ours + Extended::from(*q)).to_affine();
            assert_eq!(encoding::encode(&sum), bytes(&(crates + theirs(q))));
        }
    }
}

#[test]
fn sums_are_those_of_the_crate() {
    let mut rng = rng();
    let points = points(&mut rng);
    for count in [1, 3, points.len()] {
        let scalars: Vec<_> = (0..count).map(|_| random_scalar(&mut rng)).collect();
        let mut expected = ExtendedPoint::identity();
        for (p, k) in points.iter().zip(&scalars) {
            expected += theirs(p) * jubjub::Fr::from_bytes(&k.to_le_bytes()).unwrap();
        }
        let sum = sum_vartime(&points[..count], &scalars).to_affine();
        assert_eq!(encoding::encode(&sum), bytes(&expected), "{count} points");
    }
}

/// Encodings of points, all changes of one bit, random ones, and the edges of y with both signs.
#[test]
fn encodings_are_those_of_the_crate() {
    let mut rng = rng();
    let mut encodings: Vec<_> = points(&mut rng).iter().map(encoding::encode).collect();
    let some = encodings[20];
    encodings.extend((0..256).map(|bit| {
        let mut changed = some;
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    }));
    encodings.extend((0..200).map(|_| rng.random::<[u8; 32]>()));
    encodings.extend(edges());
    for isa in Isa::available() {
        let found = encoding::decode_each(isa, &encodings);
        for (encoding, found) in encodings.iter().zip(found) {
            assert_eq!(found, encoding::decode(encoding));
            let expected = Option::<AffinePoint>::from(AffinePoint::from_bytes(*encoding));
            assert_eq!(found.is_ok(), expected.is_some(), "{encoding:?} {found:?}");
            if let (Ok(found), Some(expected)) = (found, expected) {
                assert_eq!(found.x().to_le_bytes(), expected.get_u().to_bytes());
                assert_eq!(found.y().to_le_bytes(), expected.get_v().to_bytes());
                assert_eq!(encoding::encode(&found), *encoding);
            }
        }
        assert!(encoding::decode_each(isa, &[]).is_empty());
    }
}

/// y = 0, 1, 2, p - 1, p, p + 1 and 2^255 - 1, each with both values of the highest bit.
fn edges() -> Vec<[u8; 32]> {
    let p: [u8; 32] = {
        let mut p = (-Fp::ONE).to_le_bytes();
        p[0] += 1;
        p
    };
    let first = |bytes: [u8; 32], first| {
        let mut bytes = bytes;
        bytes[0] = first;
        bytes
    };
    let mut all = [0xff; 32];
    all[31] = 0x7f;
    let zero = [0; 32];
    let edges = [zero, first(zero, 1), first(zero, 2), first(p, 0), p, first(p, 2), all];
    let signed = edges.map(|edge| {
        let mut odd = edge;
        odd[31] |= 0x80;
        [edge, odd]
    });
    signed.into_iter().flatten().collect()
}

/// ZIP 216: (0, 1) and (0, -1) have one encoding each.
#[test]
fn other_encodings_of_x_0_are_refused() {
    let edges = edges();
    let decode = |i: usize| encoding::decode(&edges[i]);
    assert_eq!(decode(2), Ok(Affine::IDENTITY));
    assert_eq!(decode(3), Err(EncodingError::Flags(0x80)));
    assert_eq!(decode(6), Ok(Affine::new(Fp::ZERO, -Fp::ONE).unwrap()));
    assert_eq!(decode(7), Err(EncodingError::Flags(0x80)));
    assert_eq!(decode(8), Err(EncodingError::NotReduced));
}
