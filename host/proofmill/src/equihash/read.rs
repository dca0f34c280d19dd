//! Finds block headers in what files hold.
//!
//! A file's content is raw bytes or hex digits; white space between hex digits does not matter. It is one of:
//!
//! * headers, one after the other: 140 bytes, the CompactSize of the solution, the solution;
//! * a block: a header and the block's transactions;
//! * blocks as the Zcash node stores them: network magic, size, block; zeros may follow the last.
//!
//! In hex, each line may be such a content of its own, if the first line is long enough for a header;
//! otherwise all lines together are one content, wrapped.
//!
//! Transactions are not read or verified: only their count and the version of the first are read, to distinguish a block from other data
//! that starts like a header.

use std::fmt;

use super::{HEADER_BYTES, Params};

/// Headers that were found, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    bytes: Vec<u8>,
    each: usize,
}

impl Headers {
    /// Returns the number of headers; at least one.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.each
    }

    /// False: a content without a header is an error.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// One by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.each)
    }

    /// Returns the concatenated headers, in the form of a request.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The position of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// At this byte of the file.
    File(usize),
    /// At this byte of the decoded hex digits of this line.
    Line(usize, usize),
    /// At this byte of all decoded hex digits.
    Decoded(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(offset) => write!(f, "offset {offset}"),
            Self::Line(line, offset) => {
                write!(f, "line {line}, offset {offset} of its decoded bytes")
            }
            Self::Decoded(offset) => write!(f, "offset {offset} of the decoded bytes"),
        }
    }
}

/// An error in a file's content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
#[non_exhaustive]
pub struct ReadError {
    /// The position.
    pub place: Place,
    /// The description: what was found and what was expected.
    pub problem: String,
}

/// An offset in some bytes, and the error there.
type Problem = (usize, String);

/// The magic numbers in front of each block in a node's files: mainnet, testnet, regression test.
/// Source: zcashd `src/chainparams.cpp`, `pchMessageStart`.
const MAGICS: [[u8; 4]; 3] =
    [[0x24, 0xe9, 0x27, 0x64], [0xfa, 0x1a, 0xf9, 0xbf], [0xaa, 0xe8, 0x3f, 0x5f]];

/// First words of a transaction: the version, with bit 31 set from Overwinter on, and then the version group.
/// Sources: Zcash protocol specification 7.1; ZIP 202, 243, 225, 229.
const TRANSACTIONS: [(u32, Option<u32>); 6] = [
    (1, None),
    (2, None),
    (0x8000_0003, Some(0x03c4_8270)),
    (0x8000_0004, Some(0x892f_2085)),
    (0x8000_0005, Some(0x26a7_270a)),
    (0x8000_0006, Some(0xd884_b698)),
];

/// Parameter sets to name when a solution's length is another set's.
const OTHER_SETS: [Params; 3] = [Params::N200_K9, Params::N144_K5, Params::N48_K5];

/// Every header of this parameter set in a file's content.
pub fn headers(content: &[u8], params: Params) -> Result<Headers, ReadError> {
    let each = params.header_bytes();
    let mut bytes = Vec::new();
    if content.trim_ascii().is_empty() {
        let what = if content.is_empty() { "empty" } else { "nothing but white space" };
        let problem =
            format!("{what}; expected a header of {each} bytes for ({params}), or a block");
        return Err(ReadError { place: Place::File(0), problem });
    }
    // A header starts with a small version number and a framed block with its magic: neither is text.
    let text =
        content.iter().take(64).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    if text {
        from_hex(content, params, &mut bytes)?;
    } else {
        let found = from_bytes(content, params, &mut bytes);
        found.map_err(|(offset, problem)| ReadError { place: Place::File(offset), problem })?;
    }
    Ok(Headers { bytes, each })
}

fn from_hex(content: &[u8], params: Params, out: &mut Vec<u8>) -> Result<(), ReadError> {
    let mut digits = Digits::default();
    let mut lines_stand_alone = None;
    let mut offset = 0;
    for (number, line) in content.split(|&byte| byte == b'\n').enumerate() {
        digits.push(line, offset)?;
        offset += line.len() + 1;
        if digits.is_empty() {
            continue;
        }
        let long = digits.bytes.len() >= params.header_bytes();
        if *lines_stand_alone.get_or_insert(long) {
            digits.headers(params, |offset| Place::Line(number + 1, offset), out)?;
            digits.clear();
        }
    }
    match lines_stand_alone {
        Some(true) => Ok(()),
        _ => digits.headers(params, Place::Decoded, out),
    }
}

/// The bytes of the hex digits decoded so far.
#[derive(Default)]
struct Digits {
    bytes: Vec<u8>,
    /// The first digit of a byte whose second is still to come.
    half: Option<u8>,
}

