//! libsecp256k1 and k256 in one program, k256 built for exactly this processor (`target-cpu=native`), libsecp256k1 as it
//! is fastest (`C_FLAGS`); our own code finds out what the processor has when it runs, and is built as it is shipped.

use anyhow::Result;
use proofmill::ecdsa::{Item, Policy, Signature};
use secp256k1_library as library;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::program::{self, Program};

#[cfg(feature = "ecdsa-peer")]
mod serve;
#[cfg(feature = "ecdsa-peer")]
pub use serve::serve;

/// Of libsecp256k1: as its authors build it, with its assembly. GCC refuses that with `-march=native`, and the C in its
/// place takes 2 % more time, with `-O3` too.
const C_FLAGS: &str =
    if cfg!(target_arch = "x86_64") { "-O2 -DUSE_ASM_X86_64=1" } else { program::C_FLAGS };

/// Who verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Peer {
    /// Bitcoin Core's library, through the crate `secp256k1`.
    Libsecp256k1,
    /// The crate of RustCrypto.
    K256,
}

impl Peer {
    /// Name and version.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libsecp256k1 => "libsecp256k1 (secp256k1 0.33.1)",
            Self::K256 => "k256 0.14.0",
        }
    }
}

/// Some verifications of the first ones of [`signatures`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Who does it.
    pub peer: Peer,
    /// Are keys and signatures read from their bytes each time?
    pub parsing: bool,
    /// How many signatures.
    pub count: usize,
    /// By how many threads.
    pub threads: usize,
}

/// A signature as it comes from outside.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The key in SEC 1's compressed form.
    pub key: [u8; 33],
    /// r and s in strict DER; s is at most n / 2, as libsecp256k1 demands.
    pub signature: Vec<u8>,
    /// What is signed.
    pub digest: [u8; 32],
}

/// Valid signatures, each of another digest under another key, always the same ones.
pub fn signatures(count: usize) -> Result<Vec<Encoded>> {
    (0..count as u64)
        .map(|number| {
            let digest: [u8; 32] = Sha256::digest(number.to_le_bytes()).into();
            let secret = Sha256::digest(digest).into();
            let secret = library::SecretKey::from_secret_bytes(secret)?;
            let signature = secret.sign_ecdsa(library::Message::from_digest(digest));
            Ok(Encoded {
                key: secret.public_key().serialize(),
                signature: signature.serialize_der().to_vec(),
                digest,
            })
        })
        .collect()
}

/// The same for our library.
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

/// The same as integers.
pub fn parsed(signatures: &[Encoded]) -> Result<Vec<Signature>> {
    let parsed = proofmill::ecdsa::parse(&items(signatures), Policy::default());
    Ok(parsed.into_iter().collect::<Result<_, _>>()?)
}

/// Builds the program and starts it.
pub fn start() -> Result<Program> {
    let folder = program::folder("ecdsa");
    Program::start(&program::build("ecdsa-peer", Some("ecdsa-peer"), C_FLAGS, &folder)?)
}
