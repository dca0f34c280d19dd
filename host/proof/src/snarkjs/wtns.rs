//! `.wtns`: the values of all signals of a circuit for one input.
//!
//! | section | content |
//! |---|---|
//! | 1 header | n8 u32, r (n8 bytes), number of values u32 |
//! | 2 values | canonical, n8 bytes each; the first is 1 |

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use proofmill_op::msm::Curve;
use proofmill_op::{Bytes, SecretBytes, wipe_stack};

use super::container::{Container, Format};
use super::curve::{Facts, Prime, SCALAR_BYTES, is_below};
use super::source::Source;
use crate::groth16::Scalar;
use crate::{Error, Result};

const FORMAT: Format = Format { magic: b"wtns", version: 2, sections: &["header", "values"] };

/// Bytes of a file besides its values, where the length is not known beforehand.
const MAX_OVERHEAD: usize = 4096;

/// A witness. `Debug` does not show its values.
#[derive(Clone)]
pub struct Witness {
    name: Arc<str>,
    /// Bytes of the file, or of the values in memory.
    file_bytes: usize,
    /// No other program changes them.
    bytes: Bytes,
    /// The bytes that are values.
    values: Range<usize>,
    facts: &'static Facts,
}

impl Witness {
    /// Reads a file. Its values are copied, so that later changes of the file have no effect. The file must not be shortened meanwhile: the
    /// system would end the process.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(&Source::open(path.as_ref())?, |file, values| {
            (SecretBytes::copy_of(&file[values.clone()]).into(), 0..values.len())
        })
    }

    /// Reads bytes in memory, under a name for errors. The memory of a plain vector is taken over.
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<SecretBytes>) -> Result<Self> {
        let bytes = Bytes::from(bytes.into());
        Self::read(&Source::new(name, bytes.clone()), |_, values| (bytes, values))
    }

    /// Reads values, canonical and little-endian, each below r: 1, the public inputs, the other signals. The memory of a
    /// plain vector is taken over.
    pub fn from_values(curve: Curve, values: impl Into<SecretBytes>) -> Result<Self> {
        let bytes = Bytes::from(values.into());
        let wrong = |problem: String| Err(Error::argument("witness", problem));
        let Some(facts) = Facts::of(curve) else {
            return wrong(format!("there are no proofs over {}", curve.name()));
        };
        let (values, rest) = bytes.as_chunks::<SCALAR_BYTES>();
        if !rest.is_empty() {
            let problem = "bytes are not a whole number of 32-byte values";
            return wrong(format!("{} {problem}", bytes.len()));
        }
        match problem_of(values, facts) {
            _ if values.is_empty() => wrong("no values; the first of all is 1".into()),
            Some((number, problem)) => wrong(format!("value {number} {problem}")),
            None => {
                let values = 0..bytes.len();
                Ok(Self { name: "witness".into(), file_bytes: bytes.len(), bytes, values, facts })
            }
        }
    }

    /// Returns the largest size of a file that is read from a stream, where its length is not known beforehand: so many values, and 4096 bytes
    /// for the header and for sections that are skipped.
    pub fn max_file_bytes(values: usize) -> usize {
        values * SCALAR_BYTES + MAX_OVERHEAD
    }

    /// Reads a file. `keep` returns memory with the values in this range of the file, and their range there.
    fn read(
        source: &Source,
        keep: impl FnOnce(&[u8], Range<usize>) -> (Bytes, Range<usize>),
    ) -> Result<Self> {
        if let Some(count) = raw_values(source.bytes()) {
            let problem = format!(
                "looks like {count} raw values of 32 bytes without a .wtns header, as go-rapidsnark's CalculateBinWitness returns them; \
                 use CalculateWTNSBin, or pass the values as a list of integers"
            );
            return Err(source.wrong("header", 0, problem).into());
        }
        let container = Container::open(source.clone(), &FORMAT)?;
        let mut header = container.section(1)?;
        let facts = Facts::read(&mut header, Prime::Scalar)?;
        let start = header.at();
        let count = header.u32("the number of values")?;
        if count == 0 {
            return Err(header.wrong(start, "no values; the first of all is 1").into());
        }
        header.finish()?;
        let section = container.section(2)?;
        let stored = section.clone().all(count.into(), SCALAR_BYTES, "values")?;
        let (bytes, values) = keep(source.bytes(), section.at()..section.at() + stored.len());
        let (name, file_bytes) = (source.name().into(), source.bytes().len());
        let witness = Self { name, file_bytes, bytes, values, facts };
        if let Some((number, problem)) = problem_of(witness.values(), facts) {
            let at = section.at() + number * SCALAR_BYTES;
            return Err(section.wrong(at, format!("value {number} {problem}")).into());
        }
        Ok(witness)
    }

    /// Returns the curve whose scalars the values are.
    pub fn curve(&self) -> Curve {
        self.facts.curve
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.values.len() / SCALAR_BYTES
    }

    /// Returns the values, each below r; the first is 1, then come the public ones.
    pub fn values(&self) -> &[Scalar] {
        self.bytes[self.values.clone()].as_chunks().0
    }

    /// Returns the bytes of the values as a secret. Values that are secret bytes in memory are shared, others are copied.
    pub(crate) fn secret_bytes(&self) -> Bytes {
        match &self.bytes {
            bytes @ Bytes::Secret(_) if self.values.len() == bytes.len() => bytes.clone(),
            _ => SecretBytes::copy_of(self.values().as_flattened()).into(),
        }
    }

    /// Returns the content of a `.wtns` file of this witness, as snarkjs writes it.
    pub fn to_file(&self) -> SecretBytes {
        let values = self.values().as_flattened();
        let mut head = Vec::new();
        head.extend_from_slice(FORMAT.magic);
        let integers = |head: &mut Vec<u8>, integers: &[u32]| {
            head.extend(integers.iter().flat_map(|integer| integer.to_le_bytes()));
        };
        integers(
            &mut head,
            &[FORMAT.version, 2, 1, 4 + SCALAR_BYTES as u32 + 4, 0, SCALAR_BYTES as u32],
        );
        head.extend(self.facts.scalar.iter().flat_map(|limb| limb.to_le_bytes()));
        integers(&mut head, &[self.count() as u32, 2]);
        head.extend((values.len() as u64).to_le_bytes());
        let mut file = SecretBytes::with_capacity(head.len() + values.len());
        for part in [&head, values] {
            file.extend_from_slice(part).expect("memory for both");
        }
        file
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bytes of the file, or of the values in memory.
    pub fn file_bytes(&self) -> usize {
        self.file_bytes
    }
}

