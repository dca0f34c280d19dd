//! Poseidon.

use proofmill::poseidon::{ELEMENT_BYTES, Request, digests};

use crate::buffer::{bytes, exact};
use crate::device::{opened, proofmill_device};
use crate::status::{call, proofmill_status};

/// Filecoin's Poseidon over the scalars of BLS12-381: the digests of preimages of `arity` elements (2 to 36) of 32 bytes each,
/// little-endian, below r. `result` has 32 bytes for each preimage.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_poseidon(
    device: *const proofmill_device,
    arity: usize,
    preimages: *const u8,
    preimages_length: usize,
    result: *mut u8,
    result_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let request = Request::new(arity, bytes("preimages", preimages, preimages_length)?);
        let expected = request.count()? * ELEMENT_BYTES;
        let result = exact("result", result, result_length, expected)?;
        result.copy_from_slice(&digests(&**device, request)?);
        Ok(())
    })
}
