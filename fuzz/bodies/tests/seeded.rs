//! Every body on its seeds, on seeds that were changed, and on random bytes.

use std::time::{Duration, Instant};

use proofmill_fuzz_bodies::{TARGETS, Target};
use proofmill_testkit::random::Random;

/// Inputs a target: all that fits into this many, and fewer where an input costs much.
const INPUTS: u64 = 20_000;

/// One or more of the changes that fuzzers know.
fn changed(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = random.pick(seeds).clone();
    for _ in 0..=random.below(3) {
        let at = random.below(input.len() as u64 + 1) as usize;
        match random.below(8) {
            0 => input.truncate(at),
            1 => input.insert(at, random.bits() as u8),
            2 => {
                let other = random.pick(seeds);
                input.truncate(at);
                input.extend(other.iter().skip(at));
            }
            3 => input[at..].fill(*random.pick(&[0, 0xff])),
            4 if at < input.len() => input[at] = random.bits() as u8,
            5 => input.extend(random.bytes(at.min(64))),
            _ if at < input.len() => input[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    input
}

fn examine(name: &str, inputs: u64) {
    examine_while(name, 0x7072_6f6f_666d, |number| number < inputs);
}

/// A minute, on other inputs than the short test has.
fn examine_long(name: &str) {
    let end = Instant::now() + Duration::from_secs(60);
    examine_while(name, 0x6c6f_6e67, |_| Instant::now() < end);
}

fn examine_while(name: &str, seed: u64, go_on: impl Fn(u64) -> bool) {
    let target: &Target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    seeds.iter().for_each(|seed| (target.run)(seed));
    (target.run)(&[]);
    let mut random = Random::new(seed);
    let longest = seeds.iter().map(Vec::len).max().expect("seeds") as u64;
    let mut number = 0;
    while go_on(number) {
        let input = if number % 8 == 0 {
            let length = random.below(longest + 2) as usize;
            random.bytes(length)
        } else {
            changed(&mut random, &seeds)
        };
        let outcome = std::panic::catch_unwind(|| (target.run)(&input));
        assert!(outcome.is_ok(), "{name}, input {number}: {input:02x?}");
        number += 1;
    }
    println!("{name}: {number} inputs");
}

#[test]
fn field_elements() {
    examine("field_elements", INPUTS);
}

#[test]
fn points_sec1() {
    examine("points_sec1", INPUTS);
}

#[test]
fn points_zcash() {
    examine("points_zcash", INPUTS);
}

#[test]
fn points_pair() {
    examine("points_pair", INPUTS);
}

#[test]
fn equihash_headers() {
    examine("equihash_headers", INPUTS);
}

/// A block has at least a proof of work to verify.
#[test]
fn zcash_blocks() {
    examine("zcash_blocks", INPUTS / 2);
}

#[test]
fn ecdsa_der() {
    examine("ecdsa_der", INPUTS);
}

/// Each key may cost a square root, twice.
#[test]
fn ecdsa_files() {
    examine("ecdsa_files", INPUTS / 10);
}

/// Each input is some dozens of verifications.
#[test]
fn ecdsa_claims() {
    examine("ecdsa_claims", INPUTS / 20);
}

/// Each input opens a card and waits for threads.
#[test]
fn card_replies() {
    examine("card_replies", INPUTS / 20);
}

/// Each input that gets far costs checks of subgroups.
#[test]
fn snarkjs_zkey() {
    examine("snarkjs_zkey", INPUTS / 10);
}

/// As with keys.
#[test]
fn snarkjs_ptau() {
    examine("snarkjs_ptau", INPUTS / 10);
}

#[test]
fn snarkjs_wtns() {
    examine("snarkjs_wtns", INPUTS);
}

/// Each record that is parsed costs a test of its modulus.
#[test]
fn vdf_record() {
    examine("vdf_record", INPUTS / 20);
}

/// Each form that is decoded costs two verifications.
#[test]
fn vdf_form() {
    examine("vdf_form", INPUTS / 20);
}

/// Each input that gets far is a few hashes, or some trees.
#[test]
fn poseidon_rows() {
    examine("poseidon_rows", INPUTS / 10);
}

#[test]
fn poseidon_proof() {
    examine("poseidon_proof", INPUTS / 10);
}

#[test]
fn poseidon_checkpoint() {
    examine("poseidon_checkpoint", INPUTS / 20);
}

#[test]
fn coprocessor_program() {
    examine("coprocessor_program", INPUTS / 10);
}

/// As with keys.
#[test]
fn snarkjs_vkey() {
    examine("snarkjs_vkey", INPUTS / 10);
}

#[test]
fn snarkjs_proof() {
    examine("snarkjs_proof", INPUTS / 2);
}

#[test]
fn snarkjs_public() {
    examine("snarkjs_public", INPUTS);
}

/// Each input that gets far is a proof.
#[test]
fn groth16_key() {
    examine("groth16_key", INPUTS / 40);
}

/// As with keys.
#[test]
fn groth16_witness() {
    examine("groth16_witness", INPUTS / 40);
}

/// Each input that gets far is a verification.
#[test]
fn groth16_verdict() {
    examine("groth16_verdict", INPUTS / 20);
}

#[test]
fn circom_r1cs() {
    examine("circom_r1cs", INPUTS);
}

#[test]
fn circom_inputs() {
    examine("circom_inputs", INPUTS);
}

#[test]
fn circom_wasm() {
    examine("circom_wasm", INPUTS / 2);
}

#[test]
fn bellman_parameters() {
    examine("bellman_parameters", INPUTS);
}

#[test]
fn eip2537_call() {
    examine("eip2537_call", INPUTS / 4);
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn snarkjs_zkey_long() {
    examine_long("snarkjs_zkey");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn snarkjs_ptau_long() {
    examine_long("snarkjs_ptau");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn snarkjs_wtns_long() {
    examine_long("snarkjs_wtns");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn snarkjs_vkey_long() {
    examine_long("snarkjs_vkey");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn snarkjs_proof_long() {
    examine_long("snarkjs_proof");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn snarkjs_public_long() {
    examine_long("snarkjs_public");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn groth16_key_long() {
    examine_long("groth16_key");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn groth16_witness_long() {
    examine_long("groth16_witness");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn groth16_verdict_long() {
    examine_long("groth16_verdict");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn circom_r1cs_long() {
    examine_long("circom_r1cs");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn circom_inputs_long() {
    examine_long("circom_inputs");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn circom_wasm_long() {
    examine_long("circom_wasm");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn bellman_parameters_long() {
    examine_long("bellman_parameters");
}

#[test]
#[ignore = "takes a minute; make test-long runs it"]
fn eip2537_call_long() {
    examine_long("eip2537_call");
}
