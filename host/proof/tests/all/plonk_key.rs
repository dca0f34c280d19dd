//! Keys for PLONK that snarkjs made, and damaged ones.

use std::sync::Arc;

use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
use proofmill_proof::Result;
use proofmill_proof::groth16::Curve;
use proofmill_proof::snark::Protocol;
use proofmill_proof::snarkjs::plonk::{Polynomial, Zkey};

use crate::plonkish_key::{examine_sizes, place};
use crate::support::CURVES;
use crate::support::plonkish::{Subject, wrong};

fn file(curve: Curve) -> Vec<u8> {
    Subject { protocol: Protocol::Plonk, curve }.file("circuit.zkey")
}

fn read(bytes: &[u8]) -> Result<Zkey> {
    Zkey::from_bytes("a.zkey", Arc::from(bytes))
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
        examine_sizes(&key);
        match curve {
            Curve::Bn254 => examine_polynomials::<Bn254Fr>(&key),
            _ => examine_polynomials::<Bls12381Fr>(&key),
        }
        key.check().unwrap();
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
