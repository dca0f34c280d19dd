#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proofmill_fuzz_bodies::run("circom_inputs", input));
