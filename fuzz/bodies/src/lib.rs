//! What the fuzz targets do with their input. Each body is said once, here: libFuzzer runs it on what it finds
//! (`fuzz/targets`), and `cargo test` on seeded random and changed inputs, so that a machine without a fuzzer shows
//! something too.
//!
//! A body is right when it returns. It panics when a decoder panics, accepts what it should not, or does not write
//! again what it read.

mod card;
mod claims;
mod coprocessor;
mod elements;
mod groth16;
mod headers;
mod points;
mod signatures;
mod snarkjs;
mod trees;

/// A body, and valid inputs to begin with.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is that of the fuzz target.
    pub name: &'static str,
    /// What it does with an input.
    pub run: fn(&[u8]),
    /// Inputs that get far.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 21] = [
    Target { name: "field_elements", run: elements::run, seeds: elements::seeds },
    Target { name: "points_sec1", run: points::sec1, seeds: points::sec1_seeds },
    Target { name: "points_zcash", run: points::zcash, seeds: points::zcash_seeds },
    Target { name: "points_pair", run: points::pair, seeds: points::pair_seeds },
    Target { name: "equihash_headers", run: headers::run, seeds: headers::seeds },
    Target { name: "ecdsa_der", run: signatures::der, seeds: signatures::der_seeds },
    Target { name: "ecdsa_files", run: signatures::files, seeds: signatures::file_seeds },
    Target { name: "ecdsa_claims", run: claims::run, seeds: claims::seeds },
    Target { name: "coprocessor_program", run: coprocessor::run, seeds: coprocessor::seeds },
    Target { name: "snarkjs_zkey", run: snarkjs::zkey, seeds: snarkjs::zkey_seeds },
    Target { name: "snarkjs_wtns", run: snarkjs::wtns, seeds: snarkjs::wtns_seeds },
    Target { name: "snarkjs_vkey", run: snarkjs::vkey, seeds: snarkjs::vkey_seeds },
    Target { name: "snarkjs_proof", run: snarkjs::proof, seeds: snarkjs::proof_seeds },
    Target { name: "snarkjs_public", run: snarkjs::public, seeds: snarkjs::public_seeds },
    Target { name: "groth16_key", run: groth16::key, seeds: snarkjs::zkey_seeds },
    Target { name: "groth16_witness", run: groth16::witness, seeds: snarkjs::wtns_seeds },
    Target { name: "groth16_verdict", run: groth16::verdict, seeds: groth16::verdict_seeds },
    Target { name: "poseidon_rows", run: trees::rows, seeds: trees::rows_seeds },
    Target { name: "poseidon_proof", run: trees::proof, seeds: trees::proof_seeds },
    Target { name: "poseidon_checkpoint", run: trees::checkpoint, seeds: trees::checkpoint_seeds },
    Target { name: "card_replies", run: card::run, seeds: card::seeds },
];

/// Runs the body with this name.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no body is called {name}")).run)(input);
}

/// The first byte chooses, the others are the input; none of an empty one.
fn choose<'a, T: Copy>(from: &[T], input: &'a [u8]) -> Option<(T, &'a [u8])> {
    let (&first, rest) = input.split_first()?;
    Some((from[usize::from(first) % from.len()], rest))
}
