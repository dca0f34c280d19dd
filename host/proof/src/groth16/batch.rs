//! Many proofs with one key, several of them under way at a time.
//!
//! One proof leaves threads idle: shares of a sum are not equal, each step waits for the last share of the one before, and the ends of sums,
//! the assembly and the check are work of one thread. So a batch makes its proofs in lanes, each with its part of the processor's threads, most often one:
//! a lane makes a proof from the first step to the last, and no thread waits for another. Lanes share the key, its matrices and
//! its resident points.
//!
//! They do not share a pass over the points: a bucket belongs to one list of scalars, so every list has all the additions of its own, and
//! points are read from memory in a small part of the time of an addition.

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

/// Lanes where no device is this machine's processor: one proof's sums keep a card busy while the next one's are asked for.
const LANES_ELSEWHERE: usize = 2;

impl Prover {
    /// A proof for each of these, in their order. As [`Prover::prove`] for each, with several under way at a time; one that cannot
    /// be made is no hindrance to others. When `cancel` is said, those that are not made yet are [cancelled](proofmill_op::Error::Cancelled).
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

    /// The same for any number of witnesses. Each is asked for when a lane is free for it, so that as many as there are lanes are in
    /// memory; `each` gets their numbers, from 0 on, and proofs, in the order in which these are made, on the thread of the caller. A witness
    /// that is an error has that for its proof.
    ///
    /// After `cancel` was said no more witnesses are asked for.
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

    /// Proofs of a batch that are made at a time.
    pub fn lanes(&self) -> usize {
        let every = || self.processors().unwrap_or(LANES_ELSEWHERE);
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
        // The first lanes have the threads that are left over.
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
            // No lane is ahead of who takes the proofs by more than one.
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
