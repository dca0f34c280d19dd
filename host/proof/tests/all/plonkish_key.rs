//! Keys for PLONK and FFLONK that snarkjs made: what both have, and every damage.

use std::sync::Arc;

use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
use proofmill_op::msm::Stream as _;
use proofmill_proof::groth16::Curve;
use proofmill_proof::snark::Protocol;
use proofmill_proof::snarkjs::plonk::{Elements, Polynomial, Wire};
use proofmill_proof::snarkjs::{AnyZkey, PlonkishKey};
use proofmill_proof::{Error, Result};

use crate::small::{Place, places};
use crate::support::plonkish::{SUBJECTS, Subject, read, wrong};

/// Returns the place of a section.
pub fn place(file: &[u8], number: u32) -> Place {
    places(file).into_iter().find(|place| place.number == number).unwrap()
}

/// Checks the sizes of the circuit of snarkjs.
pub fn examine_sizes<H>(key: &PlonkishKey<H>) {
    assert_eq!((key.public_inputs(), key.domain_log(), key.constraints()), (2, 3, 5));
    assert_eq!((key.witness_values(), key.variables(), key.additions().len()), (5, 6, 1));
}

fn append<F: PrimeField>(all: &mut Vec<u8>, elements: &Elements<'_>) -> Result<()> {
    (0..elements.len()).try_for_each(|i| {
        all.extend(elements.get::<F>(i)?.to_le_bytes().as_ref());
        Ok(())
    })
}

/// Returns what a prover reads of a key of either protocol, concatenated.
fn shared<F: PrimeField, H>(key: &PlonkishKey<H>) -> Result<Vec<u8>> {
    let sizes = [key.variables(), key.witness_values(), key.public_inputs(), key.constraints()];
    let mut all = format!("{:?} {sizes:?} {} ", key.curve(), key.domain_log()).into_bytes();
    for addition in key.additions() {
        let addition = addition?;
        all.extend(format!("{:?} {:?}", addition.variables, addition.factors::<F>()).bytes());
    }
    for wire in Wire::ALL {
        let wires = key.wires(wire);
        let variables: Vec<_> = (0..wires.len()).map(|i| wires.get(i)).collect::<Result<_>>()?;
        all.extend(format!("{variables:?}").bytes());
    }
    for polynomial in Polynomial::ALL {
        append::<F>(&mut all, &key.coefficients(polynomial))?;
        append::<F>(&mut all, &key.values(polynomial))?;
    }
    let points = key.points();
    let mut bytes = vec![0; points.bytes().unwrap() as usize];
    points.read_at(0, &mut bytes).map_err(|source| proofmill_op::Error::Io {
        context: "bases".into(),
        source: Arc::new(source),
    })?;
    all.extend(bytes);
    Ok(all)
}

/// Returns all contents of a key that a prover reads, concatenated.
fn everything(key: &AnyZkey) -> Result<Vec<u8>> {
    let mut all = key.verifying_key()?.text()?.into_bytes();
    let more = match key {
        AnyZkey::Plonk(key) if key.curve() == Curve::Bn254 => shared::<Bn254Fr, _>(key)?,
        AnyZkey::Plonk(key) => shared::<Bls12381Fr, _>(key)?,
        AnyZkey::Fflonk(key) => {
            append::<Bn254Fr>(&mut all, &key.c0())?;
            shared::<Bn254Fr, _>(key)?
        }
        AnyZkey::Groth16(_) => panic!("a key for Groth16"),
    };
    all.extend(more);
    Ok(all)
}

#[test]
fn verification_keys_are_exported_as_by_snarkjs() {
    for subject in SUBJECTS {
        let key = subject.key();
        assert_eq!((key.protocol(), key.curve()), (subject.protocol, subject.curve));
        let exported = key.verifying_key().unwrap().text().unwrap();
        assert_eq!(exported, subject.text("verification_key"));
    }
}

#[test]
fn a_key_that_ends_early_is_refused() {
    for subject in SUBJECTS {
        let file = subject.file("circuit.zkey");
        for end in 0..file.len() {
            let wrong = wrong(read(&file[..end]));
            assert!(wrong.offset <= end as u64, "{end}: {wrong}");
        }
        // The last section in the file is named as its protocol names it.
        let error = wrong(read(&file[..file.len() - 1]));
        assert_eq!(error.section, format!("section 2 ({} header)", subject.protocol));
    }
}

#[test]
fn changes_of_a_key_for_plonk_are_seen() {
    for subject in SUBJECTS.into_iter().filter(|subject| subject.protocol == Protocol::Plonk) {
        examine_changes(subject, 7);
    }
}

#[test]
fn changes_of_a_key_for_fflonk_are_seen() {
    for subject in SUBJECTS.into_iter().filter(|subject| subject.protocol == Protocol::Fflonk) {
        examine_changes(subject, 7);
    }
}

#[test]
#[ignore = "minutes"]
fn every_change_of_a_key_is_seen() {
    for subject in SUBJECTS {
        examine_changes(subject, 1);
    }
}

/// Changes every `every`th byte of a key, one at a time.
fn examine_changes(subject: Subject, every: usize) {
    let file = subject.file("circuit.zkey");
    let original = everything(&read(&file).unwrap()).unwrap();
    // Of the Lagrange polynomials, the first is read; `check` reads all.
    let lagrange = place(&file, if subject.protocol == Protocol::Fflonk { 15 } else { 13 }).content;
    let unread = (lagrange.start + lagrange.end) / 2..lagrange.end;
    for at in (0..file.len()).step_by(every) {
        let mut changed = file.clone();
        changed[at] ^= 1 << (at % 8);
        match read(&changed).and_then(|key| everything(&key)) {
            Ok(found) => assert!(found != original || unread.contains(&at), "byte {at}"),
            Err(Error::File(wrong)) => {
                assert!(wrong.offset <= file.len() as u64, "byte {at}: {wrong}");
            }
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
}
