//! Proofs that are made while the caller does something else, and many proofs with one key.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use proofmill::groth16::snarkjs::Witness;
use proofmill::groth16::{self, Control, Proved, Step, Watch};
use proofmill::{Cancel, Ticket};

use crate::buffer::{bytes, close, give, handle, items, place};
use crate::groth16::{Made, proofmill_progress, proofmill_prover, watch};
use crate::status::{Failure, Outcome, call, proofmill_status};

/// A proof that is being made.
pub struct proofmill_proving {
    state: Mutex<State>,
    cancel: Cancel,
    told: Arc<RwLock<bool>>,
}

enum State {
    UnderWay(Ticket<Proved, groth16::Error>),
    Ended(Outcome<Made>),
    /// While the one before is looked at.
    Between,
}

/// Starts a proof for the bytes of a .wtns file, which are copied, and returns at once. `progress` may be NULL; it is called until the
/// proof is there or its handle is closed. The prover may be closed meanwhile.
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
            let witness = bytes("witness", witness, witness_length)?;
            let witness = Witness::from_bytes("witness", witness.into())?;
            let told = Arc::new(RwLock::new(progress.is_some()));
            let cancel = Cancel::new();
            let mut control = Control::none().given_up_by(cancel.clone());
            if let Some(progress) = progress {
                control = control.watched_by(until_closed(watch(progress, context), told.clone()));
            }
            let ticket = prover.shared().submit(witness, control)?;
            Ok(proofmill_proving { state: Mutex::new(State::UnderWay(ticket)), cancel, told })
        })
    })
}

/// Waits for at most so many seconds, and says whether the proof has ended, in whatever way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_wait(
    proving: *const proofmill_proving,
    seconds: f64,
    ended: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let proving = handle("proving", proving)?;
        let place = place("ended", ended)?;
        *place = false;
        let wrong = |_| Failure::argument("seconds", format!("{seconds} is no time"));
        let limit = Duration::try_from_secs_f64(seconds).map_err(wrong)?;
        *place = proving.wait(limit, |_| ()).is_some();
        Ok(())
    })
}

/// Gives up the proof, which then ends with PROOFMILL_CANCELLED within some tens of milliseconds; one that is there stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_cancel(
    proving: *const proofmill_proving,
) -> proofmill_status {
    call(|| unsafe {
        handle("proving", proving)?.cancel.cancel();
        Ok(())
    })
}

/// Waits for the proof, as proofmill_prove gives it. It may be asked for again, with larger buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_result(
    proving: *const proofmill_proving,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_values: *mut c_char,
    public_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let proving = handle("proving", proving)?;
        let put = |made: &Outcome<Made>| {
            let made = made.as_ref().map_err(Failure::clone)?;
            made.put(proof, proof_length, public_values, public_length)
        };
        proving.wait(Duration::MAX, put).expect("it has ended")
    })
}

/// Frees the handle; a proof that is not there is given up. `progress` is not called any more, so this must not be called by it.
/// NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_proving_close(proving: *mut proofmill_proving) {
    if let Some(proving) = unsafe { proving.as_ref() } {
        *proving.told.write().unwrap_or_else(PoisonError::into_inner) = false;
    }
    unsafe { close(proving) };
}

impl proofmill_proving {
    /// Looks at how it ended; nothing if that is not so by then.
    fn wait<T>(&self, limit: Duration, look: impl FnOnce(&Outcome<Made>) -> T) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = match std::mem::replace(&mut *state, State::Between) {
            State::UnderWay(ticket) => match ticket.wait_timeout(limit) {
                Ok(proved) => State::Ended(Made::of(proved)),
                Err(ticket) => State::UnderWay(ticket),
            },
            ended => ended,
        };
        match &*state {
            State::Ended(made) => Some(look(made)),
            State::UnderWay(_) | State::Between => None,
        }
    }
}

/// Tells until it is closed.
fn until_closed(watch: Watch, told: Arc<RwLock<bool>>) -> Watch {
    Arc::new(move |step: Step, part| {
        if *told.read().unwrap_or_else(PoisonError::into_inner) {
            watch(step, part);
        }
    })
}

/// Is told the number of a proof of a batch that has ended, and how; false gives up those that have not.
pub type proofmill_each = Option<
    unsafe extern "C" fn(context: *mut c_void, number: usize, status: proofmill_status) -> bool,
>;

/// The proofs of a batch.
pub struct proofmill_batch(Vec<Outcome<Made>>);

/// Proofs for the bytes of `count` .wtns files, several at a time: a proof for each thread of the processor, each with a working set of its
/// own. One that cannot be made is no hindrance to others. `each` may be NULL; the caller's own thread calls it, in the order in which
/// proofs end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prove_batch(
    prover: *const proofmill_prover,
    witnesses: *const *const u8,
    witness_lengths: *const usize,
    count: usize,
    each: proofmill_each,
    context: *mut c_void,
    batch: *mut *mut proofmill_batch,
) -> proofmill_status {
    call(|| unsafe {
        give("batch", batch, || {
            let prover = handle("prover", prover)?;
            let starts = items("witnesses", witnesses, count)?;
            let lengths = items("witness_lengths", witness_lengths, count)?;
            let witnesses =
                starts.iter().zip(lengths).enumerate().map(|(number, (start, length))| {
                    bytes(&format!("witnesses[{number}]"), *start, *length)
                });
            let witnesses: Vec<&[u8]> = witnesses.collect::<Outcome<_>>()?;
            let opened = witnesses.iter().enumerate().map(|(number, bytes)| {
                Witness::from_bytes(format!("witnesses[{number}]"), (*bytes).into())
            });
            let cancelled = || Err(proofmill::Error::Cancelled.into());
            let mut made: Vec<_> = (0..count).map(|_| cancelled()).collect();
            let cancel = Cancel::new();
            prover.shared().prove_each(opened, &cancel, |number, proved| {
                made[number] = Made::of(proved);
                let status = made[number]
                    .as_ref()
                    .err()
                    .map_or(proofmill_status::PROOFMILL_OK, |it| it.status);
                // SAFETY: the caller's own function, with its own context.
                if let Some(each) = each
                    && !each(context, number, status)
                {
                    cancel.cancel();
                }
            })?;
            Ok(proofmill_batch(made))
        })
    })
}

/// A proof of a batch, as proofmill_prove gives it, or why it could not be made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_batch_proof(
    batch: *const proofmill_batch,
    number: usize,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_values: *mut c_char,
    public_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let proofmill_batch(made) = handle("batch", batch)?;
        let none = || Failure::argument("number", format!("{number}; there are {}", made.len()));
        let made = made.get(number).ok_or_else(none)?.as_ref().map_err(Failure::clone)?;
        made.put(proof, proof_length, public_values, public_length)
    })
}

/// Frees a batch. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_batch_close(batch: *mut proofmill_batch) {
    unsafe { close(batch) };
}
