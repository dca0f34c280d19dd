//! NTT.

use std::ffi::c_char;

use proofmill::ntt::{self, Field, Request};
use zeroize::Zeroizing;

use crate::buffer::{Flag, Output, bytes, text};
use crate::device::{opened, proofmill_device};
use crate::secret;
use crate::status::{Failure, call, proofmill_status, renamed};

/// Transforms `elements` in place, in natural order: from coefficients to values, or back if `inverse` is true.
///
/// `field` is "goldilocks" (elements of 8 bytes), "bn254_fr", "bls12_381_fr" (32 bytes), and others. Elements are little-endian
/// and below the modulus; their number is a power of two. `shift` is the shift of a coset, one element other than 0; NULL with a
/// length of 0 for no coset. On failure `elements` is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_ntt(
    device: *const proofmill_device,
    field: *const c_char,
    inverse: Flag,
    shift: *const u8,
    shift_length: usize,
    elements: *mut u8,
    elements_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let field: Field = text("field", field)?.parse()?;
        let output = Output::exact("elements", elements, elements_length, elements_length)?;
        let elements = secret::data(bytes("elements", elements, elements_length)?);
        let request = match inverse.value("inverse")? {
            false => Request::forward(field, elements),
            true => Request::inverse(field, elements),
        };
        let expected = field.bytes();
        let request = match bytes("shift", shift, shift_length)? {
            [] if shift.is_null() => request,
            shift if shift.len() == expected => request.on_coset(shift),
            shift => {
                let found = shift.len();
                let problem = format!("{found} bytes; an element of {field} has {expected}");
                return Err(Failure::argument("shift", problem));
            }
        };
        let transformed = ntt::transform(&**device, request).map_err(renamed("coset", "shift"))?;
        output.write(&Zeroizing::new(transformed));
        Ok(())
    })
}
