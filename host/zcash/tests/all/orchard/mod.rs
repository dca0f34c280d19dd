//! Orchard's proofs, judged by the crate `orchard`.

mod authors;
mod blocks;
mod circuit;
mod keys;
mod pinned;
mod proofs;
