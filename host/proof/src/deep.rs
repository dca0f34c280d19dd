//! Larger stacks for unoptimised code, which stores each vector of eight elements on the stack.

use std::thread::{Builder, scope};

/// Stack size of a program's first thread; a pairing takes more than the 2 MiB of other threads.
const DEEP: usize = 8 << 20;

/// Runs a closure. A debug build, which may be unoptimised, runs it on a thread with a larger stack.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if !cfg!(debug_assertions) {
        return work();
    }
    let (mut work, mut made) = (Some(work), None);
    scope(|scope| {
        let (work, made) = (&mut work, &mut made);
        let run = move || *made = work.take().map(|work| work());
        // If no thread can be started, the caller's stack has to suffice.
        let _started = Builder::new().stack_size(DEEP).spawn_scoped(scope, run);
    });
    made.unwrap_or_else(|| work.take().expect("it was not begun")())
}
