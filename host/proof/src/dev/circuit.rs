//! Circuits over the scalars of either curve.

use std::io::{self, Write};

use proofmill_algebra::Isa;
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_algebra::{bls12_381, bn254};

use super::r1cs::Builder;
use super::{chain, plonk, r1cs_file, sha256, wtns, zkey};
use crate::groth16::Curve;
use crate::{Error, Result};

/// Maximum number of constraints of a circuit: its key has some 18 GB.
pub const MAX_CONSTRAINTS: usize = 1 << 25;

/// Returns the error for a curve without files.
pub(super) fn no_files(curve: Curve) -> Error {
    let problem = format!("{} has no files of circom; bn254 and bls12_381 have", curve.name());
    Error::argument("curve", problem)
}

/// The statement that a witness proves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statement {
    /// Steps x := x^2 + i, from a private number to a public one: a circuit for measurements, of any size from 1 to
    /// [`MAX_CONSTRAINTS`], in which all numbers have the size of the field.
    Chain {
        /// Number of steps.
        constraints: usize,
    },
    /// The preimage of a SHA-256 digest: a realistic circuit, mostly of bits. The public inputs are the digest's first and
    /// second 16 bytes, as big-endian integers.
    Sha256 {
        /// At most 2^15 bytes.
        preimage: Vec<u8>,
    },
}

/// Maximum length of a preimage.
const MAX_BYTES: usize = 1 << 15;

impl Statement {
    /// Returns a preimage whose circuit has about `constraints` constraints, and at least one block.
    pub fn sha256_of_about(constraints: usize) -> Self {
        let nearest = constraints.saturating_add(CONSTRAINTS_OF_BLOCK / 2) / CONSTRAINTS_OF_BLOCK;
        let blocks = nearest.clamp(1, MAX_BYTES / BLOCK);
        let preimage = (0..blocks * BLOCK - PADDING).map(|i| (i * i + 7 * i) as u8).collect();
        Self::Sha256 { preimage }
    }
}

/// SHA-256's block, and the minimum length of its padding.
const BLOCK: usize = 64;
const PADDING: usize = 9;
/// Approximate constraints of a block.
const CONSTRAINTS_OF_BLOCK: usize = 26_900;

/// A circuit of a statement, with a witness.
#[derive(Clone, Debug)]
pub struct Circuit(Either);

#[derive(Clone, Debug)]
enum Either {
    Bn254(Builder<bn254::Fr>),
    Bls12381(Builder<bls12_381::Fr>),
}

/// Dispatches on the curve.
macro_rules! of_either {
    ($circuit:expr, $builder:ident => $value:expr) => {
        match &$circuit.0 {
            Either::Bn254($builder) => $value,
            Either::Bls12381($builder) => $value,
        }
    };
}

impl Circuit {
    /// Builds the circuit over the scalars of a curve.
    pub fn new(curve: Curve, statement: &Statement) -> Result<Self> {
        match statement {
            Statement::Chain { constraints } if !(1..=MAX_CONSTRAINTS).contains(constraints) => {
                let problem = format!("{constraints} are not from 1 to {MAX_CONSTRAINTS}");
                return Err(Error::argument("constraints", problem));
            }
            Statement::Sha256 { preimage } if preimage.len() > MAX_BYTES => {
                let problem = format!("{} bytes are more than {MAX_BYTES}", preimage.len());
                return Err(Error::argument("preimage", problem));
            }
            _ => {}
        }
        Ok(Self(match (curve, statement) {
            (Curve::Bn254, Statement::Chain { constraints }) => Either::Bn254(chain(*constraints)),
            (Curve::Bn254, Statement::Sha256 { preimage }) => Either::Bn254(sha256(preimage)),
            (Curve::Bls12_381, Statement::Chain { constraints }) => {
                Either::Bls12381(chain(*constraints))
            }
            (Curve::Bls12_381, Statement::Sha256 { preimage }) => {
                Either::Bls12381(sha256(preimage))
            }
            (other, _) => return Err(no_files(other)),
        }))
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        match self.0 {
            Either::Bn254(_) => Curve::Bn254,
            Either::Bls12381(_) => Curve::Bls12_381,
        }
    }

    /// Returns the number of constraints.
    pub fn constraints(&self) -> usize {
        of_either!(self, builder => builder.constraints())
    }

    /// Returns the number of variables, including the 1.
    pub fn variables(&self) -> usize {
        of_either!(self, builder => builder.values().len())
    }

    /// Returns the number of public variables, without the 1.
    pub fn public_inputs(&self) -> usize {
        of_either!(self, builder => builder.public_inputs())
    }

    /// Writes an INSECURE `.zkey` whose secrets are derived from the seed. Runs in the caller's rayon pool.
    /// Uses the best code path of this process.
    pub fn write_insecure_key(&self, seed: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let isa = Isa::best();
        match &self.0 {
            Either::Bn254(builder) => zkey::write::<Bn254>(isa, out, builder, seed),
            Either::Bls12381(builder) => zkey::write::<Bls12381>(isa, out, builder, seed),
        }
    }

    /// Writes an INSECURE `.zkey` for PLONK whose secret is derived from the seed. Runs in the caller's rayon pool.
    /// Uses the best code path of this process.
    pub fn write_insecure_plonk_key(&self, seed: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let isa = Isa::best();
        match &self.0 {
            Either::Bn254(builder) => plonk::write::<Bn254>(isa, out, builder, seed),
            Either::Bls12381(builder) => plonk::write::<Bls12381>(isa, out, builder, seed),
        }
    }

    /// Writes an INSECURE `.zkey` for FFLONK whose secret is derived from the seed. Runs in the caller's rayon pool. Uses the best code path of
    /// this process. Other curves than BN254 are an error.
    pub fn write_insecure_fflonk_key(&self, seed: &[u8], out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Either::Bn254(builder) => plonk::write_fflonk(Isa::best(), out, builder, seed),
            Either::Bls12381(_) => {
                let problem = "fflonk on bls12_381; snarkjs has it on bn254";
                Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
            }
        }
    }

    /// Writes the witness, a `.wtns`.
    pub fn write_witness(&self, out: &mut dyn Write) -> io::Result<()> {
        of_either!(self, builder => wtns::write(out, builder.values()))
    }

    /// Writes the constraints, a `.r1cs`.
    pub fn write_r1cs(&self, out: &mut dyn Write) -> io::Result<()> {
        of_either!(self, builder => r1cs_file::write(out, builder))
    }
}
