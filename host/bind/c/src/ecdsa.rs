//! ECDSA.

use proofmill::ecdsa::{self, Encoded, Item, Outcome, Policy, Rejection};

use crate::buffer::{Flag, Output, bytes, items};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, call, proofmill_status};

/// The encoding of a signature.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum proofmill_form {
    /// Strict DER, without the hash type byte.
    PROOFMILL_FORM_DER = 0,
    /// r and s of 32 bytes each, most significant byte first.
    PROOFMILL_FORM_COMPACT = 1,
}

/// A signature on secp256k1, its public key and the digest that it signs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct proofmill_signature {
    /// The public key, encoded as in SEC 1: 33 or 65 bytes.
    pub key: *const u8,
    /// Its length in bytes.
    pub key_length: usize,
    /// The signature.
    pub signature: *const u8,
    /// Its length in bytes.
    pub signature_length: usize,
    /// A proofmill_form.
    pub form: i32,
    /// The digest, in the byte order of the hash function.
    pub digest: [u8; 32],
}

/// r is 0, or not below n.
pub const PROOFMILL_ECDSA_R_OUT_OF_RANGE: u32 = 1;
/// s is 0, or not below n.
pub const PROOFMILL_ECDSA_S_OUT_OF_RANGE: u32 = 2;
/// The sum of the two multiples is the identity.
pub const PROOFMILL_ECDSA_INFINITY: u32 = 4;
/// The signature is not valid. Accompanies every bit that a device sets.
pub const PROOFMILL_ECDSA_FAILED: u32 = 8;
/// The timeout of the published card; no device of proofmill sets it.
pub const PROOFMILL_ECDSA_TIMEOUT: u32 = 16;
/// A coordinate of the key is not below p, or the key is not on the curve.
pub const PROOFMILL_ECDSA_INVALID_KEY: u32 = 32;
/// The bytes of the signature are not in its form.
pub const PROOFMILL_ECDSA_BAD_SIGNATURE: u32 = 256;
/// The bytes of the key are not in a form of SEC 1.
pub const PROOFMILL_ECDSA_BAD_KEY: u32 = 512;
/// s is above n / 2, which `low_s` forbids.
pub const PROOFMILL_ECDSA_HIGH_S: u32 = 1024;

/// Verifies `count` signatures, and sets as many `outcomes`: 0 for a valid signature, else the bits PROOFMILL_ECDSA_... of what
/// is wrong. If `low_s` is true, an s above n / 2 is wrong, as in Bitcoin's relay policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_ecdsa_verify_batch(
    device: *const proofmill_device,
    low_s: Flag,
    signatures: *const proofmill_signature,
    count: usize,
    outcomes: *mut u32,
) -> proofmill_status {
    call(|| unsafe {
        let (device, low_s) = (opened(device)?, low_s.value("low_s")?);
        let outcomes = Output::exact("outcomes", outcomes, count, count)?;
        let read = |(index, signature): (usize, &proofmill_signature)| {
            let named = |field| format!("signatures[{index}].{field}");
            let key = bytes(&named("key"), signature.key, signature.key_length)?;
            let body = bytes(&named("signature"), signature.signature, signature.signature_length)?;
            let encoded = match signature.form {
                0 => Encoded::Der(body),
                1 => Encoded::Compact(body),
                other => {
                    let problem = format!("{other} is not a proofmill_form");
                    return Err(Failure::argument(&named("form"), problem));
                }
            };
            Ok(Item { key, signature: encoded, digest: signature.digest })
        };
        let given = items("signatures", signatures, count)?;
        let read: Vec<_> = given.iter().enumerate().map(read).collect::<Result<_, Failure>>()?;
        let verified = ecdsa::verify_batch(&**device, &read, Policy { low_s })?;
        outcomes.write(&verified.iter().map(bits).collect::<Vec<_>>());
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
