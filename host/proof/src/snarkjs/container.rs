//! The container of keys and witnesses: four letters, a version, and numbered sections in any order.
//!
//! ```text
//! magic 4 | version u32 | sections u32 | { number u32 | bytes u64 | content } ...
//! ```
//!
//! All numbers are little-endian. Unknown sections are skipped.

use std::fmt;
use std::ops::Range;

use super::source::{Source, copy_of};
use crate::{FileError, Result};

/// Maximum number of sections that a file may declare; known files have fewer than 20.
const MAX_SECTIONS: u32 = 256;

/// A kind of file.
#[derive(Debug)]
pub(super) struct Format {
    /// Its first four bytes.
    pub magic: &'static [u8; 4],
    /// The supported version.
    pub version: u32,
    /// The names of its sections, which are numbered from 1 on.
    pub sections: &'static [&'static str],
}

/// A file whose container is valid: all sections are inside it. Their places are kept, so that they do not change with the file.
#[derive(Clone, Debug)]
pub(super) struct Container {
    source: Source,
    format: &'static Format,
    /// The range of each section of the format; `None` if it is missing.
    places: Vec<Option<Range<usize>>>,
}

/// A section by number and name, for errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    number: u32,
    name: &'static str,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section {} ({})", self.number, self.name)
    }
}

impl Container {
    /// Finds the sections.
    pub fn open(source: Source, format: &'static Format) -> Result<Self> {
        Self::open_up_to(source, format, None)
    }

    /// Finds the sections up to the one with this number, which names the format of the others.
    pub fn open_up_to(source: Source, format: &'static Format, last: Option<u32>) -> Result<Self> {
        let mut frame = Part::whole(&source);
        let magic = frame.array::<4>("the file's magic")?;
        if magic != *format.magic {
            let (found, wanted) = (magic.escape_ascii(), format.magic.escape_ascii());
            return Err(frame.wrong(0, format!("begins with '{found}', not '{wanted}'")).into());
        }
        let version = frame.u32("the version")?;
        if version != format.version {
            let problem = format!("version {version}, where {} is read", format.version);
            return Err(frame.wrong(4, problem).into());
        }
        let count = frame.u32("the number of sections")?;
        if count > MAX_SECTIONS {
            let problem = format!("declares {count} sections: more than {MAX_SECTIONS}");
            return Err(frame.wrong(8, problem).into());
        }
        let mut places = vec![None; format.sections.len()];
        for _ in 0..count {
            let start = frame.at;
            let number = frame.u32("a section's number")?;
            let bytes = frame.u64("a section's length")?;
            let content = frame.at;
            let Some(end) = frame.end_after(bytes) else {
                let left = frame.end - content;
                let section = format.label(number);
                let problem = format!("{bytes} bytes long, but the file ends after {left}");
                return Err(source.wrong(section, start, problem).into());
            };
            frame.at = end;
            let known = (number as usize).checked_sub(1).and_then(|i| places.get_mut(i));
            if let Some(place) = known
                && place.replace(content..end).is_some()
            {
                return Err(source.wrong(format.label(number), start, "is there twice").into());
            }
            if Some(number) == last {
                break;
            }
        }
        Ok(Self { source, format, places })
    }

    /// Returns the file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns a section of the format by its number.
    pub fn section(&self, number: u32) -> Result<Part<'_>> {
        let label = self.format.label(number);
        let place = self.places[number as usize - 1].clone();
        let end = self.source.bytes().len();
        let place = place.ok_or_else(|| self.source.wrong(label, end, "is missing"))?;
        Ok(Part { source: &self.source, label: Some(label), at: place.start, end: place.end })
    }

    /// Returns a section by its number, which the file has: [`Self::section`] returned it before.
    pub fn known(&self, number: u32) -> Part<'_> {
        self.section(number).expect("found when the file was opened")
    }

    /// Returns a section of the format by its number if the file has it.
    pub fn optional(&self, number: u32) -> Option<Part<'_>> {
        self.places[number as usize - 1].as_ref()?;
        self.section(number).ok()
    }
}

impl Format {
    fn label(&self, number: u32) -> Label {
        let name = (number as usize).checked_sub(1).and_then(|i| self.sections.get(i));
        Label { number, name: name.copied().unwrap_or("unknown") }
    }
}

/// A section, or the container around all, that is read from front to back.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    source: &'a Source,
    label: Option<Label>,
    at: usize,
    end: usize,
}

impl<'a> Part<'a> {
    fn whole(source: &'a Source) -> Self {
        Self { source, label: None, at: 0, end: source.bytes().len() }
    }

    /// Returns the offset of the next byte in the file.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the section's label, which the container does not have.
    pub fn label(&self) -> Label {
        self.label.expect("a section")
    }

    /// Returns the number of remaining bytes.
    pub fn left(&self) -> usize {
        self.end - self.at
    }

    /// Returns an error at this byte of the file.
    pub fn wrong(&self, offset: usize, problem: impl Into<String>) -> FileError {
        match &self.label {
            Some(label) => self.source.wrong(label, offset, problem),
            None => self.source.wrong("frame", offset, problem),
        }
    }

    /// Returns the end of the next `bytes` bytes, if there are so many.
    fn end_after(&self, bytes: u64) -> Option<usize> {
        let bytes = usize::try_from(bytes).ok()?;
        self.at.checked_add(bytes).filter(|&end| end <= self.end)
    }

    /// Takes a copy of the next bytes, which other programs do not change; `what` names them in errors.
    pub fn take(&mut self, bytes: usize, what: &str) -> Result<Vec<u8>> {
        self.shared(bytes, what).map(<[u8]>::to_vec)
    }

    /// Takes the next bytes without a copy. Those of a mapped file may change at any time.
    pub fn shared(&mut self, bytes: usize, what: &str) -> Result<&'a [u8]> {
        let Some(end) = self.end_after(bytes as u64) else {
            let problem =
                format!("ends within {what}: {bytes} bytes, of which {} exist", self.left());
            return Err(self.wrong(self.at, problem).into());
        };
        let taken = &self.source.bytes()[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// Takes a copy of the next N bytes.
    pub fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        Ok(copy_of(self.shared(N, what)?.try_into().expect("so many were taken")))
    }

    /// Takes the next number of 32 bits.
    pub fn u32(&mut self, what: &str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    /// Takes the next number of 64 bits.
    pub fn u64(&mut self, what: &str) -> Result<u64> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Takes all remaining bytes without a copy. They must be `count` items of `each` bytes.
    pub fn all(mut self, count: u64, each: usize, what: &str) -> Result<&'a [u8]> {
        let wanted = u128::from(count) * each as u128;
        let left = self.left();
        if left as u128 != wanted {
            let problem =
                format!("{left} bytes, where {count} {what} of {each} bytes are {wanted}");
            return Err(self.wrong(self.at, problem).into());
        }
        self.shared(left, what)
    }

    /// Returns all remaining bytes without a copy.
    pub fn rest(&self) -> &'a [u8] {
        &self.source.bytes()[self.at..self.end]
    }

    /// Returns the section from this byte of the file on.
    pub fn after(self, offset: usize) -> Self {
        assert!((self.at..=self.end).contains(&offset), "a byte of the section");
        Self { at: offset, ..self }
    }

    /// Returns an error unless everything was read.
    pub fn finish(self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.wrong(self.at, format!("{left} extra bytes at the end")).into()),
        }
    }
}
