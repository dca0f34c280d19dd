//! The permutation accumulator z (round 2).
//!
//! ```text
//! z(1) = 1
//! z(omega^(i+1)) = z(omega^i) (a_i + beta omega^i + gamma) (b_i + beta k1 omega^i + gamma) (c_i + beta k2 omega^i + gamma)
//!                           / ((a_i + beta s1_i + gamma) (b_i + beta s2_i + gamma) (c_i + beta s3_i + gamma))
//! ```
//!
//! Each chunk computes its quotients, with one inversion, and their products; the products of the chunks before it are then multiplied in.

use proofmill_algebra::field::PrimeField;
use proofmill_op::process::parallel;
use proofmill_op::{Cancel, Secret, SecretBytes};
use rayon::prelude::*;

use super::polynomial::{CHUNK, scalars};
use super::wires::Variables;
use crate::Result;
use crate::snarkjs::PlonkishKey;
use crate::snarkjs::plonk::{Polynomial, Wire};

/// Computes the values of z on the domain, canonical.
pub fn accumulator<F: PrimeField, H>(
    key: &PlonkishKey<H>,
    variables: &Variables<F>,
    k: [F; 2],
    omega: F,
    (beta, gamma): (F, F),
    cancel: &Cancel,
) -> Result<SecretBytes> {
    let n = 1 << key.domain_log();
    let wires = Wire::ALL.map(|wire| key.wires(wire));
    let sigmas = [Polynomial::S1, Polynomial::S2, Polynomial::S3].map(|s| key.values(s));
    let mut z = Secret::filled(n, F::ONE);
    let chunk = |(number, z): (usize, &mut [F])| -> Result<F> {
        cancel.check()?;
        let first = number * CHUNK;
        let mut x = beta * omega.pow_vartime(&[first as u64]);
        let mut below = Secret::filled(z.len(), F::ONE);
        for (i, (above, below)) in z.iter_mut().zip(below.iter_mut()).enumerate() {
            let [a, b, c] = wires.each_ref().map(|wires| variables.at(wires, first + i));
            let (a, b, c) = (a? + gamma, b? + gamma, c? + gamma);
            *above = (a + x) * (b + x * k[0]) * (c + x * k[1]);
            // The file has the values at the powers of the root of order 4n.
            let [s1, s2, s3] = sigmas.each_ref().map(|s| s.get::<F>(4 * (first + i)));
            *below = (a + beta * s1?) * (b + beta * s2?) * (c + beta * s3?);
            x *= omega;
        }
        invert(&mut below);
        // z[i]: the product of the quotients before i.
        let mut product = F::ONE;
        for (z, inverse) in z.iter_mut().zip(below.iter()) {
            let quotient = *z * inverse;
            *z = product;
            product *= quotient;
        }
        Ok(product)
    };
    let chunks = || z.par_chunks_mut(CHUNK).enumerate().map(chunk).collect::<Result<Vec<_>>>();
    let mut before = Secret::from(parallel(chunks)?);
    let mut product = F::ONE;
    for before in before.iter_mut() {
        (*before, product) = (product, product * *before);
    }
    scalars(n, cancel, |i| Ok(z[i] * before[i / CHUNK]))
}

/// Inverts elements with one inversion (Montgomery, Math. Comp. 48, 1987, section 10.3.1), in memory that is overwritten afterwards. If one is
/// 0, all become 0: then the proof does not verify. With random challenges that has a probability of 3 n / r.
fn invert<F: PrimeField>(elements: &mut [F]) {
    let mut before = Secret::filled(elements.len(), F::ONE);
    let mut product = F::ONE;
    for (before, element) in before.iter_mut().zip(&*elements) {
        *before = product;
        product *= element;
    }
    let mut inverse = product.invert().unwrap_or(F::ZERO);
    for (before, element) in before.iter().zip(elements).rev() {
        let inverted = inverse * before;
        inverse *= &*element;
        *element = inverted;
    }
}
