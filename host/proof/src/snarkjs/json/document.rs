//! A JSON file with what errors need: its name, and the position of a value in it.

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Serializer;
use serde_json::ser::PrettyFormatter;
use serde_json::value::RawValue;

use crate::snarkjs::curve::{BN254, Facts};
use crate::snarkjs::source::regular;
use crate::{Error, FileError, Result, json_error};

/// A named sequence of bytes.
pub(super) struct Document<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

/// A number or a string as in the file: borrowed, so that its address gives its position.
#[derive(Clone, Copy, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] &'a RawValue);

impl<'a> Text<'a> {
    /// Returns the content of a string, or what the file has in place of a string: the digits of an integer.
    pub fn value(self) -> Cow<'a, str> {
        let text = self.0.get();
        match self.quoted() {
            Some(inside) if !inside.contains('\\') => inside.into(),
            Some(_) => serde_json::from_str::<String>(text).map_or(text.into(), Cow::from),
            None => text.into(),
        }
    }

    /// Returns the part of the file to which errors about this value point.
    fn place(self) -> &'a str {
        self.quoted().unwrap_or(self.0.get())
    }

    /// Returns what is between the quotes of a string, escapes included.
    fn quoted(self) -> Option<&'a str> {
        self.0.get().strip_prefix('"')?.strip_suffix('"')
    }
}

/// Reads a [regular] file of limited length.
pub(in crate::snarkjs) fn read(path: &Path, most: usize) -> Result<(String, Vec<u8>)> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = regular(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok((name, bytes)),
        Err(source) => Err(Error::Io { name, source }),
    }
}

impl<'a> Document<'a> {
    /// Wraps bytes of limited length.
    pub fn new(name: &'a str, bytes: &'a [u8], most: usize) -> Result<Self> {
        let document = Self { name, bytes };
        if bytes.len() > most {
            let problem = format!("longer than {most} bytes, the most that are read");
            return Err(document.wrong_at(most, "file", problem).into());
        }
        Ok(document)
    }

    /// Parses the whole document.
    pub fn parse<T: Deserialize<'a>>(&self) -> Result<T> {
        serde_json::from_slice(self.bytes).map_err(|error| {
            let offset = json_error::offset(self.bytes, &error);
            self.wrong_at(offset, "JSON", json_error::problem(&error)).into()
        })
    }

    /// Returns what is wrong with a value of the file.
    pub fn wrong(
        &self,
        value: Text<'_>,
        path: impl fmt::Display,
        problem: impl Into<String>,
    ) -> FileError {
        let offset = value.place().as_ptr().addr().saturating_sub(self.bytes.as_ptr().addr());
        self.wrong_at(offset.min(self.bytes.len()), path, problem.into())
    }

    /// Returns an error at the end of the parsed text.
    pub fn wrong_at_end(&self, path: impl fmt::Display, problem: impl Into<String>) -> FileError {
        self.wrong_at(self.bytes.len(), path, problem.into())
    }

    fn wrong_at(&self, offset: usize, section: impl fmt::Display, problem: String) -> FileError {
        let (file, section) = (self.name.to_owned(), section.to_string());
        FileError { file, section, offset: offset as u64, problem }
    }

    /// Returns the curve, if the protocol is the expected one. A file without either field is taken as one of that protocol over BN254, as
    /// rapidsnark's proofs are.
    pub fn facts(
        &self,
        expected: &str,
        protocol: Option<Text<'a>>,
        curve: Option<Text<'a>>,
    ) -> Result<&'static Facts> {
        if let Some(protocol) = protocol
            && protocol.value() != expected
        {
            let problem = format!("'{}', not '{expected}'", protocol.value().escape_debug());
            return Err(self.wrong(protocol, "protocol", problem).into());
        }
        let Some(curve) = curve else { return Ok(&BN254) };
        Facts::by_word(&curve.value()).ok_or_else(|| {
            let words = Facts::words();
            let problem = format!("'{}' is none of {words}", curve.value().escape_debug());
            self.wrong(curve, "curve", problem).into()
        })
    }
}

/// Formats a value as a file: indented by one space, without a final newline, like `JSON.stringify(value, null, 1)`.
pub(super) fn text(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b" ");
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    value.serialize(&mut serializer).expect("strings and lists can be written to memory");
    String::from_utf8(bytes).expect("JSON is text")
}
