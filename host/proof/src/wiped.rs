//! Secrets of many elements, which all threads overwrite: one thread takes longer for a witness than a GPU for an MSM with it.

use std::ops::Deref;
use std::sync::Arc;

use proofmill_op::Data;
use proofmill_op::process::parallel;
use rayon::prelude::*;
use zeroize::{DefaultIsZeroes, Zeroize};

/// Elements that a thread overwrites at a time.
const CHUNK: usize = 1 << 14;

/// Overwrites elements on the threads of the caller's pool.
fn wipe<T: DefaultIsZeroes + Send>(elements: &mut [T]) {
    parallel(|| elements.par_chunks_mut(CHUNK).for_each(Zeroize::zeroize));
}

/// Overwrites bytes that nobody else has any more.
fn wipe_shared(bytes: &mut Arc<[u8]>) {
    Arc::get_mut(bytes).into_iter().for_each(wipe);
}

/// Overwrites the bytes of a request, unless somebody else has them, too.
pub fn wipe_data(data: Data) {
    if let Data::Here(mut bytes) = data {
        wipe_shared(&mut bytes);
    }
}

/// Bytes that are overwritten at the end, if devices have let go of them.
pub struct WipedBytes(pub Arc<[u8]>);

impl Drop for WipedBytes {
    fn drop(&mut self) {
        wipe_shared(&mut self.0);
    }
}

/// Elements that are overwritten when they are dropped.
pub struct WipedVec<T: DefaultIsZeroes + Send>(pub Vec<T>);

impl<T: DefaultIsZeroes + Send> Deref for WipedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: DefaultIsZeroes + Send> Drop for WipedVec<T> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}
