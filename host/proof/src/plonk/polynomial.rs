//! Polynomials by their coefficients: canonical scalars, from the lowest on, with zeros up to n + 6, one for each power of tau.

use proofmill_algebra::field::PrimeField;
use proofmill_op::process::parallel;
use proofmill_op::{Cancel, Secret, SecretBytes};
use rayon::prelude::*;

use super::Scalar;
use crate::Result;

/// Coefficients beyond n, for the blinding.
pub const EXTRA: usize = 6;

/// Scalars that a thread processes at a time.
pub const CHUNK: usize = 1 << 10;

/// Reads a scalar that was checked to be below r.
#[inline]
pub fn element<F: PrimeField>(bytes: &Scalar) -> F {
    F::from_le_bytes(bytes).expect("it was checked to be below r")
}

/// Writes a scalar.
#[inline]
pub fn put<F: PrimeField>(element: F, bytes: &mut Scalar) {
    bytes.copy_from_slice(element.to_le_bytes().as_ref());
}

/// Fills `count` scalars in chunks, each with the number of its first scalar, on the threads of the caller's rayon pool.
pub fn scalars_in_chunks(
    count: usize,
    cancel: &Cancel,
    fill: &(dyn Fn(usize, &mut [Scalar]) -> Result<()> + Sync),
) -> Result<SecretBytes> {
    let mut bytes = SecretBytes::zeroed(count * size_of::<Scalar>());
    fill_chunks(bytes.as_chunks_mut().0, cancel, fill)?;
    Ok(bytes)
}

/// Fills items in chunks. All callers share it, since each use of rayon's iterators compiles dozens of functions.
fn fill_chunks<T: Send>(
    items: &mut [T],
    cancel: &Cancel,
    fill: &(dyn Fn(usize, &mut [T]) -> Result<()> + Sync),
) -> Result<()> {
    let fill = |(number, chunk): (usize, &mut [T])| {
        cancel.check()?;
        fill(number * CHUNK, chunk)
    };
    parallel(|| items.par_chunks_mut(CHUNK).enumerate().try_for_each(fill))
}

/// Computes scalar number i for each i below `count`, on the threads of the caller's rayon pool.
pub fn scalars<F: PrimeField>(
    count: usize,
    cancel: &Cancel,
    scalar: impl Fn(usize) -> Result<F> + Sync,
) -> Result<SecretBytes> {
    scalars_in_chunks(count, cancel, &|first, chunk| {
        (first..).zip(chunk).try_for_each(|(i, bytes)| {
            put(scalar(i)?, bytes);
            Ok(())
        })
    })
}

/// Returns f + (b_0 + b_1 X + ...) (X^n - 1) for a polynomial f of n coefficients: the same values on the domain, and different ones outside it.
pub fn blinded<F: PrimeField>(coefficients: &[u8], blinding: &[F]) -> SecretBytes {
    let mut bytes = SecretBytes::zeroed(coefficients.len() + EXTRA * F::BYTES);
    bytes[..coefficients.len()].copy_from_slice(coefficients);
    let (low, high) = bytes.as_chunks_mut().0.split_at_mut(coefficients.len() / F::BYTES);
    for ((low, high), b) in low.iter_mut().zip(high).zip(blinding) {
        put(element::<F>(low) - b, low);
        put(*b, high);
    }
    bytes
}

/// Returns f modulo X^n - u for a polynomial f of n + 6 coefficients: the same values where X^n is u.
pub fn folded<F: PrimeField>(coefficients: &[u8], u: F) -> SecretBytes {
    let (all, _) = coefficients.as_chunks();
    let n = all.len() - EXTRA;
    let mut bytes = SecretBytes::copy_of(all[..n].as_flattened());
    for (low, high) in bytes.as_chunks_mut().0.iter_mut().zip(&all[n..]) {
        put(element::<F>(low) + u * element::<F>(high), low);
    }
    bytes
}

/// Returns the value at x of the polynomial with these `count` coefficients.
pub fn evaluate<F: PrimeField>(
    count: usize,
    x: F,
    coefficient: impl Fn(usize) -> Result<F> + Sync,
) -> Result<F> {
    let chunk = |number: usize| {
        let start = number * CHUNK;
        let end = count.min(start + CHUNK);
        let value: Result<F> =
            (start..end).rev().try_fold(F::ZERO, |sum, i| Ok(sum * x + coefficient(i)?));
        Ok(value? * x.pow_vartime(&[start as u64]))
    };
    sum(count.div_ceil(CHUNK), &chunk)
}

/// Adds the values of `count` chunks.
fn sum<F: PrimeField>(count: usize, chunk: &(dyn Fn(usize) -> Result<F> + Sync)) -> Result<F> {
    let chunks = (0..count).into_par_iter().map(chunk);
    parallel(|| chunks.try_reduce(|| F::ZERO, |left, right| Ok(left + right)))
}

/// Returns the quotient of the polynomial with these coefficients by X - x, without the remainder: as many coefficients, of which the last is 0.
pub fn divided<F: PrimeField>(
    count: usize,
    x: F,
    cancel: &Cancel,
    coefficient: impl Fn(usize) -> Result<F> + Sync,
) -> Result<SecretBytes> {
    let mut quotient = elements(count, cancel, coefficient)?;
    divide::<F, 1>(&mut quotient, x);
    scalars(count, cancel, |i| Ok(quotient[i]))
}

/// Computes coefficient number i for each i below `count`, on the threads of the caller's rayon pool.
pub fn elements<F: PrimeField>(
    count: usize,
    cancel: &Cancel,
    coefficient: impl Fn(usize) -> Result<F> + Sync,
) -> Result<Secret<F>> {
    let mut all = Secret::filled(count, F::ZERO);
    let fill = |first, chunk: &mut [F]| {
        for (i, to) in (first..).zip(chunk) {
            *to = coefficient(i)?;
        }
        Ok(())
    };
    fill_chunks(&mut all, cancel, &fill)?;
    Ok(all)
}

/// Divides a polynomial by X^K - x, without the remainder: the last K coefficients become 0.
pub fn divide<F: PrimeField, const K: usize>(coefficients: &mut [F], x: F) {
    // q_(i-K) = f_i + x q_i
    let mut above = [F::ZERO; K];
    for (i, coefficient) in coefficients.iter_mut().enumerate().rev() {
        let above = &mut above[i % K];
        let here = *above;
        *above = *coefficient + x * here;
        *coefficient = here;
    }
}

/// Returns the product of polynomials, up to the power X^5.
pub fn product_of_lowest<F: PrimeField>(factors: &[[F; EXTRA]]) -> [F; EXTRA] {
    let mut one = [F::ZERO; EXTRA];
    one[0] = F::ONE;
    factors.iter().fold(one, |product, factor| {
        let mut sums = [F::ZERO; EXTRA];
        for (i, x) in product.iter().enumerate() {
            for (j, y) in factor[..EXTRA - i].iter().enumerate() {
                sums[i + j] += *x * y;
            }
        }
        sums
    })
}
