//! Signatures of all kinds, judged by the crate `reddsa`.

use ::jubjub::{AffinePoint, ExtendedPoint, Fr};
use ::reddsa::{SigType, SigningKey, VerificationKey, orchard, sapling};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::{Isa, jubjub, pallas};
use proofmill_zcash::reddsa::{Signature, SignatureKind, find_invalid};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use sapling_crypto::constants::SPENDING_KEY_GENERATOR;

const KINDS: [SignatureKind; 4] = [
    SignatureKind::SaplingSpendAuth,
    SignatureKind::SaplingBinding,
    SignatureKind::OrchardSpendAuth,
    SignatureKind::OrchardBinding,
];

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(80)
}

/// Signs with a random key.
fn signed(kind: SignatureKind, rng: &mut ChaCha20Rng) -> Signature {
    fn by<T: SigType>(kind: SignatureKind, rng: &mut ChaCha20Rng) -> Signature {
        let message: [u8; 32] = rng.random();
        let key = SigningKey::<T>::new(&mut *rng);
        let signature = key.sign(rng, &message).into();
        Signature { kind, key: VerificationKey::from(&key).into(), signature, message }
    }
    match kind {
        SignatureKind::SaplingSpendAuth => by::<sapling::SpendAuth>(kind, rng),
        SignatureKind::SaplingBinding => by::<sapling::Binding>(kind, rng),
        SignatureKind::OrchardSpendAuth => by::<orchard::SpendAuth>(kind, rng),
        SignatureKind::OrchardBinding => by::<orchard::Binding>(kind, rng),
    }
}

/// Returns the crate's verdict.
fn is_valid(signature: &Signature) -> bool {
    fn by<T: SigType>(it: &Signature) -> bool {
        let signature = ::reddsa::Signature::<T>::from(it.signature);
        let key = VerificationKey::<T>::try_from(it.key);
        key.is_ok_and(|key| key.verify(&it.message, &signature).is_ok())
    }
    match signature.kind {
        SignatureKind::SaplingSpendAuth => by::<sapling::SpendAuth>(signature),
        SignatureKind::SaplingBinding => by::<sapling::Binding>(signature),
        SignatureKind::OrchardSpendAuth => by::<orchard::SpendAuth>(signature),
        SignatureKind::OrchardBinding => by::<orchard::Binding>(signature),
    }
}

/// Compares the verdicts, on every path of this processor, and returns the number of invalid signatures.
fn examine(signatures: &[Signature]) -> usize {
    let invalid = |i: &usize| !is_valid(&signatures[*i]);
    let expected: Vec<_> = (0..signatures.len()).filter(invalid).collect();
    for isa in Isa::available() {
        assert_eq!(find_invalid(signatures, isa).unwrap(), expected, "{isa:?}");
    }
    expected.len()
}

#[test]
fn signatures_of_all_kinds_are_valid() {
    let mut rng = rng();
    assert_eq!(examine(&[]), 0);
    for count in [1, 2, 5, 200] {
        let signatures: Vec<_> = (0..count).map(|i| signed(KINDS[i % 4], &mut rng)).collect();
        assert_eq!(examine(&signatures), 0);
    }
}

#[test]
fn a_change_of_any_byte_is_found() {
    let mut rng = rng();
    for kind in KINDS {
        let valid = signed(kind, &mut rng);
        let mut changed = vec![valid];
        for place in 0..128 {
            let mut one = valid;
            let all = [&mut one.key[..], &mut one.signature[..], &mut one.message[..]];
            let byte = all.into_iter().flatten().nth(place).unwrap();
            *byte ^= rng.random_range(1..=u8::MAX);
            changed.push(one);
        }
        assert_eq!(examine(&changed), 128, "{kind:?}");
    }
}

/// S + 1 and S - 1: with equal factors, the errors of two signatures would cancel out.
#[test]
fn errors_that_cancel_out_are_found() {
    let mut rng = rng();
    for kind in KINDS {
        let mut pair = [signed(kind, &mut rng), signed(kind, &mut rng)];
        // No byte of these overflows: S is random, and its lowest byte is neither 0 nor 255.
        while pair.iter().any(|it| [0, 255].contains(&it.signature[32])) {
            pair = [signed(kind, &mut rng), signed(kind, &mut rng)];
        }
        pair[0].signature[32] += 1;
        pair[1].signature[32] -= 1;
        assert_eq!(examine(&pair), 2, "{kind:?}");
    }
}

#[test]
fn invalid_signatures_among_valid_ones_are_found() {
    let mut rng = rng();
    let mut signatures: Vec<_> = (0..40).map(|i| signed(KINDS[i % 4], &mut rng)).collect();
    // Exchanged messages and kinds, a missing point and an S that is not reduced.
    (signatures[3].message, signatures[30].message) =
        (signatures[30].message, signatures[3].message);
    signatures[8].kind = SignatureKind::SaplingBinding;
    signatures[10].kind = SignatureKind::OrchardBinding;
    signatures[17].key = [0xff; 32];
    signatures[39].signature[32..].fill(0xff);
    assert_eq!(examine(&signatures), 6);
}

