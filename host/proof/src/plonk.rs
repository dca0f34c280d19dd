//! PLONK with three wires, as snarkjs 0.7 proves it (Gabizon, Williamson, Ciobotaru, ePrint 2019/953, section 8).
//!
//! The letters are the paper's: a, b, c are the wires, z is the permutation accumulator, t the quotient, W_zeta and W_zeta_omega the opening
//! proofs at zeta and zeta omega. snarkjs writes xi for zeta. Points are in the form of [`proofmill_op::msm`].

pub(crate) mod accumulator;
mod attempt;
pub(crate) mod constraints;
pub(crate) mod lagrange;
mod linearisation;
pub(crate) mod openings;
mod plan;
pub(crate) mod polynomial;
mod prove;
mod quotient;
mod report;
pub(crate) mod route;
pub(crate) mod transcript;
pub(crate) mod transforms;
pub(crate) mod verify;
pub(crate) mod wires;

pub use proofmill_op::msm::Curve;
pub use prove::Prover;
pub use report::{Commitments, Control, Plan, Proved, Report, Step, StepProgress};
pub use verify::{PreparedVerifyingKey, verify, verify_batch};

pub use crate::groth16::{Counts, Devices, Scalar, Settings};

/// A proof: nine points of G1 and six values of polynomials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The curve.
    pub curve: Curve,
    /// The commitment to the left wire a.
    pub a: Vec<u8>,
    /// The commitment to the right wire b.
    pub b: Vec<u8>,
    /// The commitment to the output wire c.
    pub c: Vec<u8>,
    /// The commitment to the permutation accumulator z.
    pub z: Vec<u8>,
    /// The commitment to the lowest part of the quotient.
    pub t_lo: Vec<u8>,
    /// The commitment to its middle part.
    pub t_mid: Vec<u8>,
    /// The commitment to its highest part.
    pub t_hi: Vec<u8>,
    /// The opening proof at zeta.
    pub w_zeta: Vec<u8>,
    /// The opening proof at zeta omega.
    pub w_zeta_omega: Vec<u8>,
    /// The values of the opened polynomials.
    pub evaluations: Evaluations,
}

impl Proof {
    /// Returns the points in the order of the transcript: a, b, c, z, t_lo, t_mid, t_hi, W_zeta, W_zeta_omega.
    fn points(&self) -> [&[u8]; 9] {
        let Self { a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega, .. } = self;
        [a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega].map(Vec::as_slice)
    }
}

/// Values of polynomials at zeta, and of z at zeta omega.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluations {
    /// a(zeta).
    pub a: Scalar,
    /// b(zeta).
    pub b: Scalar,
    /// c(zeta).
    pub c: Scalar,
    /// S_sigma1(zeta).
    pub s1: Scalar,
    /// S_sigma2(zeta).
    pub s2: Scalar,
    /// z(zeta omega).
    pub z_omega: Scalar,
}

impl Evaluations {
    /// Returns the values in the order of the transcript: a, b, c, s1, s2, z_omega.
    fn values(&self) -> [&Scalar; 6] {
        [&self.a, &self.b, &self.c, &self.s1, &self.s2, &self.z_omega]
    }
}

/// The verification key of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// The curve.
    pub curve: Curve,
    /// The number of public inputs.
    pub public_inputs: usize,
    /// log2 of n, the size of the domain.
    pub domain_log: u32,
    /// The shift of the second coset of the domain, whose elements number the values of b.
    pub k1: Scalar,
    /// The shift of the third coset, for c.
    pub k2: Scalar,
    /// The commitment to the selector of the product a b.
    pub q_m: Vec<u8>,
    /// The commitment to the selector of a.
    pub q_l: Vec<u8>,
    /// The commitment to the selector of b.
    pub q_r: Vec<u8>,
    /// The commitment to the selector of c.
    pub q_o: Vec<u8>,
    /// The commitment to the constants.
    pub q_c: Vec<u8>,
    /// The commitment to S_sigma1, the permutation of a.
    pub s1: Vec<u8>,
    /// The commitment to S_sigma2.
    pub s2: Vec<u8>,
    /// The commitment to S_sigma3.
    pub s3: Vec<u8>,
    /// tau in G2, the point of the commitments.
    pub x_g2: Vec<u8>,
}

impl VerifyingKey {
    /// Returns the points in the order of the transcript: q_m, q_l, q_r, q_o, q_c, s1, s2, s3.
    fn points(&self) -> [&[u8]; 8] {
        let Self { q_m, q_l, q_r, q_o, q_c, s1, s2, s3, .. } = self;
        [q_m, q_l, q_r, q_o, q_c, s1, s2, s3].map(Vec::as_slice)
    }
}
