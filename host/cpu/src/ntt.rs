//! `ntt` on the processor: the two passes of [`proofmill_algebra::ntt`], with a tile at a time for each thread.

mod quotient;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use proofmill_algebra::Isa;
use proofmill_algebra::ntt::{Form, NotBelowModulus, Plan, Tile, Transform, a_b_less_c, direct};
use proofmill_op::ntt::{Field, Ntt, Request, Response};
use proofmill_op::{Argument, Bytes, Capability, Error, Progress, Result, in_field};
use rayon::prelude::*;

use crate::pages;
use crate::run::{Cancelled, Context, Exec, Job, Run};

/// The most bytes of a request that is executed inline: 2^10 elements of Goldilocks, or 2^8 of 32 bytes, some tens of microseconds of work.
/// Waking a thread of the pool and being woken by it can take as long.
const INLINE_BYTES: usize = 8 << 10;

/// Elements that a thread multiplies at a time, apart from transforms.
const CHUNK: usize = 1 << 12;

impl Run for Ntt {
    fn capabilities() -> Vec<Capability> {
        Field::ALL.map(Capability::Ntt).into()
    }

    fn prepare(request: Request, Context { isa, identity, .. }: Context) -> Result<Job<Response>> {
        let work = Elements::new(request, identity)?;
        Ok(Job::new(work.exec(), move |exec, cancelled| match exec {
            Exec::Inline => work.transform_inline(isa),
            Exec::Pool => work.transform(isa, cancelled),
        }))
    }
}

/// The elements of a checked request.
struct Elements {
    transform: Box<dyn Execute>,
    elements: Bytes,
    memory: Vec<u8>,
    progress: Option<Progress>,
}

/// A transform in one of the fields.
trait Execute: Send {
    /// Transforms on the calling thread.
    fn execute_inline(&self, isa: Isa, source: &[u8], target: &mut [u8]) -> Result<()>;

    /// Transforms on the threads of the current pool.
    fn execute(
        &self,
        isa: Isa,
        source: &[u8],
        target: &mut [u8],
        progress: Option<&Progress>,
        cancelled: Cancelled<'_>,
    ) -> Result<()>;

    /// Computes a := a b - c, of canonical elements, on the threads of the current pool.
    fn a_b_less_c(&self, isa: Isa, a: &mut [u8], b: &[u8], c: &[u8]) -> Result<()>;
}

/// A transform with elements of D digits.
struct Digits<F, const D: usize>(Transform<F>);

impl Elements {
    /// Checks size, root, coset and the device of the data.
    fn new(request: Request, identity: u64) -> Result<Self> {
        Ok(Self {
            transform: in_field!(request.field, boxed(&request))?,
            elements: request.elements.on(identity)?.clone(),
            memory: request.buffer.0.into_plain(),
            progress: request.progress,
        })
    }

    /// Returns the threads for it: a small request without progress callback is executed inline.
    fn exec(&self) -> Exec {
        Exec::inline_if(self.elements.len() <= INLINE_BYTES && self.progress.is_none())
    }

    /// Transforms on the calling thread.
    fn transform_inline(self, isa: Isa) -> Result<Response> {
        let mut target = pages::reused(self.memory, self.elements.len());
        self.transform.execute_inline(isa, &self.elements, &mut target)?;
        Ok(Response { elements: target })
    }

    /// Transforms on the threads of the current pool.
    fn transform(self, isa: Isa, cancelled: Cancelled<'_>) -> Result<Response> {
        let mut target = pages::reused(self.memory, self.elements.len());
        let progress = self.progress.as_ref();
        self.transform.execute(isa, &self.elements, &mut target, progress, cancelled)?;
        Ok(Response { elements: target })
    }
}

fn boxed<F: Form<D>, const D: usize>(request: &Request) -> Result<Box<dyn Execute>> {
    Ok(Box::new(Digits::<F, D>(request.transform()?)))
}

impl<F: Form<D>, const D: usize> Execute for Digits<F, D> {
    fn execute_inline(&self, isa: Isa, source: &[u8], target: &mut [u8]) -> Result<()> {
        let Self(transform) = self;
        let done = match Plan::new(isa, transform) {
            Some(plan) => plan.run(source, target),
            None => direct(transform, source, target),
        };
        done.map_err(named)
    }

    fn execute(
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
    Error::argument(Argument::Elements, problem.to_string())
}

/// Progress and cancellation of a transform.
struct Watch<'a> {
    progress: Option<&'a Progress>,
    /// Tiles, and those that were begun.
    total: usize,
    done: AtomicUsize,
    cancelled: Cancelled<'a>,
}

impl Watch<'_> {
    /// Reports progress and checks for cancellation before a tile.
    fn check(&self) -> Result<()> {
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
            watch.check()?;
            with_tile(&tiles, |tile| plan.columns(tile, number, source, chunk)).map_err(named)
        },
    )?;
    plan.pieces(target).par_bridge().try_for_each(|mut pieces| {
        watch.check()?;
        with_tile(&tiles, |tile| plan.rows(tile, &mut pieces));
        Ok(())
    })
}

/// One for each thread.
type Tiles<F, const D: usize> = Vec<Mutex<Tile<F, D>>>;

/// Calls a function with the tile of this thread, which no other thread uses.
fn with_tile<T, F, const D: usize>(
    tiles: &Tiles<F, D>,
    function: impl FnOnce(&mut Tile<F, D>) -> T,
) -> T {
    let thread = rayon::current_thread_index().unwrap_or(0);
    function(&mut tiles[thread].lock().unwrap_or_else(PoisonError::into_inner))
}
