//! `.wtns`: the values of all signals of a circuit for one input.
//!
//! | section | content |
//! |---|---|
//! | 1 header | n8 u32, r (n8 bytes), number of values u32 |
//! | 2 values | canonical, n8 bytes each; the first is 1 |

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use proofmill_op::msm::Curve;

use super::container::{Container, Format};
use super::curve::{Facts, Prime, SCALAR_BYTES, is_below};
use super::source::Source;
use crate::Result;
use crate::groth16::Scalar;

const FORMAT: Format = Format { magic: b"wtns", version: 2, sections: &["header", "values"] };

/// A witness. Its values are nobody's business: they are not shown for debugging.
#[derive(Clone)]
pub struct Witness {
    container: Container,
    facts: &'static Facts,
    count: usize,
}

impl Witness {
    /// Maps a file. Nobody may change or shorten it while it is used: the system would end the process.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors.
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes))
    }

    fn read(source: Source) -> Result<Self> {
        let container = Container::open(source, &FORMAT)?;
        let mut header = container.section(1)?;
        let facts = Facts::read(&mut header, Prime::Scalar)?;
        let start = header.at();
        let count = header.u32("the number of values")?;
        if count == 0 {
            return Err(header.wrong(start, "no values; the first of all is 1").into());
        }
        header.finish()?;
        let section = container.section(2)?;
        let values = section.clone().all(count.into(), SCALAR_BYTES, "values")?;
        let (values, _) = values.as_chunks::<SCALAR_BYTES>();
        let wrong = |number: usize, problem: &str| {
            section.wrong(section.at() + number * SCALAR_BYTES, format!("value {number} {problem}"))
        };
        if let Some(number) = values.iter().position(|value| !is_below(value, facts.scalar)) {
            return Err(wrong(number, "is not below r").into());
        }
        if values[0][0] != 1 || values[0][1..] != [0; SCALAR_BYTES - 1] {
            return Err(wrong(0, "is not 1").into());
        }
        Ok(Self { container, facts, count: count as usize })
    }

    /// Whose scalars the values are.
    pub fn curve(&self) -> Curve {
        self.facts.curve
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The values, each below r; the first is 1, then come the public ones.
    pub fn values(&self) -> &[Scalar] {
        let section = self.container.section(2).expect("read before");
        let values = section.all(self.count as u64, SCALAR_BYTES, "values").expect("read before");
        values.as_chunks().0
    }

    /// Its name, as errors say it.
    pub fn name(&self) -> &str {
        self.container.source().name()
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> usize {
        self.container.source().bytes().len()
    }
}

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Witness({}: {} values of {})", self.name(), self.count, self.facts.name)
    }
}
