//! FFLONK with three wires over BN254, as snarkjs 0.7 proves it (Gabizon, Williamson, ePrint 2021/1167, section 7).
//!
//! The arithmetization is that of [PLONK](crate::plonk). A proof has four points: polynomials are combined before they are committed to, and the
//! combinations are opened at roots of the challenge zeta (Boneh, Drake, Fisch, Gabizon, ePrint 2020/081, section 4).
//!
//! ```text
//! C0(X) = q_l(X^8) + X q_r(X^8) + X^2 q_o(X^8) + X^3 q_m(X^8) + X^4 q_c(X^8) + X^5 s1(X^8) + X^6 s2(X^8) + X^7 s3(X^8)
//! C1(X) = a(X^4) + X b(X^4) + X^2 c(X^4) + X^3 T0(X^4)
//! C2(X) = z(X^3) + X T1(X^3) + X^2 T2(X^3)
//!
//! T0 (X^n - 1) = a b q_m + a q_l + b q_r + c q_o + q_c + PI
//! T1 (X^n - 1) = (z - 1) L_0
//! T2 (X^n - 1) = (a + beta X + gamma) (b + beta k1 X + gamma) (c + beta k2 X + gamma) z
//!              - (a + beta s1 + gamma) (b + beta s2 + gamma) (c + beta s3 + gamma) z(omega X)
//! ```
//!
//! snarkjs writes xi for zeta. Points are in the form of [`proofmill_op::msm`].

mod attempt;
mod challenges;
mod combined;
mod plan;
mod prove;
mod quotient;
mod report;
mod roots;
mod verify;

pub use proofmill_op::msm::Curve;
pub use prove::Prover;
pub use report::{Commitment, Control, Plan, Proved, Report, Step, StepProgress};
pub use verify::{PreparedVerifyingKey, verify, verify_batch};

pub(crate) use roots::Roots;

pub use crate::groth16::{Counts, Devices, Scalar, Settings};

/// The curve of the proofs.
type E = proofmill_algebra::pairing::Bn254;
/// Its scalars.
type F = proofmill_algebra::field::Bn254Fr;

/// A proof: four points of G1 and fifteen values of polynomials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The commitment to C1.
    pub c1: Vec<u8>,
    /// The commitment to C2.
    pub c2: Vec<u8>,
    /// The commitment to the quotient of the openings.
    pub w1: Vec<u8>,
    /// The opening proof at y.
    pub w2: Vec<u8>,
    /// The values of the opened polynomials.
    pub evaluations: Evaluations,
    /// The inverse of the product of all denominators of the verifier, for verifiers in contracts.
    pub inverse: Scalar,
}

impl Proof {
    /// Returns the points: c1, c2, w1, w2.
    pub(crate) fn points(&self) -> [&[u8]; 4] {
        let Self { c1, c2, w1, w2, .. } = self;
        [c1, c2, w1, w2].map(Vec::as_slice)
    }
}

/// Values of polynomials at zeta, and of z, T1 and T2 at zeta omega.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluations {
    /// q_l(zeta).
    pub q_l: Scalar,
    /// q_r(zeta).
    pub q_r: Scalar,
    /// q_m(zeta).
    pub q_m: Scalar,
    /// q_o(zeta).
    pub q_o: Scalar,
    /// q_c(zeta).
    pub q_c: Scalar,
    /// S_sigma1(zeta).
    pub s1: Scalar,
    /// S_sigma2(zeta).
    pub s2: Scalar,
    /// S_sigma3(zeta).
    pub s3: Scalar,
    /// a(zeta).
    pub a: Scalar,
    /// b(zeta).
    pub b: Scalar,
    /// c(zeta).
    pub c: Scalar,
    /// z(zeta).
    pub z: Scalar,
    /// z(zeta omega).
    pub z_omega: Scalar,
    /// T1(zeta omega).
    pub t1_omega: Scalar,
    /// T2(zeta omega).
    pub t2_omega: Scalar,
}

impl Evaluations {
    /// The names of the values, in the order of the transcript.
    pub(crate) const NAMES: [&str; 15] = [
        "q_l", "q_r", "q_m", "q_o", "q_c", "s1", "s2", "s3", "a", "b", "c", "z", "z_omega",
        "t1_omega", "t2_omega",
    ];

    /// Returns the values in the order of the transcript.
    pub(crate) fn values(&self) -> [&Scalar; 15] {
        let Self { q_l, q_r, q_m, q_o, q_c, s1, s2, s3, .. } = self;
        let Self { a, b, c, z, z_omega, t1_omega, t2_omega, .. } = self;
        [q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega]
    }

    /// Returns the evaluations with these values in the order of the transcript.
    fn of(values: [Scalar; 15]) -> Self {
        let [q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega] = values;
        Self { q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega }
    }
}

/// The verification key of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// The number of public inputs.
    pub public_inputs: usize,
    /// log2 of n, the size of the domain.
    pub domain_log: u32,
    /// The shift of the second coset of the domain, whose elements number the values of b.
    pub k1: Scalar,
    /// The shift of the third coset, for c.
    pub k2: Scalar,
    /// The commitment to C0.
    pub c0: Vec<u8>,
    /// tau in G2, the point of the commitments.
    pub x_g2: Vec<u8>,
}

impl VerifyingKey {
    /// Returns the curve, which is BN254.
    pub fn curve(&self) -> Curve {
        Curve::Bn254
    }
}
