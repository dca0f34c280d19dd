//! Verifiable delay functions.

use std::ffi::c_char;

use proofmill::vdf::record::{Record, claim};
use proofmill::vdf::wesolowski::{Settings, prove};
use proofmill::vdf::{Claim, evaluate, format_number};

use crate::buffer::{Variable, demand, put_text, text};
use crate::device::{opened, proofmill_device};
use crate::status::{call, proofmill_status};

/// Bytes of a proof's JSON besides its four numbers, at most.
const OTHER_BYTES: usize = 256;

/// Returns the most characters of a number below the modulus.
fn number_bytes(claim: &Claim) -> usize {
    "0x".len() + 2 * claim.byte_count()
}

/// Computes y = x^(2^squarings) modulo N and writes the smaller of y and N - y, `0x` and hex digits.
///
/// `modulus` is a number or the name of one: "rsa-1024", "rsa-2048". Numbers are strings of decimal digits, or `0x` and hex digits.
/// `*output_length` is the size of the buffer, and becomes the bytes that the text and its zero byte take; a buffer of 1,027 bytes is always
/// large enough. A shorter one is reported before the evaluation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_vdf_evaluate(
    device: *const proofmill_device,
    modulus: *const c_char,
    input: *const c_char,
    squarings: u64,
    output: *mut c_char,
    output_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let claim = claim(text("modulus", modulus)?, text("input", input)?, squarings)?;
        // Before the work, so that a short buffer does not lose it.
        demand("output", number_bytes(&claim) + 1, output, output_length)?;
        let found = evaluate(device, &claim)?;
        put_text("output", &format_number(&found), output, output_length)
    })
}

/// Computes y = x^(2^squarings) modulo N, proves it (Wesolowski, ePrint 2018/623), and writes the proof as JSON.
///
/// `max_bytes` limits the memory of the proof; 0 is the default of 256 MiB. A buffer of 4,360 bytes is always large enough. The other
/// arguments are those of proofmill_vdf_evaluate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_vdf_prove(
    device: *const proofmill_device,
    modulus: *const c_char,
    input: *const c_char,
    squarings: u64,
    max_bytes: u64,
    proof: *mut c_char,
    proof_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let claim = claim(text("modulus", modulus)?, text("input", input)?, squarings)?;
        demand("proof", 4 * number_bytes(&claim) + OTHER_BYTES, proof, proof_length)?;
        let default = Settings::default();
        let max_bytes = if max_bytes == 0 { default.max_bytes } else { max_bytes };
        let found = prove(device, &claim, &Settings { max_bytes, ..default })?;
        put_text("proof", &Record::of(&claim, &found).to_json()?, proof, proof_length)
    })
}

/// Verifies a proof as JSON: of Wesolowski or Pietrzak modulo N, or of Chia's VDF. Sets `*valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_vdf_verify(
    proof: *const c_char,
    valid: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let valid = Variable::new("valid", valid)?;
        valid.set(false);
        valid.set(Record::from_json(text("proof", proof)?)?.verify()?);
        Ok(())
    })
}
