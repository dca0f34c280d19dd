//! Verification of proofs.
//!
//! ```text
//! e(A, B) = e(alpha, beta) e(sum of x_i IC_i, gamma) e(C, delta)      x_0 = 1, then the public inputs
//! ```
//!
//! (ePrint 2016/260, section 3.2). The first factor is computed once for a key, and so are the lines through gamma and
//! delta: [`PreparedVerifyingKey`].

mod batch;
mod compressed;

pub use compressed::{COMPRESSED_BYTES, Invalid};
use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::msm::affine_sum_vartime;
use proofmill_algebra::pairing::{Bls12381, Bn254, Pairing, product};
use proofmill_algebra::tower::Fp12;
use proofmill_op::msm::Curve;

use super::suite::{ScalarOf, Suite, decoded, on_curve, point, require_curve};
use super::{Proof, Scalar, VerifyingKey};
use crate::deep::deep;
use crate::pairings::Known;
use crate::{Error, Pairings, Result};

/// Returns whether this is a proof for these public inputs. Returns an error if their number differs from the key's, one is not below r, a point is
/// invalid, or the curves differ.
pub fn verify(key: &VerifyingKey, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
    PreparedVerifyingKey::new(key)?.verify(public_inputs, proof)
}

/// A verifying key that is prepared for many proofs.
#[derive(Clone, Debug)]
pub struct PreparedVerifyingKey {
    curve: Curve,
    on: OnCurve,
}

#[derive(Clone, Debug)]
enum OnCurve {
    Bn254(Box<Key<Bn254>>),
    Bls12_381(Box<Key<Bls12381>>),
}

impl PreparedVerifyingKey {
    /// Prepares a key. Returns an error for points outside their groups and for a key without IC. Takes the best code path of this process.
    pub fn new(key: &VerifyingKey) -> Result<Self> {
        Self::with_isa(key, Isa::best())
    }

    /// Prepares a key for the code path of an instruction-set level.
    pub fn with_isa(key: &VerifyingKey, isa: Isa) -> Result<Self> {
        Self::with_pairings(key, Pairings::Host(isa))
    }

    /// Prepares a key with pairings on another device. Devices have programs for keys on BLS12-381.
    pub fn with_pairings(key: &VerifyingKey, pairings: Pairings) -> Result<Self> {
        let on = match key.curve {
            Curve::Bn254 => OnCurve::Bn254(Box::new(Key::new(key, pairings)?)),
            Curve::Bls12_381 => OnCurve::Bls12_381(Box::new(Key::new(key, pairings)?)),
            other => return Err(super::suite::no_proofs(other)),
        };
        Ok(Self { curve: key.curve, on })
    }

    /// Verifies a proof, as [`verify`] does.
    pub fn verify(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
        require_curve("proof", proof.curve, self.curve)?;
        match &self.on {
            OnCurve::Bn254(key) => key.verify(public_inputs, proof),
            OnCurve::Bls12_381(key) => key.verify(public_inputs, proof),
        }
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        match &self.on {
            OnCurve::Bn254(key) => key.ic.len() - 1,
            OnCurve::Bls12_381(key) => key.ic.len() - 1,
        }
    }
}

/// Checks that the points of a proof are in their groups. Every reader of a proof calls this.
pub fn check_points(proof: &Proof) -> Result<()> {
    on_curve!(proof.curve, are_points(proof))
}

#[derive(Clone, Debug)]
struct Key<E: Suite> {
    pairings: Pairings,
    alpha: Affine<E::G1>,
    beta: Known<E>,
    alpha_beta: Fp12<E::Tower>,
    gamma: Known<E>,
    delta: Known<E>,
    ic: Vec<Affine<E::G1>>,
}

/// A, B and C.
type Points<E> =
    (Affine<<E as Pairing>::G1>, Affine<<E as Pairing>::G2>, Affine<<E as Pairing>::G1>);

fn are_points<E: Suite>(proof: &Proof) -> Result<()> {
    points::<E>(proof).map(|_| ())
}

fn points<E: Suite>(proof: &Proof) -> Result<Points<E>> {
    let a = point::<E::G1>("proof", "A", &proof.a)?;
    let b = point::<E::G2>("proof", "B", &proof.b)?;
    Ok((a, b, point::<E::G1>("proof", "C", &proof.c)?))
}

impl<E: Suite> Key<E> {
    fn new(key: &VerifyingKey, pairings: Pairings) -> Result<Self> {
        const KEY: &str = "verifying key";
        let alpha = point::<E::G1>(KEY, "alpha", &key.alpha_g1)?;
        let beta = point::<E::G2>(KEY, "beta", &key.beta_g2)?;
        let ic = key.ic.iter().enumerate();
        let ic = ic.map(|(i, bytes)| point::<E::G1>(KEY, &format!("IC[{i}]"), bytes));
        let ic: Vec<_> = ic.collect::<Result<_>>()?;
        if ic.is_empty() {
            return Err(Error::argument(KEY, "has no IC"));
        }
        Ok(Self {
            alpha,
            beta: Known::new(beta),
            alpha_beta: deep(|| product::<E>(pairings.isa(), &[(alpha, beta)])),
            gamma: Known::fixed(point::<E::G2>(KEY, "gamma", &key.gamma_g2)?),
            delta: Known::fixed(point::<E::G2>(KEY, "delta", &key.delta_g2)?),
            ic,
            pairings,
        })
    }

    fn verify(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
        let (a, b, c) = points::<E>(proof)?;
        let x = Affine::from(self.statement(public_inputs)?);
        let pairs = [(a, &Known::new(b)), (-x, &self.gamma), (-c, &self.delta)];
        Ok(self.pairings.product_with(&[], &pairs)? == self.alpha_beta)
    }

    /// Computes IC_0 and the sum of x_i IC_i.
    fn statement(&self, public_inputs: &[Scalar]) -> Result<Projective<E::G1>> {
        self.check_public_inputs(public_inputs)?;
        let (one, others) = self.ic.split_first().expect("a key has an IC");
        let sum = affine_sum_vartime::<E::G1>(self.pairings.isa(), others, public_inputs);
        Ok(sum.expect("each was looked at").add_mixed(one))
    }

    /// Checks that their number is that of the key and that each is below r.
    fn check_public_inputs(&self, public_inputs: &[Scalar]) -> Result<()> {
        decoded::<ScalarOf<E>>(public_inputs, self.ic.len() - 1).map(|_| ())
    }
}
