//! Equihash.

use std::ffi::c_char;

use proofmill::Submit;
use proofmill::equihash::{self, HEADER_BYTES, Network, Params, Personalisation, solve};

use crate::buffer::{Output, Variable, bytes, demand, put_bytes, text};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, Outcome, call, proofmill_status, renamed};

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

/// Finds the solutions of a block header and writes each as a whole header: the 140 bytes, CompactSize and solution, one after the
/// other.
///
/// `header` has the 140 bytes before the solution, the last 32 of which are the nonce. `personalisation` has 8 bytes, or is NULL for
/// Zcash's. `max_bytes` limits the memory of the solver on `cpu:`, where less takes more time; 0 is the default of 1.7 GB. Most nonces have
/// none to five solutions, 1.88 on average at (200,9).
///
/// `*solved_length` is the size of the buffer, and becomes the bytes that were written; `*count` becomes the number of solutions. A buffer for 32 whole
/// headers (of 1,487 bytes at (200,9)) is in practice always large enough. One that is shorter than a header is reported before the search, one
/// that is shorter than the result behind it, each time with the length required.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_equihash_solve(
    device: *const proofmill_device,
    n: u32,
    k: u32,
    personalisation: *const u8,
    header: *const u8,
    header_length: usize,
    max_bytes: u64,
    solved: *mut u8,
    solved_length: *mut usize,
    count: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let params = Params::new(n, k).map_err(renamed("params", "n and k"))?;
        let personalisation = match personalisation.is_null() {
            true => Personalisation::default(),
            false => Personalisation(copied("personalisation", personalisation, 8)?),
        };
        let header: [u8; HEADER_BYTES] = copied("header", header, header_length)?;
        let count = Variable::new("count", count)?;
        count.set(0);
        let space = Variable::new("solved_length", solved_length)?.get();
        if solved.is_null() || space < params.header_bytes() {
            return demand("solved", 32 * params.header_bytes(), solved.cast(), solved_length);
        }
        let max_bytes = (max_bytes > 0).then_some(max_bytes);
        let request = solve::Request::new(params, header);
        let request = solve::Request { personalisation, max_bytes, ..request };
        let found = device.submit(request)?.wait()?.solutions;
        let whole = found.iter().flatten().map(|solution| params.whole_header(&header, solution));
        let whole: Vec<_> = whole.collect();
        put_bytes("solved", &whole.concat(), solved, solved_length)?;
        count.set(whole.len());
        Ok(())
    })
}

/// Copies the N bytes of an argument.
unsafe fn copied<const N: usize>(
    argument: &str,
    pointer: *const u8,
    length: usize,
) -> Outcome<[u8; N]> {
    let found = unsafe { bytes(argument, pointer, length)? };
    found
        .try_into()
        .map_err(|_| Failure::argument(argument, format!("{length} bytes; expected {N}")))
}
