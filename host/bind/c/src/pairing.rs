//! Pairings, and the signatures that are verified with them.

use std::ffi::c_char;

use proofmill::bls::{self, PublicKey, Scheme, Signature, Variant};
use proofmill::pairing;

use crate::buffer::{bytes, exact, place, text};
use crate::status::{call, proofmill_status};

/// The product of the pairings of points of G1 with as many of G2, on "bn254" or "bls12_381": twelve numbers, the coefficients over Fp2 of
/// 1, w, ..., w^5. Points are those of proofmill_msm, and each is checked to be in its subgroup.
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
        exact("result", result, result_length, product.len())?.copy_from_slice(&product);
        Ok(())
    })
}

/// Is the product of these pairings 1?
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
        let place = place("is_one", is_one)?;
        *place = false;
        let curve = pairing::curve(text("curve", curve)?)?;
        *place = pairing::is_one(curve, bytes("g1", g1, g1_length)?, bytes("g2", g2, g2_length)?)?;
        Ok(())
    })
}

/// Is this a BLS signature on BLS12-381 of the message? Compressed points, as Ethereum and Filecoin have them: keys of 48 bytes and signatures of
/// 96, or the other way round if the key has 96. With `proof_of_possession`, of Ethereum's scheme, else of the basic one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bls_verify(
    proof_of_possession: bool,
    key: *const u8,
    key_length: usize,
    message: *const u8,
    message_length: usize,
    signature: *const u8,
    signature_length: usize,
    valid: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let place = place("valid", valid)?;
        *place = false;
        let key = bytes("key", key, key_length)?;
        let variant = if key.len() == 96 { Variant::MinSig } else { Variant::MinPk };
        let scheme = if proof_of_possession { Scheme::ProofOfPossession } else { Scheme::Basic };
        let key = PublicKey::from_bytes(variant, key)?;
        let signature = bytes("signature", signature, signature_length)?;
        let signature = Signature::from_bytes(variant, signature)?;
        *place = bls::verify(scheme, &key, bytes("message", message, message_length)?, &signature)?;
        Ok(())
    })
}