/// Returns the number of values if a file has no header and only values, of which the first is 1, in either byte order.
fn raw_values(bytes: &[u8]) -> Option<usize> {
    let (values, rest) = bytes.as_chunks::<SCALAR_BYTES>();
    let is_one = |value: &Scalar| {
        let ends = value[0] | value[SCALAR_BYTES - 1];
        ends == 1 && value[1..SCALAR_BYTES - 1].iter().all(|&byte| byte == 0)
    };
    (rest.is_empty() && is_one(values.first()?)).then_some(values.len())
}

/// Returns the index of the first invalid value, and the problem.
fn problem_of(values: &[Scalar], facts: &Facts) -> Option<(usize, &'static str)> {
    let problem = find_problem(values, facts);
    wipe_stack();
    problem
}

#[inline(never)]
fn find_problem(values: &[Scalar], facts: &Facts) -> Option<(usize, &'static str)> {
    if let Some(number) = values.iter().position(|value| !is_below(value, facts.scalar)) {
        return Some((number, "is not below r"));
    }
    let (first, rest) = values.first()?.split_first()?;
    (*first != 1 || rest.iter().any(|&byte| byte != 0)).then_some((0, "is not 1"))
}

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Witness({}: {} values of {})", self.name(), self.count(), self.facts.name)
    }
}
