//! Valid ECDSA signatures for measurements, derived from a public seed.

use anyhow::{Context, Result};
use proofmill::ecdsa::{Item, Policy, Signature};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::secp256k1::{Fn, Secp256k1};
use sha2::{Digest, Sha256};
use works::ecdsa::Encoded;

/// Returns signatures, each of another digest under another key, with s at most n / 2.
pub fn signatures(count: usize) -> Result<Vec<Encoded>> {
    let hash = |bytes: &[u8]| <[u8; 32]>::from(Sha256::digest(bytes));
    let digests: Vec<_> = (0..count as u64).map(|number| hash(&number.to_le_bytes())).collect();
    let secrets: Vec<_> = digests.iter().map(|digest| scalar(hash(digest))).collect();
    let nonces: Vec<_> = secrets.iter().map(|secret| scalar(hash(&secret.to_be_bytes()))).collect();
    let (keys, points) = (multiples(&secrets), multiples(&nonces));
    let all = digests.into_iter().zip(secrets.into_iter().zip(nonces)).zip(keys.iter().zip(points));
    all.map(|((digest, (secret, nonce)), (key, point))| {
        let r = scalar(point.x().to_be_bytes());
        let inverse = Option::<Fn>::from(nonce.invert()).context("a nonce of 0")?;
        let s = inverse * (scalar(digest) + r * secret);
        let low = [s, -s].into_iter().map(|s| s.to_be_bytes()).min().context("neither s nor -s")?;
        Ok(Encoded { key: compressed(key), signature: der(&r.to_be_bytes(), &low), digest })
    })
    .collect()
}

/// Returns the signatures in our library's encoded form.
pub fn items(signatures: &[Encoded]) -> Vec<Item<&[u8]>> {
    signatures
        .iter()
        .map(|encoded| Item {
            key: &encoded.key[..],
            signature: proofmill::ecdsa::Encoded::Der(&encoded.signature[..]),
            digest: encoded.digest,
        })
        .collect()
}

/// Returns the signatures as integers.
pub fn parsed(signatures: &[Encoded]) -> Result<Vec<Signature>> {
    let parsed = proofmill::ecdsa::parse(&items(signatures), Policy::default());
    Ok(parsed.into_iter().collect::<Result<_, _>>()?)
}

/// Returns a big-endian integer of 32 bytes modulo n.
fn scalar(mut bytes: [u8; 32]) -> Fn {
    bytes.reverse();
    let mut wide = [0; 64];
    wide[..32].copy_from_slice(&bytes);
    Fn::reduce_wide_le(&wide)
}

/// Computes multiples of the generator by doubling and adding.
fn multiples(scalars: &[Fn]) -> Vec<Affine<Secp256k1>> {
    let add_bit = |sum: Projective<_>, bit| match bit {
        1 => sum.double() + Secp256k1::GENERATOR,
        _ => sum.double(),
    };
    let bits = |k: &Fn| {
        k.to_be_bytes().into_iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1))
    };
    let times = |k| bits(k).fold(Projective::default(), add_bit);
    Affine::batch(&scalars.iter().map(times).collect::<Vec<_>>())
}

/// Encodes SEC 1's compressed form.
fn compressed(point: &Affine<Secp256k1>) -> Vec<u8> {
    let is_odd = point.y().to_be_bytes()[31] & 1;
    [&[2 + is_odd][..], &point.x().to_be_bytes()[..]].concat()
}

/// Encodes r and s, big-endian, in strict DER.
fn der(r: &[u8; 32], s: &[u8; 32]) -> Vec<u8> {
    let integer = |bytes: &[u8; 32]| {
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        let sign: &[u8] = if bytes[zeros] >= 0x80 { &[0] } else { &[] };
        let digits = [sign, &bytes[zeros..]].concat();
        [&[0x02, digits.len() as u8][..], &digits].concat()
    };
    let content = [integer(r), integer(s)].concat();
    [&[0x30, content.len() as u8][..], &content].concat()
}

#[cfg(test)]
mod tests {
    use proofmill::ecdsa::{Outcome, verify_batch};

    use super::*;

    #[test]
    fn signatures_are_valid_and_their_s_is_low() {
        let signatures = signatures(200).unwrap();
        let device = proofmill::open("cpu:?threads=1").unwrap();
        let outcomes = verify_batch(&*device, &items(&signatures), Policy { low_s: true }).unwrap();
        assert_eq!(outcomes, vec![Outcome::Valid; 200]);
        assert!(signatures.windows(2).all(|two| two[0] != two[1]));
        assert_eq!(parsed(&signatures).unwrap().len(), 200);
    }
}
