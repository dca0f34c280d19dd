//! Batches: many proofs with one key, several of them in parallel.
//!
//! One proof leaves threads idle: the parts of an MSM differ in size, each step waits for the last part of the previous one, and the ends of
//! MSMs, the assembly and the check use one thread. A batch therefore computes its proofs in lanes, each with a share of the processor's
//! threads, usually one. A lane computes a proof from the first step to the last, and no thread waits for another. Lanes share the key, its
//! matrices and its resident points.
//!
//! Lanes do not share a pass over the points: a bucket belongs to one list of scalars, so every list needs all of its additions, and reading a
//! point from memory takes a small part of the time of an addition.

use std::borrow::Borrow;
use std::sync::{Mutex, PoisonError, mpsc};

use proofmill_algebra::STACK_BYTES;
use proofmill_op::Cancel;
use proofmill_op::process::parallel;
use rayon::ThreadPoolBuilder;

use super::control::{Control, Executor};
use super::prove::Prover;
use super::report::Proved;
use crate::snarkjs::Witness;
use crate::{Error, Result};

/// Lanes without the processor of this machine: the MSMs of one proof keep a card busy while those of the next one are submitted.
const LANES_ON_DEVICES: usize = 2;

impl Prover {
    /// Proves each witness, in order, with several proofs in parallel. Each result is that of [`Prover::prove`]; a failed proof does not affect the
    /// others. If `cancel` is cancelled, the remaining proofs are [cancelled](proofmill_op::Error::Cancelled).
    pub fn prove_batch(
        &self,
        witnesses: &[Witness],
        cancel: &Cancel,
    ) -> Result<Vec<Result<Proved>>> {
        let cancelled = || Err(proofmill_op::Error::Cancelled.into());
        let mut made: Vec<_> = witnesses.iter().map(|_| cancelled()).collect();
        let lanes = self.lanes().min(witnesses.len());
        self.in_lanes(lanes, witnesses.iter().map(Ok), cancel, |number, proved| {
            made[number] = proved;
        })?;
        Ok(made)
    }

    /// Proves any number of witnesses. Each is taken from the iterator when a lane is free, so that there are at most as many in memory as lanes.
    /// Calls `each` on the caller's thread with the number of each witness, from 0, and the proof, in the order of completion. An error in place
    /// of a witness is passed on as the result.
    ///
    /// After a cancellation, no more witnesses are taken.
    pub fn prove_each<I>(
        &self,
        witnesses: I,
        cancel: &Cancel,
        each: impl FnMut(usize, Result<Proved>),
    ) -> Result<()>
    where
        I: IntoIterator<Item = Result<Witness>, IntoIter: Send>,
    {
        self.in_lanes(self.lanes(), witnesses.into_iter(), cancel, each)
    }

    /// Returns the number of proofs of a batch that are computed in parallel.
    pub fn lanes(&self) -> usize {
        let every = || self.processors().unwrap_or(LANES_ON_DEVICES);
        self.settings.lanes.map_or_else(every, Into::into)
    }

    fn in_lanes<W: Borrow<Witness>>(
        &self,
        lanes: usize,
        witnesses: impl Iterator<Item = Result<W>> + Send,
        cancel: &Cancel,
        mut each: impl FnMut(usize, Result<Proved>),
    ) -> Result<()> {
        let threads = self.processors().unwrap_or_else(|| parallel(rayon::current_num_threads));
        // The first lanes get the remaining threads.
        let threads =
            (0..lanes).map(|lane| (threads / lanes + usize::from(lane < threads % lanes)).max(1));
        let pools = threads.enumerate().map(|(lane, threads)| {
            let name = move |thread| format!("proofmill-lane-{lane}-{thread}");
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .stack_size(STACK_BYTES)
                .thread_name(name)
                .build()
        });
        let pools = pools.collect::<std::result::Result<Vec<_>, _>>().map_err(|problem| {
            Error::Io { name: "threads of a batch".into(), source: std::io::Error::other(problem) }
        })?;
        let control = &Control::none().with_cancel(cancel.clone());
        let witnesses = &Mutex::new(witnesses.enumerate());
        let next = || {
            let mut witnesses = witnesses.lock().unwrap_or_else(PoisonError::into_inner);
            if cancel.is_cancelled() { None } else { witnesses.next() }
        };
        let span = &tracing::Span::current();
        std::thread::scope(|scope| {
            // Each lane is at most one proof ahead of the caller.
            let (made, proofs) = mpsc::sync_channel(0);
            for pool in &pools {
                let made = made.clone();
                scope.spawn(move || {
                    pool.install(|| {
                        while let Some((number, witness)) = next() {
                            let prove = |witness: W| {
                                let made =
                                    || self.prove_on(witness.borrow(), control, Executor::Caller);
                                span.in_scope(made)
                            };
                            if made.send((number, witness.and_then(prove))).is_err() {
                                break; // nobody takes it: `each` panicked
                            }
                        }
                    });
                });
            }
            drop(made);
            proofs.into_iter().for_each(|(number, proved)| each(number, proved));
        });
        Ok(())
    }
}
