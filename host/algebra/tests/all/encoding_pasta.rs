//! The encoding of Pallas and Vesta beside the crate `pasta_curves`, on every path of this processor.

use pasta_curves::group::Curve as _;
use pasta_curves::group::prime::PrimeCurveAffine;
use pasta_curves::{EpAffine, EqAffine};
use proofmill_algebra::encoding::pasta::{Pasta, decode, decode_each, encode};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::{Isa, pallas, vesta};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Encodings of points, all changes of one bit, random ones, zeros and others around 0 and p.
fn encodings<A: PrimeCurveAffine<Repr: AsRef<[u8]>>, C: Pasta>() -> Vec<[u8; 32]> {
    let mut rng = ChaCha20Rng::seed_from_u64(80);
    let multiples =
        std::iter::successors(Some(A::generator().to_curve()), |sum| Some(*sum + A::generator()));
    let encoded = multiples.take(30).map(|point| point.to_affine().to_bytes());
    let mut found: Vec<[u8; 32]> =
        encoded.map(|bytes| bytes.as_ref().try_into().unwrap()).collect();
    let some = found[7];
    found.extend((0..256).map(|bit| {
        let mut changed = some;
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    }));
    found.extend((0..100).map(|_| rng.random::<[u8; 32]>()));
    let largest = (-C::Base::ONE).to_le_bytes();
    for (edge, first) in [([0; 32], 0), ([0; 32], 1), (largest, 0), (largest, 1), (largest, 2)] {
        let mut edge: [u8; 32] = edge;
        edge[0] = first;
        found.push(edge);
        edge[31] |= 0x80;
        found.push(edge);
    }
    found
}

fn examine<A: PrimeCurveAffine<Repr = [u8; 32]>, C: Pasta>() {
    let encodings = encodings::<A, C>();
    for isa in Isa::available() {
        for (encoding, found) in encodings.iter().zip(decode_each::<C>(isa, &encodings)) {
            assert_eq!(found, decode(encoding));
            let expected = Option::<A>::from(A::from_bytes(encoding));
            assert_eq!(found.is_ok(), expected.is_some(), "{encoding:?} {found:?}");
            if let (Ok(found), Some(expected)) = (found, expected) {
                assert!(bool::from(found.is_on_curve()));
                assert_eq!(found.is_identity().unwrap_u8(), expected.is_identity().unwrap_u8());
                assert_eq!(encode(&found), *encoding);
            }
        }
    }
}

#[test]
fn encodings_are_those_of_the_crate() {
    examine::<EpAffine, pallas::G1>();
    examine::<EqAffine, vesta::G1>();
}
