//! NTT.

use std::ffi::c_char;

use proofmill::ntt::{self, Field, Request};

use crate::buffer::{bytes, items_mut, text};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, call, proofmill_status};

/// A transform in place, in natural order: from coefficients to values, or back if `inverse`. `field` is "goldilocks" (8
/// bytes an element), "bn254_fr", "bls12_381_fr" (32 bytes), ...; the number of elements is a power of two. `shift` is
/// that of a coset, one element; NULL for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_ntt(
    device: *const proofmill_device,
    field: *const c_char,
    inverse: bool,
    shift: *const u8,
    shift_length: usize,
    elements: *mut u8,
    elements_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let field: Field = text("field", field)?.parse()?;
        let elements = items_mut("elements", elements, elements_length)?;
        let request = match inverse {
            false => Request::forward(field, &*elements),
            true => Request::inverse(field, &*elements),
        };
        let request = match shift.is_null() {
            true => request,
            false if shift_length != field.bytes() => {
                let wanted = field.bytes();
                let problem = format!("{shift_length} bytes; an element of {field} has {wanted}");
                return Err(Failure::argument("shift", problem));
            }
            false => request.on_coset(bytes("shift", shift, shift_length)?),
        };
        elements.copy_from_slice(&ntt::transform(&**device, request)?);
        Ok(())
    })
}
