//! Provers and verifiers of every protocol. The key chooses the protocol, so that a program names none.
//!
//! [`Prover`] and [`PreparedVerifyingKey`] have the interface that those of [`groth16`], [`plonk`] and [`fflonk`] share. Their proofs and
//! steps are enums with a variant for each protocol. A new protocol is an entry of `protocols!` below, and a variant of
//! [`AnyZkey`] and [`AnyVerifyingKey`].

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use proofmill_op::msm::Curve;
use proofmill_op::{Cancel, Ticket};

use crate::attempts::{on_thread, timed};
use crate::groth16::{self, Counts, Devices, Planned, Scalar, Settings, Timed};
use crate::snarkjs::{self, AnyVerifyingKey, AnyZkey, Witness};
use crate::{Error, Pairings, Result, fflonk, halves, plonk};

/// Progress and cancellation of a proof.
pub type Control = groth16::Control<Step>;

/// A progress callback: called by any thread with a step and the fraction of it that is done, 0 to 1.
pub type StepProgress = Arc<dyn Fn(Step, f64) + Send + Sync>;

/// A proof, its public inputs and its report.
pub type Proved = groth16::Proved<Proof, Step>;

/// The report of a proof.
pub type Report = groth16::Report<Step>;

/// The plan of a proof.
pub type Plan = groth16::Plan<Step>;

/// Makes proofs with one key.
pub struct Prover {
    key: AnyZkey,
    inner: ProverOf,
    verifying: PreparedVerifyingKey,
}

/// A verifying key that is prepared for many proofs.
#[derive(Clone, Debug)]
pub struct PreparedVerifyingKey {
    curve: Curve,
    inner: KeyOf,
}

