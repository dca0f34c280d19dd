//! A file of JSON, as far as errors need it: its name, and where in it a borrowed string stands.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Serializer;
use serde_json::ser::PrettyFormatter;

use crate::snarkjs::curve::Facts;
use crate::snarkjs::source::regular;
use crate::{Error, FileError, Result};

use super::PROTOCOL;

/// Bytes under a name.
pub(super) struct Document<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

/// A number or a word of the file, as it stands there: strings are borrowed, so that their address says where.
pub(super) type Text<'a> = &'a str;

/// Reads a [regular] file of at most so many bytes.
pub(super) fn read(path: &Path, most: usize) -> Result<(String, Vec<u8>)> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = regular(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok((name, bytes)),
        Err(source) => Err(Error::Io { name, source }),
    }
}

impl<'a> Document<'a> {
    /// Refuses more than so many bytes.
    pub fn new(name: &'a str, bytes: &'a [u8], most: usize) -> Result<Self> {
        let document = Self { name, bytes };
        if bytes.len() > most {
            let problem = format!("longer than {most} bytes, the most that are read");
            return Err(document.wrong_at(most, "file", problem).into());
        }
        Ok(document)
    }

    /// The whole as a value.
    pub fn parse<T: Deserialize<'a>>(&self) -> Result<T> {
        serde_json::from_slice(self.bytes).map_err(|error| {
            let said = error.to_string();
            let problem = match said.rsplit_once(" at line ") {
                _ if said.contains("expected struct") => "not an object of snarkjs's form",
                Some((problem, _)) => problem,
                None => &said,
            };
            let offset = self.offset(error.line(), error.column());
            self.wrong_at(offset, "JSON", problem.to_owned()).into()
        })
    }

    /// Bytes before this line and column, both counted from 1; the parser counts columns by bytes.
    fn offset(&self, line: usize, column: usize) -> usize {
        let before: usize = self
            .bytes
            .split_inclusive(|&byte| byte == b'\n')
            .take(line.max(1) - 1)
            .map(<[u8]>::len)
            .sum();
        (before + column.saturating_sub(1)).min(self.bytes.len())
    }

    /// What is wrong with a value that is borrowed from the file.
    pub fn wrong(
        &self,
        value: &str,
        path: impl fmt::Display,
        problem: impl Into<String>,
    ) -> FileError {
        let offset = value.as_ptr().addr().saturating_sub(self.bytes.as_ptr().addr());
        self.wrong_at(offset.min(self.bytes.len()), path, problem.into())
    }

    /// What is wrong at the end of what was read.
    pub fn wrong_at_end(&self, path: impl fmt::Display, problem: impl Into<String>) -> FileError {
        self.wrong_at(self.bytes.len(), path, problem.into())
    }

    fn wrong_at(&self, offset: usize, section: impl fmt::Display, problem: String) -> FileError {
        let (file, section) = (self.name.to_owned(), section.to_string());
        FileError { file, section, offset: offset as u64, problem }
    }

    /// The curve, if the protocol is Groth16. What says neither is taken for Groth16 over BN254, as rapidsnark's proofs
    /// are.
    pub fn facts(
        &self,
        protocol: Option<Text<'a>>,
        curve: Option<Text<'a>>,
    ) -> Result<&'static Facts> {
        if let Some(other) = protocol
            && other != PROTOCOL
        {
            let problem = format!("'{}', not '{PROTOCOL}'", other.escape_debug());
            return Err(self.wrong(other, "protocol", problem).into());
        }
        let curve = curve.unwrap_or("bn128");
        Facts::by_word(curve).ok_or_else(|| {
            let words = Facts::words();
            let problem = format!("'{}' is none of {words}", curve.escape_debug());
            self.wrong(curve, "curve", problem).into()
        })
    }
}

/// A value as a file: indented by one space, without an end of line, as `JSON.stringify(value, null, 1)` has it.
pub(super) fn text(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b" ");
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    value.serialize(&mut serializer).expect("strings and lists can be written to memory");
    String::from_utf8(bytes).expect("JSON is text")
}