impl Digits {
    /// Decodes the digits of a line that starts at this offset of the file, with an optional prefix `0x`.
    fn push(&mut self, line: &[u8], offset: usize) -> Result<(), ReadError> {
        let start = line.len() - line.trim_ascii_start().len();
        let prefix = if line[start..].starts_with(b"0x") { 2 } else { 0 };
        for (at, &byte) in line.iter().enumerate().skip(start + prefix) {
            if byte.is_ascii_whitespace() {
                continue;
            }
            let digit = char::from(byte).to_digit(16).ok_or_else(|| {
                let problem = format!(
                    "'{}' is not a hex digit, and the file starts as text",
                    byte.escape_ascii()
                );
                ReadError { place: Place::File(offset + at), problem }
            })? as u8;
            match self.half.take() {
                None => self.half = Some(digit),
                Some(high) => self.bytes.push(high << 4 | digit),
            }
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.half.is_none()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.half = None;
    }

    /// The headers in all that was taken in.
    fn headers(
        &self,
        params: Params,
        place: impl Fn(usize) -> Place,
        out: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let len = self.bytes.len();
        if self.half.is_some() {
            let problem = format!("an odd number of hex digits, {}", 2 * len + 1);
            return Err(ReadError { place: place(len), problem });
        }
        from_bytes(&self.bytes, params, out)
            .map_err(|(offset, problem)| ReadError { place: place(offset), problem })
    }
}

fn from_bytes(bytes: &[u8], params: Params, out: &mut Vec<u8>) -> Result<(), Problem> {
    if let Some(magic) = MAGICS.iter().find(|magic| bytes.starts_with(&magic[..])) {
        return framed(bytes, magic, params, out);
    }
    out.extend(header_at(bytes, 0, params)?);
    let each = params.header_bytes();
    let Some(rest) = bytes.get(each..).filter(|rest| !rest.is_empty()) else { return Ok(()) };
    let Err(not_a_block) = transactions(rest) else { return Ok(()) };
    let mut at = each;
    while at < bytes.len() {
        let header = header_at(bytes, at, params).map_err(|(offset, problem)| {
            let both =
                format!("neither transactions ({not_a_block}) nor another header ({problem})");
            if at == each { (at, both) } else { (offset, problem) }
        })?;
        out.extend(header);
        at += each;
    }
    Ok(())
}

/// Magic, size, block, again and again; the node reserves space ahead, so zeros end it too.
fn framed(bytes: &[u8], magic: &[u8; 4], params: Params, out: &mut Vec<u8>) -> Result<(), Problem> {
    let mut at = 0;
    while bytes[at..].iter().any(|&byte| byte != 0) {
        let Some((frame, rest)) = bytes[at..].split_first_chunk::<8>() else {
            return Err((
                at,
                format!("{} bytes left, where a block's magic and size take 8", bytes.len() - at),
            ));
        };
        let [a, b, c, d, size @ ..] = *frame;
        if [a, b, c, d] != *magic {
            return Err((
                at,
                format!(
                    "{:02x?}, where the next block's magic {magic:02x?} was expected",
                    [a, b, c, d]
                ),
            ));
        }
        let size = u32::from_le_bytes(size) as usize;
        let block = rest.get(..size).ok_or_else(|| {
            (
                at + 4,
                format!(
                    "truncated: the block has {size} bytes by its size, and {} are left",
                    rest.len()
                ),
            )
        })?;
        let start = at + 8;
        let header =
            header_at(block, 0, params).map_err(|(offset, problem)| (start + offset, problem))?;
        let after = header.len();
        transactions(&block[after..])
            .map_err(|problem| (start + after, format!("no transactions: {problem}")))?;
        out.extend(header);
        at = start + size;
    }
    Ok(())
}

/// The header at an offset: its solution's announced length is looked at before the rest of it.
fn header_at(bytes: &[u8], at: usize, params: Params) -> Result<&[u8], Problem> {
    let here = &bytes[at..];
    let (each, compact_size) = (params.header_bytes(), params.compact_size());
    if let Some(announced) = here.get(HEADER_BYTES..HEADER_BYTES + compact_size.len())
        && announced != compact_size
    {
        let (bytes, hint) = announced_length(&here[HEADER_BYTES..]);
        return Err((
            at + HEADER_BYTES,
            format!(
                "the solution's CompactSize is {bytes:02x?}, not {compact_size:02x?} for the {} bytes of ({params}){hint}",
                params.solution_bytes()
            ),
        ));
    }
    here.get(..each).ok_or_else(|| {
        (at, format!("truncated: {} bytes, where a header for ({params}) has {each}", here.len()))
    })
}

/// Returns the bytes of the CompactSize at the beginning, and the parameter set that it belongs to.
fn announced_length(bytes: &[u8]) -> (&[u8], String) {
    let size = match bytes.first() {
        Some(0xfd) => 3,
        Some(0xfe) => 5,
        Some(0xff) => 9,
        _ => 1,
    };
    let announced = bytes.get(..size).unwrap_or(bytes);
    let other = OTHER_SETS.iter().find(|params| params.compact_size() == announced);
    (announced, other.map_or(String::new(), |params| format!("; it is that of ({params})")))
}

/// Could these bytes be a block's transactions? Their count, and how the first one starts.
fn transactions(bytes: &[u8]) -> Result<(), String> {
    let ended = || "it ends too early".to_owned();
    let (count, rest) = compact_size(bytes).ok_or_else(ended)?;
    if count == 0 {
        return Err("their count is 0".into());
    }
    let (version, rest) = rest.split_first_chunk().ok_or_else(ended)?;
    let version = u32::from_le_bytes(*version);
    let group = TRANSACTIONS.iter().find(|(known, _)| *known == version);
    match group.ok_or_else(|| format!("the first one's version word {version:#010x} is unknown"))?.1
    {
        None => Ok(()),
        Some(known) => {
            let found = u32::from_le_bytes(*rest.first_chunk().ok_or_else(ended)?);
            if found == known {
                Ok(())
            } else {
                Err(format!("version group {found:#010x}, not {known:#010x}"))
            }
        }
    }
}

fn compact_size(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    Some(match first {
        0xfd => (u16::from_le_bytes(*rest.first_chunk()?).into(), &rest[2..]),
        0xfe => (u32::from_le_bytes(*rest.first_chunk()?).into(), &rest[4..]),
        0xff => (u64::from_le_bytes(*rest.first_chunk()?), &rest[8..]),
        small => (small.into(), rest),
    })
}

#[cfg(test)]
mod tests;
