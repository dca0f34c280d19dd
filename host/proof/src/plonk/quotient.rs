//! The quotient t (round 3).
//!
//! ```text
//! t (X^n - 1) = a b q_m + a q_l + b q_r + c q_o + q_c + PI
//!             + alpha (a + beta X + gamma) (b + beta k1 X + gamma) (c + beta k2 X + gamma) z
//!             - alpha (a + beta s1 + gamma) (b + beta s2 + gamma) (c + beta s3 + gamma) z(omega X)
//!             + alpha^2 (z - 1) L_0
//! ```
//!
//! The key has the values of its polynomials at the powers of the root w of order 4n: the four cosets w^j of the domain, on which X^n is
//! u_j = w^(j n), a fourth root of unity. On the domain itself, j = 0, both sides are 0. With t = T_0 + X^n T_1 + X^2n T_2 + X^3n C, where C has
//! six coefficients:
//!
//! 1. C. Its coefficients are those of X^4n to X^(4n+5) on the right side, which follow from the six highest of each factor.
//! 2. For j = 1, 2, 3, the right side on coset j, and from it R_j = t modulo X^n - u_j, which is T_0 + u_j T_1 + u_j^2 T_2 + u_j^3 C.
//! 3. T_0, T_1 and T_2, by interpolation at the three u_j:
//!
//! ```text
//! l_j(u) = (u^2 + (1 + u_j) u + 1 + u_j + u_j^2) / d_j          since (u - u_j) d_j l_j(u) = u^3 + u^2 + u + 1
//! (u_j - 1) d_j = 4 u_j^3 = 4 / u_j                             the divisor of the right side, and that of the interpolation
//! ```

use proofmill_algebra::field::{Field, PrimeField};
use proofmill_op::{Bytes, Cancel, Secret, SecretBytes};

use super::constraints::Constraints;
use super::linearisation::Challenges;
use super::polynomial::{
    EXTRA, element, folded, product_of_lowest, put, scalars, scalars_in_chunks,
};
use super::transforms::Transforms;
use crate::Result;
use crate::groth16::quotient::root;
use crate::groth16::suite::{ScalarOf, Suite};
use crate::snarkjs::plonk::{Polynomial, Zkey};

/// The polynomials that a proof brings, by their coefficients.
pub struct Committed<'a> {
    pub wires: &'a [Bytes; 3],
    pub z: &'a Bytes,
    /// The polynomial of the public inputs, of n coefficients; `None` if it is 0.
    pub public: Option<&'a SecretBytes>,
}

/// The challenges of round 3; zeta is not used.
pub struct Round<'a, F> {
    pub key: &'a Zkey,
    pub k: [F; 2],
    pub challenges: Challenges<F>,
    pub cancel: &'a Cancel,
}

/// Computes t_lo, t_mid and t_hi, each of n + 6 coefficients, with two blinding scalars.
pub fn quotient<E: Suite>(
    round: &Round<'_, ScalarOf<E>>,
    transforms: Transforms<'_>,
    committed: &Committed<'_>,
    blinding: &[ScalarOf<E>; 2],
) -> Result<[SecretBytes; 3]> {
    let log = round.key.domain_log();
    let w = root::<ScalarOf<E>>(log + 2);
    let fourth = root::<ScalarOf<E>>(2);
    let (mut parts, mut us) = (Vec::new(), Vec::new());
    let (mut g, mut u) = (ScalarOf::<E>::ONE, ScalarOf::<E>::ONE);
    for coset in 1..4 {
        (g, u) = (g * w, u * fourth);
        let values = on_coset::<E>(round, transforms, committed, coset, g, u)?;
        parts.push(transforms.coefficients_from_coset::<E>(values, g)?);
        us.push(u);
    }
    let highest = highest(round, committed)?;
    interpolated(round, &parts, &us, &highest, blinding)
}

