//! Points of Pallas and Vesta beside the crate `pasta_curves`: both read the same points and refuse the same bytes.

use group::GroupEncoding;
use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::EncodingError;
use proofmill_algebra::encoding::pasta::{BYTES, Pasta, decode, decode_each, encode};
use proofmill_algebra::{pallas, vesta};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Multiples of the generator, the identity, and random bytes of which half are points.
fn encodings<C: Pasta>() -> Vec<[u8; BYTES]> {
    let mut rng = ChaCha20Rng::seed_from_u64(79);
    let mut encodings =
        vec![[0; BYTES], [0xff; BYTES], std::array::from_fn(|i| (i == 31) as u8 * 0x80)];
    let mut point = Projective::<C>::generator();
    for _ in 0..20 {
        encodings.extend([encode(&point.into()), encode(&-Affine::from(point))]);
        point = point.double() + Projective::generator();
    }
    encodings.extend((0..60).map(|_| rng.random()));
    encodings
}

fn examine<C: Pasta, Theirs: GroupEncoding<Repr = [u8; BYTES]>>() {
    let encodings = encodings::<C>();
    let ours: Vec<_> = encodings.iter().map(|encoding| decode::<C>(encoding)).collect();
    for (encoding, ours) in encodings.iter().zip(&ours) {
        let theirs = Option::<Theirs>::from(Theirs::from_bytes(encoding));
        assert_eq!(ours.is_ok(), theirs.is_some(), "{encoding:?}");
        if let (Ok(ours), Some(theirs)) = (ours, theirs) {
            assert!(bool::from(ours.is_on_curve()));
            assert_eq!((encode(ours), theirs.to_bytes()), (*encoding, *encoding));
        }
    }
    let accepted = ours.iter().filter(|ours| ours.is_ok()).count();
    assert!((50..90).contains(&accepted), "{accepted} of {}", ours.len());
    let slices: Vec<&[u8]> = encodings.iter().map(|encoding| &encoding[..]).collect();
    for isa in Isa::available() {
        assert_eq!(decode_each::<C>(isa, &slices), ours);
        assert_eq!(decode_each::<C>(isa, &slices[..3]), ours[..3]);
    }
}

#[test]
fn pasta_curves_agrees() {
    examine::<pallas::G1, pasta_curves::pallas::Affine>();
    examine::<vesta::G1, pasta_curves::vesta::Affine>();
}

#[test]
fn errors_have_their_reasons() {
    let read = |encoding: &[u8]| decode::<vesta::G1>(encoding).unwrap_err();
    assert_eq!(read(&[0; 31]), EncodingError::Length { expected: 32, found: 31 });
    assert_eq!(read(&[0xff; 32]), EncodingError::NotReduced);
    let mut zero = [0; 32];
    zero[31] = 0x80;
    assert_eq!(read(&zero), EncodingError::NotOnCurve);
    assert_eq!(decode::<vesta::G1>(&encode(&vesta::G1::GENERATOR)).unwrap(), vesta::G1::GENERATOR);
}
