//! The prover.

use std::convert::Infallible;
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use proofmill_op::process::PerProcess;
use proofmill_op::{Cancel, Ticket, milliseconds};
use tracing::{Span, debug, debug_span, warn};

use super::attempt::{Attempt, Outcome};
use super::control::{Control, Place};
use super::report::{Counts, Proved, Redone, Report, Watch};
use super::route::{Devices, Route};
use super::rows::Rows;
use super::suite::{ScalarOf, Suite, demand_curve, on_curve};
use super::verify::PreparedVerifyingKey;
use super::{Proof, Scalar};
use crate::deep::STACK;
use crate::snarkjs::{Witness, Zkey};
use crate::{Error, Result};

/// What a prover does besides proving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Devices keep the points of the key, in their own form: for many proofs.
    pub park: bool,
    /// Every proof is verified before it is returned.
    pub self_check: bool,
    /// What a device did wrong, or not at all, is done again on the helper.
    pub redo_on_helper: bool,
    /// Proofs of a [batch](Prover::prove_batch) that are made at a time, each in a working set of its own and on its part of the processor's threads.
    /// None: as many as there are threads.
    pub lanes: Option<NonZero<usize>>,
}

impl Default for Settings {
    /// For one proof that is right.
    fn default() -> Self {
        Self { park: false, self_check: true, redo_on_helper: true, lanes: None }
    }
}

/// Makes proofs with one key.
///
/// What devices are not asked for (the products of the matrices with the witness, the end) is computed on the threads of the
/// caller's rayon pool.
///
/// A proof is a span of `tracing`, `proof`, with one for each step within it, `phase`, both at level DEBUG; that a device was wrong is an event at
/// level WARN.
pub struct Prover {
    pub(super) key: Zkey,
    pub(super) rows: Rows,
    pub(super) route: Route,
    pub(super) settings: Settings,
    devices: Devices,
    verifying: PreparedVerifyingKey,
    /// A lock for each process: a fork may leave it locked by a thread that the child does not have.
    counts: PerProcess<Mutex<Counts>>,
}

impl Prover {
    /// With this key on these devices: a step goes to the device if that offers it, else to the helper. If points are to be
    /// parked, this waits until they are. A device that fails while it parks is an error: there is no proof yet that could be made
    /// again.
    pub fn new(key: &Zkey, devices: Devices, settings: Settings) -> Result<Self> {
        on_curve!(key.curve(), new(key, devices, settings))
    }

    /// A proof that there is a witness with these public values.
    ///
    /// If the proof does not verify, or a device that is no processor of this machine fails, all is done again on the
    /// helper; the report says so. [`Error::DoesNotVerify`] if then the proof does not verify either: the witness or the key is
    /// wrong. An [`Error::Device`] names who failed if nothing may be done again.
    pub fn prove(&self, witness: &Witness, watch: Option<&Watch>) -> Result<Proved> {
        self.prove_with(witness, &Control { watch: watch.cloned(), ..Control::none() })
    }

    /// The same, followed and perhaps given up.
    pub fn prove_with(&self, witness: &Witness, control: &Control) -> Result<Proved> {
        self.made(witness, control, Place::Device)
    }

    /// The same on a thread of its own. The ticket is a future, too; whoever drops or cancels it gives up the proof, and says `control`'s
    /// [`Cancel`](proofmill_op::Cancel).
    pub fn submit(
        self: &Arc<Self>,
        witness: Witness,
        control: Control,
    ) -> Result<Ticket<Proved, Error>> {
        let own = Cancel::new();
        let (completer, ticket) = Ticket::of_work(own.clone());
        let ticket = ticket.covered_by(&control.cancel);
        let (prover, control) = (self.clone(), control.given_up_by(own));
        let span = Span::current();
        let work =
            move || completer.complete(span.in_scope(|| prover.prove_with(&witness, &control)));
        let thread = std::thread::Builder::new().name("proofmill-prover".into());
        let thread = thread.stack_size(STACK).spawn(work);
        thread.map_err(|source| Error::Io { name: "the prover's thread".into(), source })?;
        Ok(ticket)
    }