/// S + r is another encoding of the same scalar.
#[test]
fn s_is_below_the_order() {
    let mut rng = rng();
    for kind in KINDS {
        let less_one = if is_sapling(kind) {
            (-jubjub::Fr::ONE).to_le_bytes()
        } else {
            (-pallas::Fr::ONE).to_le_bytes()
        };
        let valid = signed(kind, &mut rng);
        let mut other = valid;
        let mut carry = 1;
        for (byte, add) in other.signature[32..].iter_mut().zip(less_one) {
            carry += u16::from(*byte) + u16::from(add);
            *byte = carry as u8;
            carry >>= 8;
        }
        assert_eq!(examine(&[valid, other]), 1, "{kind:?}");
    }
}

fn is_sapling(kind: SignatureKind) -> bool {
    matches!(kind, SignatureKind::SaplingSpendAuth | SignatureKind::SaplingBinding)
}

/// Computes the challenge of RedJubjub with another implementation of the field.
fn challenge(r: &[u8; 32], key: &[u8; 32], message: &[u8; 32]) -> Fr {
    let mut state = blake2b_simd::Params::new().personal(b"Zcash_RedJubjubH").to_state();
    Fr::from_bytes_wide(state.update(r).update(key).update(message).finalize().as_array())
}

/// Signs with R = rP + `of_r` and vk = kP + `of_key`: valid if these two are of small order.
fn shifted(rng: &mut ChaCha20Rng, of_r: ExtendedPoint, of_key: ExtendedPoint) -> Signature {
    let base = ExtendedPoint::from(SPENDING_KEY_GENERATOR);
    let [r, k] = [(); 2].map(|()| Fr::from_bytes_wide(&std::array::from_fn(|_| rng.random())));
    let bytes = |point: ExtendedPoint| AffinePoint::from(point).to_bytes();
    let (big_r, key, message) = (bytes(base * r + of_r), bytes(base * k + of_key), rng.random());
    let s = r + challenge(&big_r, &key, &message) * k;
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&big_r);
    signature[32..].copy_from_slice(&s.to_bytes());
    Signature { kind: SignatureKind::SaplingSpendAuth, key, signature, message }
}

/// The eight points whose order divides the cofactor.
fn small_orders() -> Vec<ExtendedPoint> {
    // The order of the subgroup times a point of order 8 r.
    let encoding = std::array::from_fn(|i| if i == 0 { 11 } else { 0 });
    let generator = ExtendedPoint::from(AffinePoint::from_bytes(encoding).unwrap());
    let whole = generator * -Fr::one() + generator;
    let identity = ExtendedPoint::identity();
    let multiples = std::iter::successors(Some(identity), |sum| Some(*sum + whole));
    let multiples: Vec<_> = multiples.take(8).collect();
    assert_eq!(multiples.iter().filter(|point| **point == identity).count(), 1, "of order 8");
    multiples
}

/// The equation has the cofactor, so points of small order do not matter: in R, in the key, and as these.
#[test]
fn points_of_small_order_are_multiplied_by_the_cofactor() {
    let mut rng = rng();
    let small = small_orders();
    let mut signatures: Vec<_> =
        (0..64).map(|i| shifted(&mut rng, small[i / 8], small[i % 8])).collect();
    assert_eq!(examine(&signatures), 0);
    // R and key of small order, with S = 0: valid. S = 1: invalid.
    for (i, s) in [(0, 0), (1, 0), (4, 0), (5, 1)] {
        let key = AffinePoint::from(small[i]).to_bytes();
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&key);
        signature[32] = s;
        let kind = SignatureKind::SaplingBinding;
        signatures.push(Signature { kind, key, signature, message: [3; 32] });
    }
    assert_eq!(examine(&signatures), 1);
    // A shift that is not of small order.
    let shift = ExtendedPoint::from(SPENDING_KEY_GENERATOR);
    signatures.insert(20, shifted(&mut rng, shift, small[0]));
    signatures.insert(40, shifted(&mut rng, small[1], shift));
    assert_eq!(examine(&signatures), 3);
}

/// The identity is a key and an R of Orchard, in one encoding.
#[test]
fn the_identity_of_pallas_is_a_point() {
    let kind = SignatureKind::OrchardSpendAuth;
    let zeros = Signature { kind, key: [0; 32], signature: [0; 64], message: [7; 32] };
    let (mut sign_of_key, mut sign_of_r, mut s) = (zeros, zeros, zeros);
    sign_of_key.key[31] = 0x80;
    sign_of_r.signature[31] = 0x80;
    s.signature[32] = 1;
    assert_eq!(examine(&[zeros, sign_of_key, zeros, sign_of_r, s]), 3);
}

/// ZIP 216, and coordinates from the modulus on: a signature by the identity with R the identity in other encodings.
#[test]
fn encodings_are_canonical() {
    let modulus_and_one = {
        let mut bytes = (-jubjub::Fp::ONE).to_le_bytes();
        bytes[0] += 2;
        bytes
    };
    let identity: [u8; 32] = std::array::from_fn(|i| u8::from(i == 0));
    let minus_one = (-jubjub::Fp::ONE).to_le_bytes();
    let with_sign = |mut bytes: [u8; 32]| {
        bytes[31] |= 0x80;
        bytes
    };
    let encodings =
        [identity, minus_one, with_sign(identity), with_sign(minus_one), modulus_and_one];
    let pairs = encodings.iter().flat_map(|key| encodings.map(|r| (*key, r)));
    let signatures: Vec<_> = pairs
        .map(|(key, r)| {
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&r);
            Signature { kind: SignatureKind::SaplingSpendAuth, key, signature, message: [9; 32] }
        })
        .collect();
    assert_eq!(examine(&signatures), 25 - 4);
}
