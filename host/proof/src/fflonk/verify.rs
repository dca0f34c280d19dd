//! Verification of proofs: all openings by one product of pairings (ePrint 2021/1167, section 7; the batched opening of ePrint 2020/081,
//! section 4).
//!
//! ```text
//! e(W2, [tau]) = e(C0 + f1 C1 + f2 C2 - Z0(y) W1 + y W2 - E, [1])
//! E = [1] times R0(y) + f1 R1(y) + f2 R2(y)
//! R0(y) = q_l + q_r y + q_o y^2 + q_m y^3 + q_c y^4 + s1 y^5 + s2 y^6 + s3 y^7
//! R1(y) = a + b y + c y^2 + T0(zeta) y^3
//! R2(y) = l(z) + l(T1) y + l(T2) y^2              with l(f) the line in y^3 through f(zeta) at zeta and f(zeta omega) at zeta omega
//! ```
//!
//! T0, T1 and T2 at zeta follow from the evaluations. For the letters, see [`challenges`](super::challenges).

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve as _};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::pairing::Pairing;

use super::challenges::{self, AtY};
use super::{E, Evaluations, F, Proof, Scalar, VerifyingKey};
use crate::groth16::quotient::root;
use crate::groth16::suite::{decoded, point};
use crate::plonk::lagrange::{lagrange_vartime, vanishing};
use crate::plonk::openings::{Claim, Openings};
use crate::plonk::verify::{KEY, check_domain, shifts};
use crate::{Error, Pairings, Result};

/// A group of the curve.
type G1 = <E as Pairing>::G1;
type G2 = <E as Pairing>::G2;

/// Returns whether this is a proof for these public inputs. Returns an error if their number differs from the key's, a scalar is not below r, or a
/// point is invalid.
pub fn verify(key: &VerifyingKey, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
    PreparedVerifyingKey::new(key)?.verify(public_inputs, proof)
}

/// Returns the indices of the invalid proofs under a key, as [`PreparedVerifyingKey::find_invalid`] does.
pub fn verify_batch(key: &VerifyingKey, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
    PreparedVerifyingKey::new(key)?.find_invalid(proofs)
}

/// A verifying key that is prepared for many proofs.
#[derive(Clone, Debug)]
pub struct PreparedVerifyingKey {
    key: VerifyingKey,
    k: [F; 2],
    omega: F,
    /// The shared points are C0 and the generator.
    openings: Openings<E>,
}

impl PreparedVerifyingKey {
    /// Prepares a key. Returns an error for points outside their groups, a domain larger than the field has, more public inputs than the domain
    /// has points, and cosets that are not disjoint. Takes the best code path of this process.
    pub fn new(key: &VerifyingKey) -> Result<Self> {
        Self::with_isa(key, Isa::best())
    }

    /// Prepares a key for the code path of an instruction-set level.
    pub fn with_isa(key: &VerifyingKey, isa: Isa) -> Result<Self> {
        Self::with_pairings(key, Pairings::Host(isa))
    }

    /// Prepares a key with pairings on another device. Devices have no programs for BN254: they fail.
    pub fn with_pairings(key: &VerifyingKey, pairings: Pairings) -> Result<Self> {
        check_domain::<F>(key.domain_log, key.public_inputs)?;
        let shared = vec![point::<G1>(KEY, "c0", &key.c0)?, G1::GENERATOR];
        let tau = point::<G2>(KEY, "x_g2", &key.x_g2)?;
        Ok(Self {
            k: shifts(key.domain_log, [("k1", &key.k1), ("k2", &key.k2)])?,
            omega: root(key.domain_log),
            openings: Openings::new(pairings, shared, tau),
            key: key.clone(),
        })
    }

    /// Verifies a proof, as [`verify`] does.
    pub fn verify(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
        self.openings.hold(self.claim(public_inputs, proof)?)
    }

