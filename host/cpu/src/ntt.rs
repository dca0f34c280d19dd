//! `ntt` on the processor: the two passes of [`proofmill_algebra::ntt`], with a tile at a time for each thread.

mod quotient;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use proofmill_algebra::Isa;
use proofmill_algebra::ntt::{Form, NotBelowModulus, Plan, Tile, Transform, a_b_less_c, direct};
use proofmill_op::ntt::{Progress, Request, Response};
use proofmill_op::{Error, Result, in_field};
use rayon::prelude::*;

pub(crate) use quotient::Chain;

use crate::pages;

/// Most bytes of elements of a request that is answered while it is submitted: 2^10 of Goldilocks, or 2^8 of 32 bytes, some tens
/// of microseconds of work. To wake a thread of the pool and to be woken by it can take as long.
const BYTES_HERE: usize = 8 << 10;

/// Elements that a thread multiplies at a time, apart from transforms.
const CHUNK: usize = 1 << 12;

/// A transform, and what is transformed.
pub(crate) struct Work {
    transform: Box<dyn Answer>,
    elements: Arc<[u8]>,
    memory: Vec<u8>,
    progress: Option<Progress>,
}

/// A transform in one of the fields.
trait Answer: Send {
    /// On the caller's own thread.
    fn answer_here(&self, isa: Isa, source: &[u8], target: &mut [u8]) -> Result<()>;

    /// On the threads of the caller's pool.
    fn answer(
        &self,
        isa: Isa,
        source: &[u8],
        target: &mut [u8],
        progress: Option<&Progress>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<()>;

    /// a := a b - c, of canonical elements, on the threads of the caller's pool.
    fn a_b_less_c(&self, isa: Isa, a: &mut [u8], b: &[u8], c: &[u8]) -> Result<()>;
}

/// In D digits.
struct Digits<F, const D: usize>(Transform<F>);

impl Work {
    /// What can be said of a request before it runs: its size, the coset, and whose data these are.
    pub fn new(request: Request, identity: u64) -> Result<Self> {
        Ok(Self {
            transform: in_field!(request.field, boxed(&request))?,
            elements: request.elements.on(identity)?.clone(),
            memory: request.memory.0,
            progress: request.progress,
        })
    }

    /// Is it to be answered here, because it is small and nobody wants to hear of its progress?
    pub fn is_for_here(&self) -> bool {
        self.elements.len() <= BYTES_HERE && self.progress.is_none()
    }

    /// The answer, on the caller's own thread.
    pub fn answer_here(self, isa: Isa) -> Result<Response> {
        let mut target = pages::reused(self.memory, self.elements.len());
        self.transform.answer_here(isa, &self.elements, &mut target)?;
        Ok(Response { elements: target })
    }

    /// The answer, on the threads of the caller's pool.
    pub fn answer(self, isa: Isa, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Response> {
        let mut target = pages::reused(self.memory, self.elements.len());
        let progress = self.progress.as_ref();
        self.transform.answer(isa, &self.elements, &mut target, progress, cancelled)?;
        Ok(Response { elements: target })
    }
}

fn boxed<F: Form<D>, const D: usize>(request: &Request) -> Result<Box<dyn Answer>> {
    Ok(Box::new(Digits::<F, D>(request.transform()?)))
}

impl<F: Form<D>, const D: usize> Answer for Digits<F, D> {
    fn answer_here(&self, isa: Isa, source: &[u8], target: &mut [u8]) -> Result<()> {
        let Self(transform) = self;
        let done = match Plan::new(isa, transform) {
            Some(plan) => plan.run(source, target),
            None => direct(transform, source, target),
        };
        done.map_err(named)
    }

    fn answer(
        &self,
        isa: Isa,
        source: &[u8],
        target: &mut [u8],
        progress: Option<&Progress>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let Self(transform) = self;
        if let Some(plan) = Plan::new(isa, transform) {
            let total = plan.column_tiles() + plan.row_tiles();
            let watch = Watch { progress, total, done: AtomicUsize::new(0), cancelled };
            passes::<F, D>(&plan, source, target, &watch)?;
        } else {
            direct(transform, source, target).map_err(named)?;
        }
        if let Some(Progress(function)) = progress {
            function(1.0);
        }
        Ok(())
    }

    fn a_b_less_c(&self, isa: Isa, a: &mut [u8], b: &[u8], c: &[u8]) -> Result<()> {
        let chunk = CHUNK * F::BYTES;
        let chunks = a.par_chunks_mut(chunk).zip(b.par_chunks(chunk)).zip(c.par_chunks(chunk));
        let done = chunks.try_for_each(|((a, b), c)| a_b_less_c::<F, D>(isa, a, b, c));
        done.map_err(named)
    }
}

fn named(problem: NotBelowModulus) -> Error {
    Error::argument("elements", problem.to_string())
}

/// Progress out, cancellation in.
struct Watch<'a> {
    progress: Option<&'a Progress>,
    /// Tiles, and those that were begun.
    total: usize,
    done: AtomicUsize,
    cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl Watch<'_> {
    /// Before a tile.
    fn go_on(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed);
        if let Some(Progress(function)) = self.progress {
            function(done as f64 / self.total as f64);
        }
        if (self.cancelled)() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

fn passes<F: Form<D>, const D: usize>(
    plan: &Plan<F, D>,
    source: &[u8],
    target: &mut [u8],
    watch: &Watch<'_>,
) -> Result<()> {
    let tiles: Tiles<F, D> =
        (0..rayon::current_num_threads()).map(|_| Mutex::new(plan.tile())).collect();
    target.par_chunks_exact_mut(plan.column_tile_bytes()).enumerate().try_for_each(
        |(number, chunk)| {
            watch.go_on()?;
            with_tile(&tiles, |tile| plan.columns(tile, number, source, chunk)).map_err(named)
        },
    )?;
    plan.pieces(target).par_bridge().try_for_each(|mut pieces| {
        watch.go_on()?;
        with_tile(&tiles, |tile| plan.rows(tile, &mut pieces));
        Ok(())
    })
}

/// One for each thread.
type Tiles<F, const D: usize> = Vec<Mutex<Tile<F, D>>>;

/// Calls a function with this thread's tile, which no other thread asks for.
fn with_tile<T, F, const D: usize>(
    tiles: &Tiles<F, D>,
    function: impl FnOnce(&mut Tile<F, D>) -> T,
) -> T {
    let thread = rayon::current_thread_index().unwrap_or(0);
    function(&mut tiles[thread].lock().unwrap_or_else(PoisonError::into_inner))
}
