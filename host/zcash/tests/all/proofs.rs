//! Single proofs, judged by the reference's verifier; alterations; inputs that contradict each other.

use bls12_381::{Bls12, Scalar};
use groth16::Proof;
use proofmill_op::Cancel;
use proofmill_zcash::{Circuit, Error};
use rand::Rng;
use sapling_crypto::SaplingVerificationContext;
use sapling_crypto::note::ExtractedNoteCommitment;
use sapling_crypto::value::{NoteValue, ValueCommitment};

use crate::wallet::{ALPHA, ESK, Wallet, generator, rcv};
use crate::{PROVER, REFERENCE};

/// The public data of a Spend, in bytes.
#[derive(Clone)]
struct SpendDescription {
    cv: [u8; 32],
    anchor: [u8; 32],
    nullifier: [u8; 32],
    rk: [u8; 32],
    proof: [u8; 192],
}

impl SpendDescription {
    /// Returns that of the first note of a wallet.
    fn new(wallet: &Wallet, proof: [u8; 192]) -> Self {
        let note = &wallet.notes[0];
        let full = wallet.key.to_diversifiable_full_viewing_key();
        let rk = full.fvk().vk.rk(jubjub::Fr::from(ALPHA));
        Self {
            cv: ValueCommitment::derive(note.value(), rcv()).to_bytes(),
            anchor: wallet.root.to_bytes(),
            nullifier: note.nf(full.fvk().vk.nk(), 0).0,
            rk: rk.into(),
            proof,
        }
    }

    /// Returns the verdict of the reference. The signature is by the key that belongs to `rk` as it was.
    fn is_accepted(&self, wallet: &Wallet) -> bool {
        let sighash = [7; 32];
        let key = wallet.key.expsk().ask().randomize(&jubjub::Fr::from(ALPHA));
        let signature = key.sign(generator(), &sighash);
        let parts = || {
            let cv = Option::from(ValueCommitment::from_bytes_not_small_order(&self.cv))?;
            let anchor = Option::from(Scalar::from_bytes(&self.anchor))?;
            let rk = redjubjub::VerificationKey::try_from(self.rk).ok()?;
            Some((cv, anchor, rk, Proof::<Bls12>::read(&self.proof[..]).ok()?))
        };
        let Some((cv, anchor, rk, proof)) = parts() else { return false };
        SaplingVerificationContext::new().check_spend(
            &cv,
            anchor,
            &self.nullifier,
            rk,
            &sighash,
            signature,
            proof,
            &REFERENCE.0.prepared_verifying_key(),
        )
    }
}

/// The public data of an Output, in bytes.
#[derive(Clone)]
struct OutputDescription {
    cv: [u8; 32],
    cmu: [u8; 32],
    epk: [u8; 32],
    proof: [u8; 192],
}

impl OutputDescription {
    /// Returns that of the first note of a wallet.
    fn new(wallet: &Wallet, proof: [u8; 192]) -> Self {
        let note = &wallet.notes[0];
        let g_d = note.recipient().diversifier().g_d().unwrap();
        let epk = jubjub::ExtendedPoint::from(g_d * jubjub::Fr::from(ESK));
        Self {
            cv: ValueCommitment::derive(note.value(), rcv()).to_bytes(),
            cmu: note.cmu().to_bytes(),
            epk: jubjub::AffinePoint::from(epk).to_bytes(),
            proof,
        }
    }

    /// Returns the verdict of the reference.
    fn is_accepted(&self) -> bool {
        let parts = || {
            let cv = Option::from(ValueCommitment::from_bytes_not_small_order(&self.cv))?;
            let cmu = Option::from(ExtractedNoteCommitment::from_bytes(&self.cmu))?;
            let epk: jubjub::AffinePoint = Option::from(jubjub::AffinePoint::from_bytes(self.epk))?;
            Some((cv, cmu, epk, Proof::<Bls12>::read(&self.proof[..]).ok()?))
        };
        let Some((cv, cmu, epk, proof)) = parts() else { return false };
        let key = REFERENCE.1.prepared_verifying_key();
        SaplingVerificationContext::new().check_output(&cv, cmu, epk.into(), proof, &key)
    }
}

/// Returns a proof with the points of another one in place of one of its own: A, B or C.
fn mixed(proof: &[u8; 192], other: &[u8; 192]) -> [[u8; 192]; 3] {
    [0..48, 48..144, 144..192].map(|point| {
        let mut mixed = *proof;
        mixed[point.clone()].copy_from_slice(&other[point]);
        mixed
    })
}