    /// A proof on these threads.
    pub(super) fn made(
        &self,
        witness: &Witness,
        control: &Control,
        place: Place,
    ) -> Result<Proved> {
        demand_curve("witness", witness.curve(), self.key.curve())?;
        let (found, expected) = (witness.count(), self.key.variables());
        if found != expected {
            let problem = format!("has {found} values, the key is for {expected}");
            return Err(Error::argument("witness", problem));
        }
        let _span = debug_span!("proof", curve = self.key.curve().name()).entered();
        on_curve!(self.key.curve(), prove(self, witness.values(), control, place))
    }

    /// Returns what happened since the prover was made, in this process.
    pub fn counts(&self) -> Counts {
        *self.lock_counts()
    }

    fn lock_counts(&self) -> MutexGuard<'_, Counts> {
        let Ok(counts) = self.counts.get_or_try_make(|| Ok::<_, Infallible>(Mutex::default()));
        counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key's verifying half.
    pub fn verifying(&self) -> &PreparedVerifyingKey {
        &self.verifying
    }

    /// Threads of this machine's processor, if it is among the devices.
    pub(super) fn processors(&self) -> Option<usize> {
        self.devices.threads()
    }

    fn count(&self, what: impl FnOnce(&mut Counts)) {
        what(&mut self.lock_counts());
    }

    /// Does the proof verify? Points outside the groups prove nothing.
    fn is_right(&self, public: &[Scalar], proof: &Proof) -> bool {
        self.verifying.verify(public, proof).unwrap_or(false)
    }
}

fn new<E: Suite>(key: &Zkey, devices: Devices, settings: Settings) -> Result<Prover> {
    let verifying = PreparedVerifyingKey::with_isa(&key.verifying_key()?, devices.isa())?;
    let rows = Rows::new::<ScalarOf<E>>(1 << key.domain_log(), key.coefficients().iter());
    let route = Route::new::<E>(key, &devices, settings.park)?;
    let (key, counts) = (key.clone(), PerProcess::new());
    Ok(Prover { key, rows, route, settings, devices, verifying, counts })
}

fn prove<E: Suite>(
    prover: &Prover,
    values: &[Scalar],
    control: &Control,
    place: Place,
) -> Result<Proved> {
    let start = Instant::now();
    let public = values[1..=prover.key.publics()].to_vec();
    let mut report = Report::default();
    let mut attempt = |route: &Route| -> Result<Outcome> {
        let mut attempt = Attempt { prover, route, control, place, steps: &mut report.steps };
        let proof = match attempt.run::<E>(values) {
            Err(Error::Device(error)) if error.is_device() => return Ok(Outcome::Failed(error)),
            other => other?,
        };
        if !prover.settings.self_check {
            return Ok(Outcome::Right(proof));
        }
        control.cancel.go_on()?;
        let is_right = attempt.check(|| prover.is_right(&public, &proof));
        Ok(if is_right { Outcome::Right(proof) } else { Outcome::Wrong })
    };
    let first = attempt(&prover.route)?;
    let suspects = prover.route.elsewhere();
    let (proof, redone) = match (first, &prover.devices.helper) {
        (Outcome::Right(proof), _) => (proof, None),
        (Outcome::Wrong, _) if suspects.is_empty() => return Err(Error::DoesNotVerify),
        (outcome, Some(helper)) if prover.settings.redo_on_helper && !suspects.is_empty() => {
            let helper = Route::new::<E>(&prover.key, &Devices::one(helper.clone()), false)?;
            let failed = matches!(outcome, Outcome::Failed(_));
            prover.count(|counts| counts.failures += u64::from(failed));
            let proof = attempt(&helper)?.proof()?;
            prover.count(|counts| {
                counts.redone += 1;
                counts.wrong += u64::from(!failed);
            });
            let problem = outcome.to_string();
            warn!(devices = suspects.join(", "), problem, "made again on this machine's processor");
            (proof, Some(Redone { devices: suspects, problem }))
        }
        (Outcome::Failed(error), _) => {
            prover.count(|counts| counts.failures += 1);
            return Err(error.into());
        }
        (Outcome::Wrong, _) => {
            prover.count(|counts| counts.failures += 1);
            let device = suspects.join(", ");
            let problem = format!("{}: it is wrong, or the witness is", Outcome::Wrong);
            return Err(proofmill_op::Error::Failed { device, problem }.into());
        }
    };
    prover.count(|counts| counts.proofs += 1);
    report.redone = redone;
    report.seconds = start.elapsed().as_secs_f64();
    debug!(ms = milliseconds(report.seconds), "made");
    Ok(Proved { proof, public, report })
}
