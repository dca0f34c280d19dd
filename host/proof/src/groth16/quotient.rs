//! The scalars of the key's H section: a b - c at points between the powers of a root of unity.
//!
//! ```text
//! a, b, c      polynomials of degree below n with the values A w, B w, C w at the powers of w_n
//! a b - c      is h (x^n - 1): it vanishes at those powers
//! h_i          (a b - c)(w_2n^(2 i + 1)), where x^n - 1 is -2
//! ```
//!
//! This is an [`ntt::Quotient`](Quotient) with w_n as the root and w_2n as the shift. The points of the H section of circom's keys contain the
//! division by -2 and the Lagrange polynomials. bellman's keys have H by coefficients ([`HBasis::Powers`]): there, the values are interpolated
//! on the coset, and the MSM is divided by -2. w_n is the power of 5, the least non-residue in both
//! fields, that has order n.

use proofmill_algebra::curve::{Affine, Curve as Group, Projective};
use proofmill_algebra::field::{Field as _, PrimeField};
use proofmill_algebra::ntt::{Transform, least_non_residue_root};
use proofmill_op::msm::read;
use proofmill_op::ntt::{self, Field, Quotient, QuotientResponse};
use proofmill_op::{
    Argument, Bytes, Cancel, Data, DeviceKind, Error, ResidentData, Result, SecretBytes, Submit,
};

use super::attempt::Scalars;
use super::control::Executor;
use super::route::{Route, malformed};
use super::suite::Suite;

/// The basis of the quotient polynomial to which the points of section H belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HBasis {
    /// The Lagrange polynomials of the odd coset, divided by -2: circom.
    OddCoset,
    /// The powers x^i times x^n - 1, where constraint i belongs to the power i of another root of unity: bellman.
    Powers,
}

impl HBasis {
    /// Returns the root of unity of order 2^log by which the values of the quotient are transformed.
    pub fn root<F: PrimeField>(self, log: u32) -> Result<F> {
        match self {
            Self::OddCoset => Ok(root(log)),
            Self::Powers => match Transform::<F>::forward(log) {
                Ok(transform) => Ok(transform.root()),
                Err(problem) => Err(Error::argument("key", problem.to_string())),
            },
        }
    }

    /// Returns the share of the quotient in C, from the MSM of section H.
    pub fn scaled<C: Group>(self, h: Affine<C>) -> Affine<C> {
        match self {
            Self::OddCoset => h,
            Self::Powers => {
                let half = C::Scalar::from(2).invert_vartime().expect("r is odd");
                Affine::from(Projective::from(h).times(&-half))
            }
        }
    }
}

/// Computes the coefficients of -2 h, as scalars on the host, with bellman's root of unity: the standard one, a power of the field's generator.
/// The coset of w_2n is the odd one for that root too.
pub fn coefficients<E: Suite>(
    route: &Route,
    mut request: Quotient,
    executor: Executor,
    cancel: &Cancel,
) -> Result<Scalars> {
    request.root = None;
    let (coset, bytes) = (request.coset.clone(), request.lists[0].len());
    let values = on_host::<E>(route, request, executor, cancel)?;
    let interpolation = ntt::Request::inverse(E::FIELD, values).on_coset(coset);
    let device = &*route.transforms;
    let elements = executor.execute(device, interpolation, cancel)?.elements;
    let elements = SecretBytes::from(elements);
    checked::<E>(route, elements, bytes).map(Scalars::Host)
}

/// Computes a quotient. The scalars stay on the device if the device of the MSM computes them and has memory for them.
pub fn quotient<E: Suite>(
    route: &Route,
    request: Quotient,
    executor: Executor,
    cancel: &Cancel,
) -> Result<Scalars> {
    cancel.check()?;
    if let Some(resident) = resident(route, &request, cancel).map_err(|e| located(route, e))? {
        return Ok(Scalars::Resident(resident));
    }
    on_host::<E>(route, request, executor, cancel).map(Scalars::Host)
}

/// Computes a quotient whose elements return to the host.
fn on_host<E: Suite>(
    route: &Route,
    request: Quotient,
    executor: Executor,
    cancel: &Cancel,
) -> Result<Bytes> {
    cancel.check()?;
    let expected = request.lists[0].len();
    let device = &*route.transforms;
    match executor.execute(device, request, cancel).map_err(|e| located(route, e))? {
        QuotientResponse::Elements(elements) => checked::<E>(route, elements, expected),
        _ => Err(malformed(device, "a quotient of another length")),
    }
}

/// Attributes an error about the lists to the device: they come from the rows, which are canonical.
fn located(route: &Route, error: Error) -> Error {
    match error.is_about(Argument::Lists) {
        true => route.wrong_quotient(),
        false => error,
    }
}

/// Checks that a device returned so many bytes of canonical elements.
fn checked<E: Suite>(route: &Route, elements: SecretBytes, expected: usize) -> Result<Bytes> {
    let device = &*route.transforms;
    if elements.len() != expected {
        return Err(malformed(device, "a quotient of another length"));
    }
    let (scalars, _) = elements.as_chunks();
    let is_checked = device.caps().kind == DeviceKind::Cpu;
    if !is_checked && read::check_reduced::<E::G1>(0, 0, scalars).is_err() {
        return Err(route.wrong_quotient());
    }
    Ok(Bytes::from(elements))
}

