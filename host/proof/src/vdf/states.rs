//! The file of an evaluation's states: what was computed is kept, and the evaluation continues from it.
//!
//! JSON lines. The first has the claim: `{"type": "vdf_states", "modulus", "input", "squarings", "stride"}`; every other a state:
//! `{"state": i, "value": …, "check": …}`, x^(2^(i stride)) or, at last, x^(2^t). `check` is the first 8 bytes of SHA-256 of the check before it,
//! i in 8 big-endian bytes, and the value; the first check is that of the first line. Numbers are `0x` and hex digits.
//!
//! The checks find a damaged disk, not a forger: a proof made from wrong states does not verify.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Claim, format_number, parse_number};
use crate::{Error, FileError, Result};

/// An open file of states.
#[derive(Debug)]
pub struct StateFile {
    file: File,
    path: PathBuf,
    each: usize,
    check: [u8; 8],
    states: Vec<u8>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    r#type: String,
    modulus: String,
    input: String,
    squarings: u64,
    stride: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    state: u64,
    value: String,
    check: String,
}

const TYPE: &str = "vdf_states";

impl StateFile {
    /// Opens the file of a claim with this stride, or creates it. An error names the line, or the part of the claim that differs.
    pub fn open(path: &Path, claim: &Claim, stride: u64) -> Result<Self> {
        let io = |source| Error::Io { name: path.display().to_string(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(io)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io)?;
        let each = claim.byte_count();
        let mut opened = Self { file, path: path.into(), each, check: [0; 8], states: Vec::new() };
        let head = Head {
            r#type: TYPE.into(),
            modulus: format_number(&claim.modulus()),
            input: format_number(&claim.input()),
            squarings: claim.squarings(),
            stride,
        };
        if text.is_empty() {
            opened.check = head_check(&opened.append_line(&head)?);
        } else {
            opened.read(&text, &head)?;
        }
        Ok(opened)
    }

    /// Returns the stride that the file's first line has.
    pub fn stride(path: &Path) -> Result<u64> {
        let io = |source| Error::Io { name: path.display().to_string(), source };
        let mut first = String::new();
        BufReader::new(File::open(path).map_err(io)?).read_line(&mut first).map_err(io)?;
        let head: Head =
            serde_json::from_str(&first).map_err(|error| wrong(path, 1, error.to_string()))?;
        Ok(head.stride)
    }

    /// Returns the states so far, one after the other in little-endian bytes.
    pub fn states(&self) -> &[u8] {
        &self.states
    }

    /// Appends states and waits until they are on the disk.
    pub fn append(&mut self, states: &[u8]) -> Result<()> {
        for value in states.chunks_exact(self.each) {
            let state = (self.states.len() / self.each) as u64 + 1;
            self.check = next_check(self.check, state, value);
            self.append_line(&Line {
                state,
                value: format_number(value),
                check: hex::encode(self.check),
            })?;
            self.states.extend(value);
        }
        self.file.sync_data().map_err(|source| self.io(source))
    }

    /// Writes a line and returns it.
    fn append_line(&mut self, line: &impl Serialize) -> Result<String> {
        let line = serde_json::to_string(line).map_err(|error| self.io(error.into()))?;
        let text = format!("{line}\n"); // one write, so that a line is rarely cut off
        self.file.write_all(text.as_bytes()).map_err(|source| self.io(source))?;
        Ok(line)
    }

    fn read(&mut self, text: &str, wanted: &Head) -> Result<()> {
        let count = text.lines().count();
        if count > 0 && !text.ends_with('\n') {
            let last = text.lines().last().unwrap_or_default();
            let problem = format!(
                "ends after {} bytes, without a line break; delete this line to continue from the one before",
                last.len()
            );
            return Err(wrong(&self.path, count, problem));
        }
        let mut lines = text.lines().zip(1..);
        let Some((first, _)) = lines.next() else { return Ok(()) };
        let head: Head =
            serde_json::from_str(first).map_err(|error| wrong(&self.path, 1, error.to_string()))?;
        if let Some(problem) = difference(&head, wanted) {
            return Err(wrong(&self.path, 1, problem));
        }
        self.check = head_check(first);
        for (line, number) in lines {
            self.read_line(line).map_err(|problem| wrong(&self.path, number, problem))?;
        }
        let most = wanted.squarings.div_ceil(wanted.stride);
        if (self.states.len() / self.each) as u64 > most {
            return Err(wrong(
                &self.path,
                count,
                format!("is one too many; expected at most {most} states"),
            ));
        }
        Ok(())
    }

    fn read_line(&mut self, text: &str) -> std::result::Result<(), String> {
        let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let expected = (self.states.len() / self.each) as u64 + 1;
        if line.state != expected {
            return Err(format!("is state {}; expected state {expected}", line.state));
        }
        let value = parse_number(&line.value).filter(|value| value.len() <= self.each);
        let mut value = value.ok_or("has no residue as its value")?;
        value.resize(self.each, 0);
        self.check = next_check(self.check, line.state, &value);
        if line.check != hex::encode(self.check) {
            return Err("has another check than its value: the file is damaged".into());
        }
        self.states.extend(value);
        Ok(())
    }

    fn io(&self, source: std::io::Error) -> Error {
        Error::Io { name: self.path.display().to_string(), source }
    }
}

/// Describes the part of the claim that differs.
fn difference(found: &Head, wanted: &Head) -> Option<String> {
    let number = |name: &str, found: u64, wanted: u64| {
        (found != wanted).then(|| format!("has {name} {found}; expected {wanted}"))
    };
    let text =
        |name: &str, is_equal: bool| (!is_equal).then(|| format!("belongs to another {name}"));
    text("kind of file", found.r#type == wanted.r#type)
        .or_else(|| text("modulus", found.modulus == wanted.modulus))
        .or_else(|| text("input", found.input == wanted.input))
        .or_else(|| number("squarings", found.squarings, wanted.squarings))
        .or_else(|| number("stride", found.stride, wanted.stride))
}

fn wrong(path: &Path, line: usize, problem: String) -> Error {
    FileError::new(path.display().to_string(), format!("line {line}"), 0, problem).into()
}

fn head_check(line: &str) -> [u8; 8] {
    first_bytes(Sha256::digest(line).as_slice())
}

fn next_check(before: [u8; 8], state: u64, value: &[u8]) -> [u8; 8] {
    let hash =
        Sha256::new_with_prefix(before).chain_update(state.to_be_bytes()).chain_update(value);
    first_bytes(hash.finalize().as_slice())
}

fn first_bytes(digest: &[u8]) -> [u8; 8] {
    std::array::from_fn(|i| digest[i])
}
