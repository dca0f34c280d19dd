//! Combinations of polynomials, f_0(X^N) + X f_1(X^N) + ... + X^(N-1) f_(N-1)(X^N), by their coefficients: one for each power of tau.

use proofmill_op::{Bytes, Cancel, SecretBytes};

use super::{F, Scalar};
use crate::Result;
use crate::plonk::polynomial::{element, evaluate, scalars_in_chunks};

/// A combination of N polynomials.
#[derive(Clone)]
pub struct Combined<const N: usize>(pub Bytes);

impl<const N: usize> Combined<N> {
    /// Combines polynomials of up to `count` / N coefficients.
    pub fn new(count: usize, cancel: &Cancel, parts: [&SecretBytes; N]) -> Result<Self> {
        let parts = parts.map(|part| part.as_chunks::<{ size_of::<Scalar>() }>().0);
        let bytes = scalars_in_chunks(count, cancel, &|first, chunk| {
            for (i, to) in (first..).zip(chunk) {
                if let Some(from) = parts[i % N].get(i / N) {
                    *to = *from;
                }
            }
            Ok(())
        })?;
        Ok(Self(bytes.into()))
    }

    /// Returns the coefficient of X^i.
    #[inline]
    pub fn get(&self, i: usize) -> F {
        element(&self.0.as_chunks().0[i])
    }

    /// Returns the first `count` coefficients of a polynomial.
    pub fn part(&self, number: usize, count: usize, cancel: &Cancel) -> Result<SecretBytes> {
        let (all, _) = self.0.as_chunks();
        scalars_in_chunks(count, cancel, &|first, chunk| {
            for (i, to) in (first..).zip(chunk) {
                *to = all[N * i + number];
            }
            Ok(())
        })
    }

    /// Returns the value of a polynomial of up to `count` coefficients at x.
    pub fn evaluate(&self, number: usize, count: usize, x: F) -> Result<F> {
        evaluate(count, x, |i| Ok(self.get(N * i + number)))
    }
}
