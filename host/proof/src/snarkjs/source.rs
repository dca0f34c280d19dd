//! The bytes of a file, with its name in errors.
//!
//! A file is mapped, so another program that writes into it changes bytes that were checked before. Readers copy what they check, and use the
//! copy: small things once, when they open the file ([`Source::copied`]), the items of large sections whenever they read them ([`copy_of`]).

use std::fmt;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use proofmill_op::Bytes;

use crate::{Error, FileError, Result};

/// A file's bytes; clones share them.
#[derive(Clone)]
pub(crate) struct Source {
    name: Arc<str>,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Mapped(Arc<Mmap>),
    Memory(Bytes),
}

impl Source {
    /// Maps a [regular] file.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        match map(path) {
            Ok(map) => Ok(Self { name: name.into(), content: Content::Mapped(Arc::new(map)) }),
            Err(source) => Err(Error::Io { name, source }),
        }
    }

    /// Wraps bytes in memory, under a name.
    pub fn new(name: impl Into<String>, bytes: Bytes) -> Self {
        Self { name: name.into().into(), content: Content::Memory(bytes) }
    }

    /// Returns the name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the same file in memory, where no other program changes it.
    pub fn copied(&self) -> Self {
        match &self.content {
            Content::Mapped(map) => Self {
                content: Content::Memory(Arc::<[u8]>::from(&map[..]).into()),
                ..self.clone()
            },
            Content::Memory(_) => self.clone(),
        }
    }

    /// Returns all bytes. Those of a mapped file may change at any time.
    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Mapped(map) => map,
            Content::Memory(bytes) => bytes,
        }
    }

    /// Returns an error at this byte of this section.
    pub fn wrong(
        &self,
        section: impl fmt::Display,
        offset: usize,
        problem: impl Into<String>,
    ) -> FileError {
        FileError {
            file: self.name.to_string(),
            section: section.to_string(),
            offset: offset as u64,
            problem: problem.into(),
        }
    }
}

/// Copies bytes that another program may change. Each is read once, so that a check of the copy holds while the copy is used.
#[inline]
pub(crate) fn copy_of<const N: usize>(bytes: &[u8; N]) -> [u8; N] {
    // The compiler must not read the file again in place of the copy.
    black_box(*bytes)
}

/// Opens a regular file. Others are refused, since opening a pipe may block forever.
pub(super) fn regular(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

fn map(path: &Path) -> io::Result<Mmap> {
    let file = regular(path)?;
    // SAFETY: the map is read only, and its bytes may have any value, also another one at each read: readers check copies. The
    // documentation of the callers requires that the file is not shortened meanwhile: the system would end the process.
    unsafe { Mmap::map(&file) }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.bytes().len())
    }
}
