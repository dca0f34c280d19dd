//! Lagrange polynomials at a point.

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::least_non_residue_root;

/// Returns the root of unity of order 2^log in circom's keys.
pub(super) fn root<F: PrimeField>(log: u32) -> F {
    (log..F::TWO_ADICITY).fold(least_non_residue_root(), |root: F, _| root.square())
}

/// Returns w^i for i below `count`.
pub(super) fn powers<F: PrimeField>(w: F, count: usize) -> Vec<F> {
    std::iter::successors(Some(F::ONE), |power| Some(*power * w)).take(count).collect()
}

/// Returns, for every power w^i of the root of order n = 2^log, the value at tau of the polynomial of degree n - 1 that is 1
/// at w^i and 0 at the other powers. tau must not be a power of w.
///
/// ```text
/// L_i(tau) = (tau^n - 1) / n  w^i / (tau - w^i)
/// ```
pub(super) fn lagrange<F: PrimeField>(log: u32, tau: F) -> Vec<F> {
    let n = 1 << log;
    let powers = powers(root::<F>(log), n);
    let mut values: Vec<_> = powers.iter().map(|power| tau - power).collect();
    F::batch_invert(&mut values);
    let vanishing = (0..log).fold(tau, |power, _| power.square()) - F::ONE;
    let scale = vanishing * F::from(n as u64).invert_vartime().expect("n is not 0");
    for (value, power) in values.iter_mut().zip(powers) {
        *value *= scale * power;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::bls12_381::Fr;
    use proofmill_algebra::field::Field;

    #[test]
    fn powers_of_tau_are_interpolated() {
        let tau = Fr::from(12345);
        for log in 0..6 {
            let values = lagrange(log, tau);
            for degree in 0..1 << log {
                let root = root::<Fr>(log).pow_vartime(&[degree]);
                let terms = values.iter().zip(powers(root, values.len()));
                let sum = terms.fold(Fr::ZERO, |sum, (value, power)| sum + *value * power);
                assert_eq!(sum, tau.pow_vartime(&[degree]));
            }
        }
    }
}
