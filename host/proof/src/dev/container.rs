//! The container of circom's files: four letters, a version and the number of sections, then for each section its number, its
//! length in bytes and its bytes. Integers are little-endian.

use std::io::{self, Write};

use super::WARNING;

/// Bytes of a hash in a section of contributions.
pub(super) const HASH: usize = 64;
/// The parameter number of a contribution's name.
const NAME: u8 = 1;

/// Begins a file.
pub(super) fn begin(
    out: &mut dyn Write,
    letters: &[u8; 4],
    version: u32,
    sections: u32,
) -> io::Result<()> {
    out.write_all(letters)?;
    integers(out, &[version, sections])
}

/// Begins a section of so many bytes.
pub(super) fn section(out: &mut dyn Write, number: u32, bytes: u64) -> io::Result<()> {
    integers(out, &[number])?;
    out.write_all(&bytes.to_le_bytes())
}

/// Writes a section.
pub(super) fn whole_section(out: &mut dyn Write, number: u32, bytes: &[u8]) -> io::Result<()> {
    section(out, number, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// Writes integers of four bytes.
pub(super) fn integers(out: &mut dyn Write, integers: &[u32]) -> io::Result<()> {
    integers.iter().try_for_each(|integer| out.write_all(&integer.to_le_bytes()))
}

/// Returns the end of a contribution that is not a beacon's: its name, which is [`WARNING`](super::WARNING).
pub(super) fn note() -> Vec<u8> {
    let name = [&[NAME, WARNING.len() as u8], WARNING.as_bytes()].concat();
    [&0_u32.to_le_bytes()[..], &(name.len() as u32).to_le_bytes(), &name].concat()
}
