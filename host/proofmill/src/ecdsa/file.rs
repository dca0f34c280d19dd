#![doc = include_str!("file.md")]

mod compact;
mod lines;

use std::fmt;
use std::io::{self, BufRead};

pub use compact::{KeyForm, Writer};

use super::{Item, Rejection};

/// An entry of a file: a signature, or the reason why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its line or record, from 1.
    pub number: u64,
    /// The identifier of the item in the file.
    pub id: Option<String>,
    /// The item, or [`Rejection::Malformed`].
    pub item: Result<Item, Rejection>,
}

/// The position of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In the compact form's header, or before the form is detected.
    Start,
    /// At this line, from 1.
    Line(u64),
    /// At this record, from 1.
    Record(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("at its start"),
            Self::Line(number) => write!(f, "line {number}"),
            Self::Record(number) => write!(f, "record {number}"),
        }
    }
}

/// The reason why a file cannot be read completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is not of the form that it should be.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where.
        place: Place,
        /// What was found and what was expected.
        problem: String,
    },
    /// Reading failed.
    #[error("{place}")]
    Io {
        /// Where.
        place: Place,
        /// The operating system's word.
        source: io::Error,
    },
}

impl ReadError {
    fn malformed(place: Place, problem: impl Into<String>) -> Self {
        Self::Malformed { place, problem: problem.into() }
    }
}

enum Form<R> {
    Lines(lines::Lines<R>),
    Compact(compact::Records<R>),
}

/// The signatures of a file in either form, one after the other; after an error there are no more.
///
/// ```
/// use proofmill::ecdsa::file::Reader;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = r#"{"id": "a", "key": "02", "compact": "00", "digest": "0x1234"}"#;
/// for entry in Reader::new(text.as_bytes())? {
///     let entry = entry?;
///     let problem = entry.item.unwrap_err().to_string();
///     assert_eq!((entry.number, &problem[..]), (1, "malformed: digest: 2 bytes; expected 32"));
/// }
/// # Ok(())
/// # }
/// ```
pub struct Reader<R> {
    form: Form<R>,
    /// Something was wrong with the file, or all of it was read.
    ended: bool,
    found: bool,
}

impl<R: BufRead> Reader<R> {
    /// Looks at the start of a file.
    pub fn new(mut source: R) -> Result<Self, ReadError> {
        let start = source.fill_buf();
        let start = start.map_err(|source| ReadError::Io { place: Place::Start, source })?;
        let form = match start.first() {
            Some(first) if *first == compact::MAGIC[0] => {
                Form::Compact(compact::Records::new(source)?)
            }
            _ => Form::Lines(lines::Lines::new(source)),
        };
        Ok(Self { form, ended: false, found: false })
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match &mut self.form {
            Form::Lines(lines) => lines.next(),
            Form::Compact(records) => records.next(),
        };
        let next = match next {
            None if !self.found => Some(Err(ReadError::malformed(Place::Start, "no signatures"))),
            next => next,
        };
        self.found = true;
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

#[cfg(test)]
mod tests;
