//! Secrets of many elements, which all threads overwrite: one thread takes longer for a witness than a GPU for an MSM with it.

use std::ops::Deref;

use rayon::prelude::*;
use zeroize::{DefaultIsZeroes, Zeroize};

/// Elements that a thread overwrites at a time.
const CHUNK: usize = 1 << 14;

/// Overwrites elements on the threads of the caller's pool.
pub(crate) fn wipe<T: DefaultIsZeroes + Send>(elements: &mut [T]) {
    elements.par_chunks_mut(CHUNK).for_each(Zeroize::zeroize);
}

/// Elements that are overwritten when they are dropped.
pub(crate) struct Wiped<T: DefaultIsZeroes + Send>(pub Vec<T>);

impl<T: DefaultIsZeroes + Send> Deref for Wiped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: DefaultIsZeroes + Send> Drop for Wiped<T> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}