#[test]
fn the_reference_accepts_a_spend_and_no_alteration_of_it() {
    let wallet = Wallet::new(&[50_000, 1]);
    let spends = vec![wallet.spend(0), wallet.spend(0)];
    let proofs = PROVER.prove_spends(spends, &Cancel::new()).unwrap();
    let [proof, other]: [_; 2] =
        proofs.try_into().unwrap_or_else(|_| unreachable!("two were proved"));
    let [proof, other] = [proof, other].map(|proof| proof.unwrap().bytes);
    assert_ne!(proof, other, "the blinding is random");
    let valid = SpendDescription::new(&wallet, proof);
    assert!(valid.is_accepted(&wallet));
    assert!(SpendDescription { proof: other, ..valid.clone() }.is_accepted(&wallet));
    for (point, proof) in mixed(&proof, &other).into_iter().enumerate() {
        let altered = SpendDescription { proof, ..valid.clone() };
        assert!(!altered.is_accepted(&wallet), "point {point} of the proof");
    }
    // Public data of another Spend, and a bit of each field.
    let elsewhere = SpendDescription::new(&Wallet::new(&[50_001]), proof);
    for (field, altered) in [
        ("cv", SpendDescription { cv: elsewhere.cv, ..valid.clone() }),
        ("anchor", SpendDescription { anchor: elsewhere.anchor, ..valid.clone() }),
        ("nullifier", SpendDescription { nullifier: elsewhere.nullifier, ..valid.clone() }),
    ] {
        assert!(!altered.is_accepted(&wallet), "{field}");
    }
    let fields: [fn(&mut SpendDescription) -> &mut [u8]; 5] = [
        |it| &mut it.cv,
        |it| &mut it.anchor,
        |it| &mut it.nullifier,
        |it| &mut it.rk,
        |it| &mut it.proof,
    ];
    for (number, field) in fields.into_iter().enumerate() {
        let mut altered = valid.clone();
        let bytes = field(&mut altered);
        let byte = generator().next_u32() as usize % bytes.len();
        bytes[byte] ^= 1;
        assert!(!altered.is_accepted(&wallet), "byte {byte} of field {number}");
    }
}

#[test]
fn the_reference_accepts_an_output_and_no_alteration_of_it() {
    let wallet = Wallet::new(&[u64::MAX]);
    let proof = PROVER.prove_output(wallet.output(0)).unwrap();
    let other = PROVER.prove_output(wallet.output(0)).unwrap().bytes;
    assert_eq!(proof.public_inputs.len(), 5);
    let valid = OutputDescription::new(&wallet, proof.bytes);
    assert!(valid.is_accepted());
    for (point, proof) in mixed(&proof.bytes, &other).into_iter().enumerate() {
        let altered = OutputDescription { proof, ..valid.clone() };
        assert!(!altered.is_accepted(), "point {point} of the proof");
    }
    let elsewhere = OutputDescription::new(&Wallet::new(&[1]), proof.bytes);
    for (field, altered) in [
        ("cv", OutputDescription { cv: elsewhere.cv, ..valid.clone() }),
        ("cmu", OutputDescription { cmu: elsewhere.cmu, ..valid.clone() }),
        ("epk", OutputDescription { epk: valid.cv, ..valid.clone() }),
    ] {
        assert!(!altered.is_accepted(), "{field}");
    }
}

/// Returns the name of the constraint that refuses the inputs.
fn unsatisfied(error: Error) -> String {
    match error {
        Error::Unsatisfied { circuit: Circuit::Spend, name, .. } => name,
        other => panic!("{other}"),
    }
}

#[test]
fn inputs_that_contradict_each_other_are_refused_with_the_constraint() {
    let wallet = Wallet::new(&[50_000, 1]);
    let root = "conditionally enforce correct root";
    let mut anchor = wallet.spend(0);
    anchor.anchor = Some(Scalar::from(5));
    let mut sibling = wallet.spend(0);
    sibling.auth_path[31] = Some((Scalar::from(5), false));
    let mut side = wallet.spend(0);
    side.auth_path[0] = side.auth_path[0].map(|(node, right)| (node, !right));
    let mut value = wallet.spend(0);
    value.value_commitment_opening.as_mut().unwrap().value = NoteValue::from_raw(u64::MAX);
    let mut randomness = wallet.spend(0);
    randomness.commitment_randomness = Some(jubjub::Fr::from(1));
    let circuits = vec![anchor, sibling, side, value, randomness];
    for proof in PROVER.prove_spends(circuits, &Cancel::new()).unwrap() {
        let error = proof.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("Spend circuit: the inputs do not satisfy constraint "), "{text}");
        assert_eq!(unsatisfied(error), root);
    }
}

#[test]
fn a_circuit_without_an_input_or_of_another_depth_is_refused() {
    let wallet = Wallet::new(&[50_000]);
    let mut short = wallet.spend(0);
    short.auth_path.pop();
    let problem = "Spend circuit: auth_path has 31 elements, the note commitment tree 32";
    assert_eq!(PROVER.prove_spend(short).unwrap_err().to_string(), problem);
    let mut none = wallet.spend(0);
    none.ar = None;
    let problem = "Spend circuit: an assignment for a variable could not be computed";
    assert_eq!(PROVER.prove_spend(none.clone()).unwrap_err().to_string(), problem);
    let proofs = PROVER.prove_spends(vec![none], &Cancel::new()).unwrap();
    assert_eq!(proofs[0].as_ref().unwrap_err().to_string(), problem);
    let mut none = wallet.output(0);
    none.esk = None;
    let problem = "Output circuit: an assignment for a variable could not be computed";
    assert_eq!(PROVER.prove_output(none).unwrap_err().to_string(), problem);
    let cancel = Cancel::new();
    cancel.cancel();
    let proofs = PROVER.prove_outputs(vec![wallet.output(0)], &cancel).unwrap();
    assert_eq!(proofs[0].as_ref().unwrap_err().to_string(), "cancelled");
}
