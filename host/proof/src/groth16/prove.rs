//! The prover.

use std::num::NonZero;
use std::sync::Arc;

use proofmill_algebra::pairing::Bls12381;
use proofmill_op::{StackWipe, Ticket};
use tracing::debug_span;

use super::attempt::Attempt;
use super::control::{Control, Executor};
use super::quotient::HBasis;
use super::report::{Counts, Proved};
use super::route::{Devices, Route};
use super::rows::Rows;
use super::suite::{ScalarOf, Suite, on_curve, require_witness};
use super::verify::PreparedVerifyingKey;
use super::{Proof, Scalar};
use crate::attempts::{Attempts, Counters, Outcome, on_thread};
use crate::bellman;
use crate::snarkjs::{Witness, Zkey};
use crate::{Error, Result};

/// Settings of a prover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The points of the key are loaded into the devices, for many proofs.
    pub resident: bool,
    /// Every proof is verified before it is returned.
    pub self_check: bool,
    /// A proof that a device got wrong, or at which it failed, is repeated on the fallback.
    pub retry_on_fallback: bool,
    /// The number of proofs of a [batch](Prover::prove_batch) that are computed in parallel, each with a working set of its own and a part of the
    /// processor's threads. `None`: as many as threads.
    pub lanes: Option<NonZero<usize>>,
}

impl Default for Settings {
    /// Returns the settings for single proofs that are verified.
    fn default() -> Self {
        Self { resident: false, self_check: true, retry_on_fallback: true, lanes: None }
    }
}

/// Makes proofs with one key.
///
/// The products of the matrices with the witness and the points of the proof are computed on the threads of the caller's rayon pool.
///
/// A proof is a span of `tracing`, `proof`, with one for each step within it, `phase`, both at level DEBUG; a wrong device is an event at
/// level WARN.
pub struct Prover {
    pub(super) key: Zkey,
    pub(super) rows: Arc<Rows>,
    pub(super) h_basis: HBasis,
    pub(super) route: Route,
    pub(super) settings: Settings,
    devices: Devices,
    verifying: PreparedVerifyingKey,
    counters: Counters,
}

impl Prover {
    /// Returns a prover for this key. A step runs on the device if that offers it, otherwise on the fallback. If the settings request resident points,
    /// this waits until they are loaded; a device that fails then is an error.
    pub fn new(key: &Zkey, devices: Devices, settings: Settings) -> Result<Self> {
        on_curve!(key.curve(), new(key, devices, settings))
    }

    /// Returns a prover for a key of bellman, with the devices of [`Prover::new`]. It knows all three matrices, so that a witness that does not
    /// satisfy the circuit is refused with the number of a constraint: [`Error::Unsatisfied`].
    pub fn for_bellman(key: &bellman::Key, devices: Devices, settings: Settings) -> Result<Self> {
        with_rows::<Bls12381>(&key.zkey, key.rows.clone(), HBasis::Powers, devices, settings)
    }

    /// Proves that a witness with these public inputs exists.
    ///
    /// If the proof does not verify, or a device other than this machine's processor fails, the proof is repeated on the fallback, and the
    /// report contains the reason. Returns [`Error::DoesNotVerify`] if the second proof does not verify either: the witness or the key is
    /// wrong. Returns [`Error::Device`] if no second attempt is allowed.
    pub fn prove(&self, witness: &Witness) -> Result<Proved> {
        self.prove_with(witness, &Control::none())
    }

    /// Proves with a progress callback and a cancellation signal.
    pub fn prove_with(&self, witness: &Witness, control: &Control) -> Result<Proved> {
        self.prove_on(witness, control, Executor::Device)
    }

    /// Proves on a thread of its own. Returns a ticket, which is also a future. Dropping it cancels the proof.
    pub fn submit(
        self: &Arc<Self>,
        witness: Witness,
        control: Control,
    ) -> Result<Ticket<Proved, Error>> {
        let prover = self.clone();
        on_thread(control, move |control| prover.prove_with(&witness, control))
    }

    /// Proves on the given threads.
    pub(super) fn prove_on(
        &self,
        witness: &Witness,
        control: &Control,
        executor: Executor,
    ) -> Result<Proved> {
        require_witness(witness, self.key.curve(), self.key.variables())?;
        let _span = debug_span!("proof", curve = self.key.curve().name()).entered();
        let _wipe = StackWipe;
        on_curve!(self.key.curve(), prove(self, witness, control, executor))
    }

    /// Returns the counters of this process.
    pub fn counts(&self) -> Counts {
        self.counters.get()
    }

    /// Returns the prepared verifying key.
    pub fn verifying(&self) -> &PreparedVerifyingKey {
        &self.verifying
    }

    /// Returns the threads of this machine's processor, if it is among the devices.
    pub(super) fn processors(&self) -> Option<usize> {
        self.devices.threads()
    }

    /// Returns whether the proof verifies. Points outside the subgroups are rejected.
    fn verifies(&self, public_inputs: &[Scalar], proof: &Proof) -> bool {
        self.verifying.verify(public_inputs, proof).unwrap_or(false)
    }
}

fn new<E: Suite>(key: &Zkey, devices: Devices, settings: Settings) -> Result<Prover> {
    let rows = Rows::new::<ScalarOf<E>>(1 << key.domain_log(), key.coefficients().iter())?;
    with_rows::<E>(key, Arc::new(rows), HBasis::OddCoset, devices, settings)
}

fn with_rows<E: Suite>(
    key: &Zkey,
    rows: Arc<Rows>,
    h_basis: HBasis,
    devices: Devices,
    settings: Settings,
) -> Result<Prover> {
    let isa = devices.isa();
    let key = key.clone().read_with(isa);
    let verifying = PreparedVerifyingKey::with_isa(&key.verifying_key()?, isa)?;
    let route = Route::new::<E>(&key, h_basis, &devices, settings.resident)?;
    let counters = Counters::default();
    Ok(Prover { key, rows, h_basis, route, settings, devices, verifying, counters })
}

fn prove<E: Suite>(
    prover: &Prover,
    witness: &Witness,
    control: &Control,
    executor: Executor,
) -> Result<Proved> {
    let public_inputs = &witness.values()[1..=prover.key.public_inputs()];
    let attempts = Attempts {
        settings: &prover.settings,
        counters: &prover.counters,
        fallback: prover.devices.fallback.as_ref(),
        first: &prover.route,
        suspects: prover.route.offload_uris(),
    };
    let on_fallback = |fallback: Arc<_>| {
        Route::new::<E>(&prover.key, prover.h_basis, &Devices::one(fallback), false)
    };
    attempts.prove(public_inputs, on_fallback, |route, steps| {
        let mut attempt = Attempt { prover, route, control, executor, steps };
        let proof = attempt.run::<E>(witness);
        Outcome::of(proof, &prover.settings, |proof| {
            control.cancel.check()?;
            Ok(attempt.check(|| prover.verifies(public_inputs, proof)))
        })
    })
}
