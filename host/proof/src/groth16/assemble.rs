//! The three points of a proof from its MSMs.
//!
//! ```text
//! A = alpha + MSM A + r delta
//! B = beta + MSM B + s delta
//! C = MSM C + MSM H + s A + r B - r s delta
//!   = MSM C + MSM H + s (alpha + MSM A) + r (beta + MSM B) + r s delta
//! ```
//!
//! (ePrint 2016/260, section 3.2; B in G2, and in G1 for C.) The multiples in C share their doublings. r and s hide the witness: they come from the system's random
//! generator, are used in constant time and wiped.

use std::slice;

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::PrimeField;
use proofmill_op::Secret;
use zeroize::Zeroizing;

use super::Proof;
use super::suite::{ScalarOf, Suite, point};
use crate::Result;
use crate::random::random_scalars;
use crate::snarkjs::Zkey;

/// The MSMs of a key's five sections.
pub struct Msms<E: Suite> {
    /// [`Section`](crate::snarkjs::Section) A, in G1.
    pub a: Affine<E::G1>,
    /// B1.
    pub b1: Affine<E::G1>,
    /// B2, in G2.
    pub b2: Affine<E::G2>,
    /// C.
    pub c: Affine<E::G1>,
    /// H.
    pub h: Affine<E::G1>,
}

/// The random scalars r and s.
pub struct Blinding<F: PrimeField>(Secret<F>);

impl<F: PrimeField> Blinding<F> {
    /// Draws them from the system's random generator.
    pub fn random() -> Result<Self> {
        random_scalars(2).map(Self)
    }
}

/// Computes the proof.
pub fn assemble<E: Suite>(
    key: &Zkey,
    sums: &Msms<E>,
    blinding: &Blinding<ScalarOf<E>>,
) -> Result<Proof> {
    let g1 = |name, bytes| point::<E::G1>("key", name, bytes).map(Projective::from);
    let g2 = |name, bytes| point::<E::G2>("key", name, bytes).map(Projective::from);
    let (delta_g1, delta_g2) = (g1("delta_g1", key.delta_g1())?, g2("delta_g2", key.delta_g2())?);
    let [r, s] = &blinding.0[..] else { unreachable!("two scalars were drawn") };
    let of_c = Zeroizing::new([*s, *r, *r * s]);
    let a = g1("alpha_g1", key.alpha_g1())?.add_mixed(&sums.a);
    let b = g2("beta_g2", key.beta_g2())?.add_mixed(&sums.b2);
    let b1 = g1("beta_g1", key.beta_g1())?.add_mixed(&sums.b1);
    let c = Projective::from(sums.c).add_mixed(&sums.h)
        + Projective::sum_of_multiples(&[a, b1, delta_g1], &*of_c);
    let a = a + Projective::sum_of_multiples(&[delta_g1], slice::from_ref(r));
    let b = b + Projective::sum_of_multiples(&[delta_g2], slice::from_ref(s));
    let [a, c] = [a, c].map(|point| pair::encode(&Affine::from(point)));
    Ok(Proof { curve: E::CURVE, a, b: pair::encode(&Affine::from(b)), c })
}
