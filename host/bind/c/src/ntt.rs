//! NTT, and the chain of them in Groth16.

use std::ffi::c_char;

use proofmill::Submit;
use proofmill::ntt::{self, Field, Quotient, QuotientResponse, Request};
use zeroize::Zeroizing;

use crate::buffer::{Flag, Output, bytes, text};
use crate::device::{opened, proofmill_device};
use crate::secret;
use crate::status::{Failure, Outcome, call, proofmill_status, renamed};

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
        let request = match bytes("shift", shift, shift_length)? {
            [] if shift.is_null() => request,
            shift => request.on_coset(element(field, shift)?),
        };
        let transformed = ntt::transform(&**device, request).map_err(renamed("coset", "shift"))?;
        output.write(&Zeroizing::new(transformed));
        Ok(())
    })
}

/// Computes a b - c on a coset, for polynomials a, b and c below degree n with the values `a`, `b` and `c` at the powers of the root
/// of unity. `result` receives the values on the coset with this shift g. Where a b = c at all powers of the root, they are those
/// of the quotient of a b - c by x^n - 1, times g^n - 1: the polynomial h of Groth16.
///
/// The elements are those of proofmill_ntt. Each list has n of them and `list_length` bytes, and so has `result`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_quotient(
    device: *const proofmill_device,
    field: *const c_char,
    shift: *const u8,
    shift_length: usize,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    list_length: usize,
    result: *mut u8,
    result_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let field: Field = text("field", field)?.parse()?;
        let shift = element(field, bytes("shift", shift, shift_length)?)?;
        let output = Output::exact("result", result, result_length, list_length)?;
        let [a, b, c] = [("a", a), ("b", b), ("c", c)].map(|(name, list)| {
            let list = bytes(name, list, list_length)?;
            Ok::<_, Failure>(secret::data(list))
        });
        let request = Quotient::new(field, [a?, b?, c?], shift);
        let computed = device.submit(request).and_then(|ticket| ticket.wait());
        let named = |error| {
            let names = [("coset", "shift"), ("lists: list 0", "a"), ("lists: list 1", "b")];
            let names = names.into_iter().chain([("lists: list 2", "c"), ("lists", "a")]);
            names.fold(Failure::from(error), |failure, (from, to)| failure.renamed(from, to))
        };
        match computed.map_err(named)? {
            QuotientResponse::Elements(values) if values.len() == list_length => {
                output.write(&values);
                Ok(())
            }
            _ => {
                let (device, problem) = (device.caps().uri.clone(), "a quotient of another length");
                Err(proofmill::Error::Failed { device, problem: problem.into() }.into())
            }
        }
    })
}

/// Returns a shift of the right length.
fn element(field: Field, shift: &[u8]) -> Outcome<&[u8]> {
    let (found, expected) = (shift.len(), field.bytes());
    if found == expected {
        return Ok(shift);
    }
    let problem = format!("{found} bytes; an element of {field} has {expected}");
    Err(Failure::argument("shift", problem))
}
