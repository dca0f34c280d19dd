//! Joint verification of BLS signatures, compared with blst.
//!
//! All sides have decoded keys and get messages and the bytes of signatures: decoding these, with the check of the subgroup, is
//! within the time. Each signature is multiplied by a random number, so that it is valid by itself: of 128 bits in ours, of 64
//! bits with blst, as its users do.

use std::time::Instant;

use anyhow::{Result, ensure};
use proofmill::bls::{PublicKey, Scheme, Signature, Variant, find_invalid, hash_to_curve};
use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::zcash::{decode_compressed, encode_compressed};
use proofmill_cpu::thread_pool;
use works::bls::{Signed, TAG, Work};

use super::{scalar, verified};
use crate::peers::{Library, Peer, Peers};
use crate::report;
use crate::software::Rows;

const VARIANT: Variant = Variant::MinPk;
const SCHEME: Scheme = Scheme::ProofOfPossession;

/// Measures the rows.
pub fn rows(rows: &mut Rows, peers: &Peers, quick: bool) -> Result<()> {
    let (count, rounds) = if quick { (100, 2) } else { (1000, 11) };
    let pool = thread_pool(Some(1))?;
    for (one_message, messages) in [(true, "one message"), (false, "distinct messages")] {
        let signed = signed(count, one_message)?;
        let path = report::write(&format!("inputs/bls, {messages}"), &signed)?;
        let keys = signed.iter().map(|signed| PublicKey::from_bytes(VARIANT, &signed.key));
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        let ours = || {
            pool.install(|| {
                let start = Instant::now();
                verify(&signed, &keys)?;
                Ok(start.elapsed().as_secs_f64())
            })
        };
        let work = works::Work::Bls(Work { signatures: path, one_message });
        let theirs = vec![
            Peer::new(peers, Library::Blst, work)
                .named(format!("{}, 64-bit factors", Library::Blst.name())),
        ];
        verified(rows, &format!("{count} BLS signatures, {messages}"), rounds, ours, theirs)?;
    }
    Ok(())
}

/// Verifies from the bytes of the signatures on.
fn verify(signed: &[Signed], keys: &[PublicKey]) -> Result<()> {
    let bytes: Vec<_> = signed.iter().map(|signed| &signed.signature[..]).collect();
    let signatures = Signature::each_from_bytes(Isa::best(), VARIANT, &bytes);
    let signatures: Vec<_> = signatures.into_iter().collect::<Result<_, _>>()?;
    let claims = signed.iter().zip(keys).zip(&signatures);
    let claims: Vec<_> =
        claims.map(|((signed, key), signature)| (key, &signed.message[..], signature)).collect();
    ensure!(find_invalid(SCHEME, &claims)?.is_empty(), "we find a signature invalid");
    Ok(())
}

/// Returns valid signatures, each of another key, derived from a public seed.
fn signed(count: usize, one_message: bool) -> Result<Vec<Signed>> {
    let signed = |i: usize| {
        let secret = scalar("BLS keys", i);
        let number = if one_message { 0 } else { i as u64 };
        let message = [&b"message "[..], &number.to_le_bytes()].concat();
        let hashed: Affine<G2> = decode_compressed(&hash_to_curve(VARIANT, &message, TAG))?;
        let key = Affine::from(Projective::<G1>::generator().times(&secret));
        let signature = Affine::from(Projective::from(hashed).times(&secret));
        Ok(Signed {
            key: encode_compressed(&key).to_vec(),
            message,
            signature: encode_compressed(&signature).to_vec(),
        })
    };
    (0..count).map(signed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_valid_and_their_keys_differ() {
        assert_eq!(SCHEME.tag(VARIANT).as_bytes(), TAG);
        for one_message in [true, false] {
            let mut signed = signed(3, one_message).unwrap();
            let keys: Vec<_> = signed
                .iter()
                .map(|signed| PublicKey::from_bytes(VARIANT, &signed.key).unwrap())
                .collect();
            assert!(keys[0] != keys[1] && keys[1] != keys[2]);
            verify(&signed, &keys).unwrap();
            assert_eq!(signed[0].message == signed[1].message, one_message);
            signed[1].message.push(0);
            assert!(verify(&signed, &keys).is_err());
        }
    }
}
