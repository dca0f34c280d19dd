//! Keccak-256 of many messages, as Ethereum uses it.
//!
//! ```
//! use proofmill::keccak256;
//!
//! # fn main() -> proofmill::Result<()> {
//! let device = proofmill::open("cpu:?threads=1")?;
//! // Two messages of three bytes.
//! let digests = keccak256::hash(&device, 3, *b"abcxyz")?;
//! assert_eq!(digests.len(), 2 * keccak256::DIGEST_BYTES);
//! assert_eq!(digests[..4], [0x4e, 0x03, 0x65, 0x7a]);
//! # Ok(())
//! # }
//! ```
//!
//! For progress, or not to wait, submit a [`Request`].

pub use proofmill_op::keccak256::{DIGEST_BYTES, Request, Response};

use crate::{Data, Device, Result, Submit};

/// Hashes messages of `message_bytes` bytes each, and waits for the digests.
pub fn hash(
    device: &dyn Device,
    message_bytes: usize,
    messages: impl Into<Data>,
) -> Result<Vec<u8>> {
    Ok(device.submit(Request::new(message_bytes, messages))?.wait()?.digests)
}
