//! Memory for secrets: a witness, values derived from it, blinding factors, the body of a request.
//!
//! [`Secret`] owns its elements in memory that is never reallocated while it holds them and that is overwritten when the value is
//! dropped: on success, on an error, on cancellation and while a panic unwinds. It cannot be cloned, and `Debug` shows only its length.
//!
//! [`lock_memory`] makes large secrets of this process resident: they are not written to swap, as far as the limit of locked memory allows.

use std::fmt;
use std::hint::black_box;
use std::io::{self, Read};
use std::mem::{MaybeUninit, size_of};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

use memmap2::MmapMut;

use crate::process::parallel;

/// The smallest size for which a secret gets its own pages, which are excluded from core dumps and can be locked.
const OWN_PAGES: usize = 1 << 16;

/// Bytes that are read at a time from a stream of unknown length: the size of a pipe.
const PART: usize = 1 << 16;

/// Bytes that [`wipe_stack`] overwrites: more than a computation with secrets uses below its caller.
const STACK: usize = 128 << 10;

static LOCKS: AtomicBool = AtomicBool::new(false);

/// Locks the pages of large secrets that are allocated from now on, as far as the limit of locked memory (`ulimit -l`) allows. A secret that
/// exceeds the limit is not locked; this is not an error.
pub fn lock_memory(locks: bool) {
    LOCKS.store(locks, Ordering::Relaxed);
}

/// Elements that are overwritten with zeros when they are dropped.
///
/// The length is fixed at construction, or grows within the capacity of [`Secret::with_capacity`].
pub struct Secret<T: Copy>(Memory<T>);

/// Secret bytes: a witness, scalars, a request body.
pub type SecretBytes = Secret<u8>;

enum Memory<T: Copy> {
    /// On the heap. The capacity never changes.
    Heap(Vec<T>),
    /// Pages of their own; only bytes are kept there.
    Pages { pages: MmapMut, len: usize },
}

impl<T: Copy> Secret<T> {
    /// Returns `len` copies of `value`.
    pub fn filled(len: usize, value: T) -> Self {
        Self(Memory::Heap(vec![value; len]))
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.0.parts().1
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SecretBytes {
    /// Returns `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        let mut bytes = Self::with_capacity(len);
        match &mut bytes.0 {
            Memory::Heap(heap) => heap.resize(len, 0),
            Memory::Pages { len: used, .. } => *used = len,
        }
        bytes
    }

    /// Returns no bytes, with memory for `capacity` of them.
    pub fn with_capacity(capacity: usize) -> Self {
        match Self::try_with_capacity(capacity) {
            Ok(bytes) if capacity >= OWN_PAGES => bytes,
            _ => Self(Memory::Heap(Vec::with_capacity(capacity))),
        }
    }

    /// Returns a copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut secret = Self::with_capacity(bytes.len());
        let copied = secret.extend_from_slice(bytes);
        debug_assert!(copied.is_ok());
        secret
    }

