//! Verification of proofs: both openings by one product of pairings (ePrint 2019/953, section 8.3, verifier).
//!
//! ```text
//! e(W_zeta + u W_zeta_omega, [tau]) = e(zeta W_zeta + u zeta omega W_zeta_omega + F - E, [1])
//! F = r without its constant + u z + v a + v^2 b + v^3 c + v^4 s1 + v^5 s2                as commitments
//! E = [1] times the value of F at zeta, and of u z at zeta omega
//! ```
//!
//! r is the [linearisation](super::linearisation). For many proofs, each with a random factor r_i of 128 bits, both sides are sums (Bellare,
//! Garay, Rabin, EUROCRYPT 1998, the small exponents test): one product of two pairings in all. An invalid proof passes with a probability of at
//! most 2^-128, since all values are in groups of a larger prime order. If a batch does not pass, its halves are checked.

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve as _, Projective};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::affine_sum_vartime;
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_algebra::tower::Fp12;
use proofmill_op::msm::Curve;

use super::lagrange::lagrange_vartime;
use super::linearisation::{Challenges, Linearisation, Opened};
use super::{Proof, Scalar, VerifyingKey, transcript};
use crate::groth16::quotient::root;
use crate::groth16::suite::{ScalarOf, Suite, no_proofs, point, require_curve};
use crate::pairings::Known;
use crate::{Error, Pairings, Result, halves};

const KEY: &str = "verifying key";

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

/// Commitments of the key, and the generator of G1.
const SHARED: usize = 9;

#[derive(Clone, Debug)]
struct Key<E: Suite> {
    key: VerifyingKey,
    pairings: Pairings,
    k: [ScalarOf<E>; 2],
    omega: ScalarOf<E>,
    /// q_m, q_l, q_r, q_o, q_c, s1, s2, s3 and the generator.
    shared: [Affine<E::G1>; SHARED],
    tau: Known<E>,
    one: Known<E>,
}

/// The equation of a proof: both sides as sums of multiples of points.
struct Claim<E: Suite> {
    /// a, b, c, z, t_lo, t_mid, t_hi, W_zeta, W_zeta_omega.
    points: [Affine<E::G1>; 9],
    /// u, the factor of W_zeta_omega on the left side; that of W_zeta is 1.
    u: ScalarOf<E>,
    /// The factors of the points on the right side.
    right: [ScalarOf<E>; 9],
    /// The factors of the shared points on the right side.
    shared: [ScalarOf<E>; SHARED],
}

impl<E: Suite> Key<E> {
    fn new(key: &VerifyingKey, pairings: Pairings) -> Result<Self> {
        const NAMES: [&str; 8] = ["q_m", "q_l", "q_r", "q_o", "q_c", "s1", "s2", "s3"];
        let log = key.domain_log;
        let most = ScalarOf::<E>::TWO_ADICITY;
        if log > most {
            let problem = format!("a domain of 2^{log} points, where the field has 2^{most}");
            return Err(Error::argument(KEY, problem));
        }
        if key.public_inputs as u64 > 1 << log {
            let problem = format!("{} public inputs in 2^{log} rows", key.public_inputs);
            return Err(Error::argument(KEY, problem));
        }
        let mut shared = [E::G1::GENERATOR; SHARED];
        for ((shared, bytes), name) in shared.iter_mut().zip(key.points()).zip(NAMES) {
            *shared = point::<E::G1>(KEY, name, bytes)?;
        }
        Ok(Self {
            k: shifts(log, [("k1", &key.k1), ("k2", &key.k2)])?,
            omega: root(log),
            shared,
            tau: Known::fixed(point::<E::G2>(KEY, "x_g2", &key.x_g2)?),
            one: Known::fixed(E::G2::GENERATOR),
            key: key.clone(),
            pairings,
        })
    }

    fn verify(&self, public_inputs: &[Scalar], proof: &Proof) -> Result<bool> {
        match self.claim(public_inputs, proof)? {
            Some(claim) => self.hold(&[claim], &[ScalarOf::<E>::ONE]),
            None => Ok(false),
        }
    }

