//! Proofs in the background, and many proofs with one key.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use proofmill::snark::{self, Control, Proved, Step, StepProgress};
use proofmill::{Cancel, Ticket};

use crate::buffer::{Flag, Variable, bytes, close, give, handle, items};
use crate::prover::{Made, control, proofmill_progress, proofmill_prover, reporter};
use crate::secret;
use crate::status::proofmill_status::PROOFMILL_OK;
use crate::status::{Failure, Outcome, call, guarded, proofmill_status, renamed};

/// A proof in the background.
pub struct proofmill_proving {
    state: Mutex<State>,
    /// Notified when a thread that waited for the ticket has put the state back.
    changed: Condvar,
    cancel: Cancel,
    reports: Arc<RwLock<bool>>,
}

enum State {
    Running(Ticket<Proved, snark::Error>),
    Ended(Outcome<Made>),
    /// Another thread has the ticket and waits for it.
    Taken,
}

/// Starts a proof for the bytes of a .wtns file, which are copied, and returns at once. Stores the handle in `*proving`, or NULL on
/// failure. `progress` may be NULL; it is called until the proof ends or its handle is closed. The prover may be closed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prove_start(
    prover: *const proofmill_prover,
    witness: *const u8,
    witness_length: usize,
    progress: proofmill_progress,
    context: *mut c_void,
    proving: *mut *mut proofmill_proving,
) -> proofmill_status {
    call(|| unsafe {
        give("proving", proving, || {
            let prover = handle("prover", prover)?;
            let witness = secret::witness("witness", bytes("witness", witness, witness_length)?)?;
            proofmill_proving::start(progress, context, |control| {
                prover.shared().submit(witness, control)
            })
        })
    })
}

/// Waits for the end of a proof for at most `seconds`, and sets `*ended`: true if it succeeded, failed or was cancelled. `seconds`
/// is finite and not negative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_wait(
    proving: *const proofmill_proving,
    seconds: f64,
    ended: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let proving = handle("proving", proving)?;
        let ended = Variable::new("ended", ended)?;
        ended.set(false);
        let invalid = |_| {
            let problem = format!("{seconds}; expected a finite number that is not negative");
            Failure::argument("seconds", problem)
        };
        let limit = Duration::try_from_secs_f64(seconds).map_err(invalid)?;
        ended.set(proving.wait(Some(limit), |_| ()).is_some());
        Ok(())
    })
}

/// Cancels a proof, which then ends with PROOFMILL_ERROR_CANCELLED within some tens of milliseconds. A finished proof is kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_cancel(
    proving: *const proofmill_proving,
) -> proofmill_status {
    call(|| unsafe {
        handle("proving", proving)?.cancel.cancel();
        Ok(())
    })
}

/// Waits for a proof and returns it, or its failure. The buffers and lengths are those of proofmill_prove; with
/// PROOFMILL_ERROR_SHORT_BUFFER both lengths are the required ones. May be called again, for instance with larger buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_result(
    proving: *const proofmill_proving,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_inputs: *mut c_char,
    public_inputs_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let proving = handle("proving", proving)?;
        let put = |made: &Outcome<Made>| {
            let made = made.as_ref().map_err(Failure::clone)?;
            made.put(proof, proof_length, public_inputs, public_inputs_length)
        };
        proving.wait(None, put).expect("it has ended")
    })
}

/// Frees the handle of a proof, and cancels the proof if it has not ended. Waits for a call of `progress` that is under way, and
/// permits no other, so it must not be called by `progress` itself. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_close(proving: *mut proofmill_proving) {
    if let Some(proving) = unsafe { proving.as_ref() } {
        *proving.reports.write().unwrap_or_else(PoisonError::into_inner) = false;
    }
    unsafe { close(proving) };
}

