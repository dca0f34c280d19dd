//! The prover.

use std::fmt;
use std::sync::Arc;

use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::encoding::{EncodingError, pair, zcash};
use proofmill_op::{Cancel, StackWipe};
use proofmill_proof::bellman::Constraints;
use proofmill_proof::groth16::{self, Control, Curve, Devices, Prover, Report, Scalar, Settings};
use proofmill_proof::snarkjs::Witness;
use rand_core::Rng;
use sapling_crypto::bundle::GrothProofBytes;
use sapling_crypto::circuit::{Output, OutputParameters, Spend, SpendParameters};
use sapling_crypto::keys::EphemeralSecretKey;
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::{Diversifier, MerklePath, PaymentAddress, ProofGenerationKey, Rseed};

use crate::circuit::{Blank, synthesis};
use crate::parameters::Parts;
use crate::recorder::Assignment;
use crate::{Error, Result, SaplingParameters};

/// A circuit of Sapling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Circuit {
    /// A note is spent.
    Spend,
    /// A note is created.
    Output,
}

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spend => "Spend",
            Self::Output => "Output",
        })
    }
}

/// A proof that was verified.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// A, B and C, compressed: the form in transactions.
    pub bytes: GrothProofBytes,
    /// The public inputs, canonical and little-endian.
    pub public_inputs: Vec<Scalar>,
    /// The steps of the proof, without the synthesis.
    pub report: Report,
}

/// Proves Spends and Outputs on devices. Share it: the points of the parameters are loaded once.
///
/// Blinding comes from the generator of the operating system; the generator that the traits pass is not used.
pub struct SaplingProver {
    spend: Part,
    output: Part,
}

/// The prover of a circuit.
struct Part {
    prover: Prover,
    constraints: Arc<Constraints>,
}

impl SaplingProver {
    /// Loads the points of the parameters into the devices. Every proof is verified, and a proof that another device than this machine's
    /// processor got wrong is repeated on the fallback.
    pub fn new(parameters: &SaplingParameters, devices: Devices) -> Result<Self> {
        let settings = Settings { resident: true, ..Settings::default() };
        Self::with_settings(parameters, devices, settings)
    }

    /// Returns a prover with these settings.
    pub fn with_settings(
        parameters: &SaplingParameters,
        devices: Devices,
        settings: Settings,
    ) -> Result<Self> {
        let part = |Parts { key, constraints }: &Parts| -> Result<Part> {
            let prover = Prover::for_bellman(key, devices.clone(), settings)?;
            Ok(Part { prover, constraints: constraints.clone() })
        };
        Ok(Self { spend: part(&parameters.spend)?, output: part(&parameters.output)? })
    }

    /// Proves a Spend. Inputs that contradict each other are refused with the name of a constraint: [`Error::Unsatisfied`].
    pub fn prove_spend(&self, circuit: Spend) -> Result<Proof> {
        self.spend.prove(circuit)
    }

    /// Proves an Output, as [`Self::prove_spend`] does.
    pub fn prove_output(&self, circuit: Output) -> Result<Proof> {
        self.output.prove(circuit)
    }

    /// Proves each Spend, several in parallel, one on each thread of this machine's processor; a circuit is synthesized while others are proved.
    /// Results are in order, and a failed proof does not affect the others.
    pub fn prove_spends(
        &self,
        circuits: Vec<Spend>,
        cancel: &Cancel,
    ) -> Result<Vec<Result<Proof>>> {
        self.spend.prove_each(circuits, cancel)
    }

    /// Proves each Output, as [`Self::prove_spends`] does.
    pub fn prove_outputs(
        &self,
        circuits: Vec<Output>,
        cancel: &Cancel,
    ) -> Result<Vec<Result<Proof>>> {
        self.output.prove_each(circuits, cancel)
    }
}

impl Part {
    fn prove<C: Blank>(&self, circuit: C) -> Result<Proof> {
        let witness = witness(circuit, &self.constraints)?;
        let proved = self.prover.prove_with(&witness, &Control::none());
        proof::<C>(proved)
    }

    fn prove_each<C: Blank + Send>(
        &self,
        circuits: Vec<C>,
        cancel: &Cancel,
    ) -> Result<Vec<Result<Proof>>> {
        let cancelled = || Err(proofmill_proof::Error::from(proofmill_op::Error::Cancelled).into());
        let mut proofs: Vec<_> = circuits.iter().map(|_| cancelled()).collect();
        // The prover's iterator has errors of its own; those of the synthesis wait here.
        let refused = std::sync::Mutex::new(Vec::new());
        let witnesses = circuits.into_iter().enumerate().map(|(number, circuit)| {
            witness(circuit, &self.constraints).map_err(|error| {
                let problem = error.to_string();
                refused.lock().expect("no holder panics").push((number, error));
                proofmill_proof::Error::argument("circuit", problem)
            })
        });
        self.prover.prove_each(witnesses, cancel, |number, proved| {
            proofs[number] = proof::<C>(proved);
        })?;
        for (number, error) in refused.into_inner().expect("no holder panics") {
            proofs[number] = Err(error);
        }
        Ok(proofs)
    }
}

