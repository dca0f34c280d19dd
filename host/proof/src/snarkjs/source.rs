//! The bytes of a file, with its name in errors.

use std::fmt;
use std::fs::File;
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

    /// Returns all bytes.
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

/// Opens a regular file. Others are refused, since opening a pipe may block forever.
pub(super) fn regular(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

fn map(path: &Path) -> io::Result<Mmap> {
    let file = regular(path)?;
    // SAFETY: the map is read only, and its bytes may have any value. The documentation of the callers requires that the file
    // is not shortened meanwhile: the system would end the process.
    unsafe { Mmap::map(&file) }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.bytes().len())
    }
}
