//! Equihash.

use std::ffi::c_char;

use proofmill::equihash::{self, Network, Params};

use crate::buffer::{bytes, items_mut, text};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, call, proofmill_status};

/// The header's hash is above its target, or the target is not allowed.
pub const PROOFMILL_EQUIHASH_DIFFICULTY: u8 = 1;
/// The leaves' exclusive or is not zero.
pub const PROOFMILL_EQUIHASH_XOR: u8 = 2;
/// A right subtree's first index is not greater than its left sibling's.
pub const PROOFMILL_EQUIHASH_ORDER: u8 = 4;
/// A subtree's exclusive or does not start with the zero bits of its level.
pub const PROOFMILL_EQUIHASH_ZEROS: u8 = 8;
/// An index occurs twice.
pub const PROOFMILL_EQUIHASH_DUPLICATE: u8 = 16;
/// The CompactSize is not the parameter set's solution length.
pub const PROOFMILL_EQUIHASH_SIZE: u8 = 32;

/// Verifies block headers that stand one after the other: 140 bytes, CompactSize, solution. `n` and `k` are Equihash's
/// parameters (200 and 9 in Zcash), `network` is "main", "test", "regtest" or "none" (the difficulty is not checked). For each
/// header a byte of `verdicts`: 0 if it is valid, else the PROOFMILL_EQUIHASH_... bits of all that is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_equihash_verify(
    device: *const proofmill_device,
    n: u32,
    k: u32,
    network: *const c_char,
    headers: *const u8,
    headers_length: usize,
    verdicts: *mut u8,
    verdicts_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let (device, params) = (opened(device)?, Params::new(n, k)?);
        let network: Network = text("network", network)?.parse()?;
        let headers = bytes("headers", headers, headers_length)?;
        let verdicts = items_mut("verdicts", verdicts, verdicts_length)?;
        let each = params.header_bytes();
        if verdicts.len().checked_mul(each) != Some(headers.len()) {
            let problem = format!(
                "{} bytes; {} headers for ({params}) have {each} each",
                headers.len(),
                verdicts.len()
            );
            return Err(Failure::argument("headers", problem));
        }
        let found = equihash::verify_many(&**device, params, network, headers)?;
        for (place, verdict) in verdicts.iter_mut().zip(found) {
            *place = verdict.mask();
        }
        Ok(())
    })
}