/// Computes the right side on a coset, times u / 4.
fn on_coset<E: Suite>(
    round: &Round<'_, ScalarOf<E>>,
    transforms: Transforms<'_>,
    committed: &Committed<'_>,
    coset: usize,
    g: ScalarOf<E>,
    u: ScalarOf<E>,
) -> Result<SecretBytes> {
    let Round { key, k, challenges, cancel } = round;
    let n = 1 << key.domain_log();
    let of = |f: &Bytes| transforms.values_on_coset::<E>(folded(f, u), g);
    let [a, b, c] = committed.wires.each_ref().map(of);
    let (a, b, c, z) = (a?, b?, c?, of(committed.z)?);
    let public = committed.public.map(|public| SecretBytes::copy_of(public));
    let public = public.map(|public| transforms.values_on_coset::<E>(public, g)).transpose()?;
    let at = |values: &SecretBytes, i: usize| element::<ScalarOf<E>>(&values.as_chunks().0[i]);
    let Challenges { beta, gamma, alpha, .. } = *challenges;
    let constraints = Constraints::new(key, *k, beta, gamma);
    let alpha_squared = alpha.square();
    let scale = u * ScalarOf::<E>::from(4).invert_vartime().expect("4 is not 0");
    let omega = root::<ScalarOf<E>>(key.domain_log());
    let one = ScalarOf::<E>::ONE;
    scalars_in_chunks(n, cancel, &|first, chunk| {
        let mut x = beta * g * omega.pow_vartime(&[first as u64]);
        for (i, to) in (first..).zip(chunk) {
            let fixed = 4 * i + coset;
            let (a, b, c) = (at(&a, i), at(&b, i), at(&c, i));
            let (z_omega, z) = (at(&z, (i + 1) % n), at(&z, i));
            let mut gate = constraints.gate(fixed, [a, b, c])?;
            if let Some(public) = &public {
                gate += at(public, i);
            }
            let permutation = constraints.permutation(fixed, x, [a, b, c], [z, z_omega])?;
            let start = (z - one) * constraints.fixed(Polynomial::L0, fixed)?;
            let sum = gate + alpha * permutation + alpha_squared * start;
            put(sum * scale, to);
            x *= omega;
        }
        Ok(())
    })
}

/// Computes the coefficients of C. The factors of the permutation have degree n + 1, and z has n + 2: a product has 4n + 5. Their six highest
/// coefficients, from the highest on, are those of a power series; beta X + gamma is not among them, since n is 8 or more.
fn highest<F: PrimeField>(round: &Round<'_, F>, committed: &Committed<'_>) -> Result<Secret<F>> {
    let Round { key, challenges, .. } = round;
    let n = 1 << key.domain_log();
    let top = |f: &Bytes, degree: usize| -> [F; EXTRA] {
        std::array::from_fn(|m| element(&f.as_chunks().0[degree - m]))
    };
    let wires = committed.wires.each_ref().map(|f| top(f, n + 1));
    let z = top(committed.z, n + 2);
    let omega = root::<F>(key.domain_log());
    let z_omega: [F; EXTRA] =
        std::array::from_fn(|m| z[m] * omega.pow_vartime(&[(n + 2 - m) as u64]));
    let mut permuted = wires;
    for (sums, s) in permuted.iter_mut().zip([Polynomial::S1, Polynomial::S2, Polynomial::S3]) {
        let s = key.coefficients(s);
        for (m, sum) in sums.iter_mut().enumerate().skip(2) {
            *sum += challenges.beta * s.get::<F>(n + 1 - m)?;
        }
    }
    let [[a, b, c], [p, q, r]] = [wires, permuted];
    let identity = product_of_lowest(&[a, b, c, z]);
    let permuted = product_of_lowest(&[p, q, r, z_omega]);
    let coefficient = |k: usize| {
        let m = EXTRA - 1 - k;
        challenges.alpha * (identity[m] - permuted[m])
    };
    Ok(Secret::from((0..EXTRA).map(coefficient).collect::<Vec<_>>()))
}

/// Computes the three parts of the quotient from R_j / d_j, u_j and C. The blinding scalars b_10 and b_11 change the parts and not their sum:
/// t_lo + X^n t_mid + X^2n t_hi = t.
fn interpolated<F: PrimeField>(
    round: &Round<'_, F>,
    parts: &[SecretBytes],
    us: &[F],
    highest: &[F],
    &[b10, b11]: &[F; 2],
) -> Result<[SecretBytes; 3]> {
    let n = 1usize << round.key.domain_log();
    let quarter = F::from(4).invert_vartime().expect("4 is not 0");
    let part = |k: usize, factors: &[F]| {
        let terms = parts.iter().zip(us).zip(factors).map(|((part, u), factor)| {
            let value: F = element(&part.as_chunks().0[k]);
            // u_j^3 C / d_j is C (u_j - 1) / 4.
            let over = highest.get(k).map_or(F::ZERO, |c| *c * (*u - F::ONE) * quarter);
            *factor * (value - over)
        });
        terms.fold(F::ZERO, |sum, term| sum + term)
    };
    let whole = |factor: fn(F) -> F, low: F, high: &[F]| {
        let factors: Vec<F> = us.iter().map(|u| factor(*u)).collect();
        scalars(n + EXTRA, round.cancel, |k| {
            Ok(match k {
                0 => part(k, &factors) + low,
                k if k < n => part(k, &factors),
                k => high.get(k - n).copied().unwrap_or(F::ZERO),
            })
        })
    };
    Ok([
        whole(|u| F::ONE + u + u.square(), F::ZERO, &[b10])?,
        whole(|u| F::ONE + u, -b10, &[b11])?,
        whole(|_| F::ONE, -b11, highest)?,
    ])
}