    /// Returns the indices of the invalid proofs in ascending order. Each is judged as by [`PreparedVerifyingKey::verify`], with two pairings if
    /// all are valid, and five terms of an MSM for each. Runs in the caller's rayon pool.
    ///
    /// Returns an error for malformed input, with the index of the proof, or if the system returns no random bytes.
    pub fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
        self.openings.find_invalid(proofs, |public_inputs, proof| self.claim(public_inputs, proof))
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.key.public_inputs
    }

    /// Returns the equation of a proof. Returns `None` if its inverse is not that of the denominators, or if one of these is 0, which has a
    /// probability of about n / r and proves nothing.
    fn claim(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<Option<Claim<E>>> {
        let mut points = [Affine::default(); 4];
        for ((point, bytes), name) in
            points.iter_mut().zip(proof.points()).zip(["c1", "c2", "w1", "w2"])
        {
            *point = self::point::<G1>("proof", name, bytes)?;
        }
        let opened = Opened::new(&proof.evaluations)?;
        let inverse = scalar("inverse", &proof.inverse)?;
        let public = decoded::<F>(public_inputs, self.key.public_inputs)?;

        let [c1, c2, w1, _] = proof.points();
        let (beta, gamma) = challenges::beta_gamma(&self.key, public_inputs, c1);
        let seed = challenges::seed(gamma, c2);
        let zeta = challenges::zeta(seed);
        let alpha = challenges::alpha(seed, &proof.evaluations);
        let at_y = AtY::new([zeta, zeta * self.omega], challenges::y(alpha, w1));

        let (log, count) = (self.key.domain_log, public.len().max(1));
        if at_y.denominators(log, self.omega, count) * inverse != F::ONE {
            return Ok(None);
        }
        let quotients = self.quotients(&opened, &public, zeta, (beta, gamma));
        let (Some(quotients), Some([f1, f2])) = (quotients, at_y.factors(alpha)) else {
            return Ok(None);
        };
        let Some([r0, r1, r2]) = opened.remainders(quotients, &at_y) else { return Ok(None) };
        let [c1, c2, w1, w2] = points;
        Ok(Some(Claim {
            left: vec![(w2, F::ONE)],
            right: vec![(c1, f1), (c2, f2), (w1, -at_y.z0), (w2, at_y.y)],
            shared: vec![F::ONE, -(r0 + f1 * r1 + f2 * r2)],
        }))
    }

    /// Returns T0, T1 and T2 at zeta; `None` if zeta is in the domain.
    fn quotients(
        &self,
        opened: &Opened,
        public: &[F],
        zeta: F,
        (beta, gamma): (F, F),
    ) -> Option<[F; 3]> {
        let log = self.key.domain_log;
        let lagrange = lagrange_vartime(log, self.omega, zeta, public.len().max(1))?;
        let inverse = vanishing(log, zeta).invert_vartime()?;
        let Opened { q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, .. } = *opened;
        let public = public.iter().zip(&lagrange);
        let public = public.fold(F::ZERO, |sum, (value, l)| sum - *value * l);
        let gate = q_l * a + q_r * b + q_m * a * b + q_o * c + q_c + public;
        let [k1, k2] = self.k;
        let x = beta * zeta;
        let identity = (a + x + gamma) * (b + x * k1 + gamma) * (c + x * k2 + gamma) * z;
        let permuted =
            (a + beta * s1 + gamma) * (b + beta * s2 + gamma) * (c + beta * s3 + gamma) * z_omega;
        Some([gate, (z - F::ONE) * lagrange[0], identity - permuted].map(|f| f * inverse))
    }
}

/// The evaluations as elements.
struct Opened {
    q_l: F,
    q_r: F,
    q_m: F,
    q_o: F,
    q_c: F,
    s1: F,
    s2: F,
    s3: F,
    a: F,
    b: F,
    c: F,
    z: F,
    z_omega: F,
    t1_omega: F,
    t2_omega: F,
}

impl Opened {
    /// Returns an error that names a value that is not below r.
    fn new(evaluations: &Evaluations) -> Result<Self> {
        let mut values = [F::ZERO; 15];
        let given = evaluations.values().into_iter().zip(Evaluations::NAMES);
        for (value, (bytes, name)) in values.iter_mut().zip(given) {
            *value = scalar(name, bytes)?;
        }
        let [q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega] = values;
        Ok(Self { q_l, q_r, q_m, q_o, q_c, s1, s2, s3, a, b, c, z, z_omega, t1_omega, t2_omega })
    }

    /// Returns R0(y), R1(y) and R2(y); `None` if zeta is 0.
    fn remainders(&self, [t0, t1, t2]: [F; 3], at: &AtY) -> Option<[F; 3]> {
        let polynomial = |coefficients: &[F]| {
            coefficients.iter().rev().fold(F::ZERO, |sum, term| sum * at.y + term)
        };
        let Self { q_l, q_r, q_m, q_o, q_c, s1, s2, s3, .. } = *self;
        let r0 = polynomial(&[q_l, q_r, q_o, q_m, q_c, s1, s2, s3]);
        let r1 = polynomial(&[self.a, self.b, self.c, t0]);
        let part = (at.cube - at.zeta) * (at.zeta_omega - at.zeta).invert_vartime()?;
        let line = |[first, second]: [F; 2]| first + (second - first) * part;
        let lines = [[self.z, self.z_omega], [t1, self.t1_omega], [t2, self.t2_omega]];
        Some([r0, r1, polynomial(&lines.map(line))])
    }
}

/// Reads a scalar of a proof. An error names it.
fn scalar(name: &str, bytes: &Scalar) -> Result<F> {
    F::from_le_bytes(bytes)
        .map_err(|problem| Error::argument("proof", format!("{name} is {problem}")))
}
