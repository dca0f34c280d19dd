//! Constraint systems: `.r1cs`, version 1.

use std::io::{self, Write};

use proofmill_algebra::field::PrimeField;

use super::container::{begin, integers, section};
use super::groups::{bytes, modulus};
use super::r1cs::Builder;

/// Writes all constraints. Every public variable is an output, and every variable is its own label.
pub(super) fn write<F: PrimeField>(out: &mut dyn Write, circuit: &Builder<F>) -> io::Result<()> {
    let each = bytes::<F>();
    let variables = circuit.values().len();
    begin(out, b"r1cs", 1, 3)?;
    section(out, 1, 4 + each as u64 + 4 * 4 + 8 + 4)?;
    integers(out, &[each as u32])?;
    out.write_all(&modulus::<F>())?;
    integers(out, &[variables as u32, circuit.public_inputs() as u32, 0, 0])?;
    out.write_all(&(variables as u64).to_le_bytes())?;
    integers(out, &[circuit.constraints() as u32])?;
    let [a, b, c] = circuit.matrices();
    let terms = a.terms() + b.terms() + c.terms();
    section(out, 2, (12 * circuit.constraints() + (4 + each) * terms) as u64)?;
    for ((a, b), c) in a.rows().zip(b.rows()).zip(c.rows()) {
        for row in [a, b, c] {
            integers(out, &[row.len() as u32])?;
            for (variable, coefficient) in row {
                integers(out, &[*variable])?;
                out.write_all(coefficient.to_le_bytes().as_ref())?;
            }
        }
    }
    section(out, 3, 8 * variables as u64)?;
    (0..variables as u64).try_for_each(|label| out.write_all(&label.to_le_bytes()))
}
