//! The files that snarkjs made for PLONK and FFLONK, of the circuit of `tests/snarkjs/tiny.circom`.

use std::sync::Arc;

use proofmill_proof::groth16::Curve;
use proofmill_proof::snark::Protocol;
use proofmill_proof::snarkjs::{AnyZkey, Witness};
use proofmill_proof::{Error, FileError, Result};

/// A protocol and a curve.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub protocol: Protocol,
    pub curve: Curve,
}

/// The subjects with files.
pub const SUBJECTS: [Subject; 3] = [
    Subject { protocol: Protocol::Plonk, curve: Curve::Bn254 },
    Subject { protocol: Protocol::Plonk, curve: Curve::Bls12_381 },
    Subject { protocol: Protocol::Fflonk, curve: Curve::Bn254 },
];

impl Subject {
    pub fn file(self, name: &str) -> Vec<u8> {
        let folder = format!("tests/snarkjs/{}_{}", self.protocol, self.curve.name());
        std::fs::read(format!("{folder}/{name}")).unwrap()
    }

    /// Returns the text of a `.json` file by the rest of its name.
    pub fn text(self, name: &str) -> String {
        String::from_utf8(self.file(&format!("{name}.json"))).unwrap()
    }

    pub fn key(self) -> AnyZkey {
        read(&self.file("circuit.zkey")).unwrap()
    }

    pub fn witness(self) -> Witness {
        super::witness(&self.file("witness.wtns"))
    }
}

pub fn read(bytes: &[u8]) -> Result<AnyZkey> {
    AnyZkey::from_bytes("a.zkey", Arc::from(bytes))
}

/// Returns the error in a file.
pub fn wrong<T>(result: Result<T>) -> FileError {
    match result {
        Err(Error::File(wrong)) => wrong,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}
