//! Verifications of ECDSA signatures over secp256k1.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Kept, thread_pool};

/// Verifications to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// A list of [`Encoded`] in JSON, all of them valid.
    pub signatures: PathBuf,
    /// Decodes keys and signatures in each verification.
    pub parsing: bool,
    /// The number of signatures, from the beginning of the list.
    pub count: usize,
    /// The number of threads.
    pub threads: usize,
}

/// An encoded signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encoded {
    /// The key in SEC 1's compressed form.
    pub key: Vec<u8>,
    /// r and s in strict DER; s is at most n / 2, as libsecp256k1 requires.
    pub signature: Vec<u8>,
    /// The signed digest.
    pub digest: [u8; 32],
}

/// A library that decodes and verifies signatures.
pub trait Verifier {
    /// A decoded signature.
    type Read: Send + Sync;
    /// Decodes key and signature.
    fn read(encoded: &Encoded) -> Result<Self::Read>;
    /// Returns whether the signature is valid.
    fn accepts(read: &Self::Read) -> bool;
}

/// Signatures and threads, which are kept between requests.
pub struct Verifications<V: Verifier> {
    signatures: Kept<PathBuf, (Vec<Encoded>, Vec<V::Read>)>,
    pool: Kept<usize, ThreadPool>,
}

impl<V: Verifier> Default for Verifications<V> {
    fn default() -> Self {
        Self { signatures: Kept::default(), pool: Kept::default() }
    }
}

impl<V: Verifier> Verifications<V> {
    /// Returns the seconds of the work.
    pub fn seconds(&mut self, work: &Work) -> Result<f64> {
        let (encoded, read) = self.signatures.get(work.signatures.clone(), |path| {
            let text = std::fs::read(path).with_context(|| path.display().to_string())?;
            let encoded: Vec<Encoded> = serde_json::from_slice(&text)?;
            let read = encoded.iter().map(V::read).collect::<Result<_>>()?;
            Ok((encoded, read))
        })?;
        ensure!(work.count <= encoded.len(), "there are {} signatures only", encoded.len());
        let pool = self.pool.get(work.threads, |&threads| thread_pool(threads))?;
        let is_valid = |i: usize| match work.parsing {
            false => V::accepts(&read[i]),
            true => V::read(&encoded[i]).is_ok_and(|read| V::accepts(&read)),
        };
        pool.install(|| {
            let start = Instant::now();
            let valid = match work.threads {
                1 => (0..work.count).all(is_valid),
                _ => (0..work.count).into_par_iter().all(is_valid),
            };
            let seconds = start.elapsed().as_secs_f64();
            ensure!(valid, "a valid signature is found invalid");
            Ok(seconds)
        })
    }
}

/// Returns a valid signature: with the key 1 and the nonce 1, s is the digest plus r, and r is the first coordinate of the generator.
fn example() -> Encoded {
    let r: [u8; 32] = [
        0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b,
        0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8,
        0x17, 0x98,
    ];
    let s = r.map(|byte| byte + 1);
    let signature = [&[0x30, 0x44, 0x02, 0x20], &r[..], &[0x02, 0x20], &s].concat();
    Encoded { key: [&[0x02], &r[..]].concat(), signature, digest: [1; 32] }
}

/// Checks in a library's tests that a valid signature is accepted, and one of another digest refused.
pub fn examine<V: Verifier>() {
    let good = example();
    assert!(V::accepts(&V::read(&good).unwrap()));
    let bad = Encoded { digest: [2; 32], ..good.clone() };
    assert!(!V::accepts(&V::read(&bad).unwrap()));
    let folder = std::env::temp_dir().join(format!("works-ecdsa-{}", std::process::id()));
    let verify = |list: &[Encoded], parsing| {
        std::fs::write(&folder, serde_json::to_vec(list)?)?;
        let work = Work { signatures: folder.clone(), parsing, count: 2, threads: 2 };
        Verifications::<V>::default().seconds(&work)
    };
    for parsing in [false, true] {
        assert!(verify(&[good.clone(), good.clone()], parsing).unwrap() > 0.0);
        assert!(verify(&[good.clone(), bad.clone()], parsing).is_err());
        assert!(verify(std::slice::from_ref(&good), parsing).is_err());
    }
    std::fs::remove_file(folder).unwrap();
}
