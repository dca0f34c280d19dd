//! The files of circom and snarkjs.
//!
//! | what | file | here |
//! |---|---|---|
//! | proving key | `.zkey` | [`Zkey`] |
//! | witness | `.wtns` | [`Witness`] |
//! | proof | `proof.json` | [`proof`] |
//! | public values | `public.json` | [`public`] |
//! | verifying key | `verification_key.json` | [`verifying_key`] |
//!
//! The layout is that of the iden3 binary formats as snarkjs 0.7 writes them. Whatever is wrong with a file is a
//! [`FileError`](crate::FileError) that says where; no file makes a reader panic or wait, and its size bounds the
//! memory that is taken: JSON may take some dozen times its own, and has a largest size.

mod container;
mod curve;
mod group;
mod json;
mod source;
mod wtns;
mod zkey;

pub use json::{proof, public, verifying_key};
pub use wtns::Witness;
pub use zkey::{Coefficient, Coefficients, Matrix, PointSection, Section, Zkey};
