//! Settings of the system's allocator for freed memory.
//!
//! glibc keeps freed memory for reuse, in one heap per thread, and raises its limit for large blocks up to 32 MiB: the peak
//! of a proof was up to 1.23 of its [`Plan`](super::Plan). With a fixed limit, large blocks are mapped and unmapped
//! individually (mallopt(3), `M_MMAP_THRESHOLD`). The page faults of each new block cost time.

/// Minimum size of blocks that return to the system when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LIMIT: libc::c_int = 1 << 20;

/// Makes large freed blocks return to the system at once, so that this process stays within the [`Plan`](super::Plan) of its
/// prover. The setting applies to the whole process: a program calls this at its start, a library leaves it to the program.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a parameter of the allocator under the allocator's own lock. If it fails, nothing changes.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LIMIT);
    }
}
