//! Points in Montgomery form, read eight at a time, against one at a time.

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::{Coordinate, EncodingError, montgomery, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::Group;
use proofmill_algebra::{Isa, bls12_377, bls12_381, bn254, pallas, vesta};

/// A coordinate times R = 2^(64 W); `bits` is 64 W.
fn stored<C: Group<Base: Coordinate>>(points: &[Affine<C>], bits: usize) -> Vec<u8> {
    let radix = (0..bits).fold(C::Base::ONE, |power, _| power.double());
    let of = |point: &Affine<C>| {
        pair::encode(&Affine::<C>::new_unchecked(point.x() * radix, point.y() * radix))
    };
    points.iter().flat_map(of).collect()
}

fn check<C: Group<Base: Coordinate>>(bits: usize) {
    let each = pair::bytes::<C>();
    let mut points: Vec<Affine<C>> =
        (1..40).map(|k| Projective::<C>::generator().times_public(&[k]).into()).collect();
    points[17] = Affine::IDENTITY;
    let (form, wanted) = (stored(&points, bits), points.iter().flat_map(pair::encode));
    let wanted: Vec<u8> = wanted.collect();
    for isa in Isa::available() {
        for count in 0..=points.len() {
            let mut pairs = vec![0xaa; count * each];
            montgomery::to_pairs::<C>(isa, &form[..count * each], &mut pairs).unwrap();
            assert!(pairs == wanted[..count * each], "{} {isa} {count}", C::NAME);
        }
        for number in 0..points.len() {
            for (byte, value, reason) in [
                (0, form[number * each] ^ 1, EncodingError::NotOnCurve),
                (each / 2, form[number * each + each / 2] ^ 1, EncodingError::NotOnCurve),
                (each / 2 - 1, 0xff, EncodingError::NotReduced),
                (each - 1, 0xff, EncodingError::NotReduced),
            ] {
                let mut form = form.clone();
                form[number * each + byte] = value;
                form[38 * each] ^= u8::from(number < 38); // a later one that is wrong too
                let found = montgomery::to_pairs::<C>(isa, &form, &mut vec![0; form.len()]);
                assert_eq!(found, Err((number, reason)), "{} {isa}", C::NAME);
            }
        }
    }
}

/// p itself and p - 1 as the first coordinate's first coefficient, at every place of a batch.
fn check_limits<C: Group<Base: Coordinate>>(modulus: &[u64]) {
    let each = pair::bytes::<C>();
    let p: Vec<u8> = modulus.iter().flat_map(|word| word.to_le_bytes()).collect();
    for isa in Isa::available() {
        for number in 0..20 {
            for (less, reason) in [(0, EncodingError::NotReduced), (1, EncodingError::NotOnCurve)] {
                let mut form = vec![0; 20 * each];
                form[number * each..][..p.len()].copy_from_slice(&p);
                form[number * each] -= less;
                let found = montgomery::to_pairs::<C>(isa, &form, &mut vec![0; form.len()]);
                assert_eq!(found, Err((number, reason)), "{} {isa}", C::NAME);
            }
        }
    }
}

#[test]
fn only_numbers_below_the_modulus_are_coordinates() {
    check_limits::<bn254::G1>(bn254::Fp::MODULUS);
    check_limits::<bls12_381::G1>(bls12_381::Fp::MODULUS);
    check_limits::<bls12_377::G2>(bls12_377::Fp::MODULUS);
    check_limits::<pallas::G1>(pallas::Fp::MODULUS);
}

#[test]
fn points_come_out_of_montgomery_form_or_are_named() {
    check::<bn254::G1>(256);
    check::<bn254::G2>(256);
    check::<bls12_381::G1>(384);
    check::<bls12_381::G2>(384);
    check::<bls12_377::G1>(384);
    check::<bls12_377::G2>(384);
    check::<pallas::G1>(256);
    check::<vesta::G1>(256);
}
