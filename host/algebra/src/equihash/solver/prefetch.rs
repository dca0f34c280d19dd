//! Requests for cache lines ahead of their use.

/// Starts to load the cache line of word `at` into the cache. It may be behind the end.
#[inline(always)]
pub(super) fn prefetch(words: &[u32], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program sees, and takes any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().wrapping_add(at).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, at);
}
