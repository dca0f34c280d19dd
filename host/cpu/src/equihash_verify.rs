//! `equihash_verify` on the processor.
//!
//! The checks, each always made, in the order of the error bits of `spec/wire/equihash_verify.toml`:
//!
//! 0. difficulty: [`crate::difficulty`];
//! 1. and 3. the exclusive ors of the leaves: [`walk`], nearly all of the time;
//! 2. index order: every index is greater than the first one of the subtree that its own subtree is joined to;
//! 4. duplicates: [`Indices::have_duplicate`];
//! 5. the CompactSize.

use proofmill_algebra::Isa;
use proofmill_algebra::equihash::{BATCH, Indices, Leaves, Shape, walk};
use proofmill_op::equihash_verify::{
    EquihashVerify, HEADER_BYTES, Params, Request, Response, Verdict,
};
use proofmill_op::{Capability, Error, Result};
use rayon::prelude::*;

use crate::difficulty;
use crate::run::{Context, Exec, Job, Run};

/// The parameter sets offered: those that chains use, and small ones for tests. The code takes any.
const SETS: [(u32, u32); 7] = [(200, 9), (192, 7), (144, 5), (96, 5), (96, 3), (48, 5), (32, 3)];

/// The most leaves of a request that is executed inline: two (200,9) headers. Waking a thread of the pool and being woken by it takes about
/// 5 us, a third of the time of these leaves with AVX-512.
const INLINE_LEAVES: usize = 1024;

/// Leaves in one chunk of work: some tens to hundreds of microseconds, between two looks at the cancellation.
const CHUNK_LEAVES: usize = 8192;
/// The offset of the target in a header.
const BITS_OFFSET: usize = 104;

impl Run for EquihashVerify {
    fn capabilities() -> Vec<Capability> {
        let params = SETS.into_iter().filter_map(|(n, k)| Params::new(n, k).ok());
        params.map(Capability::EquihashVerify).collect()
    }

    fn prepare(request: Request, Context { isa, identity, .. }: Context) -> Result<Job<Response>> {
        let leaves = request.count()? * request.params.indices();
        let headers = request.headers.on(identity)?.clone();
        let exec = Exec::inline_if(leaves <= INLINE_LEAVES);
        Ok(Job::new(exec, move |exec, cancelled| match exec {
            Exec::Inline => Ok(verify_inline(isa, &request, &headers)),
            Exec::Pool => verify(isa, &request, &headers, cancelled),
        }))
    }
}

/// Verifies the request's headers, whose bytes are `headers`, on the threads of the current pool.
fn verify(
    isa: Isa,
    request: &Request,
    headers: &[u8],
    cancelled: impl Fn() -> bool + Sync,
) -> Result<Response> {
    let params = request.params;
    let rules = Rules::new(isa, request);
    let each = params.header_bytes();
    let chunk = (CHUNK_LEAVES / params.indices()).max(1);
    let mut verdicts = vec![Verdict::default(); headers.len() / each];
    verdicts.par_chunks_mut(chunk).zip(headers.par_chunks(chunk * each)).try_for_each(
        |(verdicts, headers)| {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            rules.verdicts(headers, verdicts);
            Ok(())
        },
    )?;
    Ok(Response { verdicts })
}

/// Verifies a few headers on the calling thread.
fn verify_inline(isa: Isa, request: &Request, headers: &[u8]) -> Response {
    let mut verdicts = vec![Verdict::default(); headers.len() / request.params.header_bytes()];
    Rules::new(isa, request).verdicts(headers, &mut verdicts);
    Response { verdicts }
}

/// The rules for the headers of a request.
pub(crate) struct Rules {
    isa: Isa,
    params: Params,
    shape: Shape,
    compact_size: Vec<u8>,
    pow_limit: Option<difficulty::U256>,
}

impl Rules {
    pub(crate) fn new(isa: Isa, request: &Request) -> Self {
        let params = request.params;
        Self {
            isa,
            params,
            shape: Shape::new(params.n(), params.k(), &request.personalisation.0),
            compact_size: params.compact_size(),
            pow_limit: request.network.pow_limit(),
        }
    }

    /// Computes the verdicts of headers.
    fn verdicts(&self, headers: &[u8], verdicts: &mut [Verdict]) {
        let params = self.params;
        let mut indices = Indices::new(params.indices(), params.index_bits());
        if let [verdict] = verdicts {
            // A single header takes a microsecond or two; lists would cost more.
            let leaves = Leaves::new(&self.shape, start(headers));
            *verdict = self.verdict(headers, &leaves, &mut indices);
            return;
        }
        let each = params.header_bytes();
        for (headers, verdicts) in headers.chunks(BATCH * each).zip(verdicts.chunks_mut(BATCH)) {
            let headers = headers.chunks_exact(each);
            let starts: Vec<_> = headers.clone().map(start).collect();
            let leaves = Leaves::batch(self.isa, &self.shape, &starts);
            for ((header, leaves), verdict) in headers.zip(&leaves).zip(verdicts) {
                *verdict = self.verdict(header, leaves, &mut indices);
            }
        }
    }

    /// Returns the verdict of one whole header.
    pub(crate) fn verify_one(&self, header: &[u8]) -> Verdict {
        let mut verdict = [Verdict::default()];
        self.verdicts(header, &mut verdict);
        verdict[0]
    }

    /// Returns the verdict of one header. `indices` is working memory.
    fn verdict(&self, header: &[u8], leaves: &Leaves<'_>, indices: &mut Indices) -> Verdict {
        indices.read(header);
        let sums = walk(self.isa, leaves, indices.rows());
        let start = start(header);
        let compact_size = &header[HEADER_BYTES..][..self.compact_size.len()];
        let too_easy = self.pow_limit.is_some_and(|limit| {
            let bits = start[BITS_OFFSET..].first_chunk().expect("a header has 140 bytes");
            !difficulty::meets(&difficulty::block_hash(header), u32::from_le_bytes(*bits), &limit)
        });
        let mask = [
            (too_easy, Verdict::DIFFICULTY_FAIL),
            (sums.xor_non_zero, Verdict::XOR_NON_ZERO),
            (indices.are_out_of_order(self.isa), Verdict::BAD_IDX_ORDER),
            (sums.bad_zero_order, Verdict::BAD_ZERO_ORDER),
            (indices.have_duplicate(self.isa), Verdict::DUPLICATE_FND),
            (compact_size != self.compact_size, Verdict::BAD_SOLUTION_SIZE),
        ];
        Verdict::from_mask(mask.iter().filter(|(wrong, _)| *wrong).map(|(_, bit)| bit).sum())
    }
}

/// Returns the part before the CompactSize.
fn start(header: &[u8]) -> &[u8; HEADER_BYTES] {
    header.first_chunk().expect("headers are whole")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proofmill_op::equihash_verify::{Network, Params};

    use super::*;

    #[test]
    fn a_cancelled_request_stops_between_chunks() {
        let params = Params::N48_K5;
        let headers = vec![0; params.header_bytes() * 100 * CHUNK_LEAVES / params.indices()];
        let request = Request::new(params, Network::None, headers.clone());
        let looks = AtomicUsize::new(0);
        let cancelled = || looks.fetch_add(1, Ordering::Relaxed) >= 3;
        assert!(matches!(
            verify(Isa::best(), &request, &headers, cancelled),
            Err(Error::Cancelled)
        ));
        assert!(looks.load(Ordering::Relaxed) < 100, "chunks after the cancellation are not begun");
    }
}
