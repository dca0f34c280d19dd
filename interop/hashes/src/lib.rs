//! Poseidon beside other people's libraries, in tests alone: digests, trees and traits of `neptune`.

#[cfg(test)]
mod neptune_digests;
#[cfg(test)]
mod neptune_trees;
#[cfg(test)]
mod painted;
