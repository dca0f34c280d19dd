//! The program's side.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Result, ensure};
use k256::ecdsa::signature::hazmat::PrehashVerifier;
use proofmill_cpu::thread_pool;
use rayon::ThreadPool;
use rayon::prelude::*;
use secp256k1_library as library;

use super::{Encoded, Peer, Work, signatures};

/// The same signatures as bytes and as each peer keeps them.
#[derive(Default)]
struct Signatures {
    encoded: Vec<Encoded>,
    library: Vec<(library::Message, library::ecdsa::Signature, library::PublicKey)>,
    k256: Vec<([u8; 32], k256::ecdsa::Signature, k256::ecdsa::VerifyingKey)>,
}

/// Answers works with seconds, a line each, until the input ends.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut pools = HashMap::new();
    let mut signatures = Signatures::default();
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
        signatures.grow(work.count)?;
        let pool = match pools.remove(&work.threads) {
            Some(pool) => pool,
            None => thread_pool(Some(work.threads))?,
        };
        writeln!(output, "{:e}", seconds(&pool, &work, &signatures)?)?;
        pools.insert(work.threads, pool);
        output.flush()?;
    }
    Ok(())
}

impl Signatures {
    fn grow(&mut self, count: usize) -> Result<()> {
        if self.encoded.len() < count {
            self.encoded = signatures(count)?;
            self.library = self.encoded.iter().map(read_library).collect::<Result<_>>()?;
            self.k256 = self.encoded.iter().map(read_k256).collect::<Result<_>>()?;
        }
        Ok(())
    }
}

fn read_library(
    encoded: &Encoded,
) -> Result<(library::Message, library::ecdsa::Signature, library::PublicKey)> {
    let signature = library::ecdsa::Signature::from_der(&encoded.signature)?;
    let key = library::PublicKey::from_slice(&encoded.key)?;
    Ok((library::Message::from_digest(encoded.digest), signature, key))
}

fn read_k256(
    encoded: &Encoded,
) -> Result<([u8; 32], k256::ecdsa::Signature, k256::ecdsa::VerifyingKey)> {
    let signature = k256::ecdsa::Signature::from_der(&encoded.signature)?;
    let key = k256::ecdsa::VerifyingKey::from_sec1_bytes(&encoded.key)?;
    Ok((encoded.digest, signature, key))
}

fn seconds(pool: &ThreadPool, work: &Work, signatures: &Signatures) -> Result<f64> {
    let is_valid = |i: usize| match (work.peer, work.parsing) {
        (Peer::Libsecp256k1, false) => library_accepts(&signatures.library[i]),
        (Peer::Libsecp256k1, true) => {
            read_library(&signatures.encoded[i]).is_ok_and(|read| library_accepts(&read))
        }
        (Peer::K256, false) => k256_accepts(&signatures.k256[i]),
        (Peer::K256, true) => {
            read_k256(&signatures.encoded[i]).is_ok_and(|read| k256_accepts(&read))
        }
    };
    pool.install(|| {
        let start = Instant::now();
        let valid = match work.threads {
            1 => (0..work.count).all(is_valid),
            _ => (0..work.count).into_par_iter().all(is_valid),
        };
        let seconds = start.elapsed().as_secs_f64();
        ensure!(valid, "{} finds a signature invalid", work.peer.name());
        Ok(seconds)
    })
}

fn library_accepts(
    (digest, signature, key): &(library::Message, library::ecdsa::Signature, library::PublicKey),
) -> bool {
    library::ecdsa::verify(signature, *digest, key).is_ok()
}

fn k256_accepts(
    (digest, signature, key): &([u8; 32], k256::ecdsa::Signature, k256::ecdsa::VerifyingKey),
) -> bool {
    key.verify_prehash(digest, signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_work_is_answered_with_seconds() {
        let works = [Peer::Libsecp256k1, Peer::K256].into_iter().flat_map(|peer| {
            [false, true].map(|parsing| Work { peer, parsing, count: 3, threads: 2 })
        });
        let lines: Vec<_> = works.map(|work| serde_json::to_string(&work).unwrap()).collect();
        let mut answers = Vec::new();
        serve(lines.join("\n").as_bytes(), &mut answers).unwrap();
        let answers = String::from_utf8(answers).unwrap();
        assert_eq!(answers.lines().filter(|line| line.parse::<f64>().unwrap() > 0.0).count(), 4);
    }
}
