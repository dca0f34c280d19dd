//! A key for FFLONK that snarkjs made, and damaged ones.

use std::sync::Arc;

use proofmill_algebra::field::Bn254Fr;
use proofmill_proof::Result;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::Curve;
use proofmill_proof::snark::Protocol;
use proofmill_proof::snarkjs::fflonk::{Polynomial, Zkey};

use crate::plonkish_key::{examine_sizes, place};
use crate::support::plonkish::{Subject, wrong};

fn file() -> Vec<u8> {
    Subject { protocol: Protocol::Fflonk, curve: Curve::Bn254 }.file("circuit.zkey")
}

fn read(bytes: &[u8]) -> Result<Zkey> {
    Zkey::from_bytes("a.zkey", Arc::from(bytes))
}

/// Checks that C0 combines the polynomials of the key.
fn examine_c0(key: &Zkey) {
    use Polynomial::{QC, QL, QM, QO, QR, S1, S2, S3};
    let c0 = key.c0();
    assert_eq!(c0.len(), 8 << key.domain_log());
    for (i, polynomial) in [QL, QR, QO, QM, QC, S1, S2, S3].into_iter().enumerate() {
        let coefficients = key.coefficients(polynomial);
        for k in 0..coefficients.len() {
            let [found, expected] = [c0.get::<Bn254Fr>(8 * k + i), coefficients.get(k)];
            assert_eq!(found.unwrap(), expected.unwrap(), "{polynomial:?} {k}");
        }
    }
}

#[test]
fn a_key_of_snarkjs_is_read() {
    let key = read(&file()).unwrap();
    examine_sizes(&key);
    assert_eq!(key.points().count(), 9 * 8 + 18);
    examine_c0(&key);
    key.check().unwrap();
}

#[test]
fn own_keys_are_read() {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 6 }).unwrap();
    let mut key = Vec::new();
    circuit.write_insecure_fflonk_key(b"own", &mut key).unwrap();
    let key = read(&key).unwrap();
    examine_c0(&key);
    key.check().unwrap();
    let circuit = Circuit::new(Curve::Bls12_381, &Statement::Chain { constraints: 6 }).unwrap();
    let said = circuit.write_insecure_fflonk_key(b"own", &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(said, "fflonk on bls12_381; snarkjs has it on bn254");
}

#[test]
fn a_wrong_value_has_a_section_and_a_byte() {
    const HEADER: &str = "section 2 (fflonk header)";
    let file = file();
    let at = |number: u32, offset: usize| place(&file, number).content.start + offset;
    let counts = at(2, 4 + 32 + 4 + 32);
    let roots = counts + 20 + 64;
    let cases: [(usize, &[u8], &str, &str); 13] = [
        (at(1, 0), &[2], "section 1 (header)", "a key of protocol plonk, not of fflonk"),
        (counts, &[3], HEADER, "2 public values, a constant and 1 sums in 3 variables"),
        (counts + 8, &[4], HEADER, "a domain of 2^2 points, below 2^3"),
        (counts + 16, &[7], HEADER, "7 constraints, 2 of them of public values, in 2^3 - 2 rows"),
        (counts + 20, &[0xff; 32], HEADER, "k1 is not below r"),
        (roots, &[1], HEADER, "w3 is not the root of unity of 2^3 rows"),
        (roots + 32, &[1], HEADER, "w4 is not the root of unity of 2^3 rows"),
        (roots + 64, &[1], HEADER, "w8 is not the root of unity of 2^3 rows"),
        (roots + 96, &[0xff; 32], HEADER, "wr is not below r"),
        (roots + 128, &[0; 128], HEADER, "X_2 is the identity"),
        (roots + 256, &[1], HEADER, "C0 is not on the curve"),
        (at(5, 8), &[6], "section 5 (B map)", "constraint 2: variable 6, where there are 6"),
        (
            at(3, 0),
            &[5],
            "section 3 (additions)",
            "addition 0: variable 5 in the sum that is variable 5",
        ),
    ];
    for (at, bytes, section, problem) in cases {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        let wrong = wrong(read(&changed));
        assert_eq!(wrong.section, section, "{wrong}");
        assert!(wrong.problem.starts_with(problem), "{wrong}");
    }
    for (number, name) in [(7, "QL"), (13, "sigma 2"), (15, "Lagrange"), (17, "C0")] {
        let offset = at(number, 32 * 9);
        let mut changed = file.clone();
        changed[offset..][..32].fill(0xff);
        let said = wrong(read(&changed).unwrap().check());
        assert_eq!(said.section, format!("section {number} ({name})"));
        assert_eq!((said.offset, &*said.problem), (offset as u64, "a scalar that is not below r"));
    }
    let mut changed = file.clone();
    changed[at(16, 64)] ^= 1;
    let said = wrong(read(&changed).unwrap().check());
    assert_eq!(
        (said.section.as_str(), said.problem.as_str()),
        ("section 16 (powers of tau)", "point 1 is not on the curve")
    );
}
