//! `keccak256` on the processor: runs of messages on each thread.

use proofmill_algebra::keccak256::{DIGEST_BYTES, hash};
use proofmill_op::keccak256::{Keccak256, Request, Response};
use proofmill_op::{Capability, Error, Result};
use rayon::prelude::*;

use crate::run::{Cancelled, Context, Job, Run};

/// Bytes that a thread hashes between two checks for cancellation: about 0.1 ms.
const CHUNK_BYTES: usize = 1 << 16;

impl Run for Keccak256 {
    fn capabilities() -> Vec<Capability> {
        vec![Capability::Keccak256]
    }

    fn prepare(request: Request, context: Context) -> Result<Job<Response>> {
        let (count, each) = (request.count()?, request.message_bytes);
        let messages = request.messages.on(context.identity)?.clone();
        Ok(Job::on_pool(move |cancelled| {
            let digests = hash_all(&messages, each, cancelled)?;
            debug_assert_eq!(digests.len(), count * DIGEST_BYTES);
            request.progress.iter().for_each(|progress| progress.report(1.0));
            Ok(Response { digests })
        }))
    }
}

fn hash_all(messages: &[u8], each: usize, cancelled: Cancelled<'_>) -> Result<Vec<u8>> {
    let chunk = (CHUNK_BYTES / each).max(1);
    let mut digests = vec![0; messages.len() / each * DIGEST_BYTES];
    let chunks = digests.par_chunks_mut(chunk * DIGEST_BYTES);
    chunks.zip(messages.par_chunks(chunk * each)).try_for_each(|(digests, messages)| {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let digests = digests.as_chunks_mut().0;
        for (digest, message) in digests.iter_mut().zip(messages.chunks_exact(each)) {
            *digest = hash(message);
        }
        Ok(())
    })?;
    Ok(digests)
}
