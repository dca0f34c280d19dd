//! Large allocations, in large pages if the system supports them. With small pages the first access to each 4 KiB is a page fault, and a
//! strided access to a matrix misses the TLB at every step.

/// Returns `bytes` zeros.
pub fn zeros(bytes: usize) -> Vec<u8> {
    let mut zeros = vec![0; bytes];
    request_large_pages(&mut zeros);
    zeros
}

/// Returns `bytes` bytes of unspecified content, in this memory if it is large enough.
pub fn reused(mut memory: Vec<u8>, bytes: usize) -> Vec<u8> {
    if memory.capacity() < bytes {
        return zeros(bytes);
    }
    memory.resize(bytes, 0);
    memory
}

/// Bytes of a large page.
#[cfg(target_os = "linux")]
const LARGE: usize = 2 << 20;

/// Requests large pages for the whole ones within this memory. It is a hint, so an error is ignored.
#[cfg(target_os = "linux")]
pub fn request_large_pages<T: Copy>(memory: &mut [T]) {
    use rustix::mm::{Advice, madvise};

    let (start, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
    let before = start.align_offset(LARGE).min(bytes);
    let length = (bytes - before) / LARGE * LARGE;
    if length > 0 {
        // SAFETY: the range lies within `memory`, which is borrowed, and the advice changes no content.
        let _ignored = unsafe { madvise(start.add(before).cast(), length, Advice::LinuxHugepage) };
    }
}

/// Has no effect on this system.
#[cfg(not(target_os = "linux"))]
pub fn request_large_pages<T: Copy>(_memory: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_so_many_and_all_are_zero() {
        for bytes in [0, 1, 4096, (4 << 20) - 1, (8 << 20) + 5] {
            let mut zeros = zeros(bytes);
            assert!(zeros.len() == bytes && zeros.iter().all(|byte| *byte == 0));
            zeros.fill(1);
        }
    }

    #[test]
    fn memory_is_reused_if_it_is_large_enough() {
        let memory = vec![1; 100];
        let place = memory.as_ptr();
        let fewer = reused(memory, 10);
        assert!(fewer.len() == 10 && fewer.as_ptr() == place);
        let again = reused(fewer, 100);
        assert!(again.len() == 100 && again.as_ptr() == place);
        assert_eq!(reused(again, 101).len(), 101);
    }
}
