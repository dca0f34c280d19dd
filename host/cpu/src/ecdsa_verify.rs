//! `ecdsa_verify` on the processor: [`ecdsa`] does it; here are the bytes, the error bits and the threads.

use proofmill_algebra::secp256k1::ecdsa::{self, Claim};
use proofmill_op::ecdsa_verify::{Response, SIGNATURE_BYTES, Verdict};
use proofmill_op::{Error, Result};
use rayon::prelude::*;

/// Signatures in one chunk of work: some hundred microseconds to some milliseconds, between two looks at the
/// cancellation.
const CHUNK: usize = 256;

/// Verdicts for these signatures, on the threads of the caller's pool.
pub(crate) fn verify(signatures: &[u8], cancelled: impl Fn() -> bool + Sync) -> Result<Response> {
    let mut verdicts = vec![Verdict::default(); signatures.len() / SIGNATURE_BYTES];
    let chunks = signatures.par_chunks(CHUNK * SIGNATURE_BYTES);
    verdicts.par_chunks_mut(CHUNK).zip(chunks).try_for_each(|(verdicts, signatures)| {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        decide(signatures, verdicts);
        Ok(())
    })?;
    Ok(Response { verdicts, cycles: None })
}

/// Verdicts for these signatures on the caller's own thread: for few of them.
pub(crate) fn verify_here(signatures: &[u8]) -> Response {
    let mut verdicts = vec![Verdict::default(); signatures.len() / SIGNATURE_BYTES];
    decide(signatures, &mut verdicts);
    Response { verdicts, cycles: None }
}

fn decide(signatures: &[u8], verdicts: &mut [Verdict]) {
    let (signatures, _) = signatures.as_chunks();
    for (signature, verdict) in signatures.iter().zip(verdicts) {
        *verdict = Verdict::from_mask(mask(ecdsa::verify_vartime(&claim(signature))));
    }
}

/// s, r, hash, qx, qy, in this order.
fn claim(signature: &[u8; SIGNATURE_BYTES]) -> Claim {
    let (words, _) = signature.as_chunks();
    let integer = |i: usize| std::array::from_fn(|j| u64::from_le_bytes(words[4 * i + j]));
    Claim { s: integer(0), r: integer(1), z: integer(2), qx: integer(3), qy: integer(4) }
}

/// The error bits; [`Verdict::FAILED_SIG_VER`] comes with every other.
fn mask(verdict: ecdsa::Verdict) -> u8 {
    let wrong = match verdict {
        ecdsa::Verdict::Valid => return 0,
        ecdsa::Verdict::OutOfRange { r, s, key } => {
            (u8::from(r) * Verdict::OUT_OF_RANGE_R)
                | (u8::from(s) * Verdict::OUT_OF_RANGE_S)
                | (u8::from(key) * Verdict::INVALID_KEY)
        }
        ecdsa::Verdict::NotOnCurve => Verdict::INVALID_KEY,
        ecdsa::Verdict::Identity => Verdict::X_INFINITY_POINT,
        ecdsa::Verdict::Mismatch => 0,
    };
    wrong | Verdict::FAILED_SIG_VER
}
