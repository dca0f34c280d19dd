//! Random signatures, and verdicts of libsecp256k1.

use proofmill_op::ecdsa_verify::Signature;
use rand::{Rng, RngExt};
use secp256k1_library as library;

/// Returns a signature of a random digest under a random key, by libsecp256k1; half of them have a large s.
pub fn random(rng: &mut impl Rng) -> Signature {
    let secret = loop {
        if let Ok(key) = library::SecretKey::from_secret_bytes(rng.random()) {
            break key;
        }
    };
    let digest: [u8; 32] = rng.random();
    let compact = secret.sign_ecdsa(library::Message::from_digest(digest)).serialize_compact();
    let key = secret.public_key().serialize_uncompressed();
    let (r, s) = compact.split_at(32);
    let mut signature = Signature {
        s: reversed(s),
        r: reversed(r),
        hash: reversed(&digest),
        qx: reversed(&key[1..33]),
        qy: reversed(&key[33..]),
    };
    if rng.random() {
        signature.s = negative(&signature.s);
    }
    signature
}

/// Returns whether libsecp256k1 accepts a signature, after s is normalised to its lower half.
pub fn library_accepts(signature: &Signature) -> bool {
    let compact = [reversed(&signature.r), reversed(&signature.s)].concat();
    let key = [&[4][..], &reversed(&signature.qx), &reversed(&signature.qy)].concat();
    let Ok(mut parsed) = library::ecdsa::Signature::from_compact(&compact) else { return false };
    let Ok(key) = library::PublicKey::from_slice(&key) else { return false };
    parsed.normalize_s();
    let digest = library::Message::from_digest(reversed(&signature.hash));
    library::ecdsa::verify(&parsed, digest, &key).is_ok()
}

/// Returns the bytes in reverse order.
pub fn reversed(bytes: &[u8]) -> [u8; 32] {
    let mut bytes: [u8; 32] = bytes.try_into().expect("32 bytes");
    bytes.reverse();
    bytes
}

/// Computes n - s, for 0 < s < n.
fn negative(s: &[u8; 32]) -> [u8; 32] {
    let s = library::SecretKey::from_secret_bytes(reversed(s)).expect("a scalar that is not 0");
    reversed(&s.negate().to_secret_bytes())
}
