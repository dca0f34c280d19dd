//! What the system's allocator does with memory that was freed.
//!
//! glibc keeps it for later, in a heap a thread, and from block to block it keeps larger ones, of up to 32 MiB: the peak of a
//! proof was up to 1.23 of its [`Plan`](super::Plan). With a fixed limit such blocks are mapped and unmapped one by one
//! (mallopt(3), `M_MMAP_THRESHOLD`), and each is touched anew, which costs time.

/// Bytes from which on a block goes back to the system when it is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LIMIT: libc::c_int = 1 << 20;

/// From now on, large blocks of memory that are freed go back to the system at once, so that this process stays within the
/// [`Plan`](super::Plan) of its prover. This is for the whole process: a program says it at its start, a library leaves it to the
/// program.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it changes a number of the allocator, which has a lock of its own for it. Where it is refused, all is as before.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LIMIT);
    }
}