    fn find_invalid(&self, proofs: &[(&[Scalar], &Proof)]) -> Result<Vec<usize>> {
        let claims = halves::each(proofs, |proofs| {
            proofs.iter().map(|(public_inputs, proof)| self.claim(public_inputs, proof)).collect()
        });
        let claims = claims.into_iter().enumerate();
        let claims = claims.map(|(at, claim)| claim.map_err(|error| halves::numbered(error, at)));
        let claims: Vec<Option<_>> = claims.collect::<Result<_>>()?;
        // A claim that cannot hold is not part of the sums.
        let (mut invalid, mut places, mut made) = (Vec::new(), Vec::new(), Vec::new());
        for (at, claim) in claims.into_iter().enumerate() {
            match claim {
                Some(claim) => {
                    places.push(at);
                    made.push(claim);
                }
                None => invalid.push(at),
            }
        }
        let found = halves::find_invalid(made.len(), |some| {
            let factors = halves::random_factors::<E::G1>(some.len())?;
            self.hold(&made[some], factors.values())
        })?;
        invalid.extend(found.into_iter().map(|at| places[at]));
        invalid.sort_unstable();
        Ok(invalid)
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
        let values = self.public_values(public_inputs)?;

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
        let shared = [r.q_m, r.q_l, r.q_r, r.q_o, one, v4, v5, r.s3, -value];
        Ok(Some(Claim { points, u, right, shared }))
    }

    /// Checks the number of public inputs and decodes them.
    fn public_values(&self, public_inputs: &[Scalar]) -> Result<Vec<ScalarOf<E>>> {
        let wanted = self.key.public_inputs;
        if public_inputs.len() != wanted {
            let problem = format!("{} values, the key has {wanted}", public_inputs.len());
            return Err(Error::argument("public", problem));
        }
        let value = |(i, bytes): (usize, &Scalar)| {
            ScalarOf::<E>::from_le_bytes(bytes).map_err(|_| {
                let problem = format!("value {i} is not below the order of the group");
                Error::argument("public", problem)
            })
        };
        public_inputs.iter().enumerate().map(value).collect()
    }

    /// Returns whether the sum of the claims, each times its factor, holds.
    fn hold(&self, claims: &[Claim<E>], factors: &[ScalarOf<E>]) -> Result<bool> {
        let numbered: Vec<_> = claims.iter().zip(factors).collect();
        let sums = halves::each(&numbered, |some| vec![self.sums(some)]);
        let (left, mut right) = sums.into_iter().fold(
            (Projective::<E::G1>::default(), Projective::<E::G1>::default()),
            |(left, right), (more_left, more_right)| (left + more_left, right + more_right),
        );
        let mut shared = [ScalarOf::<E>::ZERO; SHARED];
        for (claim, factor) in numbered {
            shared.iter_mut().zip(claim.shared).for_each(|(sum, term)| *sum += term * factor);
        }
        right += self.sum(&self.shared, &shared);
        let pairs = [(Affine::from(left), &self.tau), (-Affine::from(right), &self.one)];
        Ok(self.pairings.product_with(&[], &pairs)? == Fp12::ONE)
    }

    /// Returns the sums of both sides over the points of the proofs.
    fn sums(&self, claims: &[(&Claim<E>, &ScalarOf<E>)]) -> (Projective<E::G1>, Projective<E::G1>) {
        let (mut left, mut left_factors) = (Vec::new(), Vec::new());
        let (mut right, mut right_factors) = (Vec::new(), Vec::new());
        for (claim, factor) in claims {
            left.extend_from_slice(&claim.points[7..]);
            left_factors.extend([**factor, claim.u * *factor]);
            right.extend_from_slice(&claim.points);
            right_factors.extend(claim.right.map(|term| term * *factor));
        }
        (self.sum(&left, &left_factors), self.sum(&right, &right_factors))
    }

    fn sum(&self, points: &[Affine<E::G1>], factors: &[ScalarOf<E>]) -> Projective<E::G1> {
        let bytes = |factor: &ScalarOf<E>| -> Scalar {
            factor.to_le_bytes().as_ref().try_into().expect("32 bytes")
        };
        let factors: Vec<_> = factors.iter().map(bytes).collect();
        let sum = affine_sum_vartime::<E::G1>(self.pairings.isa(), points, &factors);
        sum.expect("scalars are below r")
    }
}

/// Decodes the shifts of cosets: k1 and k2 must give two cosets other than the domain.
fn shifts<F: PrimeField>(log: u32, shifts: [(&str, &Scalar); 2]) -> Result<[F; 2]> {
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
