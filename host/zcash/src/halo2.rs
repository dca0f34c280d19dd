//! Verification of Halo 2 proofs over Vesta, as zero-knowledge proofs of Orchard actions are.
//!
//! | module | content |
//! |---|---|
//! | [`constraint_system`] | the circuit: columns, gates, lookups, and their text form |
//! | [`expression`] | expressions over queries, as a program |
//! | [`domain`] | rows as roots of unity, Lagrange polynomials |
//! | [`generators`] | the generators of commitments |
//! | [`transcript`] | the elements of a proof, and the challenges |
//! | [`constraints`] | the constraints at the point x |
//! | [`openings`] | openings at several points become one |
//! | [`claim`] | the verifier, up to an MSM |
//! | [`batch`] | the MSMs of many proofs as one, on a device |
//!
//! `orchard/action.txt` is the constraint system of all versions of Orchard's circuit, the other files there are the keys. They follow from the
//! circuit in the crate `orchard`; a test derives them again (decision 0079).

pub mod batch;
pub mod claim;
pub mod constraint_system;
pub mod constraints;
pub mod domain;
pub mod expression;
pub mod generators;
pub mod openings;
pub mod transcript;

use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::pasta;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::vesta;
use proofmill_op::msm::SCALAR_BYTES;

use constraint_system::lines;

/// An element of the field of values and scalars.
pub type Scalar = vesta::Fr;
/// A commitment.
pub type Point = Affine<vesta::G1>;

/// The reason why bytes are no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The proof is too short or too long for its number of actions.
    #[error("{found} bytes where the proof has {expected}")]
    Length {
        /// The length of a proof.
        expected: usize,
        /// The length of the input.
        found: usize,
    },
    /// An element is not the canonical encoding of a point, or it is the identity.
    #[error("element {element} is no point of Vesta, or the identity")]
    Point {
        /// The number of the element, from 0; each has 32 bytes.
        element: usize,
    },
    /// An element is not below the order of the group.
    #[error("element {element} is no canonical scalar")]
    Scalar {
        /// The number of the element, from 0; each has 32 bytes.
        element: usize,
    },
    /// A challenge is one of the few values at which the verifier would divide by 0. No prover can expect to find such a proof.
    #[error("a challenge is an exceptional value")]
    Challenge,
}

/// The key of a circuit.
pub struct VerifyingKey {
    /// Its hash, the first element of transcripts.
    pub representative: Scalar,
    /// The commitments to the fixed columns and the columns of the permutation.
    pub commitments: Vec<Point>,
}

impl VerifyingKey {
    /// Reads the text form: hexadecimal digits of encodings.
    ///
    /// # Panics
    ///
    /// If the text is malformed: it is part of the program.
    pub fn read(text: &str) -> Self {
        let mut key = Self { representative: Scalar::from(0), commitments: vec![] };
        for (word, digits) in lines(text) {
            let bytes = from_hex(digits);
            match word {
                "representative" => {
                    key.representative = Scalar::from_le_bytes(&bytes).expect("a scalar");
                }
                "fixed" | "permutation" => {
                    key.commitments.push(pasta::decode(&bytes).expect("a point"));
                }
                other => panic!("no line is called {other}"),
            }
        }
        key
    }
}

fn from_hex(digits: &str) -> [u8; 32] {
    let byte =
        |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal digits");
    std::array::from_fn(byte)
}

/// Returns a scalar as it is in MSMs.
pub fn bytes(scalar: &Scalar) -> [u8; SCALAR_BYTES] {
    scalar.to_le_bytes().as_ref().try_into().expect("32 bytes")
}
