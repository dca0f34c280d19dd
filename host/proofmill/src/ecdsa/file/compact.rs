//! The compact form.

use std::io::{self, BufRead, ErrorKind, Seek, SeekFrom, Write};

use super::{Entry, Place, ReadError};
use crate::ecdsa::key::{Coordinates, coordinates};
use crate::ecdsa::{Encoded, Item, Rejection};

/// The first bytes of a file in this form. They are no text, and a conversion of line ends changes them.
pub(super) const MAGIC: [u8; 8] = *b"\x89pmsig\r\n";
const VERSION: u16 = 1;
const HEADER_BYTES: usize = 24;

/// The form of the keys in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyForm {
    /// 33 bytes.
    Compressed,
    /// 65 bytes.
    Uncompressed,
}

impl KeyForm {
    /// Bytes of a key.
    pub fn bytes(self) -> usize {
        match self {
            Self::Compressed => 33,
            Self::Uncompressed => 65,
        }
    }

    /// Bytes of a record: key, r, s, digest.
    fn record(self) -> usize {
        self.bytes() + 96
    }
}

/// The records of a file.
pub(super) struct Records<R> {
    source: R,
    keys: KeyForm,
    announced: u64,
    /// Records read.
    number: u64,
    record: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// Reads the header.
    pub(super) fn new(mut source: R) -> Result<Self, ReadError> {
        let mut header = [0; HEADER_BYTES];
        let bad = |problem: String| Err(ReadError::malformed(Place::Start, problem));
        match source.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return bad(format!("it ends within its header of {HEADER_BYTES} bytes"));
            }
            Err(source) => return Err(ReadError::Io { place: Place::Start, source }),
        }
        if header[..8] != MAGIC {
            return bad(format!("{:02x?} is not the magic {MAGIC:02x?}", &header[..8]));
        }
        let word = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        if word(8) != VERSION {
            return bad(format!("version {}; expected {VERSION}", word(8)));
        }
        let keys = match word(10) {
            33 => KeyForm::Compressed,
            65 => KeyForm::Uncompressed,
            other => return bad(format!("keys of {other} bytes; expected 33 or 65")),
        };
        if header[12..16] != [0; 4] {
            return bad(format!("{:02x?} at offset 12; expected zeros", &header[12..16]));
        }
        let announced = u64::from_le_bytes(std::array::from_fn(|i| header[16 + i]));
        Ok(Self { source, keys, announced, number: 0, record: vec![0; keys.record()] })
    }

    pub(super) fn next(&mut self) -> Option<Result<Entry, ReadError>> {
        if self.number == self.announced {
            return self.end();
        }
        self.number += 1;
        let place = Place::Record(self.number);
        match self.source.read_exact(&mut self.record) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                let problem =
                    format!("the file ends at this point; its header announces {}", self.announced);
                return Some(Err(ReadError::malformed(place, problem)));
            }
            Err(source) => return Some(Err(ReadError::Io { place, source })),
        }
        let (key, rest) = self.record.split_at(self.keys.bytes());
        let (signature, digest) = rest.split_at(64);
        let item = Item {
            key: key.to_vec(),
            signature: Encoded::Compact(signature.to_vec()),
            digest: std::array::from_fn(|i| digest[i]),
        };
        Some(Ok(Entry { number: self.number, id: None, item: Ok(item) }))
    }

    /// Nothing may follow the last record.
    fn end(&mut self) -> Option<Result<Entry, ReadError>> {
        let place = match self.announced {
            0 => Place::Start,
            last => Place::Record(last),
        };
        match self.source.fill_buf() {
            Ok([]) => None,
            Ok(_) => {
                let problem = format!(
                    "extra bytes after it, where the header announces {} records; was the file finished?",
                    self.announced
                );
                Some(Err(ReadError::malformed(place, problem)))
            }
            Err(source) => Some(Err(ReadError::Io { place, source })),
        }
    }
}

/// Writes a file in this form. The header announces no records until [`Writer::finish`]: a file that was left
/// unfinished is refused by the reader.
pub struct Writer<W> {
    target: W,
    keys: KeyForm,
    written: u64,
}

impl<W: Write + Seek> Writer<W> {
    /// Begins a file.
    pub fn new(mut target: W, keys: KeyForm) -> io::Result<Self> {
        target.write_all(&header(keys, 0))?;
        Ok(Self { target, keys, written: 0 })
    }

    /// Writes an item. Returns the reason if this form cannot hold it: its signature is not r and s of 256 bits, or its key cannot
    /// be converted to the file's form. A key that has this form already is not checked, so that a verification finds its errors.
    pub fn write<B: AsRef<[u8]>>(&mut self, item: &Item<B>) -> io::Result<Result<(), Rejection>> {
        let parts = match self.parts(item) {
            Ok(parts) => parts,
            Err(rejection) => return Ok(Err(rejection)),
        };
        parts.iter().try_for_each(|part| self.target.write_all(part))?;
        self.written += 1;
        Ok(Ok(()))
    }

    /// Writes how many records there are; their number.
    pub fn finish(mut self) -> io::Result<u64> {
        self.target.seek(SeekFrom::Start(0))?;
        self.target.write_all(&header(self.keys, self.written))?;
        self.target.flush()?;
        Ok(self.written)
    }

    fn parts<B: AsRef<[u8]>>(&self, item: &Item<B>) -> Result<[Vec<u8>; 4], Rejection> {
        let (r, s) = item.signature.integers()?;
        let key = item.key.as_ref();
        let key = match (self.keys, key.first()) {
            (KeyForm::Compressed, Some(2 | 3)) | (KeyForm::Uncompressed, Some(4))
                if key.len() == self.keys.bytes() =>
            {
                key.to_vec()
            }
            (form, _) => encode(&coordinates(key)?, form),
        };
        Ok([key, r.to_vec(), s.to_vec(), item.digest.to_vec()])
    }
}

fn header(keys: KeyForm, count: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header[10] = keys.bytes() as u8;
    header[16..].copy_from_slice(&count.to_le_bytes());
    header
}

fn encode((x, y): &Coordinates, form: KeyForm) -> Vec<u8> {
    let x = x.iter().rev().copied();
    match form {
        KeyForm::Compressed => [2 | y[0] & 1].into_iter().chain(x).collect(),
        KeyForm::Uncompressed => [4].into_iter().chain(x).chain(y.iter().rev().copied()).collect(),
    }
}
