//! Files of PLONK.
//!
//! | content | file | item |
//! |---|---|---|
//! | proving key | `.zkey` | [`Zkey`] |
//! | proof | `proof.json` | [`proof`] |
//! | verifying key | `verification_key.json` | [`verifying_key`] |

mod zkey;

pub use super::json::plonk_proof as proof;
pub use super::json::plonk_verifying_key as verifying_key;
pub use super::plonkish::{Addition, Elements, Polynomial, Wire, Wires};
pub use zkey::{Header, Zkey};