/// Computes a quotient that stays on the device of its MSM. Returns `None` if these are different devices, or if the device lacks memory.
fn resident(route: &Route, request: &Quotient, cancel: &Cancel) -> Result<Option<ResidentData>> {
    let Some(instance) = route.resident_quotient() else { return Ok(None) };
    let (device, expected) = (&*route.transforms, request.lists[0].len());
    let ticket = match device.submit(request.clone().resident_for(instance)) {
        Err(error) if error.is_about(Argument::ResidentFor) => return Ok(None),
        other => other?,
    };
    match ticket.linked_to(cancel).wait()? {
        QuotientResponse::Resident(resident) if resident.len() == expected => Ok(Some(resident)),
        _ => Err(malformed(device, "no handle of a quotient")),
    }
}

/// Returns the request for the values of h, up to the factor -2, from those of A w, B w and their product.
pub fn request<F: PrimeField>(field: Field, rows: [SecretBytes; 3]) -> Quotient {
    let log = (rows[0].len() / F::BYTES).ilog2();
    let (root, between) = (root::<F>(log), root::<F>(log + 1));
    Quotient::new(field, rows.map(Data::from), between.to_le_bytes().as_ref())
        .with_root(root.to_le_bytes().as_ref())
}

/// Returns the root of unity of order 2^log.
pub fn root<F: PrimeField>(log: u32) -> F {
    (log..F::TWO_ADICITY).fold(least_non_residue_root(), |root: F, _| root.square())
}

#[cfg(test)]
mod tests {
    use ark_poly::univariate::DensePolynomial;
    use ark_poly::{DenseUVPolynomial, Polynomial};
    use ark_std::rand::{SeedableRng, rngs::StdRng};
    use proofmill_algebra::field::{Bls12381Fr, Bn254Fr};
    use proofmill_cpu::CpuDevice;

    use super::*;

    fn bytes<A: ark_ff::PrimeField>(elements: &[A]) -> Vec<u8> {
        use ark_ff::BigInteger;
        elements.iter().flat_map(|x| x.into_bigint().to_bytes_le()).collect()
    }

    /// Evaluates the polynomial of degree below n with these values at the powers of w, by its definition.
    fn interpolated<A: ark_ff::PrimeField>(values: &[A], w: A) -> DensePolynomial<A> {
        let (n, inverse) = (values.len() as u64, w.inverse().unwrap());
        let scale = A::from(n).inverse().unwrap();
        let coefficient = |k: u64| {
            let terms = values.iter().zip(0..).map(|(x, i)| *x * inverse.pow([i * k]));
            terms.sum::<A>() * scale
        };
        DensePolynomial::from_coefficients_vec((0..n).map(coefficient).collect())
    }

    fn examine<F: PrimeField, A: ark_ff::PrimeField>(field: Field) {
        let rng = &mut StdRng::seed_from_u64(1);
        let device = CpuDevice::new(Some(1)).unwrap();
        for log in [0, 1, 2, 5, 9] {
            let n = 1 << log;
            let list = |rng: &mut StdRng| (0..n).map(|_| A::rand(rng)).collect::<Vec<_>>();
            let (a, b) = (list(rng), list(rng));
            let c: Vec<A> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
            let rows = [&a, &b, &c].map(|values| SecretBytes::from(bytes(values)));
            let response = device.submit(request::<F>(field, rows)).unwrap().wait().unwrap();
            let QuotientResponse::Elements(found) = response else { panic!("a handle") };

            let of = |root: F| A::from_le_bytes_mod_order(root.to_le_bytes().as_ref());
            let (w, between) = (of(root::<F>(log)), of(root::<F>(log + 1)));
            assert_eq!((w.pow([n as u64]), between.pow([n as u64])), (A::one(), -A::one()));
            let [a, b, c] = [a, b, c].map(|values| interpolated(&values, w));
            let product = &a * &b - c;
            // x^n - 1 divides it.
            let mut vanishing = vec![A::zero(); n + 1];
            (vanishing[0], vanishing[n]) = (-A::one(), A::one());
            let vanishing = DensePolynomial::from_coefficients_vec(vanishing);
            let h = &product / &vanishing;
            assert_eq!(&h * &vanishing, product);
            let minus_two = -A::from(2u64);
            let expected: Vec<A> =
                (0..n as u64).map(|i| minus_two * h.evaluate(&between.pow([2 * i + 1]))).collect();
            assert!(*found == bytes(&expected)[..], "{field} 2^{log}");
        }
    }

    #[test]
    fn it_is_what_a_division_of_polynomials_leaves() {
        examine::<Bn254Fr, ark_bn254::Fr>(Field::Bn254Fr);
        examine::<Bls12381Fr, ark_bls12_381::Fr>(Field::Bls12_381Fr);
    }
}