    /// Appends `bytes`; an error, and no change, if they exceed the capacity.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) -> std::result::Result<(), Full> {
        let end = self.len().checked_add(bytes.len()).filter(|end| *end <= self.capacity());
        let end = end.ok_or(Full)?;
        match &mut self.0 {
            Memory::Heap(heap) => heap.extend_from_slice(bytes),
            Memory::Pages { pages, len } => {
                pages[*len..end].copy_from_slice(bytes);
                *len = end;
            }
        }
        Ok(())
    }

    /// Returns the number of bytes that the memory can hold.
    pub fn capacity(&self) -> usize {
        match &self.0 {
            Memory::Heap(heap) => heap.capacity(),
            Memory::Pages { pages, .. } => pages.len(),
        }
    }

    /// Reads `count` bytes. An error drops the bytes read so far. Memory is touched as bytes arrive, so that a peer that announces more bytes
    /// than it sends does not exhaust the memory.
    pub fn read(from: &mut impl Read, count: u64, reused: Self) -> io::Result<Self> {
        let len = usize::try_from(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = match reused.capacity() >= len {
            true => reused,
            false => Self::try_with_capacity(len)?,
        }
        .reused(len);
        from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads to the end of a stream of unknown length. The memory is allocated once, for `max_bytes`, and is touched as bytes arrive. A longer
    /// stream is an error of the kind `FileTooLarge`. Every error drops the bytes read so far.
    pub fn read_to_end(from: &mut impl Read, max_bytes: usize) -> io::Result<Self> {
        let mut bytes = Self::try_with_capacity(max_bytes)?;
        let mut part = Self::zeroed(PART);
        loop {
            match from.read(&mut part) {
                Ok(0) => return Ok(bytes),
                Ok(count) if bytes.len() + count > max_bytes => {
                    let problem = format!("more than {max_bytes} bytes");
                    return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
                }
                Ok(count) => bytes.extend_from_slice(&part[..count]).map_err(io::Error::other)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn try_with_capacity(capacity: usize) -> io::Result<Self> {
        if capacity < OWN_PAGES {
            return Ok(Self(Memory::Heap(Vec::with_capacity(capacity))));
        }
        let pages = MmapMut::map_anon(capacity)?;
        Ok(Self::on_pages(pages))
    }

    fn on_pages(pages: MmapMut) -> Self {
        #[cfg(all(target_os = "linux", not(miri)))] // which has no `madvise`
        for advice in [memmap2::Advice::DontDump, memmap2::Advice::HugePage] {
            let _ = pages.advise(advice);
        }
        #[cfg(unix)]
        if LOCKS.load(Ordering::Relaxed) {
            let _ = pages.lock();
        }
        Self(Memory::Pages { pages, len: 0 })
    }

    /// Returns no bytes, without memory.
    pub fn empty() -> Self {
        Self(Memory::Heap(Vec::new()))
    }

    /// Returns the bytes as a plain vector, which is not overwritten when it is dropped: for results that are public.
    pub fn into_plain(mut self) -> Vec<u8> {
        match &mut self.0 {
            Memory::Heap(heap) => std::mem::take(heap),
            Memory::Pages { .. } => self.to_vec(),
        }
    }

    /// Returns `len` bytes of unspecified content, in this memory if it is large enough.
    pub fn reused(mut self, len: usize) -> Self {
        match &mut self.0 {
            Memory::Heap(heap) if heap.capacity() >= len => heap.resize(len, 0),
            Memory::Pages { pages, len: used } if pages.len() >= len => {
                if let Some(rest) = pages.get_mut(len..*used) {
                    wipe(rest);
                }
                *used = len;
            }
            _ => return Self::zeroed(len),
        }
        self
    }
}

/// The bytes exceed the capacity of a [`SecretBytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("more bytes than the memory can hold")
    }
}

impl std::error::Error for Full {}

impl<T: Copy> Memory<T> {
    fn parts(&self) -> (*const T, usize) {
        match self {
            Self::Heap(heap) => (heap.as_ptr(), heap.len()),
            Self::Pages { pages, len } => (pages.as_ptr().cast(), *len),
        }
    }
}

impl<T: Copy> Deref for Secret<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Memory::Heap(heap) => heap,
            // SAFETY: pages are only made for `T = u8` (`with_capacity`), and `len` never exceeds their length.
            Memory::Pages { pages, len } => unsafe {
                std::slice::from_raw_parts(pages.as_ptr().cast(), *len)
            },
        }
    }
}

impl<T: Copy> DerefMut for Secret<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Memory::Heap(heap) => heap,
            // SAFETY: as for `deref`.
            Memory::Pages { pages, len } => unsafe {
                std::slice::from_raw_parts_mut(pages.as_mut_ptr().cast(), *len)
            },
        }
    }
}

/// Takes over the memory of `elements`, spare capacity included.
impl<T: Copy> From<Vec<T>> for Secret<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(Memory::Heap(elements))
    }
}

impl<T: Copy> Drop for Secret<T> {
    fn drop(&mut self) {
        match &mut self.0 {
            Memory::Heap(heap) => {
                let (start, bytes) = (heap.as_mut_ptr(), heap.capacity() * size_of::<T>());
                // Elements may have no value of zeros only: there are none from here on.
                heap.clear();
                // SAFETY: the vector owns `bytes` bytes from `start` on, none of which is an element any more.
                unsafe { overwrite(start.cast(), bytes) };
            }
            Memory::Pages { pages, len } => {
                // SAFETY: the pages belong to the value; those behind `len` were never written, or were wiped (`reused`).
                unsafe { overwrite(pages.as_mut_ptr(), *len) };
            }
        }
    }
}

