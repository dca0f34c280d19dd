//! Verification of proofs: both openings by one product of pairings (ePrint 2019/953, section 8.3, verifier).
//!
//! ```text
//! e(W_zeta + u W_zeta_omega, [tau]) = e(zeta W_zeta + u zeta omega W_zeta_omega + F - E, [1])
//! F = r without its constant + u z + v a + v^2 b + v^3 c + v^4 s1 + v^5 s2                as commitments
//! E = [1] times the value of F at zeta, and of u z at zeta omega
//! ```
//!
//! r is the [linearisation](super::linearisation).

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Curve as _;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_op::msm::Curve;

use super::lagrange::lagrange_vartime;
use super::linearisation::{Challenges, Linearisation, Opened};
use super::openings::{Claim, Openings};
use super::{Proof, Scalar, VerifyingKey, transcript};
use crate::error::counted;
use crate::groth16::quotient::root;
use crate::groth16::suite::{ScalarOf, Suite, decoded, no_proofs, point, require_curve};
use crate::{Error, Pairings, Result, halves};

/// The argument in errors.
pub const KEY: &str = "verifying key";

/// Returns whether this is a proof for these public inputs. Returns an error if their number differs from the key's, a scalar is not below r, a
/// point is invalid, or the curves differ.
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
    curve: Curve,
    on: OnCurve,
}

#[derive(Clone, Debug)]
enum OnCurve {
    Bn254(Box<Key<Bn254>>),
    Bls12_381(Box<Key<Bls12381>>),
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

    /// Prepares a key with pairings on another device. Devices have programs for keys on BLS12-381.
    pub fn with_pairings(key: &VerifyingKey, pairings: Pairings) -> Result<Self> {
        let on = match key.curve {
            Curve::Bn254 => OnCurve::Bn254(Box::new(Key::new(key, pairings)?)),
            Curve::Bls12_381 => OnCurve::Bls12_381(Box::new(Key::new(key, pairings)?)),
            other => return Err(no_proofs(other)),
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

    /// Returns the indices of the invalid proofs in ascending order. Each is judged as by [`PreparedVerifyingKey::verify`], with two pairings if
    /// all are valid, and eleven terms of an MSM for each. Runs in the caller's rayon pool.
    ///
    /// Returns an error for malformed input, with the index of the proof, or if the system returns no random bytes.
    pub fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
        for (at, (_, proof)) in proofs.iter().enumerate() {
            require_curve("proof", proof.curve, self.curve)
                .map_err(|error| halves::numbered(error, at))?;
        }
        match &self.on {
            OnCurve::Bn254(key) => key.find_invalid(proofs),
            OnCurve::Bls12_381(key) => key.find_invalid(proofs),
        }
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        match &self.on {
            OnCurve::Bn254(key) => key.key.public_inputs,
            OnCurve::Bls12_381(key) => key.key.public_inputs,
        }
    }
}

#[derive(Clone, Debug)]
struct Key<E: Suite> {
    key: VerifyingKey,
    k: [ScalarOf<E>; 2],
    omega: ScalarOf<E>,
    /// The shared points are q_m, q_l, q_r, q_o, q_c, s1, s2, s3 and the generator.
    openings: Openings<E>,
}

impl<E: Suite> Key<E> {
    fn new(key: &VerifyingKey, pairings: Pairings) -> Result<Self> {
        const NAMES: [&str; 8] = ["q_m", "q_l", "q_r", "q_o", "q_c", "s1", "s2", "s3"];
        check_domain::<ScalarOf<E>>(key.domain_log, key.public_inputs)?;
        let mut shared = vec![E::G1::GENERATOR; 9];
        for ((shared, bytes), name) in shared.iter_mut().zip(key.points()).zip(NAMES) {
            *shared = point::<E::G1>(KEY, name, bytes)?;
        }
        let tau = point::<E::G2>(KEY, "x_g2", &key.x_g2)?;
        Ok(Self {
            k: shifts(key.domain_log, [("k1", &key.k1), ("k2", &key.k2)])?,
            omega: root(key.domain_log),
            openings: Openings::new(pairings, shared, tau),
            key: key.clone(),
        })
    }

