//! The scalars of the key's H section: what is left of a b - c on places between the powers of a root of unity.
//!
//! ```text
//! a, b, c      polynomials of degree below n with the values A w, B w, C w at the powers of w_n
//! a b - c      is h (x^n - 1): it vanishes at those powers
//! h_i          (a b - c)(w_2n^(2 i + 1)), where x^n - 1 is -2
//! ```
//!
//! Three inverse transforms, three forward ones on the coset of w_2n. The division by -2, and the change from values to the sum
//! in the exponent, are in the points of the H section, as circom's keys are made; other provers have H by coefficients. w_n is the
//! power of 5, the least non-residue in both fields, that has order n.

use std::mem::take;

use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::{Form, a_b_less_c, least_non_residue_root};
use proofmill_op::ntt::{Field, Request};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::suite::DIGITS;
use crate::Result;

/// Elements that a thread multiplies at a time.
const CHUNK: usize = 1 << 12;

/// The values of h, up to the factor -2, from those of A w, B w and their product; `transform` answers requests, which are
/// numbered. None if an answer has an element that is not below the modulus. Lists are wiped, but for what is given to
/// `transform`.
pub fn quotient<F: Form<DIGITS>>(
    isa: Isa,
    field: Field,
    rows: [Vec<u8>; 3],
    transform: &dyn Fn(Request, usize) -> Result<Vec<u8>>,
) -> Result<Option<Vec<u8>>> {
    let log = (rows[0].len() / F::BYTES).ilog2();
    let (root, between) = (root::<F>(log), root::<F>(log + 1));
    let (root, between) = (root.to_le_bytes(), between.to_le_bytes());
    let mut number = 0;
    let mut moved = |values: Vec<u8>| -> Result<Vec<u8>> {
        let mut ask = |request: Request| {
            number += 1;
            transform(request.with_root(root.as_ref()), number - 1)
        };
        // In new memory, which the device has in large pages where it can.
        let coefficients = ask(Request::inverse(field, values))?;
        let forward = Request::forward(field, &coefficients[..]).on_coset(between.as_ref());
        ask(forward.answered_in(coefficients))
    };
    let mut lists = rows.map(Zeroizing::new);
    for list in &mut lists {
        **list = moved(take(&mut **list))?;
    }
    let [a, b, c] = &mut lists;
    let chunk = CHUNK * F::BYTES;
    let chunks = a.par_chunks_mut(chunk).zip(b.par_chunks(chunk)).zip(c.par_chunks(chunk));
    let done = chunks.try_for_each(|((a, b), c)| a_b_less_c::<F, DIGITS>(isa, a, b, c));
    Ok(done.ok().map(|()| take(&mut **a)))
}

/// Transforms of a quotient.
pub const TRANSFORMS: usize = 6;

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
    use proofmill_op::{Answer, Device};

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

    fn examine<F: Form<DIGITS>, A: ark_ff::PrimeField>(field: Field) {
        let rng = &mut StdRng::seed_from_u64(1);
        let device = CpuDevice::new(Some(1)).unwrap();
        for log in [0, 1, 2, 5, 9] {
            let n = 1 << log;
            let list = |rng: &mut StdRng| (0..n).map(|_| A::rand(rng)).collect::<Vec<_>>();
            let (a, b) = (list(rng), list(rng));
            let c: Vec<A> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
            let ask = |request, number| {
                assert!(number < TRANSFORMS);
                let ticket = device.submit(proofmill_op::Request::Ntt(request))?;
                let Answer::Ntt(response) = ticket.wait()? else { panic!("another answer") };
                Ok(response.elements)
            };
            let rows = [&a, &b, &c].map(|values| bytes(values));
            let found = quotient::<F>(device.isa(), field, rows, &ask).unwrap().unwrap();

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
            assert!(found == bytes(&expected), "{field} 2^{log}");
        }
    }

    #[test]
    fn it_is_what_a_division_of_polynomials_leaves() {
        examine::<Bn254Fr, ark_bn254::Fr>(Field::Bn254Fr);
        examine::<Bls12381Fr, ark_bls12_381::Fr>(Field::Bls12_381Fr);
    }

    #[test]
    fn an_element_that_is_none_is_noticed() {
        let rows = [(); 3].map(|()| vec![1; 32 * 4]);
        let wrong = |_, _| Ok(vec![0xff; 32 * 4]);
        assert_eq!(quotient::<Bn254Fr>(Isa::best(), Field::Bn254Fr, rows, &wrong).unwrap(), None);
    }
}