/// Overwrites memory with zeros. The compiler cannot remove the writes although the zeros are not read.
///
/// # Safety
///
/// The `bytes` bytes from `start` on belong to the caller, and nothing refers to values in them.
unsafe fn overwrite(start: *mut u8, bytes: usize) {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::write_bytes(start, 0, bytes) };
    // The pointer escapes: the zeros may be read.
    black_box(start);
}

/// Overwrites plain elements with zeros, such as those of a buffer that others own.
pub fn wipe(bytes: &mut [u8]) {
    // SAFETY: every byte pattern is a value of `u8`.
    unsafe { overwrite(bytes.as_mut_ptr(), bytes.len()) };
}

/// Overwrites the unused part of this thread's stack below the caller, where functions that have returned leave single values.
#[inline(never)]
pub fn wipe_stack() {
    let mut unused = MaybeUninit::<[u8; STACK]>::uninit();
    // SAFETY: the memory is a local variable of this size.
    unsafe { overwrite(unused.as_mut_ptr().cast(), STACK) };
}

/// Overwrites the unused stack of the threads that compute with secrets, when it is dropped: that of this thread at once, and those of its
/// rayon pool, or of the pool of [`parallel`], as soon as each has no work.
#[must_use]
pub struct StackWipe;

impl Drop for StackWipe {
    fn drop(&mut self) {
        wipe_stack();
        parallel(|| rayon::spawn_broadcast(|_| wipe_stack()));
    }
}

impl<T: Copy> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} elements)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_not_shown() {
        assert_eq!(format!("{:?}", SecretBytes::copy_of(b"password")), "Secret(8 elements)");
    }

    #[test]
    fn memory_never_moves() {
        for capacity in [10, OWN_PAGES, OWN_PAGES + 5] {
            let mut secret = SecretBytes::with_capacity(capacity);
            let start = secret.as_ptr();
            let half = vec![7; capacity / 2];
            secret.extend_from_slice(&half).unwrap();
            secret.extend_from_slice(&half).unwrap();
            let rest = secret.capacity() - secret.len();
            assert_eq!(secret.extend_from_slice(&vec![1; rest + 1]), Err(Full));
            assert_eq!((secret.as_ptr(), secret.len()), (start, 2 * half.len()));
            assert!(secret.iter().all(|byte| *byte == 7));
        }
    }

    #[test]
    fn a_vector_is_taken_over_with_its_spare_capacity() {
        let mut bytes = Vec::with_capacity(100);
        bytes.extend([1, 2, 3]);
        let start = bytes.as_ptr();
        let secret = SecretBytes::from(bytes);
        assert_eq!((secret.as_ptr(), &secret[..], secret.capacity()), (start, &[1, 2, 3][..], 100));
    }

    #[test]
    fn memory_is_reused_where_it_suffices() {
        for len in [100, 2 * OWN_PAGES] {
            let secret = SecretBytes::zeroed(len);
            let start = secret.as_ptr();
            let secret = secret.reused(len / 2);
            assert_eq!((secret.as_ptr(), secret.len()), (start, len / 2));
            assert_eq!(secret.reused(4 * len).len(), 4 * len);
        }
    }

    #[test]
    fn a_stream_is_read_to_its_end_or_its_limit() {
        /// Returns a few bytes at a time, and is interrupted before each.
        struct Slow<'a>(&'a [u8], bool);
        impl Read for Slow<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let count = into.len().min(1000);
                self.0.read(&mut into[..count])
            }
        }
        for len in [0, 1, 5000, 3 * PART + 7] {
            let sent: Vec<u8> = (0..len).map(|i| i as u8 | 1).collect();
            for max in [len, len + 1, len + PART] {
                let read = SecretBytes::read_to_end(&mut Slow(&sent, false), max).unwrap();
                assert_eq!(&read[..], &sent[..]);
            }
            let Some(max) = len.checked_sub(1) else { continue };
            let error = SecretBytes::read_to_end(&mut Slow(&sent, false), max).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            assert_eq!(error.to_string(), format!("more than {max} bytes"));
        }
    }

    #[test]
    fn bytes_are_wiped_in_place() {
        let mut bytes = [1, 2, 3];
        wipe(&mut bytes[1..]);
        assert_eq!(bytes, [1, 0, 0]);
    }
}
