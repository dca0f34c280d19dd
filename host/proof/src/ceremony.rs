//! Checks of a Groth16 proving key: it belongs to a circuit and to powers of tau, and its ceremony's contributions lead to its
//! delta. They are those of `snarkjs zkey verify`, and some more.
//!
//! | check | equation |
//! |---|---|
//! | [`Check::Sizes`] | curve, variables, public inputs and domain are the circuit's |
//! | [`Check::Powers`] | tau^i, alpha tau^i and beta tau^i are multiples by powers of one tau |
//! | [`Check::Header`] | alpha and beta are those of the powers of tau, gamma is 1 |
//! | [`Check::Contributions`] | transcripts, proofs of knowledge, beacons |
//! | [`Check::Delta`] | delta is that of the last contribution, equal in G1 and G2, and not 1 |
//! | [`Check::Coefficients`] | the terms of A and B are the circuit's |
//! | [`Check::Ic`] | (beta A_i + alpha B_i + C_i)(tau) of the public variables |
//! | [`Check::A`], [`Check::B1`], [`Check::B2`] | A_i(tau) and B_i(tau) of all variables |
//! | [`Check::C`] | (beta A_i + alpha B_i + C_i)(tau) / delta of the private variables |
//! | [`Check::H`] | the factors of p(x) (x^n - 1) / delta for every p of degree up to n - 2 |
//! | [`Check::CircuitHash`] | the hash of the key before the first contribution |
//!
//! Sections of points are checked by a random linear combination with factors of 128 bits: an invalid section passes with a
//! probability of at most 2^-128, for points of the subgroup, which is checked, too (Bellare, Garay, Rabin, EUROCRYPT 1998).
//! The right-hand side is an MSM over the powers of tau, so that the Lagrange polynomials of the file need no trust. For the
//! circuit hash, IC and C are computed point by point from the Lagrange polynomials, as the setup of snarkjs does.
//!
//! The ceremony of the powers of tau is not checked: `snarkjs powersoftau verify` does that.

mod chain;
mod circuit_hash;
mod compose;
mod draws;
mod equations;
mod key;
mod members;
mod powers;
mod rows;
mod unreduced;

use std::fmt;

use crate::Result;
use crate::groth16::Devices;
use crate::groth16::suite::on_curve;
use crate::snarkjs::{PowersOfTau, R1cs, Zkey};

pub use chain::MAX_LOG_ITERATIONS;

/// A check of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// Curve, variables, public inputs and domain.
    Sizes,
    /// The powers of tau that the key needs.
    Powers,
    /// alpha, beta and gamma.
    Header,
    /// The chain of contributions.
    Contributions,
    /// delta.
    Delta,
    /// The terms of A and B.
    Coefficients,
    /// The points of the public inputs.
    Ic,
    /// Section A.
    A,
    /// Section B1.
    B1,
    /// Section B2.
    B2,
    /// Section C.
    C,
    /// Section H.
    H,
    /// The circuit hash.
    CircuitHash,
}

impl Check {
    /// Every check, in the order of execution.
    pub const ALL: [Self; 13] = [
        Self::Sizes,
        Self::Powers,
        Self::Header,
        Self::Contributions,
        Self::Delta,
        Self::Coefficients,
        Self::Ic,
        Self::A,
        Self::B1,
        Self::B2,
        Self::C,
        Self::H,
        Self::CircuitHash,
    ];
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sizes => "sizes",
            Self::Powers => "powers of tau",
            Self::Header => "alpha, beta, gamma",
            Self::Contributions => "contributions",
            Self::Delta => "delta",
            Self::Coefficients => "coefficients",
            Self::Ic => "IC",
            Self::A => "A",
            Self::B1 => "B1",
            Self::B2 => "B2",
            Self::C => "C",
            Self::H => "H",
            Self::CircuitHash => "circuit hash",
        })
    }
}

/// The result of a check: the problem, or `None` if the check passed.
pub type Finding = Option<String>;

/// Verifies a key. `on_result` receives the result of each check in the order of [`Check::ALL`]; if the sizes are wrong, there are no
/// further checks. `max_log_iterations` is log2 of the most iterations of a beacon that are recomputed.
///
/// Returns whether all checks passed. Returns an error if a file is malformed, a device fails, the powers of tau are too few or not prepared
/// for the second phase, or a beacon has more iterations.
pub fn verify_key(
    key: &Zkey,
    circuit: &R1cs,
    powers: &PowersOfTau,
    devices: &Devices,
    max_log_iterations: u8,
    on_result: &mut dyn FnMut(Check, &Finding),
) -> Result<bool> {
    let files = key::Files { key, circuit, powers, devices, max_log_iterations };
    on_curve!(key.curve(), verify(&files, on_result))
}

/// Verifies a key on a known curve.
fn verify<E: equations::Curves>(
    files: &key::Files<'_>,
    on_result: &mut dyn FnMut(Check, &Finding),
) -> Result<bool> {
    let mut report = |check, finding: Finding| {
        on_result(check, &finding);
        finding.is_none()
    };
    if !report(Check::Sizes, files.sizes()?) {
        return Ok(false);
    }
    let verification = key::Verification::<E>::new(files)?;
    let mut valid = true;
    for check in &Check::ALL[1..] {
        valid &= report(*check, verification.run(*check)?);
    }
    Ok(valid)
}
