//! Tests of the public interface, in one program, so that it is compiled and linked once.

mod libsecp256k1;
mod simulation;
mod wycheproof;
