//! Joint verification of signatures with random numbers of 64 bits, as users of blst do: of distinct messages by
//! `Pairing::mul_n_aggregate`, of one message by sums of multiples of keys and signatures and one verification.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow, ensure};
use blst::min_pk::{PublicKey, Signature};
use blst::{BLST_ERROR, Pairing, blst_p1_affine, blst_p2_affine};
use works::Kept;
use works::bls::{Signed, TAG, Work, read};

use crate::factors::{random, sum_g1, sum_g2};

/// Bytes of a random number.
const FACTOR: usize = 8;

/// Signatures with their keys.
type Read = (Vec<Signed>, Vec<PublicKey>);

/// The signatures that were read last.
#[derive(Default)]
pub struct Signatures(Kept<PathBuf, Read>);

impl Signatures {
    pub fn seconds(&mut self, work: &Work) -> Result<f64> {
        let (signed, keys) = self.0.get(work.signatures.clone(), |path| {
            let signed = read(path)?;
            let keys = signed.iter().map(|signed| PublicKey::key_validate(&signed.key));
            let keys = keys.collect::<Result<_, _>>().map_err(|error| anyhow!("{error:?}"))?;
            Ok((signed, keys))
        })?;
        let start = Instant::now();
        let valid =
            if work.one_message { of_one_message(signed, keys)? } else { of_each(signed, keys)? };
        let seconds = start.elapsed().as_secs_f64();
        ensure!(valid, "a valid signature is found invalid");
        Ok(seconds)
    }
}

fn of_each(signed: &[Signed], keys: &[PublicKey]) -> Result<bool> {
    let factors = random(signed.len(), FACTOR)?;
    let mut pairing = Pairing::new(true, TAG);
    for ((signed, key), factor) in signed.iter().zip(keys).zip(factors.chunks(FACTOR)) {
        let Ok(signature) = Signature::from_bytes(&signed.signature) else { return Ok(false) };
        let (key, signature): (&blst_p1_affine, &blst_p2_affine) =
            (key.into(), (&signature).into());
        let bits = 8 * FACTOR;
        let added = pairing.mul_n_aggregate(
            key,
            false,
            signature,
            true,
            factor,
            bits,
            &signed.message,
            &[],
        );
        if added != BLST_ERROR::BLST_SUCCESS {
            return Ok(false);
        }
    }
    pairing.commit();
    Ok(pairing.finalverify(None))
}

fn of_one_message(signed: &[Signed], keys: &[PublicKey]) -> Result<bool> {
    let message = &signed[0].message;
    ensure!(signed.iter().all(|signed| signed.message == *message), "there are several messages");
    let factors = random(signed.len(), FACTOR)?;
    let mut signatures = Vec::with_capacity(signed.len());
    for signed in signed {
        let Ok(signature) = Signature::sig_validate(&signed.signature, true) else {
            return Ok(false);
        };
        signatures.push(blst_p2_affine::from(signature));
    }
    let keys: Vec<_> = keys.iter().map(|key| blst_p1_affine::from(*key)).collect();
    let key = PublicKey::from(sum_g1(&keys, &factors, FACTOR));
    let signature = Signature::from(sum_g2(&signatures, &factors, FACTOR));
    Ok(signature.verify(false, message, TAG, &[], &key, false) == BLST_ERROR::BLST_SUCCESS)
}

#[cfg(test)]
mod tests {
    use blst::min_pk::SecretKey;

    use super::*;

    fn signed(number: u8, message: &[u8]) -> Signed {
        let secret = SecretKey::key_gen(&[number; 32], &[]).unwrap();
        let signature = secret.sign(message, TAG, &[]).to_bytes().to_vec();
        let key = secret.sk_to_pk().to_bytes().to_vec();
        Signed { key, message: message.to_vec(), signature }
    }

    #[test]
    fn accepts_what_is_valid_and_nothing_else() {
        let path = std::env::temp_dir().join(format!("works-bls-{}", std::process::id()));
        let verify = |signed: &[Signed], one_message| {
            std::fs::write(&path, serde_json::to_vec(signed).unwrap()).unwrap();
            let work = Work { signatures: path.clone(), one_message };
            Signatures::default().seconds(&work)
        };
        let mut some: Vec<_> = (1..4).map(|number| signed(number, b"same")).collect();
        assert!(verify(&some, true).unwrap() > 0.0);
        assert!(verify(&some, false).unwrap() > 0.0);
        some[1] = signed(2, b"another");
        assert!(verify(&some, false).is_ok() && verify(&some, true).is_err());
        some[1].message = b"same".to_vec();
        assert!(verify(&some, false).is_err() && verify(&some, true).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
