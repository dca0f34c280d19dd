//! Poseidon.

use proofmill::poseidon::{ELEMENT_BYTES, Request, digests};

use crate::buffer::{Output, bytes};
use crate::device::{opened, proofmill_device};
use crate::secret;
use crate::status::{call, proofmill_status};

/// Hashes preimages with Filecoin's Poseidon over the scalars of BLS12-381.
///
/// Each preimage is `arity` elements (2 to 36) of 32 bytes, little-endian, below r; `preimages_length` is a multiple of 32 x
/// `arity`. `result` receives a digest of 32 bytes for each preimage.
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
        let preimages = secret::data(bytes("preimages", preimages, preimages_length)?);
        let request = Request::new(arity, preimages);
        let expected = request.count()? * ELEMENT_BYTES;
        let result = Output::exact("result", result, result_length, expected)?;
        result.write(&digests(device, request)?);
        Ok(())
    })
}
