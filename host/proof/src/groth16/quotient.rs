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

use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::{Form, a_b_less_c, least_non_residue_root};
use proofmill_op::ntt::{Field, Request};
use rayon::prelude::*;
use zeroize::Zeroize;

use super::suite::DIGITS;
use crate::Result;

/// Elements that a thread multiplies at a time.
const CHUNK: usize = 1 << 12;

/// The values of h, up to the factor -2, from those of A w, B w and their product; `transform` answers requests, which are
/// numbered. None if an answer has an element that is not below the modulus.
pub fn quotient<F: Form<DIGITS>>(
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
        let coefficients = ask(Request::inverse(field, values))?;
        ask(Request::forward(field, coefficients).on_coset(between.as_ref()))
    };
    let [a, b, c] = rows;
    let (mut a, mut b, mut c) = (moved(a)?, moved(b)?, moved(c)?);
    let chunk = CHUNK * F::BYTES;
    let chunks = a.par_chunks_mut(chunk).zip(b.par_chunks(chunk)).zip(c.par_chunks(chunk));
    let done = chunks.try_for_each(|((a, b), c)| a_b_less_c::<F, DIGITS>(Isa::best(), a, b, c));
    (b.zeroize(), c.zeroize());
    Ok(done.map(|()| a).ok())
}

/// Transforms of a quotient.
pub const TRANSFORMS: usize = 6;

/// The root of unity of order 2^log.
fn root<F: PrimeField>(log: u32) -> F {
    (log..F::TWO_ADICITY).fold(least_non_residue_root(), |root: F, _| root.square())
}
