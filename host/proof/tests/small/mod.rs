//! Small keys and witnesses of both curves, and readers of all their parts.

use std::ops::Range;
use std::sync::Arc;

use proofmill_op::msm::Stream as _;
use proofmill_proof::Result;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::{Section, Witness, Zkey};

/// The curves with files.
pub const CURVES: [Curve; 2] = [Curve::Bn254, Curve::Bls12_381];

/// Returns the chain of five constraints: 7 variables, one of them public, in a domain of 8.
pub fn circuit(curve: Curve) -> Circuit {
    Circuit::new(curve, &Statement::Chain { constraints: 5 }).unwrap()
}

/// Returns its key.
pub fn key(curve: Curve) -> Vec<u8> {
    let mut bytes = Vec::new();
    circuit(curve).write_insecure_key(b"files", &mut bytes).unwrap();
    bytes
}

/// Returns its witness.
pub fn witness(curve: Curve) -> Vec<u8> {
    let mut bytes = Vec::new();
    circuit(curve).write_witness(&mut bytes).unwrap();
    bytes
}

pub fn read_key(bytes: &[u8]) -> Result<Zkey> {
    Zkey::from_bytes("a.zkey", Arc::from(bytes))
}

pub fn read_witness(bytes: &[u8]) -> Result<Witness> {
    Witness::from_bytes("a.wtns", bytes.to_vec())
}

/// Returns all contents of a key, concatenated.
pub fn everything(key: &Zkey) -> Result<Vec<u8>> {
    let numbers = [key.variables(), key.public_inputs(), key.domain_log() as usize];
    let mut all: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let points = [key.alpha_g1(), key.beta_g1(), key.beta_g2(), key.gamma_g2()];
    all.extend([points.concat(), key.delta_g1().to_vec(), key.delta_g2().to_vec()].concat());
    all.extend(key.verifying_key()?.ic.concat());
    for coefficient in key.coefficients().iter() {
        let coefficient = coefficient?;
        let numbers = [coefficient.constraint, coefficient.signal];
        all.extend(format!("{:?} {numbers:?}", coefficient.matrix).bytes());
        all.extend(coefficient.value);
    }
    for section in Section::ALL {
        let points = key.points(section);
        let mut bytes = vec![0; points.bytes().unwrap() as usize];
        let read = points.read_at(0, &mut bytes);
        read.map_err(|source| proofmill_op::Error::Io {
            context: "bases".into(),
            source: Arc::new(source),
        })?;
        all.extend(bytes);
    }
    Ok(all)
}

/// A section: its number, its beginning and its content.
pub struct Place {
    pub number: u32,
    pub start: usize,
    pub content: Range<usize>,
}

/// Returns the sections of a file.
pub fn places(file: &[u8]) -> Vec<Place> {
    let (mut places, mut start) = (Vec::new(), 12);
    while start < file.len() {
        let number = u32::from_le_bytes(file[start..start + 4].try_into().unwrap());
        let bytes = u64::from_le_bytes(file[start + 4..start + 12].try_into().unwrap());
        let content = start + 12..start + 12 + bytes as usize;
        places.push(Place { number, start, content: content.clone() });
        start = content.end;
    }
    places
}
