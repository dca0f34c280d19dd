//! ECDSA signatures on secp256k1, as Bitcoin and transparent Zcash use them: the API of `proofmill ecdsa verify`.
//!
//! An [`Item`] contains a signature, its key and the signed digest, as bytes. The outcome is valid, or the reason why the signature is
//! invalid:
//!
//! ```
//! use proofmill::ecdsa::{self, Encoded, Hash, Item, Outcome, Policy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let file = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/signatures/forms.jsonl"));
//! # let last = ecdsa::file::Reader::new(file.as_bytes())?.last().ok_or("no line")??.item?;
//! # let (key, Encoded::Der(der)) = (last.key, last.signature) else { return Err("not DER".into()) };
//! let device = proofmill::open("cpu:")?;
//! let digest = Hash::Sha256d.digest(b"hello");
//! let item = Item { key, signature: Encoded::Der(der), digest };
//! assert_eq!(ecdsa::verify(&device, &item, Policy::default())?, Outcome::Valid);
//!
//! // Any number at once. The outcome of an invalid signature contains the reason.
//! let other = Item { digest: Hash::Sha256.digest(b"hello"), ..item.clone() };
//! let short = Item { key: item.key[..32].to_vec(), ..item.clone() };
//! let items = [item, other, short];
//! let outcomes = ecdsa::verify_batch(&device, &items, Policy::default())?;
//! assert_eq!(outcomes[1].to_string(), "invalid: failed_sig_ver");
//! assert_eq!(outcomes[2].to_string(), "invalid: key: 32 bytes where the form has 33");
//!
//! // Or only the invalid ones.
//! let bad = ecdsa::find_invalid(&device, &items, Policy::default())?;
//! assert_eq!(bad.iter().map(|bad| bad.index).collect::<Vec<_>>(), [1, 2]);
//! # Ok(())
//! # }
//! ```
//!
//! # Accepted encodings
//!
//! * Keys: SEC 1 version 2.0, section 2.3.3, compressed (33 bytes) and uncompressed (65), and the hybrid form of 65
//!   bytes (06 and 07), which is valid in Bitcoin's and Zcash's consensus, if its first byte is consistent with y.
//! * Signatures: [`Encoded::Der`] as BIP 66 requires it, or [`Encoded::Compact`], r and s of 32 bytes, highest first.
//! * An s above n / 2, unless [`Policy::low_s`] forbids it: if (r, s) is a valid signature, so is (r, n - s). A node that relays
//!   a signature can therefore change its bytes; Bitcoin's relay policy and BIP 146 accept only the low s.
//! * Digests of 32 bytes, as the hash function gives them. Of a longer hash, ECDSA takes the leftmost 32.
//!
//! [`mod@file`] reads signatures from files, however large.

mod batch;
pub mod file;
mod key;
mod outcome;
mod signature;

use std::collections::VecDeque;
use std::str::FromStr;

pub use batch::{Pending, parse, submit};
pub use outcome::{Outcome, Rejection};
pub use proofmill_algebra::encoding::EncodingError as KeyError;
pub use proofmill_op::ecdsa_verify::{Request, Response, SIGNATURE_BYTES, Signature, Verdict};
use sha2::{Digest as _, Sha256};
pub use signature::{Encoded, SignatureError};

use crate::{Device, DeviceKind, Error, Result};

/// A signature, its key and the signed digest, not parsed yet. `B` holds bytes: `Vec<u8>`, `&[u8]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item<B = Vec<u8>> {
    /// The public key in a form of SEC 1.
    pub key: B,
    /// The signature.
    pub signature: Encoded<B>,
    /// The digest, in the order in which the hash function gives the bytes.
    pub digest: [u8; 32],
}

/// Requirements on signatures beyond the validity of ECDSA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Require that s is at most n / 2.
    pub low_s: bool,
}

/// The hash function that turns a message into a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-256 of SHA-256, as Bitcoin signs.
    Sha256d,
}

impl Hash {
    /// Returns the digest of a message.
    pub fn digest(self, message: &[u8]) -> [u8; 32] {
        let once = Sha256::digest(message);
        match self {
            Self::Sha256 => once.into(),
            Self::Sha256d => Sha256::digest(once).into(),
        }
    }
}

impl FromStr for Hash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "sha256" => Ok(Self::Sha256),
            "sha256d" => Ok(Self::Sha256d),
            other => {
                let problem = format!("'{other}' is unknown; there are sha256 and sha256d");
                Err(Error::argument("hash", problem))
            }
        }
    }
}

/// Verifies one signature and waits for the outcome.
pub fn verify<B: AsRef<[u8]>>(
    device: &dyn Device,
    item: &Item<B>,
    policy: Policy,
) -> Result<Outcome> {
    let mut outcomes = submit(device, std::slice::from_ref(item), policy)?.wait()?;
    Ok(outcomes.remove(0))
}

/// Verifies any number of signatures. Returns one outcome for each item, in the order of items.
pub fn verify_batch<B: AsRef<[u8]>>(
    device: &dyn Device,
    items: &[Item<B>],
    policy: Policy,
) -> Result<Vec<Outcome>> {
    let (most, mut ahead) = (device.caps().queue.max(2), VecDeque::new());
    let mut outcomes = Vec::with_capacity(items.len());
    for chunk in items.chunks(request_items(device)) {
        if ahead.len() >= most {
            outcomes.extend(ahead.pop_front().map_or(Ok(Vec::new()), Pending::wait)?);
        }
        ahead.push_back(submit(device, chunk, policy)?);
    }
    for pending in ahead {
        outcomes.extend(pending.wait()?);
    }
    Ok(outcomes)
}

/// An invalid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invalid {
    /// The index of the item, from 0.
    pub index: usize,
    /// The reason.
    pub rejection: Rejection,
}

/// Verifies any number of signatures. Returns the invalid ones in the order of items; none if all are valid.
pub fn find_invalid<B: AsRef<[u8]>>(
    device: &dyn Device,
    items: &[Item<B>],
    policy: Policy,
) -> Result<Vec<Invalid>> {
    let outcomes = verify_batch(device, items, policy)?;
    let bad = |(index, outcome)| match outcome {
        Outcome::Valid => None,
        Outcome::Invalid(rejection) => Some(Invalid { index, rejection }),
    };
    Ok(outcomes.into_iter().enumerate().filter_map(bad).collect())
}

/// Returns the number of items to pass to one [`submit`] when there are many items and several requests are outstanding: enough for
/// the CPU's batches, and few for a simulated circuit, so that responses arrive in small portions.
pub fn request_items(device: &dyn Device) -> usize {
    match device.caps().kind {
        DeviceKind::Cpu => 1024,
        _ => 64,
    }
}
