//! Keys for PLONK that snarkjs made, and damaged ones.

use std::sync::Arc;

use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
use proofmill_op::msm::Stream as _;
use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::plonk::{Polynomial, Wire, Zkey, verifying_key};
use proofmill_proof::{Error, FileError, Result};

use crate::small::{Place, places};
use crate::support::CURVES;

pub fn file(curve: Curve) -> Vec<u8> {
    let folder = format!("tests/snarkjs/plonk_{}", curve.name());
    std::fs::read(format!("{folder}/circuit.zkey")).unwrap()
}

pub fn read(bytes: &[u8]) -> Result<Zkey> {
    Zkey::from_bytes("a.zkey", Arc::from(bytes))
}

/// Returns all contents of a key that a prover reads, concatenated.
fn everything(key: &Zkey) -> Result<Vec<u8>> {
    match key.curve() {
        Curve::Bn254 => everything_in::<Bn254Fr>(key),
        _ => everything_in::<Bls12381Fr>(key),
    }
}

fn everything_in<F: PrimeField>(key: &Zkey) -> Result<Vec<u8>> {
    let mut all = format!(
        "{:?} {} {} {} {} {} ",
        key.curve(),
        key.variables(),
        key.witness_values(),
        key.public_inputs(),
        key.constraints(),
        key.domain_log()
    )
    .into_bytes();
    all.extend(verifying_key::text(&key.verifying_key())?.bytes());
    for addition in key.additions() {
        all.extend(format!("{:?} {:?}", addition.variables, addition.factors::<F>()).bytes());
    }
    for wire in Wire::ALL {
        let wires = key.wires(wire);
        all.extend(
            format!("{:?}", (0..wires.len()).map(|i| wires.get(i)).collect::<Vec<_>>()).bytes(),
        );
    }
    for polynomial in Polynomial::ALL {
        for elements in [key.coefficients(polynomial), key.values(polynomial)] {
            for i in 0..elements.len() {
                all.extend(elements.get::<F>(i)?.to_le_bytes().as_ref());
            }
        }
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

fn wrong<T>(result: Result<T>) -> FileError {
    match result {
        Err(Error::File(wrong)) => wrong,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

fn place(file: &[u8], number: u32) -> Place {
    places(file).into_iter().find(|place| place.number == number).unwrap()
}

/// Evaluates the coefficients of each polynomial at the powers of the root of order 4n, and compares with the values.
fn examine_polynomials<F: PrimeField>(key: &Zkey) {
    let n = 1 << key.domain_log();
    // The root is a power of 5, the least non-residue in both fields.
    let root: F = proofmill_algebra::ntt::least_non_residue_root();
    let root = (key.domain_log() + 2..F::TWO_ADICITY).fold(root, |root, _| root.square());
    for polynomial in Polynomial::ALL {
        let (coefficients, values) = (key.coefficients(polynomial), key.values(polynomial));
        assert_eq!((coefficients.len(), values.len()), (n, 4 * n));
        let mut x = F::ONE;
        for i in 0..4 * n {
            let value =
                (0..n).rev().fold(F::ZERO, |sum, k| sum * x + coefficients.get::<F>(k).unwrap());
            assert_eq!(value, values.get(i).unwrap(), "{polynomial:?} {i}");
            x *= root;
        }
    }
}

#[test]
fn a_key_of_snarkjs_is_read() {
    for curve in CURVES {
        let key = read(&file(curve)).unwrap();
        assert_eq!(key.curve(), curve);
        assert_eq!((key.public_inputs(), key.domain_log(), key.constraints()), (2, 3, 5));
        assert_eq!((key.witness_values(), key.variables(), key.additions().len()), (5, 6, 1));
        let exported = verifying_key::text(&key.verifying_key()).unwrap();
        let folder = format!("tests/snarkjs/plonk_{}", curve.name());
        let expected = std::fs::read_to_string(format!("{folder}/verification_key.json")).unwrap();
        assert_eq!(exported, expected);
        match curve {
            Curve::Bn254 => examine_polynomials::<Bn254Fr>(&key),
            _ => examine_polynomials::<Bls12381Fr>(&key),
        }
        key.check().unwrap();
    }
}

#[test]
fn a_key_that_ends_early_is_refused() {
    for curve in CURVES {
        let file = file(curve);
        for end in 0..file.len() {
            let wrong = wrong(read(&file[..end]));
            assert!(wrong.offset <= end as u64, "{end}: {wrong}");
        }
    }
}

#[test]
fn changes_of_a_key_are_seen() {
    examine_changes(7);
}

#[test]
#[ignore = "a minute"]
fn every_change_of_a_key_is_seen() {
    examine_changes(1);
}

/// Changes every `every`th byte of a key, one at a time.
fn examine_changes(every: usize) {
    for curve in CURVES {
        let file = file(curve);
        let original = everything(&read(&file).unwrap()).unwrap();
        // Of the Lagrange polynomials, the first is read; `check` reads all.
        let lagrange = place(&file, 13).content;
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
}

#[test]
fn a_wrong_value_has_a_section_and_a_byte() {
    let file = file(Curve::Bn254);
    let counts = place(&file, 2).content.start + 4 + 32 + 4 + 32;
    let at = |number: u32, offset: usize| place(&file, number).content.start + offset;
    let cases: [(usize, &[u8], &str, &str); 14] = [
        (at(1, 0), &[10], "section 1 (header)", "a key of protocol fflonk, not of plonk"),
        (
            counts,
            &[3],
            "section 2 (plonk header)",
            "2 public values, a constant and 1 sums in 3 variables",
        ),
        (
            counts + 4,
            &[5],
            "section 2 (plonk header)",
            "5 public values, a constant and 1 sums in 6 variables",
        ),
        (counts + 8, &[4], "section 2 (plonk header)", "a domain of 2^2 points, below 2^3"),
        (
            counts + 8,
            &[7],
            "section 2 (plonk header)",
            "a domain of 7 points, not of a power of two up to 2^26",
        ),
        (
            counts + 8,
            &[0, 0, 0, 8],
            "section 2 (plonk header)",
            "a domain of 134217728 points, not of a power of two up to 2^26",
        ),
        (counts + 8, &[16], "section 7 (Qm)", "1280 bytes, where 80 scalars of 32 bytes are 2560"),
        (
            counts + 12,
            &[0xff; 4],
            "section 2 (plonk header)",
            "2 public values, a constant and 4294967295 sums in 6 variables",
        ),
        (
            counts + 16,
            &[9],
            "section 2 (plonk header)",
            "9 constraints, 2 of them of public values, in 2^3 rows",
        ),
        (counts + 20, &[0xff; 32], "section 2 (plonk header)", "k1 is not below r"),
        (
            at(3, 0),
            &[5],
            "section 3 (additions)",
            "addition 0: variable 5 in the sum that is variable 5",
        ),
        (at(3, 8), &[0xff; 32], "section 3 (additions)", "addition 0: a factor is not below r"),
        (at(5, 8), &[6], "section 5 (B map)", "constraint 2: variable 6, where there are 6"),
        (
            at(4, 0),
            &[0xff; 4],
            "section 4 (A map)",
            "constraint 0: variable 4294967295, where there are 6",
        ),
    ];
    for (at, bytes, section, problem) in cases {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        let wrong = wrong(read(&changed));
        assert_eq!(wrong.section, section, "{wrong}");
        assert!(wrong.problem.starts_with(problem), "{wrong}");
    }
    let mut changed = file.clone();
    changed[at(12, 32 * 41)..][..32].fill(0xff);
    let key = read(&changed).unwrap();
    let said = wrong(key.coefficients(Polynomial::S2).get::<Bn254Fr>(1));
    assert_eq!(said.offset, at(12, 32 * 41) as u64, "{said}");
    assert_eq!(said.to_string(), wrong(key.check()).to_string());
    let mut changed = file.clone();
    changed[at(14, 64)] ^= 1;
    let said = wrong(read(&changed).unwrap().check());
    assert_eq!(
        (said.section.as_str(), said.problem.as_str()),
        ("section 14 (powers of tau)", "point 1 is not on the curve")
    );
}
