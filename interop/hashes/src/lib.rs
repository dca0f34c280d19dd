//! Poseidon beside other people's libraries, in tests alone: digests, trees and traits of `neptune`, digests and permutations of
//! others.

#[cfg(test)]
mod neptune_digests;
#[cfg(test)]
mod neptune_trees;
#[cfg(test)]
mod painted;
#[cfg(test)]
mod plain;
