//! The prover.

use std::sync::Arc;

use proofmill_op::StackWipe;
use tracing::debug_span;

use super::attempt::Attempt;
use super::report::{Control, Proved};
use super::route::Route;
use super::verify::PreparedVerifyingKey;
use super::{Proof, Scalar, VerifyingKey};
use crate::Result;
use crate::attempts::{Attempts, Counters, Outcome};
use crate::groth16::suite::{Suite, on_curve, require_witness};
use crate::groth16::{Counts, Devices, Settings};
use crate::snarkjs::Witness;
use crate::snarkjs::plonk::Zkey;

/// Makes proofs with one key.
///
/// The MSMs and the transforms run on the devices, the rest on the threads of the caller's rayon pool. A proof is a span of `tracing`, `proof`,
/// with one for each step within it, `phase`, both at level DEBUG; a wrong device is an event at level WARN.
pub struct Prover {
    pub(super) key: Zkey,
    pub(super) route: Route,
    pub(super) settings: Settings,
    devices: Devices,
    of_key: VerifyingKey,
    verifying: PreparedVerifyingKey,
    counters: Counters,
}

impl Prover {
    /// Returns a prover for this key. A step runs on the device if that offers it, otherwise on the fallback. If the settings request resident
    /// points, this waits until they are loaded; a device that fails then is an error. [`Settings::lanes`] has no effect.
    pub fn new(key: &Zkey, devices: Devices, settings: Settings) -> Result<Self> {
        on_curve!(key.curve(), new(key, devices, settings))
    }

    /// Proves that a witness with these public inputs exists.
    ///
    /// If the proof does not verify, or a device other than this machine's processor fails, the proof is repeated on the fallback, and the
    /// report contains the reason. Returns [`Error::DoesNotVerify`](crate::Error::DoesNotVerify) if the second proof does not verify either: the witness or the key is
    /// wrong. Returns [`Error::Device`](crate::Error::Device) if no second attempt is allowed.
    pub fn prove(&self, witness: &Witness) -> Result<Proved> {
        self.prove_with(witness, &Control::none())
    }

    /// Proves with a progress callback and a cancellation signal.
    pub fn prove_with(&self, witness: &Witness, control: &Control) -> Result<Proved> {
        require_witness(witness, self.key.curve(), self.key.witness_values())?;
        let _span = debug_span!("proof", curve = self.key.curve().name()).entered();
        let _wipe = StackWipe;
        on_curve!(self.key.curve(), prove(self, witness, control))
    }

    /// Returns the counters of this process.
    pub fn counts(&self) -> Counts {
        self.counters.get()
    }

    /// Returns the prepared verifying key.
    pub fn verifying(&self) -> &PreparedVerifyingKey {
        &self.verifying
    }

    /// Returns whether the proof verifies. Points outside the subgroups are rejected.
    fn verifies(&self, public_inputs: &[Scalar], proof: &Proof) -> bool {
        self.verifying.verify(public_inputs, proof).unwrap_or(false)
    }
}

fn new<E: Suite>(key: &Zkey, devices: Devices, settings: Settings) -> Result<Prover> {
    let isa = devices.isa();
    let key = key.clone().read_with(isa);
    let of_key = key.verifying_key();
    let verifying = PreparedVerifyingKey::with_isa(&of_key, isa)?;
    let route = Route::new::<E, _>(&key, &devices, settings.resident)?;
    let counters = Counters::default();
    Ok(Prover { key, route, settings, devices, of_key, verifying, counters })
}

fn prove<E: Suite>(prover: &Prover, witness: &Witness, control: &Control) -> Result<Proved> {
    let public_inputs = &witness.values()[1..=prover.key.public_inputs()];
    let attempts = Attempts {
        settings: &prover.settings,
        counters: &prover.counters,
        fallback: prover.devices.fallback.as_ref(),
        first: &prover.route,
        suspects: prover.route.offload_uris(),
    };
    let on_fallback =
        |fallback: Arc<_>| Route::new::<E, _>(&prover.key, &Devices::one(fallback), false);
    attempts.prove(public_inputs, on_fallback, |route, steps| {
        let (key, verifying) = (&prover.key, &prover.of_key);
        let mut attempt = Attempt { key, verifying, route, control, steps };
        let proof = attempt.run::<E>(witness, public_inputs);
        Outcome::of(proof, &prover.settings, |proof| {
            control.cancel.check()?;
            Ok(attempt.check(|| prover.verifies(public_inputs, proof)))
        })
    })
}
