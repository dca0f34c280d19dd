//! The scalars of the key's H section: what is left of a b - c on places between the powers of a root of unity.
//!
//! ```text
//! a, b, c      polynomials of degree below n with the values A w, B w, C w at the powers of w_n
//! a b - c      is h (x^n - 1): it vanishes at those powers
//! h_i          (a b - c)(w_2n^(2 i + 1)), where x^n - 1 is -2
//! ```
//!
//! That is what an [`ntt::Quotient`](Quotient) is, with w_n as the root and w_2n as the shift. The division by -2, and the change from values to the sum
//! in the exponent, are in the points of the H section, as circom's keys are made; other provers have H by coefficients. w_n is the
//! power of 5, the least non-residue in both fields, that has order n.

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::least_non_residue_root;
use proofmill_op::msm::{Response, read};
use proofmill_op::ntt::{Field, Quotient};
use proofmill_op::process::parallel;
use proofmill_op::{Answer, Cancel, Data, DeviceKind, Error, Parked, Request, Result};
use zeroize::Zeroizing;

use super::attempt::Scalars;
use super::control::Place;
use super::route::{Route, another};
use super::suite::Suite;
use crate::wiped::{WipedBytes, WipedVec, wipe_data};

/// The answer to such a request, for which this waits. Where the device of the sum makes the scalars and has room for them, they stay there.
pub fn quotient<E: Suite>(
    route: &Route,
    request: Quotient,
    place: Place,
    cancel: &Cancel,
) -> Result<Scalars> {
    cancel.go_on()?;
    let expected = request.lists[0].len();
    // The lists come from the rows, which are canonical.
    let named = |error| match error {
        Error::Argument { argument: "lists", .. } => route.wrong_quotient(),
        other => other,
    };
    if let Some(parked) = kept(route, &request, cancel).map_err(named)? {
        request.lists.into_iter().for_each(wipe_data);
        return Ok(Scalars::There(parked));
    }
    let device = &*route.transforms;
    match place.answer(device, Request::Quotient(request.into()), cancel).map_err(named)? {
        Answer::Ntt(response) if response.elements.len() == expected => {
            let elements = Zeroizing::new(response.elements);
            let elsewhere = device.caps().kind != DeviceKind::Cpu;
            let (scalars, _) = elements.as_chunks();
            if elsewhere && read::reduced::<E::G1>(0, 0, scalars).is_err() {
                return Err(route.wrong_quotient());
            }
            Ok(Scalars::Here(WipedBytes(elements[..].into())))
        }
        _ => Err(another(device)),
    }
}

/// The handle of the scalars on the device; none if it is another than that of the sum, or has no room.
fn kept(route: &Route, request: &Quotient, cancel: &Cancel) -> Result<Option<Parked>> {
    let Some(instance) = route.keeps() else { return Ok(None) };
    let (device, expected) = (&*route.transforms, request.lists[0].len());
    let ticket = match device.submit(Request::Quotient(request.clone().kept_for(instance).into())) {
        Err(Error::Argument { argument: "keep", .. }) => return Ok(None),
        other => other?,
    };
    match ticket.covered_by(cancel).wait()? {
        Answer::Msm(Response::Parked(parked)) if parked.len() == expected => Ok(Some(parked)),
        _ => Err(another(device)),
    }
}

/// Asks for the values of h, up to the factor -2, from those of A w, B w and their product.
pub fn request<F: PrimeField>(field: Field, rows: [Vec<u8>; 3]) -> Quotient {
    let log = (rows[0].len() / F::BYTES).ilog2();
    let (root, between) = (root::<F>(log), root::<F>(log + 1));
    // Each is copied, which takes a thread as long as all of them take to be computed.
    let [a, b, c] = rows;
    let shared = |list: Vec<u8>| move || Data::from(&WipedVec(list)[..]);
    let (a, b, c) = (shared(a), shared(b), shared(c));
    let ((a, b), c) = parallel(|| rayon::join(|| rayon::join(a, b), c));
    let lists = [a, b, c];
    Quotient::new(field, lists, between.to_le_bytes().as_ref())
        .with_root(root.to_le_bytes().as_ref())
}

/// The root of unity of order 2^log.
fn root<F: PrimeField>(log: u32) -> F {
    (log..F::TWO_ADICITY).fold(least_non_residue_root(), |root: F, _| root.square())
}

#[cfg(test)]
mod tests {
    use ark_poly::univariate::DensePolynomial;
    use ark_poly::{DenseUVPolynomial, Polynomial};
    use ark_std::rand::{SeedableRng, rngs::StdRng};
    use proofmill_algebra::field::{Bls12381Fr, Bn254Fr};
    use proofmill_cpu::CpuDevice;
    use proofmill_op::Device;

    use super::*;

    fn bytes<A: ark_ff::PrimeField>(elements: &[A]) -> Vec<u8> {
        use ark_ff::BigInteger;
        elements.iter().flat_map(|x| x.into_bigint().to_bytes_le()).collect()
    }

    /// The polynomial of degree below n with these values at the powers of w, by its definition.
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
            let rows = [&a, &b, &c].map(|values| bytes(values));
            let ticket =
                device.submit(Request::Quotient(request::<F>(field, rows).into())).unwrap();
            let Answer::Ntt(found) = ticket.wait().unwrap() else { panic!("another answer") };

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
            assert!(found.elements == bytes(&expected), "{field} 2^{log}");
        }
    }

    #[test]
    fn it_is_what_a_division_of_polynomials_leaves() {
        examine::<Bn254Fr, ark_bn254::Fr>(Field::Bn254Fr);
        examine::<Bls12381Fr, ark_bls12_381::Fr>(Field::Bls12_381Fr);
    }
}
