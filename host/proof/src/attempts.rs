//! Attempts at a proof: on the devices, and once more on the fallback if a device failed or returned a wrong result.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use proofmill_algebra::STACK_BYTES;
use proofmill_op::process::PerProcess;
use proofmill_op::{Cancel, Device, Ticket, milliseconds};
use tracing::{Span, debug, debug_span, warn};

use crate::groth16::{Control, Counts, Proved, Report, Retry, Scalar, Settings, Timed};
use crate::{Error, Result};

/// The result of an attempt.
pub enum Outcome<P> {
    /// A proof. It was verified, unless the settings disable that.
    Valid(P),
    /// A proof that does not verify.
    Invalid,
    /// A device failed.
    DeviceError(proofmill_op::Error),
}

impl<P> Outcome<P> {
    /// Returns the outcome of an attempt that ended so: a proof that is verified, unless the settings disable that, or an error.
    pub fn of(
        proof: Result<P>,
        settings: &Settings,
        verifies: impl FnOnce(&P) -> Result<bool>,
    ) -> Result<Self> {
        let proof = match proof {
            Err(Error::Device(error)) if error.is_device() => return Ok(Self::DeviceError(error)),
            other => other?,
        };
        Ok(match !settings.self_check || verifies(&proof)? {
            true => Self::Valid(proof),
            false => Self::Invalid,
        })
    }

    /// Returns the proof of the last attempt.
    fn proof(self) -> Result<P> {
        match self {
            Self::Valid(proof) => Ok(proof),
            Self::Invalid => Err(Error::DoesNotVerify),
            Self::DeviceError(error) => Err(error.into()),
        }
    }
}

impl<P> fmt::Display for Outcome<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid(_) => f.write_str("the proof is valid"),
            Self::Invalid => f.write_str("the proof computed with its results does not verify"),
            Self::DeviceError(error) => error.fmt(f),
        }
    }
}

/// The counters of a prover. There is a lock for each process: a fork may leave it locked by a thread that the child does not have.
#[derive(Default)]
pub struct Counters(PerProcess<Mutex<Counts>>);

impl Counters {
    /// Returns the counters of this process.
    pub fn get(&self) -> Counts {
        self.with(|counts| *counts)
    }

