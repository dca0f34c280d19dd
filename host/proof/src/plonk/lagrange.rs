//! Lagrange polynomials of the domain, the powers of the root of unity omega of order n = 2^log.

use proofmill_algebra::field::PrimeField;

/// Returns the values at zeta of the polynomials that are 1 at omega^i and 0 at the other points of the domain, for i below `count`; `None` if zeta is in
/// the domain.
///
/// ```text
/// L_i(zeta) = omega^i (zeta^n - 1) / (n (zeta - omega^i))
/// ```
pub fn lagrange_vartime<F: PrimeField>(
    log: u32,
    omega: F,
    zeta: F,
    count: usize,
) -> Option<Vec<F>> {
    let vanishing = vanishing(log, zeta);
    if vanishing == F::ZERO {
        return None;
    }
    let powers = || std::iter::successors(Some(F::ONE), |power| Some(*power * omega)).take(count);
    let mut values: Vec<_> = powers().map(|power| zeta - power).collect();
    F::batch_invert_vartime(&mut values);
    let scale = vanishing * F::from(1 << log).invert_vartime()?;
    values.iter_mut().zip(powers()).for_each(|(value, power)| *value *= power * scale);
    Some(values)
}

/// Returns x^n - 1, which vanishes on the domain.
pub fn vanishing<F: PrimeField>(log: u32, x: F) -> F {
    (0..log).fold(x, |power, _| power.square()) - F::ONE
}
