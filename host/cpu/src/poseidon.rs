//! `poseidon` on the processor: preimages in pieces, one at a time for each thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_algebra::Isa;
use proofmill_algebra::ntt::NotBelowModulus;
use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, Instance, Strength};
use proofmill_op::poseidon::{Progress, Request, Response};
use proofmill_op::{Error, Result};
use rayon::prelude::*;

/// Elements of a piece: below a millisecond of work.
const PIECE: usize = 512;

/// Preimages, and how they are hashed.
pub(crate) struct Work {
    arity: usize,
    strength: Strength,
    domain: Domain,
    /// Elements of a preimage.
    elements: usize,
    count: usize,
    preimages: Arc<[u8]>,
    progress: Option<Progress>,
}

impl Work {
    /// What can be said of a request before it runs: arity, domain and length, and whose data these are.
    pub fn new(request: Request, identity: u64) -> Result<Self> {
        let (elements, count) = (request.elements()?, request.count()?);
        Ok(Self {
            arity: request.arity,
            strength: request.strength,
            domain: request.domain,
            elements,
            count,
            preimages: request.preimages.on(identity)?.clone(),
            progress: request.progress,
        })
    }

    /// The answer, on the threads of the caller's pool.
    pub fn answer(self, isa: Isa, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Response> {
        // Made now if it is the first of its kind, which takes some milliseconds.
        let instance = Instance::of(self.arity, self.strength).expect("the arity was examined");
        let piece = PIECE.div_ceil(self.elements);
        let (preimage_bytes, done) = (self.elements * ELEMENT_BYTES, AtomicUsize::new(0));
        let mut digests = vec![0; self.count * ELEMENT_BYTES];
        let pieces = digests.par_chunks_mut(piece * ELEMENT_BYTES).enumerate();
        let preimages = self.preimages.par_chunks(piece * preimage_bytes);
        let hashed = pieces.zip(preimages).map(|((number, digests), preimages)| {
            if let Some(Progress(function)) = &self.progress {
                function(done.fetch_add(piece, Ordering::Relaxed) as f64 / self.count as f64);
            }
            if cancelled() {
                return Err(Error::Cancelled);
            }
            let hashed = instance.hash(isa, self.domain, preimages, digests);
            hashed.map_err(|problem| self.named(problem, number * piece))
        });
        // Of several wrong elements the first is named.
        if let Some(Err(problem)) = hashed.find_first(Result::is_err) {
            return Err(problem);
        }
        if let Some(Progress(function)) = &self.progress {
            function(1.0);
        }
        Ok(Response { digests })
    }

    /// An element of the preimages from this one on.
    fn named(&self, NotBelowModulus(number): NotBelowModulus, first: usize) -> Error {
        let (preimage, element) = (first + number / self.elements, number % self.elements);
        let problem = format!("element {element} of preimage {preimage} is not below the modulus");
        Error::argument("preimages", problem)
    }
}
