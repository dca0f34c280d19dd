//! The protocols with verifiers: all have the same interface, with types of their own.

use std::path::Path;

use proofmill::groth16::snarkjs;
use proofmill::groth16::{self, Curve, Result, Scalar};
use proofmill::pairing::Pairings;
use proofmill::{fflonk, plonk};

/// A verifying key and its proofs.
pub trait VerifyingKey: Sync {
    /// A key that is prepared for many proofs.
    type Prepared: Sync;
    /// A proof.
    type Proof: Sync;

    /// Returns the curve.
    fn curve(&self) -> Curve;
    /// Returns the number of public inputs.
    fn public_inputs(&self) -> usize;
    /// Prepares the key.
    fn prepare(&self, pairings: Pairings) -> Result<Self::Prepared>;
    /// Returns whether the proof is valid.
    fn verify(key: &Self::Prepared, public: &[Scalar], proof: &Self::Proof) -> Result<bool>;
    /// Returns the indices of the invalid proofs.
    fn find_invalid(
        key: &Self::Prepared,
        proofs: &[(&[Scalar], &Self::Proof)],
    ) -> Result<Vec<usize>>;
    /// Reads the file of a proof.
    fn open_proof(path: &Path) -> Result<Self::Proof>;
    /// Reads a proof, under a name for errors.
    fn parse_proof(name: &str, bytes: &[u8]) -> Result<Self::Proof>;
}

/// Implements the trait by the functions of a protocol's modules.
macro_rules! verifying_key {
    ($protocol:ident, $files:path, |$key:ident| ($curve:expr, $public_inputs:expr)) => {
        const _: () = {
            use $files as files;

            impl VerifyingKey for $protocol::VerifyingKey {
                type Prepared = $protocol::PreparedVerifyingKey;
                type Proof = $protocol::Proof;

                fn curve(&self) -> Curve {
                    let $key = self;
                    $curve
                }

                fn public_inputs(&self) -> usize {
                    let $key = self;
                    $public_inputs
                }

                fn prepare(&self, pairings: Pairings) -> Result<Self::Prepared> {
                    $protocol::PreparedVerifyingKey::with_pairings(self, pairings)
                }

                fn verify(
                    key: &Self::Prepared,
                    public: &[Scalar],
                    proof: &Self::Proof,
                ) -> Result<bool> {
                    key.verify(public, proof)
                }

                fn find_invalid(
                    key: &Self::Prepared,
                    proofs: &[(&[Scalar], &Self::Proof)],
                ) -> Result<Vec<usize>> {
                    key.find_invalid(proofs)
                }

                fn open_proof(path: &Path) -> Result<Self::Proof> {
                    files::open(path)
                }

                fn parse_proof(name: &str, bytes: &[u8]) -> Result<Self::Proof> {
                    files::parse(name, bytes)
                }
            }
        };
    };
}

verifying_key!(groth16, snarkjs::proof, |key| (key.curve, key.public_inputs()));
verifying_key!(plonk, snarkjs::plonk::proof, |key| (key.curve, key.public_inputs));
verifying_key!(fflonk, snarkjs::fflonk::proof, |key| (key.curve(), key.public_inputs));
