//! Stacks for code that was not optimised, which keeps each vector of eight elements there.

use std::thread::{Builder, scope};

/// As many as the first thread of a program has; a pairing takes more than the 2 MiB of others.
const DEEP: usize = 8 << 20;

/// Does a piece of work: in a debug build, which may not be optimised, on a thread with a larger stack than the caller's may be.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if !cfg!(debug_assertions) {
        return work();
    }
    let (mut work, mut made) = (Some(work), None);
    scope(|scope| {
        let (work, made) = (&mut work, &mut made);
        let run = move || *made = work.take().map(|work| work());
        // Where there is no thread, the caller's stack has to do.
        let _started = Builder::new().stack_size(DEEP).spawn_scoped(scope, run);
    });
    made.unwrap_or_else(|| work.take().expect("it was not begun")())
}
