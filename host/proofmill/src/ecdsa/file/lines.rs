//! JSON lines.

use std::io::{self, BufRead, Read as _};

use proofmill_proof::json_error;
use serde::Deserialize;

use super::{Entry, Place, ReadError};
use crate::ecdsa::{Encoded, Hash, Item, Rejection};

/// Bytes of a line; a longer one is rejected without being kept.
const MAX_BYTES: usize = 1 << 20;

/// The longest encoding of a key or of a signature. A verifier holds many entries at once.
const MAX_VALUE_BYTES: usize = 72;
/// Bytes of an id.
const MAX_ID_BYTES: usize = 1024;
/// The most characters of a description of a line: it may contain a quotation.
const MAX_CHARACTERS: usize = 200;

/// One line's object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: String,
    der: Option<String>,
    compact: Option<String>,
    digest: Option<String>,
    message: Option<String>,
    hash: Option<String>,
    id: Option<String>,
}

/// The lines of a file that are not empty.
pub(super) struct Lines<R> {
    source: R,
    /// The present line, without its end.
    line: Vec<u8>,
    /// Its number.
    number: u64,
    /// Some line was one.
    found: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, line: Vec::new(), number: 0, found: false }
    }

    pub(super) fn next(&mut self) -> Option<Result<Entry, ReadError>> {
        loop {
            self.number += 1;
            let place = Place::Line(self.number);
            let whole = match self.read() {
                Ok(None) => return None,
                Ok(Some(whole)) => whole,
                Err(source) => return Some(Err(ReadError::Io { place, source })),
            };
            let line = self.line.trim_ascii();
            if whole && line.is_empty() {
                continue;
            }
            if !self.found && line.first() != Some(&b'{') {
                let problem = "neither JSON lines nor the compact form";
                return Some(Err(ReadError::malformed(place, problem)));
            }
            self.found = true;
            let (id, item) = match whole {
                true => parse(line),
                false => (None, Err(format!("a line of more than {MAX_BYTES} bytes"))),
            };
            let item = item.map_err(|problem| Rejection::Malformed(shown(&problem)));
            return Some(Ok(Entry { number: self.number, id, item }));
        }
    }

    /// Reads a line: false if it is too long, in which case the rest of it is read and dropped; none at the end.
    fn read(&mut self) -> io::Result<Option<bool>> {
        self.line.clear();
        let limit = MAX_BYTES as u64 + 1; // the line's end besides
        let read = self.source.by_ref().take(limit).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        if self.line.last() == Some(&b'\n') || read <= MAX_BYTES {
            return Ok(Some(true));
        }
        self.source.skip_until(b'\n')?;
        Ok(Some(false))
    }
}

/// Parses a line. Returns its identifier, and the item or the error.
fn parse(line: &[u8]) -> (Option<String>, Result<Item, String>) {
    // Serde would take an array of the fields' values too.
    if line.first() != Some(&b'{') {
        return (None, Err("not an object".into()));
    }
    match serde_json::from_slice::<Line>(line) {
        Ok(Line { id: Some(id), .. }) if id.len() > MAX_ID_BYTES => {
            (None, Err(format!("id: {} bytes; expected at most {MAX_ID_BYTES}", id.len())))
        }
        Ok(mut line) => (line.id.take(), item(&line)),
        // The parser reads a single line.
        Err(error) => {
            let (problem, column) = (json_error::problem(&error), error.column());
            (None, Err(format!("{problem}, at column {column}")))
        }
    }
}

fn item(line: &Line) -> Result<Item, String> {
    let signature = match (&line.der, &line.compact) {
        (Some(der), None) => Encoded::Der(value("der", der)?),
        (None, Some(compact)) => Encoded::Compact(value("compact", compact)?),
        (None, None) => return Err("no signature: der or compact".into()),
        (Some(_), Some(_)) => return Err("two signatures: der and compact".into()),
    };
    let digest = match (&line.digest, &line.message, &line.hash) {
        (Some(digest), None, None) => {
            let digest = bytes("digest", digest)?;
            let length = digest.len();
            digest.try_into().map_err(|_| format!("digest: {length} bytes; expected 32"))?
        }
        (None, Some(message), Some(hash)) => {
            let hash: Hash = hash.parse().map_err(|error: crate::Error| error.to_string())?;
            hash.digest(&bytes("message", message)?)
        }
        (None, None, None) => return Err("nothing signed: digest, or message and hash".into()),
        (None, Some(_), None) => return Err("a message without its hash".into()),
        (None, None, Some(_)) => return Err("a hash without its message".into()),
        (Some(_), ..) => return Err("a digest, and message or hash besides".into()),
    };
    Ok(Item { key: value("key", &line.key)?, signature, digest })
}

/// The bytes of a key or a signature.
fn value(name: &str, text: &str) -> Result<Vec<u8>, String> {
    match bytes(name, text)? {
        bytes if bytes.len() <= MAX_VALUE_BYTES => Ok(bytes),
        bytes => Err(format!("{name}: {} bytes; expected at most {MAX_VALUE_BYTES}", bytes.len())),
    }
}

fn bytes(name: &str, text: &str) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    hex::decode(digits).map_err(|_| match digits.chars().find(|it| !it.is_ascii_hexdigit()) {
        Some(other) => format!("{name}: {other:?} is not a hex digit"),
        None => format!("{name}: an odd number of hex digits, {}", digits.len()),
    })
}

/// Short, and fit for a terminal: a quoted line can hold line ends and the codes that move a cursor.
fn shown(problem: &str) -> String {
    let mut shown = String::new();
    for character in problem.chars().take(MAX_CHARACTERS) {
        match character.is_ascii() && !character.is_ascii_control() {
            true => shown.push(character),
            false => shown.extend(character.escape_debug()),
        }
    }
    if problem.chars().nth(MAX_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}
