//! What this crate shows from outside, in one program.

mod batches;
mod losses;
mod support;
