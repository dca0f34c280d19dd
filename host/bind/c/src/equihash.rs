//! Equihash.

use std::ffi::c_char;

use proofmill::equihash::{self, Network, Params};

use crate::buffer::{Output, bytes, text};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, call, proofmill_status, renamed};

/// The header's hash is above its target, or the target is not allowed.
pub const PROOFMILL_EQUIHASH_DIFFICULTY: u8 = 1;
/// The exclusive or of the leaves is not zero.
pub const PROOFMILL_EQUIHASH_XOR: u8 = 2;
/// The first index of a right subtree is not greater than that of its left sibling.
pub const PROOFMILL_EQUIHASH_ORDER: u8 = 4;
/// The exclusive or of a subtree does not start with the zero bits of its level.
pub const PROOFMILL_EQUIHASH_ZEROS: u8 = 8;
/// An index occurs twice.
pub const PROOFMILL_EQUIHASH_DUPLICATE: u8 = 16;
/// The CompactSize is not the solution length of the parameter set.
pub const PROOFMILL_EQUIHASH_SIZE: u8 = 32;

/// Verifies block headers: 140 bytes, CompactSize and solution of each, one after the other.
///
/// `n` and `k` are the parameters of Equihash: 200 and 9 in Zcash. `network` is "main", "test", "regtest", or "none", which does
/// not check the difficulty. `verdicts` has a byte for each header, `verdicts_length` of them; each becomes 0 if the header is
/// valid, else the bits PROOFMILL_EQUIHASH_... of all that is wrong. `headers_length` must be that of so many headers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_equihash_verify_batch(
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
        let device = opened(device)?;
        let params = Params::new(n, k).map_err(renamed("params", "n and k"))?;
        let network: Network = text("network", network)?.parse()?;
        let headers = bytes("headers", headers, headers_length)?;
        let each = params.header_bytes();
        if verdicts_length.checked_mul(each) != Some(headers.len()) {
            let found = headers.len();
            let problem =
                format!("{found} bytes; {verdicts_length} headers for ({params}) have {each} each");
            return Err(Failure::argument("headers", problem));
        }
        let verdicts = Output::exact("verdicts", verdicts, verdicts_length, verdicts_length)?;
        let found = equihash::verify_many(&**device, params, network, headers)?;
        verdicts.write(&found.iter().map(|verdict| verdict.mask()).collect::<Vec<_>>());
        Ok(())
    })
}
