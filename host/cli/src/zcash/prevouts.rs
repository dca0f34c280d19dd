//! Files of transparent outputs.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context as _;
use proofmill_zcash::{BlockVerifier, OutPoint, TxOut};
use serde_json::Value;

use crate::source::{is_stdin, shown};

/// Adds the outputs of a file. An error names the line.
pub fn add(file: &Path, verifier: &mut BlockVerifier) -> anyhow::Result<()> {
    let source: Box<dyn BufRead> = match is_stdin(file) {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(BufReader::new(File::open(file).with_context(|| shown(file))?)),
    };
    for (number, line) in (1..).zip(source.lines()) {
        let place = || format!("{}, line {number}", shown(file));
        let line = line.with_context(place)?;
        if !line.trim().is_empty() {
            let (point, output) = read(&line).with_context(place)?;
            verifier.add_output(point, output);
        }
    }
    Ok(())
}

fn read(line: &str) -> anyhow::Result<(OutPoint, TxOut)> {
    let value: Value = serde_json::from_str(line)?;
    let bytes = |name: &str| -> anyhow::Result<Vec<u8>> {
        let digits = value[name].as_str().with_context(|| format!("{name}: not a string"))?;
        hex::decode(digits).with_context(|| name.to_owned())
    };
    let integer = |name: &str| {
        let integer = value[name].as_u64();
        integer.with_context(|| format!("{name}: not an integer of at least 0"))
    };
    let txid = value["txid"].as_str().context("txid: not a string")?;
    let index = u32::try_from(integer("index")?).context("index")?;
    let output = proofmill_zcash::output(integer("value")?, bytes("script")?)?;
    Ok((proofmill_zcash::out_point(txid, index)?, output))
}
