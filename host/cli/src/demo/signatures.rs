//! Real signatures of transparent inputs.

use std::time::Instant;

use proofmill::Device;
use proofmill::ecdsa::{self, Item, Policy, file::Reader};

use super::table::{Row, milliseconds};
use crate::output::Output;

/// Signatures of transparent inputs of mainnet transactions, from `examples/signatures`.
const SIGNATURES: &str = include_str!("data/mainnet.jsonl");
/// Signatures in the call whose rate is shown.
const MANY: usize = 10_000;
/// Signatures that are shown one by one.
const SOME: usize = 3;

/// Verifies some one by one, then all, or, on request, many. Returns whether all are valid.
pub fn show(
    device: &dyn Device,
    many: bool,
    output: &mut Output,
    rows: &mut Vec<Row>,
) -> anyhow::Result<bool> {
    output.line(format_args!(
        "{:<16} {:<64} {:>9}  outcome",
        "spending input", "of transaction", "time"
    ))?;
    let mut items: Vec<Item> = Vec::new();
    for entry in Reader::new(SIGNATURES.as_bytes())? {
        let entry = entry?;
        let (item, id) = (entry.item?, entry.id.unwrap_or_default());
        if items.len() < SOME {
            let start = Instant::now();
            let outcome = ecdsa::verify(device, &item, Policy::default())?;
            let time = milliseconds(start.elapsed());
            let (transaction, input) = id.split_once(':').unwrap_or((&id, ""));
            output.line(format_args!("{input:<16} {transaction:<64} {time:>9}  {outcome}"))?;
        }
        items.push(item);
    }
    let real = items.len();
    if many {
        items = items.iter().cloned().cycle().take(MANY).collect();
    }
    let start = Instant::now();
    let invalid = ecdsa::find_invalid(device, &items, Policy::default())?;
    let (time, number) = (start.elapsed(), items.len());
    output.line(format_args!(
        "{number} signatures, {real} of them different: {} valid",
        number - invalid.len()
    ))?;
    rows.push(Row { what: "ecdsa verify: signatures with their parsing".into(), number, time });
    Ok(invalid.is_empty())
}