    fn verify(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
        self.openings.hold(self.claim(public_inputs, proof)?)
    }

    fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
        self.openings.find_invalid(proofs, |public_inputs, proof| self.claim(public_inputs, proof))
    }

    /// Returns the equation of a proof; `None` if zeta is in the domain, which has a probability of n / r and proves nothing.
    fn claim(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<Option<Claim<E>>> {
        const NAMES: [&str; 9] =
            ["a", "b", "c", "z", "t_lo", "t_mid", "t_hi", "w_zeta", "w_zeta_omega"];
        let mut points = [E::G1::GENERATOR; 9];
        for ((point, bytes), name) in points.iter_mut().zip(proof.points()).zip(NAMES) {
            *point = self::point::<E::G1>("proof", name, bytes)?;
        }
        let opened = Opened::new(&proof.evaluations)?;
        let values = decoded::<ScalarOf<E>>(public_inputs, self.key.public_inputs)?;

        let [a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega] = proof.points();
        let (beta, gamma) = transcript::beta_gamma(&self.key, public_inputs, [a, b, c]);
        let alpha = transcript::alpha((beta, gamma), z);
        let zeta = transcript::zeta(alpha, [t_lo, t_mid, t_hi]);
        let v = transcript::v(zeta, &proof.evaluations);
        let u = transcript::u([w_zeta, w_zeta_omega]);

        let log = self.key.domain_log;
        let count = values.len().max(1);
        let Some(lagrange) = lagrange_vartime(log, self.omega, zeta, count) else {
            return Ok(None);
        };
        let challenges = Challenges { beta, gamma, alpha, zeta };
        let r = Linearisation::new(log, self.k, &challenges, &opened, lagrange[0]);
        let public = values.iter().zip(&lagrange);
        let public = public.fold(ScalarOf::<E>::ZERO, |sum, (value, l)| sum - *value * l);

        let [v2, v3] = [v.square(), v.square() * v];
        let [v4, v5] = [v2.square(), v2 * v3];
        let Opened { a, b, c, s1, s2, z_omega } = opened;
        let value: ScalarOf<E> = v * a + v2 * b + v3 * c + v4 * s1 + v5 * s2 + u * z_omega;
        let value = value - (r.constant + public);
        let [t_lo, t_mid, t_hi] = r.t;
        let right = [v, v2, v3, r.z + u, t_lo, t_mid, t_hi, zeta, u * zeta * self.omega];
        let one = ScalarOf::<E>::ONE;
        let shared = vec![r.q_m, r.q_l, r.q_r, r.q_o, one, v4, v5, r.s3, -value];
        let left = [points[7], points[8]].into_iter().zip([one, u]).collect();
        Ok(Some(Claim { left, right: points.into_iter().zip(right).collect(), shared }))
    }
}

/// Checks log2 of the size of the domain, and the number of public inputs in it.
pub fn check_domain<F: PrimeField>(log: u32, public_inputs: usize) -> Result<()> {
    let most = F::TWO_ADICITY;
    if log > most {
        let problem = format!("a domain of 2^{log} points, where the field has 2^{most}");
        return Err(Error::argument(KEY, problem));
    }
    if public_inputs as u64 > 1 << log {
        let problem = format!("{} in 2^{log} rows", counted(public_inputs as u64, "public input"));
        return Err(Error::argument(KEY, problem));
    }
    Ok(())
}

/// Decodes the shifts of cosets: k1 and k2 must give two cosets other than the domain.
pub fn shifts<F: PrimeField>(log: u32, shifts: [(&str, &Scalar); 2]) -> Result<[F; 2]> {
    let mut k = [F::ZERO; 2];
    for (k, (name, bytes)) in k.iter_mut().zip(shifts) {
        *k = F::from_le_bytes(bytes)
            .map_err(|problem| Error::argument(KEY, format!("{name} is {problem}")))?;
    }
    // In one coset, the n-th powers are equal.
    let [first, second] = k.map(|k| (0..log).fold(k, |power, _| power.square()));
    let one = F::ONE;
    if k.contains(&F::ZERO) || first == one || second == one || first == second {
        return Err(Error::argument(KEY, "the cosets of k1 and k2 and the domain overlap"));
    }
    Ok(k)
}
