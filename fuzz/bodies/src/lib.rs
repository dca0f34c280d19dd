//! Bodies of the fuzz targets. libFuzzer runs each body on the inputs that it finds (`fuzz/targets`). `cargo test` runs
//! each on seeded random inputs and on changed seeds, so that a machine without a fuzzer tests them too.
//!
//! A body passes when it returns. It panics when a decoder panics, accepts an invalid input, or does not reproduce
//! the input from the decoded value.

mod blocks;
mod card;
mod circom;
mod claims;
mod coprocessor;
mod elements;
mod groth16;
mod headers;
mod points;
mod signatures;
mod snarkjs;
mod trees;
mod vdf;

/// A body and its seeds.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the fuzz target.
    pub name: &'static str,
    /// Runs the body on an input.
    pub run: fn(&[u8]),
    /// Returns valid inputs, from which the fuzzer starts.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub const TARGETS: [Target; 30] = [
    Target { name: "field_elements", run: elements::run, seeds: elements::seeds },
    Target { name: "points_sec1", run: points::sec1, seeds: points::sec1_seeds },
    Target { name: "points_zcash", run: points::zcash, seeds: points::zcash_seeds },
    Target { name: "points_pair", run: points::pair, seeds: points::pair_seeds },
    Target { name: "equihash_headers", run: headers::run, seeds: headers::seeds },
    Target { name: "zcash_blocks", run: blocks::run, seeds: blocks::seeds },
    Target { name: "ecdsa_der", run: signatures::der, seeds: signatures::der_seeds },
    Target { name: "ecdsa_files", run: signatures::files, seeds: signatures::file_seeds },
    Target { name: "ecdsa_claims", run: claims::run, seeds: claims::seeds },
    Target { name: "coprocessor_program", run: coprocessor::run, seeds: coprocessor::seeds },
    Target { name: "snarkjs_zkey", run: snarkjs::zkey, seeds: snarkjs::zkey_seeds },
    Target { name: "snarkjs_ptau", run: snarkjs::ptau, seeds: snarkjs::ptau_seeds },
    Target { name: "snarkjs_wtns", run: snarkjs::wtns, seeds: snarkjs::wtns_seeds },
    Target { name: "snarkjs_vkey", run: snarkjs::vkey, seeds: snarkjs::vkey_seeds },
    Target { name: "snarkjs_proof", run: snarkjs::proof, seeds: snarkjs::proof_seeds },
    Target { name: "snarkjs_public", run: snarkjs::public, seeds: snarkjs::public_seeds },
    Target { name: "groth16_key", run: groth16::key, seeds: snarkjs::zkey_seeds },
    Target { name: "groth16_witness", run: groth16::witness, seeds: snarkjs::wtns_seeds },
    Target { name: "groth16_verdict", run: groth16::verdict, seeds: groth16::verdict_seeds },
    Target { name: "circom_r1cs", run: circom::r1cs, seeds: circom::r1cs_seeds },
    Target { name: "circom_inputs", run: circom::inputs, seeds: circom::inputs_seeds },
    Target { name: "circom_wasm", run: circom::wasm, seeds: circom::wasm_seeds },
    Target { name: "bellman_parameters", run: circom::bellman, seeds: circom::bellman_seeds },
    Target { name: "eip2537_call", run: circom::eip2537, seeds: circom::eip2537_seeds },
    Target { name: "poseidon_rows", run: trees::rows, seeds: trees::rows_seeds },
    Target { name: "poseidon_proof", run: trees::proof, seeds: trees::proof_seeds },
    Target { name: "poseidon_checkpoint", run: trees::checkpoint, seeds: trees::checkpoint_seeds },
    Target { name: "vdf_record", run: vdf::record, seeds: vdf::record_seeds },
    Target { name: "vdf_form", run: vdf::form, seeds: vdf::form_seeds },
    Target { name: "card_replies", run: card::run, seeds: card::seeds },
];

/// Runs the body of the target with this name.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no body is called {name}")).run)(input);
}

/// Chooses an item by the first byte; the other bytes are the input. Returns `None` for an empty input.
fn choose<'a, T: Copy>(from: &[T], input: &'a [u8]) -> Option<(T, &'a [u8])> {
    let (&first, rest) = input.split_first()?;
    Some((from[usize::from(first) % from.len()], rest))
}
