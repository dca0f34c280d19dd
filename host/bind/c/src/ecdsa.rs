//! ECDSA.

use proofmill::ecdsa::{self, Encoded, Item, Outcome, Policy, Rejection};

use crate::buffer::{bytes, items, items_mut};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, call, proofmill_status};

/// The form of a signature.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum proofmill_form {
    /// Strict DER, without the byte of the hash type.
    PROOFMILL_DER = 0,
    /// r and s of 32 bytes each, highest byte first.
    PROOFMILL_COMPACT = 1,
}

/// A signature on secp256k1, its key and the digest that it signs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct proofmill_signature {
    /// The public key in a form of SEC 1: 33 or 65 bytes.
    pub key: *const u8,
    /// Its length.
    pub key_length: usize,
    /// The signature.
    pub signature: *const u8,
    /// Its length.
    pub signature_length: usize,
    /// A proofmill_form.
    pub form: i32,
    /// The digest, in the order in which the hash function gives the bytes.
    pub digest: [u8; 32],
}

/// r is 0, or not below n.
pub const PROOFMILL_ECDSA_R_OUT_OF_RANGE: u32 = 1;
/// s is 0, or not below n.
pub const PROOFMILL_ECDSA_S_OUT_OF_RANGE: u32 = 2;
/// The sum of the two multiples is the identity.
pub const PROOFMILL_ECDSA_INFINITY: u32 = 4;
/// The signature is not valid; comes with every bit of a device.
pub const PROOFMILL_ECDSA_FAILED: u32 = 8;
/// The published card's timeout; no device of ours says it.
pub const PROOFMILL_ECDSA_TIMEOUT: u32 = 16;
/// The key has a coordinate that is not below p, or is not on the curve.
pub const PROOFMILL_ECDSA_INVALID_KEY: u32 = 32;
/// The signature's bytes are no signature.
pub const PROOFMILL_ECDSA_BAD_SIGNATURE: u32 = 256;
/// The key's bytes are no key.
pub const PROOFMILL_ECDSA_BAD_KEY: u32 = 512;
/// s is above n / 2, and `low_s` forbids it.
pub const PROOFMILL_ECDSA_HIGH_S: u32 = 1024;

/// Verifies `count` signatures. Of each, `outcomes` says 0 if it is valid, else the PROOFMILL_ECDSA_... bits of what is wrong.
/// With `low_s`, an s above n / 2 is wrong, as in Bitcoin's relay policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_ecdsa_verify(
    device: *const proofmill_device,
    low_s: bool,
    signatures: *const proofmill_signature,
    count: usize,
    outcomes: *mut u32,
) -> proofmill_status {
    call(|| unsafe {
        let device = opened(device)?;
        let outcomes = items_mut("outcomes", outcomes, count)?;
        let read = |(index, signature): (usize, &proofmill_signature)| {
            let named = |field| format!("signatures[{index}].{field}");
            let key = bytes(&named("key"), signature.key, signature.key_length)?;
            let body = bytes(&named("signature"), signature.signature, signature.signature_length)?;
            let encoded = match signature.form {
                0 => Encoded::Der(body),
                1 => Encoded::Compact(body),
                other => {
                    let problem = format!("{other} is no proofmill_form");
                    return Err(Failure::argument(&named("form"), problem));
                }
            };
            Ok(Item { key, signature: encoded, digest: signature.digest })
        };
        let given = items("signatures", signatures, count)?;
        let read: Vec<_> = given.iter().enumerate().map(read).collect::<Result<_, Failure>>()?;
        let verified = ecdsa::verify_batch(&**device, &read, Policy { low_s })?;
        for (outcome, verified) in outcomes.iter_mut().zip(&verified) {
            *outcome = bits(verified);
        }
        Ok(())
    })
}

fn bits(outcome: &Outcome) -> u32 {
    match outcome.rejection() {
        None => 0,
        Some(Rejection::Verdict(verdict)) => verdict.mask().into(),
        Some(Rejection::Key(_)) => PROOFMILL_ECDSA_BAD_KEY,
        Some(Rejection::HighS) => PROOFMILL_ECDSA_HIGH_S,
        Some(_) => PROOFMILL_ECDSA_BAD_SIGNATURE,
    }
}
