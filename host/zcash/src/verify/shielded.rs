//! The shielded parts of a transaction: points are checked at once, proofs and signatures are collected for batches.

use group::{Curve as _, GroupEncoding as _, ff::PrimeField as _};
use jubjub::ExtendedPoint;
use zcash_primitives::transaction::TransactionData;

use super::groth::{Claim, Statement, joinsplit_inputs, pack_le};
use super::report::{Findings, Part};
use super::{Batches, Place};
use crate::reddsa::{Signature, SignatureKind};
use crate::transparent::{Digests, Spending};

const OLD_PROOF: &str = "the system of proofs before Sapling (BCTV14) is not implemented";

/// Collects the claims of a transaction. `place` gives the place of a part.
pub fn collect<'a>(
    digests: &'a Digests,
    place: &dyn Fn(Part) -> Place,
    batches: &mut Batches<'a>,
    findings: &mut Findings,
) {
    let transaction = digests.transaction();
    let signed = Signed { digest: digests.shielded(), place };
    sprout(transaction, &signed, batches, findings);
    sapling(transaction, &signed, batches, findings);
    orchard(transaction, &signed, batches, findings);
}

/// The digest of a transaction's shielded signatures.
struct Signed<'a> {
    digest: Result<[u8; 32], &'static str>,
    place: &'a dyn Fn(Part) -> Place,
}

impl Signed<'_> {
    /// Adds a signature to the batch if its digest is known.
    fn push(
        &self,
        part: Part,
        (kind, key, signature): (SignatureKind, [u8; 32], [u8; 64]),
        batches: &mut Batches<'_>,
        findings: &mut Findings,
    ) {
        match self.digest {
            Ok(message) => {
                batches
                    .signatures
                    .push((self.place)(part), Signature { kind, key, signature, message });
            }
            Err(reason) => findings.not_checked(part, reason),
        }
    }
}

/// JoinSplits: one Ed25519 signature (ZIP 215) and a proof for each.
fn sprout(
    transaction: &TransactionData<Spending>,
    signed: &Signed<'_>,
    batches: &mut Batches<'_>,
    findings: &mut Findings,
) {
    let Some(bundle) = transaction.sprout_bundle() else { return };
    match signed.digest {
        Ok(digest) => {
            if let Err(problem) = ed25519(&bundle.joinsplit_pubkey, &bundle.joinsplit_sig, &digest)
            {
                findings.invalid(Part::JoinSplitSignature, problem);
            }
        }
        Err(reason) => findings.not_checked(Part::JoinSplitSignature, reason),
    }
    for (number, joinsplit) in bundle.joinsplits.iter().enumerate() {
        let part = Part::JoinSplitProof(number);
        let Some(proof) = joinsplit.groth_proof_bytes() else {
            findings.not_checked(part, OLD_PROOF);
            continue;
        };
        let public_inputs = joinsplit_inputs(joinsplit, &bundle.joinsplit_pubkey);
        let claim = Claim { place: (signed.place)(part), proof: *proof, public_inputs };
        batches.proofs.push(Statement::JoinSplit, claim);
    }
}

fn ed25519(key: &[u8; 32], signature: &[u8; 64], message: &[u8]) -> Result<(), String> {
    let key = ed25519_zebra::VerificationKey::try_from(*key).map_err(|error| error.to_string())?;
    let signature = ed25519_zebra::Signature::from(*signature);
    key.verify(&signature, message).map_err(|error| error.to_string())
}

/// Spends and Outputs (protocol specification 4.4, 4.5, 4.13): points that are not of small order, proofs, signatures.
fn sapling(
    transaction: &TransactionData<Spending>,
    signed: &Signed<'_>,
    batches: &mut Batches<'_>,
    findings: &mut Findings,
) {
    let Some(bundle) = transaction.sapling_bundle() else { return };
    let mut sum = sapling_crypto::value::CommitmentSum::zero();
    for (number, spend) in bundle.shielded_spends().iter().enumerate() {
        sum += spend.cv();
        let rk: [u8; 32] = (*spend.rk()).into();
        let Some(point) = decoded(&rk) else {
            findings.invalid(Part::SpendPoint(number), "rk is no point, or one of small order");
            continue;
        };
        let mut public_inputs = coordinates(&point).to_vec();
        public_inputs.extend(coordinates(spend.cv().as_inner()));
        public_inputs.push(spend.anchor().to_repr());
        public_inputs.extend(pack_le(&spend.nullifier().0));
        let place = (signed.place)(Part::SpendProof(number));
        let claim = Claim { place, proof: *spend.zkproof(), public_inputs };
        batches.proofs.push(Statement::Spend, claim);
        let signature = (SignatureKind::SaplingSpendAuth, rk, (*spend.spend_auth_sig()).into());
        signed.push(Part::SpendSignature(number), signature, batches, findings);
    }
    for (number, output) in bundle.shielded_outputs().iter().enumerate() {
        sum -= output.cv();
        let Some(epk) = decoded(&output.ephemeral_key().0) else {
            findings.invalid(Part::OutputPoint(number), "epk is no point, or one of small order");
            continue;
        };
        let mut public_inputs = coordinates(output.cv().as_inner()).to_vec();
        public_inputs.extend(coordinates(&epk));
        public_inputs.push(output.cmu().to_bytes());
        let place = (signed.place)(Part::OutputProof(number));
        let claim = Claim { place, proof: *output.zkproof(), public_inputs };
        batches.proofs.push(Statement::Output, claim);
    }
    let key = sum.into_bvk(*bundle.value_balance()).into();
    let signature = bundle.authorization().binding_sig.into();
    let signature = (SignatureKind::SaplingBinding, key, signature);
    signed.push(Part::SaplingBinding, signature, batches, findings);
}

/// Decodes a point of Jubjub that is not of small order.
fn decoded(bytes: &[u8; 32]) -> Option<ExtendedPoint> {
    let point = Option::<ExtendedPoint>::from(ExtendedPoint::from_bytes(bytes))?;
    (!bool::from(point.is_small_order())).then_some(point)
}

fn coordinates(point: &ExtendedPoint) -> [[u8; 32]; 2] {
    let affine = point.to_affine();
    [affine.get_u().to_repr(), affine.get_v().to_repr()]
}

/// Actions (protocol specification 4.6, 4.14): one proof for all, a signature for each, and the binding signature.
fn orchard<'a>(
    transaction: &'a TransactionData<Spending>,
    signed: &Signed<'_>,
    batches: &mut Batches<'a>,
    findings: &mut Findings,
) {
    let orchard = transaction.orchard_bundle().map(|bundle| {
        let action: fn(usize) -> Part = Part::ActionSignature;
        (bundle, Part::ActionsProof, action, Part::OrchardBinding)
    });
    let ironwood = transaction.ironwood_bundle().map(|bundle| {
        let action: fn(usize) -> Part = Part::IronwoodSignature;
        (bundle, Part::IronwoodProof, action, Part::IronwoodBinding)
    });
    for (bundle, proof, action_signature, binding) in orchard.into_iter().chain(ironwood) {
        batches.actions.push(((signed.place)(proof), bundle.into()));
        for (number, action) in bundle.actions().iter().enumerate() {
            let key = action.rk().into();
            let signature = (SignatureKind::OrchardSpendAuth, key, action.authorization().into());
            signed.push(action_signature(number), signature, batches, findings);
        }
        let key = (&bundle.binding_validating_key()).into();
        let signature = bundle.authorization().binding_signature().into();
        let signature = (SignatureKind::OrchardBinding, key, signature);
        signed.push(binding, signature, batches, findings);
    }
}