/// Declares what has a variant for each protocol. An entry is the variant, the module of the protocol, and the module of the
/// file of a proof.
macro_rules! protocols {
    ($($(#[$doc:meta])* $Variant:ident: $protocol:ident, $($file:ident)::+;)*) => {
        /// A protocol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Protocol {
            $($(#[$doc])* $Variant,)*
        }

        impl Protocol {
            /// Every protocol.
            pub const ALL: &[Self] = &[$(Self::$Variant,)*];

            /// Returns the name, which is that of snarkjs.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => stringify!($protocol),)*
                }
            }
        }

        /// A proof.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Proof {
            $($(#[$doc])* $Variant($protocol::Proof),)*
        }

        impl Proof {
            /// Returns the protocol.
            pub fn protocol(&self) -> Protocol {
                match self {
                    $(Self::$Variant(_) => Protocol::$Variant,)*
                }
            }

            /// Reads a file.
            pub fn open(protocol: Protocol, path: impl AsRef<Path>) -> Result<Self> {
                match protocol {
                    $(Protocol::$Variant => $($file)::+::open(path).map(Self::$Variant),)*
                }
            }

            /// Reads bytes, under a name for errors, with the checks of the protocol's file.
            pub fn parse(protocol: Protocol, name: &str, bytes: &[u8]) -> Result<Self> {
                match protocol {
                    $(Protocol::$Variant => $($file)::+::parse(name, bytes).map(Self::$Variant),)*
                }
            }

            /// Formats the file of a proof. Returns an error if the length of a point does not fit the curve.
            pub fn text(&self) -> Result<String> {
                match self {
                    $(Self::$Variant(proof) => $($file)::+::text(proof),)*
                }
            }
        }

        /// A step of a proof.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Step {
            /// The calculation of the witness from inputs.
            Witness,
            $($(#[$doc])* $Variant($protocol::Step),)*
        }

        impl fmt::Display for Step {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Witness => f.write_str("witness"),
                    $(Self::$Variant(step) => step.fmt(f),)*
                }
            }
        }

        #[expect(clippy::large_enum_variant, reason = "a process has few provers")]
        enum ProverOf {
            $($Variant($protocol::Prover),)*
        }

        #[expect(clippy::large_enum_variant, reason = "a process has few verifying keys")]
        #[derive(Clone, Debug)]
        enum KeyOf {
            $($Variant($protocol::PreparedVerifyingKey),)*
        }

        impl AnyZkey {
            /// Returns the protocol.
            pub fn protocol(&self) -> Protocol {
                match self {
                    $(Self::$Variant(_) => Protocol::$Variant,)*
                }
            }
        }

        impl AnyVerifyingKey {
            /// Returns the protocol.
            pub fn protocol(&self) -> Protocol {
                match self {
                    $(Self::$Variant(_) => Protocol::$Variant,)*
                }
            }
        }

        impl Prover {
            /// Returns a prover for this key, as that of the protocol does.
            pub fn new(key: &AnyZkey, devices: Devices, settings: Settings) -> Result<Self> {
                let (inner, verifying) = match key {
                    $(AnyZkey::$Variant(key) => {
                        let prover = $protocol::Prover::new(key, devices, settings)?;
                        let verifying = KeyOf::$Variant(prover.verifying().clone());
                        (ProverOf::$Variant(prover), verifying)
                    })*
                };
                let verifying = PreparedVerifyingKey { curve: key.curve(), inner: verifying };
                Ok(Self { key: key.clone(), inner, verifying })
            }

            /// Proves with a progress callback and a cancellation signal.
            pub fn prove_with(&self, witness: &Witness, control: &Control) -> Result<Proved> {
                match &self.inner {
                    $(ProverOf::$Variant(prover) => {
                        let control = control_of(control, Step::$Variant);
                        let proved = prover.prove_with(witness, &control)?;
                        Ok(proved_of(proved, Proof::$Variant, Step::$Variant))
                    })*
                }
            }

            /// Plans a proof on these devices.
            pub fn plan(&self) -> Result<Plan> {
                match &self.inner {
                    $(ProverOf::$Variant(prover) => Ok(plan_of(prover.plan()?, Step::$Variant)),)*
                }
            }

            /// Returns the counters of this process.
            pub fn counts(&self) -> Counts {
                match &self.inner {
                    $(ProverOf::$Variant(prover) => prover.counts(),)*
                }
            }
        }

        impl PreparedVerifyingKey {
            /// Prepares a key with pairings on a device. Devices have programs for keys on BLS12-381.
            pub fn with_pairings(key: &AnyVerifyingKey, pairings: Pairings) -> Result<Self> {
                let inner = match key {
                    $(AnyVerifyingKey::$Variant(key) => {
                        KeyOf::$Variant($protocol::PreparedVerifyingKey::with_pairings(key, pairings)?)
                    })*
                };
                Ok(Self { curve: key.curve(), inner })
            }

            /// Returns the protocol.
            pub fn protocol(&self) -> Protocol {
                match &self.inner {
                    $(KeyOf::$Variant(_) => Protocol::$Variant,)*
                }
            }

            /// Returns the number of public inputs.
            pub fn public_inputs(&self) -> usize {
                match &self.inner {
                    $(KeyOf::$Variant(key) => key.public_inputs(),)*
                }
            }

            /// Returns whether this is a proof for these public inputs. Returns an error if their number differs from the key's,
            /// one is not below r, a point is invalid, or the protocols or curves differ.
            pub fn verify(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
                match (&self.inner, proof) {
                    $((KeyOf::$Variant(key), Proof::$Variant(proof)) => key.verify(public_inputs, proof),)*
                    _ => Err(self.other_protocol(proof)),
                }
            }

            /// Returns the indices of the invalid proofs in ascending order, each judged as by
            /// [`PreparedVerifyingKey::verify`]. Runs in the caller's rayon pool.
            pub fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
                match &self.inner {
                    $(KeyOf::$Variant(key) => {
                        let own = proofs.iter().enumerate().map(|(at, (public_inputs, proof))| match proof {
                            Proof::$Variant(proof) => Ok((*public_inputs, proof)),
                            other => Err(halves::numbered(self.other_protocol(other), at)),
                        });
                        key.find_invalid(&own.collect::<Result<Vec<_>>>()?)
                    })*
                }
            }
        }
    };
}

