//! Witnesses: `.wtns`, version 2.

use std::io::{self, Write};

use proofmill_algebra::field::PrimeField;

use super::container::{begin, integers, section};
use super::groups::{bytes, modulus};

/// Writes the values of all variables, canonical.
pub(super) fn write<F: PrimeField>(out: &mut dyn Write, values: &[F]) -> io::Result<()> {
    let each = bytes::<F>();
    begin(out, b"wtns", 2, 2)?;
    section(out, 1, 4 + each as u64 + 4)?;
    integers(out, &[each as u32])?;
    out.write_all(&modulus::<F>())?;
    integers(out, &[values.len() as u32])?;
    section(out, 2, (values.len() * each) as u64)?;
    values.iter().try_for_each(|value| out.write_all(value.to_le_bytes().as_ref()))
}
