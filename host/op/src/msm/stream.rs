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

#[cfg(any(unix, windows))]
impl Stream for std::fs::File {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_exact_at(self, buffer, offset)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &std::fs::File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Fills `buffer`. Windows moves the cursor of the file, which a stream does not use.
#[cfg(windows)]
fn read_exact_at(file: &std::fs::File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                buffer = &mut buffer[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
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

#[cfg(all(test, any(unix, windows)))]
mod tests {
    use std::fs::{self, File};
    use std::io::{ErrorKind, Read as _};

    use super::*;

    #[test]
    fn a_file_is_read_at_any_offset_by_several_threads() {
        let folder = tempfile::Builder::new().prefix("proofmill öffne ").tempdir().unwrap();
        let path = folder.path().join("points 証明");
        fs::write(&path, [1, 2, 3, 4, 5]).unwrap();
        let mut file = File::open(&path).unwrap();
        let mut cursor = [0];
        file.read_exact(&mut cursor).unwrap();
        std::thread::scope(|scope| {
            for offset in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    let mut found = [0; 2];
                    file.read_at(offset, &mut found).unwrap();
                    assert_eq!(found, [offset as u8 + 1, offset as u8 + 2]);
                });
            }
        });
        assert_eq!(Stream::bytes(&file).unwrap(), 5);
        for offset in [4, 5, 1 << 40] {
            let problem = file.read_at(offset, &mut [0; 2]).unwrap_err();
            assert_eq!(problem.kind(), ErrorKind::UnexpectedEof, "{offset}");
        }
        drop(file);
        if cfg!(unix) {
            // Takes no space: the file has a hole.
            let large = File::options().write(true).read(true).open(&path).unwrap();
            large.set_len(8 << 30).unwrap();
            let mut found = [9; 3];
            large.read_at((8 << 30) - 3, &mut found).unwrap();
            assert_eq!(found, [0; 3]);
        }
    }
}