impl proofmill_proving {
    /// Starts a proof that reports to the caller's function until its handle is closed.
    pub(crate) fn start(
        progress: proofmill_progress,
        context: *mut c_void,
        submit: impl FnOnce(Control) -> snark::Result<Ticket<Proved, snark::Error>>,
    ) -> Outcome<Self> {
        let reports = Arc::new(RwLock::new(progress.is_some()));
        let report =
            progress.map(|progress| until_closed(reporter(progress, context), reports.clone()));
        let cancel = Cancel::new();
        let ticket = submit(control(report).with_cancel(cancel.clone()))?;
        let state = Mutex::new(State::Running(ticket));
        Ok(Self { state, changed: Condvar::new(), cancel, reports })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end, for ever without a limit, and passes the result to `look`. Returns nothing when the limit has passed.
    ///
    /// One thread waits for the ticket, without the lock. Others wait for that thread; when its limit passes, one of them
    /// takes over.
    fn wait<T>(
        &self,
        limit: Option<Duration>,
        look: impl FnOnce(&Outcome<Made>) -> T,
    ) -> Option<T> {
        let start = Instant::now();
        let left = || limit.map_or(Duration::MAX, |limit| limit.saturating_sub(start.elapsed()));
        let mut state = self.lock();
        loop {
            if let State::Ended(made) = &*state {
                return Some(look(made));
            }
            match std::mem::replace(&mut *state, State::Taken) {
                State::Running(ticket) => {
                    drop(state);
                    let waited = ticket.wait_timeout(left());
                    state = self.lock();
                    self.changed.notify_all();
                    match waited {
                        Ok(proved) => *state = State::Ended(guarded(|| Made::of(proved))),
                        Err(ticket) => {
                            *state = State::Running(ticket);
                            return None;
                        }
                    }
                }
                State::Ended(_) | State::Taken => {
                    let left = left();
                    if left.is_zero() {
                        return None;
                    }
                    let waited = self.changed.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

/// Returns a callback that reports as long as `reports` is true.
fn until_closed(report: StepProgress, reports: Arc<RwLock<bool>>) -> StepProgress {
    Arc::new(move |step: Step, fraction| {
        if *reports.read().unwrap_or_else(PoisonError::into_inner) {
            report(step, fraction);
        }
    })
}

/// Receives the number of a proof of a batch that has ended, and its status. Returns true to continue, or false to cancel the proofs
/// that have not ended. Must not throw.
pub type proofmill_batch_progress = Option<
    unsafe extern "C" fn(context: *mut c_void, number: usize, status: proofmill_status) -> Flag,
>;

/// The results of a batch of proofs.
pub struct proofmill_batch(Vec<Outcome<Made>>);

/// Makes a proof for the bytes of each of `count` .wtns files. With a key for Groth16, several at a time: one on each thread of the
/// CPU, each with its own working memory; with another key one after the other, each on all threads. Stores the handle of the
/// results in `*batch`, or NULL on failure. A proof that fails does not affect the others.
///
/// `witnesses` and `witness_lengths` have `count` items. `progress` may be NULL; the calling thread calls it, in the order in which
/// proofs end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prove_batch(
    prover: *const proofmill_prover,
    witnesses: *const *const u8,
    witness_lengths: *const usize,
    count: usize,
    progress: proofmill_batch_progress,
    context: *mut c_void,
    batch: *mut *mut proofmill_batch,
) -> proofmill_status {
    call(|| unsafe {
        give("batch", batch, || {
            let prover = handle("prover", prover)?;
            let starts = items("witnesses", witnesses, count)?;
            let lengths = items("witness_lengths", witness_lengths, count)?;
            let witnesses = starts.iter().zip(lengths).enumerate();
            let witnesses =
                witnesses.map(|(number, (start, length))| bytes(&named(number), *start, *length));
            let witnesses: Vec<&[u8]> = witnesses.collect::<Outcome<_>>()?;
            let mut made: Vec<_> =
                (0..count).map(|_| Err(proofmill::Error::Cancelled.into())).collect();
            let (cancel, mut wrong) = (Cancel::new(), None);
            // A witness is copied when a thread is free for it.
            let copies = witnesses.iter().enumerate();
            let copies = copies.map(|(number, bytes)| secret::witness(&named(number), bytes));
            prover.shared().prove_each(copies, &cancel, |number, proved| {
                made[number] = Made::of(proved).map_err(renamed("witness", &named(number)));
                let failed = made[number].as_ref().err().map(|failure| failure.status);
                let Some(progress) = progress else { return };
                // SAFETY: the caller's function, with the caller's context.
                let continues = progress(context, number, failed.unwrap_or(PROOFMILL_OK));
                match continues.value("the result of progress") {
                    Ok(true) => return,
                    Ok(false) => {}
                    Err(failure) => wrong = Some(failure),
                }
                cancel.cancel();
            })?;
            wrong.map_or(Ok(proofmill_batch(made)), Err)
        })
    })
}

/// Returns a proof of a batch, or its failure. `number` is below the count of the batch. The buffers and lengths are those of
/// proofmill_proving_result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_batch_proof(
    batch: *const proofmill_batch,
    number: usize,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_inputs: *mut c_char,
    public_inputs_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let proofmill_batch(made) = handle("batch", batch)?;
        let none = || Failure::argument("number", format!("{number}; there are {}", made.len()));
        let made = made.get(number).ok_or_else(none)?.as_ref().map_err(Failure::clone)?;
        made.put(proof, proof_length, public_inputs, public_inputs_length)
    })
}

/// Frees the results of a batch. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_batch_close(batch: *mut proofmill_batch) {
    unsafe { close(batch) };
}

/// Returns the name of a witness of a batch in errors.
fn named(number: usize) -> String {
    format!("witnesses[{number}]")
}
