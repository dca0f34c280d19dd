//! The scalars of the key's H section: a b - c at points between the powers of a root of unity.
//!
//! ```text
//! a, b, c      polynomials of degree below n with the values A w, B w, C w at the powers of w_n
//! a b - c      is h (x^n - 1): it vanishes at those powers
//! h_i          (a b - c)(w_2n^(2 i + 1)), where x^n - 1 is -2
//! ```
//!
//! This is an [`ntt::Quotient`](Quotient) with w_n as the root and w_2n as the shift. The points of the H section of circom's keys contain the
//! division by -2 and the Lagrange polynomials; other provers have H by coefficients. w_n is the power of 5, the least non-residue in both
//! fields, that has order n.

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::least_non_residue_root;
use proofmill_op::msm::read;
use proofmill_op::ntt::{Field, Quotient, QuotientResponse};
use proofmill_op::{
    Argument, Bytes, Cancel, Data, DeviceKind, Error, ResidentData, Result, SecretBytes, Submit,
};

use super::attempt::Scalars;
use super::control::Executor;
use super::route::{Route, malformed};
use super::suite::Suite;

/// Computes a quotient. The scalars stay on the device if the device of the MSM computes them and has memory for them.
pub fn quotient<E: Suite>(
    route: &Route,
    request: Quotient,
    executor: Executor,
    cancel: &Cancel,
) -> Result<Scalars> {
    cancel.check()?;
    let expected = request.lists[0].len();
    // The lists come from the rows, which are canonical.
    let located = |error: Error| match error.is_about(Argument::Lists) {
        true => route.wrong_quotient(),
        false => error,
    };
    if let Some(resident) = resident(route, &request, cancel).map_err(located)? {
        return Ok(Scalars::Resident(resident));
    }
    let device = &*route.transforms;
    match executor.execute(device, request, cancel).map_err(located)? {
        QuotientResponse::Elements(elements) if elements.len() == expected => {
            let (scalars, _) = elements.as_chunks();
            let is_checked = device.caps().kind == DeviceKind::Cpu;
            if !is_checked && read::check_reduced::<E::G1>(0, 0, scalars).is_err() {
                return Err(route.wrong_quotient());
            }
            Ok(Scalars::Host(Bytes::from(elements)))
        }
        _ => Err(malformed(device, "a quotient of another length")),
    }
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
