//! Equihash block headers: what `proofmill equihash verify` does, for programs.
//!
//! Every check is always made, so a [`Verdict`] names everything that is wrong with a header:
//!
//! ```
//! use proofmill::equihash::{self, Network, Params, Verdict};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/headers/mainnet-346.hex");
//! # let file = std::fs::read(path)?;
//! # let headers = equihash::read::headers(&file, Params::N200_K9)?;
//! let device = proofmill::open("cpu:?threads=1")?;
//! let mut header = headers.iter().next().ok_or("no header")?.to_vec();
//! header[104..108].copy_from_slice(&[0xff, 0xff, 0x07, 0x20]); // a target above what mainnet allows
//! let verdict = equihash::verify(&device, Params::N200_K9, Network::Main, &header)?;
//! assert!(verdict.mask() & Verdict::DIFFICULTY_FAIL != 0);
//! assert!(verdict.errors().any(|name| name == "xor_non_zero"), "the solution was for another header");
//! # Ok(())
//! # }
//! ```
//!
//! Many headers at once, without waiting for one request before the next:
//!
//! ```
//! use proofmill::equihash::{self, Network, Params};
//! use proofmill::Submit;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/headers/mainnet-346.hex");
//! # let file = std::fs::read(path)?;
//! # let headers = equihash::read::headers(&file, Params::N200_K9)?;
//! # let header = headers.iter().next().ok_or("no header")?;
//! let device = proofmill::open("cpu:")?;
//! let request = equihash::Request::new(Params::N200_K9, Network::Main, header);
//! let first = device.submit(request.clone())?;
//! let second = device.submit(request)?;
//! for ticket in [first, second] {
//!     let response = ticket.wait()?;
//!     assert!(response.verdicts.iter().all(|verdict| verdict.is_valid()));
//! }
//! # Ok(())
//! # }
//! ```

pub mod read;

/// Solutions of headers.
pub mod solve {
    pub use proofmill_op::equihash_solve::{Request, Response};
}

use std::fmt;

pub use proofmill_op::equihash_verify::{
    HEADER_BYTES, Network, Params, Personalisation, Request, Response, Verdict,
};
use sha2::{Digest, Sha256};

use crate::malformed::malformed;
use crate::{Data, Device, Error, Result, Submit};

/// Verifies one header, [`Params::header_bytes`] long, and waits for the verdict.
pub fn verify(
    device: &dyn Device,
    params: Params,
    network: Network,
    header: &[u8],
) -> Result<Verdict> {
    let expected = params.header_bytes();
    if header.len() != expected {
        let problem = format!("{} bytes; a header for ({params}) has {expected}", header.len());
        return Err(Error::argument("header", problem));
    }
    let verdicts = verify_many(device, params, network, header)?;
    verdicts.first().copied().ok_or_else(|| malformed(device, "no verdict for a header"))
}

/// Verifies concatenated headers and waits for their verdicts.
pub fn verify_many(
    device: &dyn Device,
    params: Params,
    network: Network,
    headers: impl Into<Data>,
) -> Result<Vec<Verdict>> {
    let request = Request::new(params, network, headers);
    Ok(device.submit(request)?.wait()?.verdicts)
}

/// Finds the solutions of one header, the 140 bytes before the solution: each packed as in a block.
///
/// ```
/// use proofmill::equihash::{self, HEADER_BYTES, Network, Params};
///
/// # fn main() -> proofmill::Result<()> {
/// let (device, params) = (proofmill::open("cpu:")?, Params::N48_K5);
/// let header = [1; HEADER_BYTES];
/// for solution in equihash::find_solutions(&device, params, &header)? {
///     let whole = params.whole_header(&header, &solution);
///     assert!(equihash::verify(&device, params, Network::None, &whole)?.is_valid());
/// }
/// # Ok(())
/// # }
/// ```
///
/// For many nonces, another personalisation, a limit of the memory or progress, submit a [`solve::Request`].
pub fn find_solutions(
    device: &dyn Device,
    params: Params,
    header: &[u8; HEADER_BYTES],
) -> Result<Vec<Vec<u8>>> {
    let mut found = device.submit(solve::Request::new(params, *header))?.wait()?.solutions;
    found.pop().ok_or_else(|| malformed(device, "no solutions for a header"))
}

/// The name of a block: SHA-256 of SHA-256 of its header, the solution included. Shown, as everywhere on the Zcash
/// network, with the last byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockHash([u8; 32]);

impl BlockHash {
    /// The hash of a whole header.
    pub fn of(header: &[u8]) -> Self {
        Self(Sha256::digest(Sha256::digest(header)).into())
    }

    /// Returns the bytes in the order of the hash function.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Display for BlockHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
