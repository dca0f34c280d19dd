//! A proof of a preimage: made, verified, and tampered with.

use std::time::Instant;

use anyhow::Context as _;
use proofmill::Uri;
use proofmill::groth16::dev::{Circuit, Statement};
use proofmill::groth16::snarkjs::{Witness, Zkey, proof};
use proofmill::groth16::{Curve, Prover, Settings, devices_with_fallback};

use super::table::{Row, milliseconds};
use crate::output::{Output, count};
use crate::threads::Threads;

/// Constraints of a SHA-256 of one block, about.
const CONSTRAINTS: usize = 25_000;
/// The public seed of the key's secrets: the key is INSECURE.
const SEED: &[u8] = b"demo";
/// Verifications whose rate is shown.
const MANY: usize = 100;

/// Makes a circuit, a key and a proof. Returns whether the proof is valid and a tampered one is not.
pub fn show(uri: &Uri, output: &mut Output, rows: &mut Vec<Row>) -> anyhow::Result<bool> {
    let circuit = Circuit::new(Curve::Bn254, &Statement::sha256_of_about(CONSTRAINTS))?;
    output.line(format_args!(
        "Groth16 over BN254: a message is known that has this SHA-256 digest; {}",
        count(circuit.constraints() as u64, "constraint")
    ))?;
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    let threads = Threads::default();
    let start = Instant::now();
    threads.run(|| {
        circuit.write_insecure_key(SEED, &mut key)?;
        Ok(circuit.write_witness(&mut witness)?)
    })?;
    output.line(format_args!(
        "  key       {:>12}  {} bytes, INSECURE: derived from a public seed",
        milliseconds(start.elapsed()),
        key.len()
    ))?;
    let key = Zkey::from_bytes("demo.zkey", key.into())?;
    let witness = Witness::from_bytes("demo.wtns", witness)?;

    let devices = devices_with_fallback(uri, uri)?;
    let prover = threads.run(|| Ok(Prover::new(&key, devices, Settings::default())?))?;
    let start = Instant::now();
    let proved = threads.run(|| Ok(prover.prove(&witness)?))?;
    let time = start.elapsed();
    let bytes = proof::text(&proved.proof)?.len();
    output.line(format_args!("  proof     {:>12}  {bytes} bytes of JSON", milliseconds(time)))?;
    let what = format!("groth16 prove: SHA-256 of a block, {} constraints", circuit.constraints());
    rows.push(Row { what, number: 1, time });

    let verifying = prover.verifying();
    let start = Instant::now();
    let mut valid = true;
    for _ in 0..MANY {
        valid &= verifying.verify(&proved.public_inputs, &proved.proof)?;
    }
    let time = start.elapsed();
    let verdict = |valid| if valid { "valid" } else { "invalid" };
    output.line(format_args!(
        "  verified  {:>12}  {}",
        milliseconds(time / MANY as u32),
        verdict(valid)
    ))?;
    rows.push(Row { what: "groth16 verify: one proof after the other".into(), number: MANY, time });

    let mut public = proved.public_inputs.clone();
    public.first_mut().context("the circuit has a public value")?[0] ^= 1;
    let other_digest = verifying.verify(&public, &proved.proof)?;
    output.line(format_args!("  with another digest     {}", verdict(other_digest)))?;
    let mut proof = proved.proof.clone();
    proof.c.clone_from(&proof.a);
    let other_proof = verifying.verify(&proved.public_inputs, &proof)?;
    output.line(format_args!("  with another point      {}", verdict(other_proof)))?;
    Ok(valid && !other_digest && !other_proof)
}
