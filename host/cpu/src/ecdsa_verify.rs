//! `ecdsa_verify` on the processor: bytes, error bits and threads around [`ecdsa`].

use proofmill_algebra::Isa;
use proofmill_algebra::secp256k1::ecdsa::{self, Claim};
use proofmill_op::ecdsa_verify::{EcdsaVerify, Request, Response, SIGNATURE_BYTES, Verdict};
use proofmill_op::{Capability, Error, Result};
use rayon::prelude::*;

use crate::run::{Context, Exec, Job, Run};

/// The most signatures of a request that is executed inline: 25 us of work with AVX-512 IFMA.
const INLINE_SIGNATURES: usize = 8;

/// Signatures in one chunk of work, for which s is inverted once: 0.2 ms with AVX-512 IFMA, 2 ms without, between two
/// looks at the cancellation.
const CHUNK: usize = 64;

impl Run for EcdsaVerify {
    fn capabilities() -> Vec<Capability> {
        vec![Capability::EcdsaVerify]
    }

    fn prepare(request: Request, Context { isa, identity, .. }: Context) -> Result<Job<Response>> {
        let exec = Exec::inline_if(request.count()? <= INLINE_SIGNATURES);
        let signatures = request.signatures.on(identity)?.clone();
        Ok(Job::new(exec, move |exec, cancelled| match exec {
            Exec::Inline => Ok(verify_inline(isa, &signatures)),
            Exec::Pool => verify(isa, &signatures, cancelled),
        }))
    }
}

/// Verifies signatures on the threads of the current pool.
fn verify(isa: Isa, signatures: &[u8], cancelled: impl Fn() -> bool + Sync) -> Result<Response> {
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

/// Verifies a few signatures on the calling thread.
fn verify_inline(isa: Isa, signatures: &[u8]) -> Response {
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