/// Synthesizes a circuit.
fn witness<C: Blank>(circuit: C, constraints: &Constraints) -> Result<Witness> {
    circuit.check_shape()?;
    let _wipe = StackWipe;
    let values = values(circuit, constraints)?;
    Ok(Witness::from_values(Curve::Bls12_381, values)?)
}

/// Runs the circuit's code. Out of line, so that its stack is below that of the caller, which overwrites it.
#[inline(never)]
fn values<C: Blank>(circuit: C, constraints: &Constraints) -> Result<proofmill_op::SecretBytes> {
    let mut assignment = Assignment::new(constraints);
    circuit.synthesize(&mut assignment).map_err(|error| synthesis(C::CIRCUIT, &error))?;
    assignment.finish().ok_or_else(|| Error::Synthesis {
        circuit: C::CIRCUIT,
        problem: "has another number of variables than its constraints".into(),
    })
}

/// Encodes a proof. An error about a constraint gets its name.
fn proof<C: Blank>(
    proved: std::result::Result<groth16::Proved, proofmill_proof::Error>,
) -> Result<Proof> {
    let proved = proved.map_err(|error| match error {
        proofmill_proof::Error::Unsatisfied { constraint } => {
            Error::Unsatisfied { circuit: C::CIRCUIT, constraint, name: C::name_of(constraint) }
        }
        other => other.into(),
    })?;
    let bytes = encode(&proved.proof)?;
    Ok(Proof { bytes, public_inputs: proved.public_inputs, report: proved.report })
}

/// Returns A, B and C, compressed.
pub(crate) fn encode(proof: &groth16::Proof) -> Result<GrothProofBytes> {
    let point = |name, problem: EncodingError| {
        proofmill_proof::Error::argument("proof", format!("{name} is {problem}"))
    };
    let a = pair::decode::<G1>(&proof.a).map_err(|problem| point("A", problem))?;
    let b = pair::decode::<G2>(&proof.b).map_err(|problem| point("B", problem))?;
    let c = pair::decode::<G1>(&proof.c).map_err(|problem| point("C", problem))?;
    let mut bytes = [0; 192];
    bytes[..48].copy_from_slice(&zcash::encode_compressed(&a));
    bytes[48..144].copy_from_slice(&zcash::encode_compressed(&b));
    bytes[144..].copy_from_slice(&zcash::encode_compressed(&c));
    Ok(bytes)
}

/// For the builders of `sapling-crypto` and `zcash_primitives`.
impl SpendProver for SaplingProver {
    type Proof = GrothProofBytes;

    fn prepare_circuit(
        proof_generation_key: ProofGenerationKey,
        diversifier: Diversifier,
        rseed: Rseed,
        value: NoteValue,
        alpha: jubjub::Fr,
        rcv: ValueCommitTrapdoor,
        anchor: bls12_381::Scalar,
        merkle_path: MerklePath,
    ) -> Option<Spend> {
        <SpendParameters as SpendProver>::prepare_circuit(
            proof_generation_key,
            diversifier,
            rseed,
            value,
            alpha,
            rcv,
            anchor,
            merkle_path,
        )
    }

    /// Proves a Spend.
    ///
    /// # Panics
    ///
    /// If there is no proof, with the reason: the trait has no way to return an error. [`SaplingProver::prove_spend`] returns it.
    fn create_proof<R: Rng>(&self, circuit: Spend, _: &mut R) -> GrothProofBytes {
        match self.prove_spend(circuit) {
            Ok(proof) => proof.bytes,
            Err(error) => panic!("{error}"),
        }
    }

    fn encode_proof(proof: GrothProofBytes) -> GrothProofBytes {
        proof
    }
}

/// For the builders of `sapling-crypto` and `zcash_primitives`.
impl OutputProver for SaplingProver {
    type Proof = GrothProofBytes;

    fn prepare_circuit(
        esk: &EphemeralSecretKey,
        payment_address: PaymentAddress,
        rcm: jubjub::Fr,
        value: NoteValue,
        rcv: ValueCommitTrapdoor,
    ) -> Output {
        <OutputParameters as OutputProver>::prepare_circuit(esk, payment_address, rcm, value, rcv)
    }

    /// Proves an Output.
    ///
    /// # Panics
    ///
    /// If there is no proof, with the reason: the trait has no way to return an error. [`SaplingProver::prove_output`] returns it.
    fn create_proof<R: Rng>(&self, circuit: Output, _: &mut R) -> GrothProofBytes {
        match self.prove_output(circuit) {
            Ok(proof) => proof.bytes,
            Err(error) => panic!("{error}"),
        }
    }

    fn encode_proof(proof: GrothProofBytes) -> GrothProofBytes {
        proof
    }
}
