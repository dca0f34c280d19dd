//! Jobs: work on another thread, reported to a callback of JavaScript.
//!
//! The callback receives steps and fractions, and at the end a call without a step. Then `take` returns the result. The result is never in the
//! queue of the callback: whatever of a terminated worker is not delivered is dropped with its job, and secrets are overwritten.
//!
//! A job whose object is collected, or whose environment ends, is cancelled. The callback refers to the object, so that no job ends early.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{Buffer, FnArgs, Function};
use napi::threadsafe_function::{
    ThreadsafeFunction, ThreadsafeFunctionCallMode, UnknownReturnValue,
};
use napi::{Error, Status};
use napi_derive::napi;
use proofmill::{Cancel, SecretBytes};

use crate::errors::{self, Failure};
use crate::pool::Pool;
use crate::prover::{Proof, Prover};
use crate::verifier::VerifyingKey;
use crate::witness::Calculator;

/// A step and the fraction of it that is done; no step at the end of the job.
type Event = FnArgs<(Option<String>, f64)>;
/// The callback as JavaScript passes it.
pub type Callback<'a> = Function<'a, Event, UnknownReturnValue>;
type Report = ThreadsafeFunction<Event, UnknownReturnValue, Event, Status, false>;

/// The result of a job.
pub enum Value {
    Prover(Prover),
    VerifyingKey(VerifyingKey),
    Calculator(Calculator),
    Proof(Proof),
    Witness(SecretBytes),
    Valid(bool),
    Numbers(Vec<u32>),
}

/// The signal and the callback of a job, for its work.
pub struct Context {
    pub cancel: Cancel,
    report: Arc<Report>,
}

impl Context {
    /// Returns the control of a proof.
    pub fn control<S: Display + 'static>(&self) -> proofmill::groth16::Control<S> {
        let report = self.report.clone();
        let progress =
            Arc::new(move |step: S, part: f64| send(&report, Some(step.to_string()), part));
        proofmill::groth16::Control::none().with_cancel(self.cancel.clone()).with_progress(progress)
    }
}

/// Calls the callback, unless its environment has ended.
fn send(report: &Report, step: Option<String>, part: f64) {
    let _ = report.call((step, part).into(), ThreadsafeFunctionCallMode::NonBlocking);
}

type Work = Box<dyn FnOnce() + Send>;

/// The half of a job that its thread shares with its object.
pub struct Shared {
    cancel: Cancel,
    work: Mutex<Option<Work>>,
    result: Mutex<Option<errors::Outcome<Value>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Executes the work, unless the job was cancelled before.
    pub fn run(&self) {
        let work = lock(&self.work).take();
        if let Some(work) = work {
            work();
        }
    }
}

/// A job in progress.
#[napi]
pub struct Job {
    shared: Arc<Shared>,
    pool: &'static Pool,
}

/// The result of a job: an error or one of the others.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct Outcome {
    pub error: Option<Failure>,
    pub prover: Option<Prover>,
    pub verifying_key: Option<VerifyingKey>,
    pub calculator: Option<Calculator>,
    pub proof: Option<Proof>,
    pub witness: Option<Buffer>,
    pub valid: Option<bool>,
    pub numbers: Option<Vec<u32>>,
}

/// Starts a job in a pool.
pub fn start(
    pool: &'static Pool,
    callback: &Callback<'_>,
    work: impl FnOnce(&Context) -> errors::Outcome<Value> + Send + 'static,
) -> napi::Result<Job> {
    let report = callback.build_threadsafe_function::<Event>().build()?;
    let context = Context { cancel: Cancel::new(), report: Arc::new(report) };
    let (work_of, result) = (Mutex::default(), Mutex::default());
    let shared = Arc::new(Shared { cancel: context.cancel.clone(), work: work_of, result });
    let own = Arc::downgrade(&shared);
    let whole = move || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            context.cancel.check().map_err(Failure::from)?;
            work(&context)
        }));
        let panicked = |_| Err(Failure::new("PROOFMILL_INTERNAL", "a panic: see standard error"));
        if let Some(shared) = own.upgrade() {
            *lock(&shared.result) = Some(done.unwrap_or_else(panicked));
        }
        send(&context.report, None, 1.0);
    };
    *lock(&shared.work) = Some(Box::new(whole));
    pool.submit(shared.clone())
        .map_err(|error| Error::from_reason(format!("a thread cannot be started: {error}")))?;
    Ok(Job { shared, pool })
}

#[napi]
impl Job {
    /// Cancels the job. Work that has not started is dropped, and the callback is not called again.
    #[napi]
    pub fn cancel(&self) {
        self.shared.cancel.cancel();
        self.pool.remove(&self.shared);
        let work = lock(&self.shared.work).take();
        drop(work);
    }

    /// Returns the result, once.
    #[napi]
    pub fn take(&self) -> Outcome {
        let none = Outcome::default();
        match lock(&self.shared.result).take() {
            None => none,
            Some(Err(error)) => Outcome { error: Some(error), ..none },
            Some(Ok(Value::Prover(prover))) => Outcome { prover: Some(prover), ..none },
            Some(Ok(Value::VerifyingKey(key))) => Outcome { verifying_key: Some(key), ..none },
            Some(Ok(Value::Calculator(it))) => Outcome { calculator: Some(it), ..none },
            Some(Ok(Value::Proof(proof))) => Outcome { proof: Some(proof), ..none },
            Some(Ok(Value::Witness(bytes))) => {
                Outcome { witness: Some(bytes.to_vec().into()), ..none }
            }
            Some(Ok(Value::Valid(valid))) => Outcome { valid: Some(valid), ..none },
            Some(Ok(Value::Numbers(numbers))) => Outcome { numbers: Some(numbers), ..none },
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
        lock(&self.shared.result).take();
    }
}
