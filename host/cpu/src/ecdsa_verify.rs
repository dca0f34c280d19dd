//! `ecdsa_verify` on the processor: [`ecdsa`] does it; here are the bytes, the error bits and the threads.

use proofmill_algebra::Isa;
use proofmill_algebra::secp256k1::ecdsa::{self, Claim};
use proofmill_op::ecdsa_verify::{Response, SIGNATURE_BYTES, Verdict};
use proofmill_op::{Error, Result};
use rayon::prelude::*;

/// Signatures in one chunk of work, for which s is inverted once: 0.2 ms with AVX-512 IFMA, 2 ms without, between two
/// looks at the cancellation.
const CHUNK: usize = 64;

/// Verdicts for these signatures, on the threads of the caller's pool.
pub(crate) fn verify(
    isa: Isa,
    signatures: &[u8],
    cancelled: impl Fn() -> bool + Sync,
) -> Result<Response> {
    let mut verdicts = vec![Verdict::default(); signatures.len() / SIGNATURE_BYTES];
    let chunks = signatures.par_chunks(CHUNK * SIGNATURE_BYTES);
    verdicts.par_chunks_mut(CHUNK).zip(chunks).try_for_each(|(verdicts, signatures)| {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        decide(isa, signatures, verdicts);
        Ok(())
    })?;
    Ok(Response { verdicts, cycles: None })
}

/// Verdicts for these signatures on the caller's own thread: for few of them.
pub(crate) fn verify_here(isa: Isa, signatures: &[u8]) -> Response {
    let mut verdicts = vec![Verdict::default(); signatures.len() / SIGNATURE_BYTES];
    decide(isa, signatures, &mut verdicts);
    Response { verdicts, cycles: None }
}

fn decide(isa: Isa, signatures: &[u8], verdicts: &mut [Verdict]) {
    let (signatures, _) = signatures.as_chunks();
    let claims: Vec<_> = signatures.iter().map(claim).collect();
    let mut decided = vec![ecdsa::Verdict::default(); claims.len()];
    ecdsa::verify_batch_vartime(isa, &claims, &mut decided);
    for (verdict, decided) in verdicts.iter_mut().zip(decided) {
        *verdict = Verdict::from_mask(mask(decided));
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_cancelled_request_stops_between_chunks() {
        let signatures = vec![0; 100 * CHUNK * SIGNATURE_BYTES];
        let looks = AtomicUsize::new(0);
        let cancelled = || looks.fetch_add(1, Ordering::Relaxed) >= 3;
        let answer = verify(Isa::best(), &signatures, cancelled);
        assert!(matches!(answer, Err(Error::Cancelled)));
        assert!(looks.load(Ordering::Relaxed) < 100, "chunks after the cancellation are not begun");
    }
}
