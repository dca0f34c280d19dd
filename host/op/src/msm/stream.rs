//! Bytes that need not be in memory all at once.

use std::fmt;
use std::io;

/// Bytes that are read in pieces: a file larger than memory, or its map.
pub trait Stream: fmt::Debug + Send + Sync {
    /// Returns the number of bytes.
    fn bytes(&self) -> io::Result<u64>;

    /// Fills `buffer` with the bytes from `offset` on. Called by any thread, in any order.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

#[cfg(unix)]
impl Stream for std::fs::File {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }
}

/// A mapped file. It must not be shortened while it is mapped: the process would end. A `File` that is too short is an error.
impl Stream for memmap2::Mmap {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        copy(self, offset, buffer)
    }
}

/// Bytes in memory.
impl Stream for Vec<u8> {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        copy(self, offset, buffer)
    }
}

fn copy(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
    let found = rest.and_then(|rest| rest.get(..buffer.len()));
    buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
    Ok(())
}
