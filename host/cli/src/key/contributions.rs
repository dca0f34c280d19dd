//! Contributions to a ceremony as text and JSON.

use proofmill::groth16::snarkjs::{Contribution, Contributions, Kind};
use serde_json::{Value, json};

use crate::output::Output;

/// Prints the circuit hash and the contributions, with hashes in lines of four words, as snarkjs prints them.
pub fn print(contributions: &Contributions, output: &mut Output) -> anyhow::Result<()> {
    output.line("circuit hash")?;
    print_hash(&contributions.circuit_hash, output)?;
    if contributions.list.is_empty() {
        output.line("contributions none: delta is 1, and anyone can forge proofs")?;
    }
    for (number, contribution) in (1..).zip(&contributions.list) {
        // A name may contain anything.
        let name = contribution.name.as_deref().unwrap_or_default().escape_debug();
        output.line(format_args!("contribution {number} \"{name}\"{}", source(contribution)))?;
        print_hash(&contribution.hash(), output)?;
    }
    Ok(())
}

fn source(contribution: &Contribution) -> String {
    match &contribution.kind {
        Kind::Participant => String::new(),
        Kind::Beacon { hash, log_iterations } => {
            format!(": beacon {}, 2^{log_iterations} iterations", hex::encode(hash))
        }
    }
}

fn print_hash(hash: &[u8], output: &mut Output) -> anyhow::Result<()> {
    for line in hash.chunks(16) {
        let words: Vec<_> = line.chunks(4).map(hex::encode).collect();
        output.line(format_args!("    {}", words.join(" ")))?;
    }
    Ok(())
}

/// Returns the contributions.
pub fn json(contributions: &Contributions) -> Vec<Value> {
    let list = contributions.list.iter().map(|contribution| {
        let (kind, beacon) = match &contribution.kind {
            Kind::Participant => ("participant", Value::Null),
            Kind::Beacon { hash, log_iterations } => {
                ("beacon", json!({ "hash": hex::encode(hash), "log_iterations": log_iterations }))
            }
        };
        json!({
            "name": contribution.name,
            "kind": kind,
            "beacon": beacon,
            "hash": hex::encode(contribution.hash()),
        })
    });
    list.collect()
}
