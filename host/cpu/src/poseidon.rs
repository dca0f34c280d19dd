//! `poseidon` on the processor: preimages in pieces, one at a time for each thread.

use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_algebra::Isa;
use proofmill_algebra::ntt::NotBelowModulus;
use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, Instance, Strength};
use proofmill_op::poseidon::{
    self, HashLayers, Layers, LayersResponse, Output, Poseidon, Request, Response,
};
use proofmill_op::{Argument, Bytes, Capability, Error, Progress, Result};
use rayon::prelude::*;

use crate::run::{Cancelled, Context, Job, Run};

/// Elements of a piece: below a millisecond of work.
const PIECE: usize = 512;

impl Run for Poseidon {
    fn capabilities() -> Vec<Capability> {
        poseidon::Instance::ALL.map(Capability::Poseidon).into()
    }

    fn prepare(request: Request, Context { isa, identity, .. }: Context) -> Result<Job<Response>> {
        let preimages = Preimages::new(request, identity)?;
        Ok(Job::on_pool(move |cancelled| preimages.hash(isa, cancelled)))
    }
}

impl Run for HashLayers {
    fn prepare(
        request: Layers,
        Context { isa, identity, .. }: Context,
    ) -> Result<Job<LayersResponse>> {
        let trees = Trees::new(request, identity)?;
        Ok(Job::on_pool(move |cancelled| trees.hash(isa, cancelled)))
    }
}

/// The preimages of a checked request.
struct Preimages {
    arity: usize,
    strength: Strength,
    domain: Domain,
    /// Elements of a preimage.
    elements: usize,
    count: usize,
    preimages: Bytes,
    progress: Option<Progress>,
}

impl Preimages {
    /// Checks arity, domain, length and the device of the data.
    fn new(request: Request, identity: u64) -> Result<Self> {
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

    /// Hashes on the threads of the current pool.
    fn hash(self, isa: Isa, cancelled: Cancelled<'_>) -> Result<Response> {
        let done = AtomicUsize::new(0);
        let report = |count: usize| {
            if let Some(Progress(function)) = &self.progress {
                function(done.fetch_add(count, Ordering::Relaxed) as f64 / self.count as f64);
            }
        };
        let named = |number| self.named(number);
        let hashes = Hashes { isa, cancelled, report: &report, named: &named };
        let kind = (self.arity, self.strength, self.domain, self.elements);
        let digests = hashes.hash(kind, &self.preimages)?;
        if let Some(Progress(function)) = &self.progress {
            function(1.0);
        }
        Ok(Response { digests })
    }

    /// An element of the preimages.
    fn named(&self, number: usize) -> Error {
        let (preimage, element) = (number / self.elements, number % self.elements);
        let problem = format!("element {element} of preimage {preimage} is not below the modulus");
        Error::argument(Argument::Preimages, problem)
    }
}

/// Hashes pieces.
struct Hashes<'a> {
    isa: Isa,
    cancelled: Cancelled<'a>,
    /// Receives the number of hashes that begin.
    report: &'a (dyn Fn(usize) + Sync),
    /// Returns the error for an element by its number.
    named: &'a (dyn Fn(usize) -> Error + Sync),
}

impl Hashes<'_> {
    /// Hashes preimages of this arity, strength, domain and number of elements.
    fn hash(
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
            (self.report)(piece);
            if (self.cancelled)() {
                return Err(Error::Cancelled);
            }
            let hashed = instance.hash(self.isa, domain, preimages, digests);
            let first = number * piece * elements;
            hashed.map_err(|NotBelowModulus(number)| (self.named)(first + number))
        });
        // The error names the first of several wrong elements.
        match hashed.find_first(Result::is_err) {
            Some(Err(problem)) => Err(problem),
            _ => Ok(digests),
        }
    }
}

/// The trees of a checked request.
struct Trees {
    request: Layers,
    nodes: Bytes,
    /// Nodes of each layer, the given ones first.
    counts: Vec<usize>,
}

impl Trees {
    /// Checks arities, length and the device of the data.
    fn new(request: Layers, identity: u64) -> Result<Self> {
        let counts = request.counts()?;
        let nodes = request.nodes.on(identity)?.clone();
        Ok(Self { request, nodes, counts })
    }

    /// Hashes layer after layer on the threads of the current pool.
    fn hash(self, isa: Isa, cancelled: Cancelled<'_>) -> Result<LayersResponse> {
        let all: usize = self.counts[1..].iter().sum();
        let done = AtomicUsize::new(0);
        let report = |count: usize| {
            if let Some(Progress(function)) = &self.request.progress {
                let done = done.fetch_add(count, Ordering::Relaxed);
                function(done.min(all) as f64 / all as f64);
            }
        };
        let named = |number| self.request.too_large(number);
        let hashes = Hashes { isa, cancelled, report: &report, named: &named };
        let mut kept = vec![];
        let mut below: Option<Vec<u8>> = None;
        for &arity in &self.request.arities {
            let kind = (arity, Strength::Standard, Domain::MerkleTree, arity);
            let layer = hashes.hash(kind, below.as_deref().unwrap_or(&self.nodes))?;
            if self.request.output == Output::All {
                kept.extend_from_slice(&layer);
            }
            below = Some(layer);
        }
        if let Some(Progress(function)) = &self.request.progress {
            function(1.0);
        }
        let last = below.expect("there is a layer at least");
        Ok(LayersResponse { digests: if self.request.output == Output::All { kept } else { last } })
    }
}
