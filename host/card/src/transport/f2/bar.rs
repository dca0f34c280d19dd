//! A mapped file: a region of a PCI function, or memory that it writes.
//!
//! Each access happens once, in its width and in program order. Stores to a write-combined window reach the card in any order until a
//! [`fence`].

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::atomic::{Ordering, fence as order};

use memmap2::{MmapOptions, MmapRaw};

/// Mapped bytes.
pub struct Bar {
    map: MmapRaw,
}

/// Orders memory accesses: earlier stores are sent to the card before later ones, and later loads are executed after it.
pub fn fence() {
    order(Ordering::SeqCst);
}

impl Bar {
    /// Maps bytes of a file.
    pub fn open(path: &Path, start: u64, bytes: usize) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { map: MmapOptions::new().offset(start).len(bytes).map_raw(&file)? })
    }

    /// Returns the address of the first byte in this process.
    pub fn address(&self) -> usize {
        self.map.as_ptr() as usize
    }

    /// Returns the whole range, for a caller that keeps it mapped meanwhile.
    pub(crate) fn range(&self) -> (*mut u8, usize) {
        (self.map.as_mut_ptr(), self.map.len())
    }

    /// Returns the address of a value at a byte offset.
    fn place<T>(&self, at: usize, count: usize) -> *mut T {
        let bytes = size_of::<T>() * count;
        let fits = at.checked_add(bytes).is_some_and(|end| end <= self.map.len());
        assert!(fits && at.is_multiple_of(align_of::<T>()), "{bytes} bytes at {at:#x}");
        // SAFETY: the place was just found to lie within the map.
        unsafe { self.map.as_mut_ptr().add(at).cast() }
    }

    /// Reads 32 bits.
    pub fn read(&self, at: usize) -> u32 {
        // SAFETY: the place lies within the map and is aligned; any bytes are a number. The card may change it meanwhile, which volatile allows.
        u32::from_le(unsafe { self.place::<u32>(at, 1).read_volatile() })
    }

    /// Reads 64 bits at once.
    pub fn read_long(&self, at: usize) -> u64 {
        // SAFETY: as above.
        u64::from_le(unsafe { self.place::<u64>(at, 1).read_volatile() })
    }

    /// Writes 32 bits.
    pub fn write(&self, at: usize, value: u32) {
        // SAFETY: the place lies within the map and is aligned.
        unsafe { self.place::<u32>(at, 1).write_volatile(value.to_le()) };
    }

    /// Writes whole 64-bit values.
    pub fn fill(&self, at: usize, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        assert!(rest.is_empty(), "{} bytes are not whole words", bytes.len());
        let place = self.place::<u64>(at, words.len());
        for (number, word) in words.iter().enumerate() {
            // SAFETY: the places of all words lie within the map and are aligned.
            unsafe { place.add(number).write_volatile(u64::from_ne_bytes(*word)) };
        }
    }

    /// Reads whole 64-bit values.
    pub fn take(&self, at: usize, bytes: &mut [u8]) {
        let (words, rest) = bytes.as_chunks_mut::<8>();
        assert!(rest.is_empty(), "not whole words");
        let place = self.place::<u64>(at, words.len());
        for (number, word) in words.iter_mut().enumerate() {
            // SAFETY: the places of all words lie within the map and are aligned; any bytes are a number.
            *word = unsafe { place.add(number).read_volatile() }.to_ne_bytes();
        }
    }
}
