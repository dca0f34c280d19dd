//! `poseidon` on the processor: preimages in pieces, one at a time for each thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_algebra::Isa;
use proofmill_algebra::ntt::NotBelowModulus;
use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, Instance, Strength};
use proofmill_op::poseidon::{Layers, Progress, Request, Response, Wanted};
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
        let done = AtomicUsize::new(0);
        let tell = |count: usize| {
            if let Some(Progress(function)) = &self.progress {
                function(done.fetch_add(count, Ordering::Relaxed) as f64 / self.count as f64);
            }
        };
        let named = |number| self.named(number);
        let hashes = Hashes { isa, cancelled, tell: &tell, named: &named };
        let kind = (self.arity, self.strength, self.domain, self.elements);
        let digests = hashes.of(kind, &self.preimages)?;
        if let Some(Progress(function)) = &self.progress {
            function(1.0);
        }
        Ok(Response { digests })
    }

    /// An element of the preimages.
    fn named(&self, number: usize) -> Error {
        let (preimage, element) = (number / self.elements, number % self.elements);
        let problem = format!("element {element} of preimage {preimage} is not below the modulus");
        Error::argument("preimages", problem)
    }
}

/// How pieces are hashed, and who is told what.
struct Hashes<'a> {
    isa: Isa,
    cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Of so many hashes that begin.
    tell: &'a (dyn Fn(usize) + Sync),
    /// The error for an element by its number.
    named: &'a (dyn Fn(usize) -> Error + Sync),
}

impl Hashes<'_> {
    /// The digests of preimages, by arity, strength, domain and elements of each.
    fn of(
        &self,
        (arity, strength, domain, elements): (usize, Strength, Domain, usize),
        preimages: &[u8],
    ) -> Result<Vec<u8>> {
        // Made now if it is the first of its kind, which takes some milliseconds.
        let instance = Instance::of(arity, strength).expect("the arity was examined");
        let (piece, bytes) = (PIECE.div_ceil(elements), elements * ELEMENT_BYTES);
        let mut digests = vec![0; preimages.len() / elements];
        let pieces = digests.par_chunks_mut(piece * ELEMENT_BYTES).enumerate();
        let preimages = preimages.par_chunks(piece * bytes);
        let hashed = pieces.zip(preimages).map(|((number, digests), preimages)| {
            (self.tell)(piece);
            if (self.cancelled)() {
                return Err(Error::Cancelled);
            }
            let hashed = instance.hash(self.isa, domain, preimages, digests);
            let first = number * piece * elements;
            hashed.map_err(|NotBelowModulus(number)| (self.named)(first + number))
        });
        // Of several wrong elements the first is named.
        match hashed.find_first(Result::is_err) {
            Some(Err(problem)) => Err(problem),
            _ => Ok(digests),
        }
    }
}

/// Layers of trees, one after the other.
pub(crate) struct Trees {
    request: Layers,
    nodes: Arc<[u8]>,
    /// Nodes of each layer, those that are given among them.
    counts: Vec<usize>,
}

impl Trees {
    /// What can be said of a request before it runs.
    pub fn new(request: Layers, identity: u64) -> Result<Self> {
        let counts = request.counts()?;
        let nodes = request.nodes.on(identity)?.clone();
        Ok(Self { request, nodes, counts })
    }

    /// The answer, on the threads of the caller's pool.
    pub fn answer(self, isa: Isa, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Response> {
        let all: usize = self.counts[1..].iter().sum();
        let done = AtomicUsize::new(0);
        let tell = |count: usize| {
            if let Some(Progress(function)) = &self.request.progress {
                let done = done.fetch_add(count, Ordering::Relaxed);
                function(done.min(all) as f64 / all as f64);
            }
        };
        let named = |number| self.request.too_large(number);
        let hashes = Hashes { isa, cancelled, tell: &tell, named: &named };
        let mut kept = vec![];
        let mut below: Option<Vec<u8>> = None;
        for &arity in &self.request.arities {
            let kind = (arity, Strength::Standard, Domain::MerkleTree, arity);
            let layer = hashes.of(kind, below.as_deref().unwrap_or(&self.nodes))?;
            if self.request.wanted == Wanted::All {
                kept.extend_from_slice(&layer);
            }
            below = Some(layer);
        }
        if let Some(Progress(function)) = &self.request.progress {
            function(1.0);
        }
        let last = below.expect("there is a layer at least");
        Ok(Response { digests: if self.request.wanted == Wanted::All { kept } else { last } })
    }
}
