//! Scalars of a key, in Montgomery form.

use proofmill_algebra::field::PrimeField;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use crate::plonk::Scalar;
use crate::snarkjs::container::Part;
use crate::snarkjs::curve::{Facts, SCALAR_BYTES, is_below};
use crate::snarkjs::source::copy_of;
use crate::{FileError, Result};

/// Scalars of a section. They are checked when they are read.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    section: Part<'a>,
    /// Bytes from the beginning of the file to the first of them.
    offset: usize,
    bytes: &'a [[u8; SCALAR_BYTES]],
    facts: &'static Facts,
}

impl<'a> Elements<'a> {
    /// Wraps the scalars of a section, which begin where it begins.
    pub(super) fn new(
        section: Part<'a>,
        bytes: &'a [[u8; SCALAR_BYTES]],
        facts: &'static Facts,
    ) -> Self {
        Self { offset: section.at(), section, bytes, facts }
    }

    /// Returns `count` of them, from `start` on.
    pub(super) fn range(self, start: usize, count: usize) -> Self {
        let offset = self.offset + start * SCALAR_BYTES;
        Self { offset, bytes: &self.bytes[start..start + count], ..self }
    }

    /// Returns their number.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns a scalar; F is the scalar field of the key's curve. An error names the byte of a scalar that is not below r. Panics if there is
    /// none with this number.
    pub fn get<F: PrimeField>(&self, number: usize) -> Result<F> {
        from_montgomery(&self.bytes[number]).ok_or_else(|| self.wrong(number).into())
    }

    /// Checks that all are below r. An error names the first that is not.
    pub(in crate::snarkjs) fn check(&self) -> Result<()> {
        let wrong = |bytes: &[u8; SCALAR_BYTES]| !is_below(bytes, self.facts.scalar);
        match parallel(|| self.bytes.par_iter().position_first(wrong)) {
            Some(number) => Err(self.wrong(number).into()),
            None => Ok(()),
        }
    }

    fn wrong(&self, number: usize) -> FileError {
        let at = self.offset + number * SCALAR_BYTES;
        self.section.wrong(at, "a scalar that is not below r")
    }
}

/// Reads a scalar in Montgomery form with R = 2^256; `None` if it is not below r.
#[inline]
pub fn from_montgomery<F: PrimeField>(bytes: &[u8; SCALAR_BYTES]) -> Option<F> {
    let mut form = F::ZERO.to_canonical();
    for (limb, bytes) in form.as_mut().iter_mut().zip(copy_of(bytes).as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    F::from_montgomery(form).into()
}

/// Converts a scalar from Montgomery form; `None` if it is not below r.
pub(super) fn canonical<F: PrimeField>(bytes: &Scalar) -> Option<Scalar> {
    let element: F = from_montgomery(bytes)?;
    Some(element.to_le_bytes().as_ref().try_into().expect("32 bytes"))
}