    /// Calls a function with the counters of this process.
    fn with<T>(&self, function: impl FnOnce(&mut Counts) -> T) -> T {
        let Ok(counts) = self.0.get_or_try_make(|| Ok::<_, Infallible>(Mutex::default()));
        function(&mut counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The attempts of a prover at one proof.
pub struct Attempts<'a, R> {
    pub settings: &'a Settings,
    pub counters: &'a Counters,
    /// The device of the second attempt.
    pub fallback: Option<&'a Arc<dyn Device>>,
    /// The devices of the first attempt.
    pub first: &'a R,
    /// The devices of the first attempt other than this machine's processor.
    pub suspects: Vec<String>,
}

impl<R> Attempts<'_, R> {
    /// Attempts a proof on the devices of `first`, and on those of `on_fallback` if the first attempt does not give a valid proof and the
    /// settings allow a second one. Returns the proof with these public inputs and a report.
    ///
    /// `attempt` adds its steps to a list, and passes the result of an attempt and a verification to [`Outcome::of`].
    pub fn prove<P, S: Copy + fmt::Display>(
        self,
        public_inputs: &[Scalar],
        on_fallback: impl FnOnce(Arc<dyn Device>) -> Result<R>,
        mut attempt: impl FnMut(&R, &mut Vec<Timed<S>>) -> Result<Outcome<P>>,
    ) -> Result<Proved<P, S>> {
        let start = Instant::now();
        let mut report = Report::default();
        let (proof, retried) = self.run(on_fallback, |route| attempt(route, &mut report.steps))?;
        report.retried = retried;
        report.seconds = start.elapsed().as_secs_f64();
        debug!(ms = milliseconds(report.seconds), "done");
        Ok(Proved { proof, public_inputs: public_inputs.to_vec(), report })
    }

    /// Returns the proof, and the reason of the second attempt.
    fn run<P>(
        self,
        on_fallback: impl FnOnce(Arc<dyn Device>) -> Result<R>,
        mut attempt: impl FnMut(&R) -> Result<Outcome<P>>,
    ) -> Result<(P, Option<Retry>)> {
        let Self { settings, counters, fallback, first, suspects } = self;
        let done = match (attempt(first)?, fallback) {
            (Outcome::Valid(proof), _) => (proof, None),
            (Outcome::Invalid, _) if suspects.is_empty() => return Err(Error::DoesNotVerify),
            (outcome, Some(fallback)) if settings.retry_on_fallback && !suspects.is_empty() => {
                let second = on_fallback(fallback.clone())?;
                let failed = matches!(outcome, Outcome::DeviceError(_));
                counters.with(|counts| counts.failures += u64::from(failed));
                let proof = attempt(&second)?.proof()?;
                counters.with(|counts| {
                    counts.retried += 1;
                    counts.wrong += u64::from(!failed);
                });
                let problem = outcome.to_string();
                warn!(
                    devices = suspects.join(", "),
                    problem, "device returned an invalid proof; retrying on cpu"
                );
                (proof, Some(Retry { devices: suspects, problem }))
            }
            (Outcome::DeviceError(error), _) => {
                counters.with(|counts| counts.failures += 1);
                return Err(error.into());
            }
            (outcome @ Outcome::Invalid, _) => {
                counters.with(|counts| counts.failures += 1);
                let device = suspects.join(", ");
                let problem = format!("{outcome}: the device or the witness is wrong");
                return Err(proofmill_op::Error::Failed { device, problem }.into());
            }
        };
        counters.with(|counts| counts.proofs += 1);
        Ok(done)
    }
}

/// Runs work on a thread of its own. Returns a ticket, which is also a future. Dropping it cancels the work.
pub fn on_thread<S: 'static, T: Send + 'static>(
    control: Control<S>,
    work: impl FnOnce(&Control<S>) -> Result<T> + Send + 'static,
) -> Result<Ticket<T, Error>> {
    let own = Cancel::new();
    let (completer, ticket) = Ticket::with_cancel(own.clone());
    let ticket = ticket.linked_to(&control.cancel);
    let control = control.with_cancel(own);
    let span = Span::current();
    let work = move || completer.complete(span.in_scope(|| work(&control)));
    let thread = std::thread::Builder::new().name("proofmill-prover".into());
    let thread = thread.stack_size(STACK_BYTES).spawn(work);
    thread.map_err(|source| Error::Io { name: "the prover's thread".into(), source })?;
    Ok(ticket)
}

/// Executes a step on the calling thread: within its span, with its progress, and with an entry in `steps`.
pub fn timed<S: Copy + fmt::Display, T>(
    control: &Control<S>,
    steps: &mut Vec<Timed<S>>,
    step: S,
    device: Option<String>,
    work: impl FnOnce() -> T,
) -> T {
    let (mut work, mut done) = (Some(work), None);
    let seconds = observed(control, step, &mut || done = work.take().map(|work| work()));
    steps.push(Timed { step, device, seconds });
    done.expect("it was called")
}

/// [`timed`] without the types of the work, so that it is compiled once for a kind of steps. Returns the seconds.
fn observed<S: Copy + fmt::Display>(control: &Control<S>, step: S, work: &mut dyn FnMut()) -> f64 {
    let report = |part| control.progress.iter().for_each(|progress| progress(step, part));
    let (span, start) = (phase(step).entered(), Instant::now());
    report(0.0);
    work();
    report(1.0);
    let seconds = start.elapsed().as_secs_f64();
    debug!(ms = milliseconds(seconds), "done");
    drop(span);
    seconds
}

/// Returns the span of a step.
pub fn phase<S: fmt::Display>(step: S) -> Span {
    debug_span!("phase", %step)
}
