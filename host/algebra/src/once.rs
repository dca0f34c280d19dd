//! Constants that are computed on first use, by the thread that uses them.

use once_cell::race::OnceBox;

/// A cell that is written once and never waits.
///
/// Threads that need the value at the same time all compute it, and the first result is kept. `std::sync::OnceLock` makes the others wait
/// instead. In a process that was forked meanwhile they would wait for ever: the thread that computes the value exists in the parent only.
pub struct Once<T>(OnceBox<T>);

impl<T> Once<T> {
    /// Makes an empty cell.
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// Returns the value; computes it if the cell is empty.
    pub fn get_or_init(&self, compute: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| Box::new(compute()))
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::scope;

    use super::*;

    /// The thread that computes the value does not come to its end before this test has the value.
    #[test]
    fn a_computation_that_does_not_end_blocks_no_other_thread() {
        static CELL: Once<u32> = Once::new();
        let (started, begun) = channel();
        let (release, held) = channel::<()>();
        scope(|scope| {
            let late = scope.spawn(move || {
                *CELL.get_or_init(|| {
                    started.send(()).unwrap();
                    held.recv().unwrap();
                    1
                })
            });
            begun.recv().unwrap();
            assert_eq!(*CELL.get_or_init(|| 2), 2);
            release.send(()).unwrap();
            assert_eq!(late.join().unwrap(), 2, "the first result is kept");
        });
        assert_eq!(*CELL.get_or_init(|| 3), 2);
    }
}
