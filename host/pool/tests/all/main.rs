//! Tests of the public interface, in one program.

mod batches;
mod losses;
mod support;
