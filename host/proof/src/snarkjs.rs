//! Files of circom and snarkjs.
//!
//! | content | file | item |
//! |---|---|---|
//! | proving key | `.zkey` | [`Zkey`] |
//! | witness | `.wtns` | [`Witness`] |
//! | constraint system | `.r1cs` | [`R1cs`] |
//! | names of signals | `.sym` | [`Symbols`] |
//! | powers of tau | `.ptau` | [`PowersOfTau`] |
//! | contributions to a key's ceremony | `.zkey` | [`Contributions`] |
//! | proof | `proof.json` | [`proof`] |
//! | public inputs | `public.json` | [`public`] |
//! | verifying key | `verification_key.json` | [`verifying_key`] |
//! | PLONK's keys and proofs | the same | [`plonk`] |
//! | FFLONK's keys and proofs | the same | [`fflonk`] |
//! | a key of any protocol | | [`AnyZkey`], [`AnyVerifyingKey`] |
//!
//! The layout is that of the iden3 binary formats as snarkjs 0.7 writes them. Every error of a file is a
//! [`FileError`](crate::FileError) with its position. No file makes a reader panic or hang, and the size of the file bounds
//! the memory: JSON may take some dozen times its size, and its size is limited.

mod any;
mod container;
pub(crate) mod contributions;
mod curve;
pub mod fflonk;
pub(crate) mod group;
mod json;
pub mod plonk;
mod plonkish;
mod ptau;
mod r1cs;
pub(crate) mod source;
mod sym;
mod wtns;
mod zkey;

pub use any::{AnyVerifyingKey, AnyZkey};
pub use contributions::{Contribution, Contributions, Kind};
pub use json::{proof, public, verifying_key};
pub(crate) use json::{protocol_of_proof, read_proof};
pub use plonkish::PlonkishKey;
pub use ptau::{Powers, PowersOfTau};
pub use r1cs::{Constraint, CustomGates, R1cs, Signed, Term, Violations, decimal};
pub use sym::Symbols;
pub use wtns::Witness;
pub use zkey::{Coefficient, Coefficients, Matrix, PointSection, Section, Zkey};