protocols! {
    /// Groth16.
    Groth16: groth16, snarkjs::proof;
    /// PLONK.
    Plonk: plonk, snarkjs::plonk::proof;
    /// FFLONK.
    Fflonk: fflonk, snarkjs::fflonk::proof;
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Proof {
    /// Reads a file that names its protocol, with the checks of [`Proof::open`]. A file without a protocol is read as a proof of Groth16.
    pub fn open_any(path: impl AsRef<Path>) -> Result<Self> {
        let (name, bytes) = snarkjs::read_proof(path.as_ref())?;
        Self::parse_any(&name, &bytes)
    }

    /// Reads bytes that name their protocol, under a name for errors, with the checks of [`Proof::open_any`].
    pub fn parse_any(name: &str, bytes: &[u8]) -> Result<Self> {
        let found = snarkjs::protocol_of_proof(name, bytes)?;
        let named = |protocol: &&Protocol| found.as_deref() == Some(protocol.name());
        let protocol = Protocol::ALL.iter().find(named).copied();
        Self::parse(protocol.unwrap_or(Protocol::Groth16), name, bytes)
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        match self {
            Self::Groth16(proof) => proof.curve,
            Self::Plonk(proof) => proof.curve,
            Self::Fflonk(_) => Curve::Bn254,
        }
    }
}

impl Prover {
    /// Returns the key.
    pub fn key(&self) -> &AnyZkey {
        &self.key
    }

    /// Returns the prepared verifying key.
    pub fn verifying(&self) -> &PreparedVerifyingKey {
        &self.verifying
    }

    /// Proves that a witness with these public inputs exists, with the second attempt and the errors of the protocol's prover.
    pub fn prove(&self, witness: &Witness) -> Result<Proved> {
        self.prove_with(witness, &Control::none())
    }

    /// Calculates a witness as the first step, [`Step::Witness`], and proves it.
    pub fn prove_from(
        &self,
        calculate: impl FnOnce(&Cancel) -> Result<Witness>,
        control: &Control,
    ) -> Result<Proved> {
        let mut steps: Vec<Timed<Step>> = Vec::new();
        let calculate = || calculate(&control.cancel);
        let witness = timed(control, &mut steps, Step::Witness, None, calculate)?;
        let mut proved = self.prove_with(&witness, control)?;
        proved.report.seconds += steps.iter().map(|step| step.seconds).sum::<f64>();
        proved.report.steps.splice(..0, steps);
        Ok(proved)
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

    /// Calculates a witness and proves it, as [`Prover::prove_from`] does, on a thread of its own. Returns a ticket, which is
    /// also a future. Dropping it cancels the calculation and the proof.
    pub fn submit_from(
        self: &Arc<Self>,
        calculate: impl FnOnce(&Cancel) -> Result<Witness> + Send + 'static,
        control: Control,
    ) -> Result<Ticket<Proved, Error>> {
        let prover = self.clone();
        on_thread(control, move |control| prover.prove_from(calculate, control))
    }

    /// Proves any number of witnesses, as [`groth16::Prover::prove_each`] does. Proofs of other protocols are computed one after
    /// the other, each with all threads.
    pub fn prove_each<I>(
        &self,
        witnesses: I,
        cancel: &Cancel,
        mut each: impl FnMut(usize, Result<Proved>),
    ) -> Result<()>
    where
        I: IntoIterator<Item = Result<Witness>, IntoIter: Send>,
    {
        if let ProverOf::Groth16(prover) = &self.inner {
            return prover.prove_each(witnesses, cancel, |number, proved| {
                each(number, proved.map(|it| proved_of(it, Proof::Groth16, Step::Groth16)));
            });
        }
        let control = Control::none().with_cancel(cancel.clone());
        let mut witnesses = witnesses.into_iter().enumerate();
        while !cancel.is_cancelled()
            && let Some((number, witness)) = witnesses.next()
        {
            each(number, witness.and_then(|witness| self.prove_with(&witness, &control)));
        }
        Ok(())
    }
}

impl PreparedVerifyingKey {
    /// Prepares a key. Takes the best code path of this process.
    pub fn new(key: &AnyVerifyingKey) -> Result<Self> {
        Self::with_pairings(key, Pairings::default())
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    fn other_protocol(&self, proof: &Proof) -> Error {
        let (found, expected) = (proof.protocol(), self.protocol());
        Error::argument("proof", format!("a proof of {found}; the key is for {expected}"))
    }
}

/// Returns whether this is a proof for these public inputs, as [`PreparedVerifyingKey::verify`] does.
pub fn verify(key: &AnyVerifyingKey, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
    PreparedVerifyingKey::new(key)?.verify(public_inputs, proof)
}

/// Returns the control of a protocol's proof.
fn control_of<S: 'static>(control: &Control, step: fn(S) -> Step) -> groth16::Control<S> {
    let mut of_protocol = groth16::Control::none().with_cancel(control.cancel.clone());
    if let Some(progress) = control.progress.clone() {
        of_protocol =
            of_protocol.with_progress(Arc::new(move |inner, part| progress(step(inner), part)));
    }
    of_protocol
}

/// Returns the proof of a protocol as one of any.
fn proved_of<P, S>(
    proved: groth16::Proved<P, S>,
    proof: fn(P) -> Proof,
    step: fn(S) -> Step,
) -> Proved {
    let steps = proved.report.steps.into_iter().map(|timed| Timed {
        step: step(timed.step),
        device: timed.device,
        seconds: timed.seconds,
    });
    let report = Report {
        steps: steps.collect(),
        retried: proved.report.retried,
        seconds: proved.report.seconds,
    };
    Proved { proof: proof(proved.proof), public_inputs: proved.public_inputs, report }
}

/// Returns the plan of a protocol's proof as one of any.
fn plan_of<S>(plan: groth16::Plan<S>, step: fn(S) -> Step) -> Plan {
    let steps = plan.steps.into_iter().map(|planned| Planned {
        step: step(planned.step),
        device: planned.device,
        working: planned.working,
    });
    Plan {
        curve: plan.curve,
        variables: plan.variables,
        public_inputs: plan.public_inputs,
        domain: plan.domain,
        key: plan.key,
        witness: plan.witness,
        resident: plan.resident,
        steps: steps.collect(),
        working: plan.working,
    }
}
