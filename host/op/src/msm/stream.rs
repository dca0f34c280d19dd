//! Bytes that need not be in memory all at once.

use std::fmt;
use std::io;

/// Bytes that are read in pieces: a file larger than the memory, or its map.
pub trait Stream: fmt::Debug + Send + Sync {
    /// How many there are.
    fn bytes(&self) -> io::Result<u64>;

    /// Fills the buffer with those from here on. Any thread may ask, in any order.
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

/// A mapped file. Whoever maps it promises that nobody shortens it meanwhile: the process would end; a `File` that is
/// too short is an error.
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
