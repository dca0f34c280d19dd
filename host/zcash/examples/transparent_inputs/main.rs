//! Checks the transparent inputs of Zcash blocks, as far as the blocks alone allow:
//!
//! ```text
//! cargo run --release -p proofmill-zcash --example transparent_inputs -- main block-main-*.bin
//! ```
//!
//! The files hold a block each, as bytes or as hex. With `--lines FILE` the valid signatures are written for
//! `proofmill ecdsa verify`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;

use proofmill::ecdsa::Encoded;
use proofmill_zcash::Block;
use proofmill_zcash::transparent::{Finding, Outputs, Signed, check_inputs};
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::Network;

type Anything = Box<dyn std::error::Error>;

fn main() -> Result<(), Anything> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let lines = match arguments.first().map(String::as_str) {
        Some("--lines") if arguments.len() > 1 => Some(arguments.drain(..2).nth(1)),
        _ => None,
    };
    let network = match arguments.first().map(String::as_str) {
        Some("main") => Network::MainNetwork,
        Some("test") => Network::TestNetwork,
        _ => return Err("usage: transparent_inputs [--lines FILE] main|test BLOCK...".into()),
    };
    let mut transactions = Vec::new();
    for file in &arguments[1..] {
        let found = fs::read(file).map_err(Anything::from).and_then(|content| {
            let bytes =
                if file.ends_with(".txt") { hex::decode(content.trim_ascii())? } else { content };
            Ok(Block::from_bytes(&bytes, network)?)
        });
        let block = found.map_err(|error| format!("{file}: {error}"))?;
        transactions.extend(block.transactions.into_iter().map(|(transaction, _)| transaction));
    }
    let found = inputs(transactions)?;
    if let Some(path) = lines.flatten() {
        write(&found, &path).map_err(|error| format!("{path}: {error}"))?;
    }
    print(&found);
    Ok(())
}

/// A transparent input.
struct Input {
    /// The transaction's identifier and the input's number in it.
    name: String,
    rule: &'static str,
    finding: Finding,
}

/// Checks all inputs; outputs of these transactions are known.
fn inputs(transactions: Vec<Transaction>) -> Result<Vec<Input>, Anything> {
    let mut outputs = Outputs::default();
    transactions.iter().for_each(|transaction| outputs.add_all(transaction));
    let txids: Vec<_> = transactions.iter().map(|transaction| transaction.txid()).collect();
    let transactions = transactions.into_iter().map(|it| {
        let spent = outputs.take_spent_by(&it);
        Signed::new(it, spent)
    });
    let transactions: Vec<_> = transactions.collect();
    let findings = check_inputs(&*proofmill::open("cpu:")?, &transactions)?;
    let mut inputs = Vec::new();
    for ((txid, transaction), findings) in txids.iter().zip(&transactions).zip(findings) {
        let rule = transaction.digests.rule();
        for (number, finding) in findings.into_iter().enumerate() {
            inputs.push(Input { name: format!("{txid}:{number}"), rule, finding });
        }
    }
    Ok(inputs)
}

fn print(found: &[Input]) {
    let mut counts = BTreeMap::new();
    let mut checks = 0;
    for input in found {
        let what = match &input.finding {
            Finding::Coinbase => "coinbase, which spends nothing".to_owned(),
            Finding::Checked { valid, checks: all, .. } => {
                checks += all.len();
                if !valid {
                    println!("INVALID {}", input.name);
                }
                format!("checked ({}), {}", input.rule, if *valid { "valid" } else { "invalid" })
            }
            Finding::NotCheckable(reason) => format!("not checkable: {reason}"),
        };
        *counts.entry(what).or_insert(0) += 1;
    }
    println!("{:>6}  transparent inputs, {checks} signatures verified", found.len());
    for (what, count) in counts {
        println!("{count:>6}  {what}");
    }
}

/// The valid signatures as JSON lines.
fn write(found: &[Input], path: &str) -> Result<(), Anything> {
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    for input in found {
        let Finding::Checked { checks, .. } = &input.finding else { continue };
        for check in checks.iter().filter(|check| check.valid) {
            let Encoded::Der(der) = &check.item.signature else { continue };
            let line = serde_json::json!({
                "id": input.name,
                "key": hex::encode(&check.item.key),
                "der": hex::encode(der),
                "digest": hex::encode(check.item.digest),
            });
            writeln!(file, "{line}")?;
        }
    }
    Ok(file.flush()?)
}
