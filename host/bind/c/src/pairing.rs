//! Pairings, and the signatures that are verified with them.

use std::ffi::c_char;

use proofmill::bls::{self, PublicKey, Scheme, Signature, Variant};
use proofmill::pairing;

use crate::buffer::{Output, Variable, bytes, text};
use crate::status::{Failure, Outcome, call, proofmill_status, renamed};

/// The schemes of draft-irtf-cfrg-bls-signature-05, section 3.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum proofmill_bls_scheme {
    /// Basic (ciphersuites ..._NUL_): Filecoin's and drand's.
    PROOFMILL_BLS_BASIC = 0,
    /// Message augmentation (ciphersuites ..._AUG_): the public key and the message are signed.
    PROOFMILL_BLS_MESSAGE_AUGMENTATION = 1,
    /// Proof of possession (ciphersuites ..._POP_): Ethereum's.
    PROOFMILL_BLS_PROOF_OF_POSSESSION = 2,
}

/// Computes the product of the pairings of points of G1 with as many points of G2; 1 for none.
///
/// `curve` is "bn254" or "bls12_381". Points are those of proofmill_msm; each is checked to be on the curve and in its subgroup.
/// `result` receives twelve numbers of 32 or 48 bytes: the coefficients over Fp2 of 1, w, ..., w^5.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_pairing(
    curve: *const c_char,
    g1: *const u8,
    g1_length: usize,
    g2: *const u8,
    g2_length: usize,
    result: *mut u8,
    result_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let curve = pairing::curve(text("curve", curve)?)?;
        let (g1, g2) = (bytes("g1", g1, g1_length)?, bytes("g2", g2, g2_length)?);
        let product = pairing::product(curve, g1, g2)?;
        Output::exact("result", result, result_length, product.len())?.write(&product);
        Ok(())
    })
}

/// Sets `*is_one` to whether the product of proofmill_pairing is 1. On failure it is false.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_pairing_is_one(
    curve: *const c_char,
    g1: *const u8,
    g1_length: usize,
    g2: *const u8,
    g2_length: usize,
    is_one: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let is_one = Variable::new("is_one", is_one)?;
        is_one.set(false);
        let curve = pairing::curve(text("curve", curve)?)?;
        let (g1, g2) = (bytes("g1", g1, g1_length)?, bytes("g2", g2, g2_length)?);
        is_one.set(pairing::is_one(curve, g1, g2)?);
        Ok(())
    })
}

/// Verifies a BLS signature of a message on BLS12-381, and sets `*valid`. On failure `*valid` is false.
///
/// `scheme` is a proofmill_bls_scheme. Points are compressed: a public key has 48 bytes and the signature 96, or the public key
/// 96 and the signature 48. A public key or signature that is not a point of its subgroup, and the identity as a public key, are
/// invalid arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bls_verify(
    scheme: i32,
    public_key: *const u8,
    public_key_length: usize,
    message: *const u8,
    message_length: usize,
    signature: *const u8,
    signature_length: usize,
    valid: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let valid = Variable::new("valid", valid)?;
        valid.set(false);
        let scheme = scheme_of(scheme)?;
        let key = bytes("public_key", public_key, public_key_length)?;
        let variant = Variant::ALL.into_iter().find(|variant| variant.key_bytes() == key.len());
        let variant = variant.ok_or_else(|| {
            Failure::argument("public_key", format!("{} bytes; expected 48 or 96", key.len()))
        })?;
        let key =
            PublicKey::from_bytes(variant, key).map_err(renamed("public key", "public_key"))?;
        let signature = bytes("signature", signature, signature_length)?;
        let expected = variant.signature_bytes();
        if signature.len() != expected {
            let found = signature.len();
            let problem = format!("{found} bytes; expected {expected} for this public_key");
            return Err(Failure::argument("signature", problem));
        }
        let signature = Signature::from_bytes(variant, signature)?;
        let message = bytes("message", message, message_length)?;
        valid.set(bls::verify(scheme, &key, message, &signature)?);
        Ok(())
    })
}

fn scheme_of(scheme: i32) -> Outcome<Scheme> {
    match scheme {
        0 => Ok(Scheme::Basic),
        1 => Ok(Scheme::MessageAugmentation),
        2 => Ok(Scheme::ProofOfPossession),
        other => Err(Failure::argument("scheme", format!("{other} is not a proofmill_bls_scheme"))),
    }
}
