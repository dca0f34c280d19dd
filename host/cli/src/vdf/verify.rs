//! `proofmill vdf verify`: JSON in, verdicts out.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, bail};
use proofmill::vdf;
use proofmill::vdf::record::{Record, Verifier};
use rayon::prelude::*;
use serde_json::json;

use super::Verify;
use crate::output::{Exit, Output};
use crate::source::{is_stdin, stdin_once};

/// A file is read as a whole; a larger one is refused.
const MAX_BYTES: u64 = 1 << 28;

/// Verifies every proof of every file.
pub fn verify(arguments: &Verify, output: &mut Output) -> anyhow::Result<Exit> {
    stdin_once(arguments.files.iter().map(|file| ("FILE", file)))?;
    let expected = Expected::new(arguments)?;
    let verifier = Verifier::default();
    let mut exit = Exit::Valid;
    for file in &arguments.files {
        let records = match read(file) {
            Ok(records) => records,
            Err(error) => {
                output.broken(file, error, arguments.json)?;
                exit = exit.max(Exit::Input);
                continue;
            }
        };
        let verdicts = arguments.threads.run(|| {
            let verdict = |record| verdict(&verifier, record, &expected);
            Ok(records.par_iter().map(verdict).collect::<Vec<_>>())
        })?;
        for (number, (record, verdict)) in (1..).zip(records.iter().zip(verdicts)) {
            exit = exit.max(write(output, arguments.json, file, number, record, verdict)?);
        }
    }
    Ok(exit)
}

/// A proof that is valid, or the reason why it is not.
type Verdict = vdf::Result<Result<(), String>>;

fn verdict(verifier: &Verifier, record: &Record, expected: &Expected) -> Verdict {
    if let Some(difference) = expected.difference(verifier, record)? {
        return Ok(Err(difference));
    }
    Ok(if verifier.verify(record)? { Ok(()) } else { Err("does not verify".into()) })
}

/// What the caller expects of every proof modulo N; numbers in one form.
struct Expected {
    modulus: Option<String>,
    input: Option<String>,
    squarings: Option<u64>,
}

impl Expected {
    fn new(arguments: &Verify) -> anyhow::Result<Self> {
        let number = |option: &'static str, text: &Option<String>| {
            let read = |text: &String| vdf::number(option, vdf::moduli::digits(text));
            text.as_ref().map(read).transpose().map(|it| it.map(|it| vdf::format_number(&it)))
        };
        Ok(Self {
            modulus: number("--modulus", &arguments.modulus)?,
            input: number("--input", &arguments.input)?,
            squarings: arguments.squarings,
        })
    }

    /// Describes the part of the claim that is not the expected one.
    fn difference(&self, verifier: &Verifier, record: &Record) -> vdf::Result<Option<String>> {
        if self.modulus.is_none() && self.input.is_none() && self.squarings.is_none() {
            return Ok(None);
        }
        let claim = verifier.claim(record)?;
        let differs = |wanted: &Option<String>, found: &[u8]| {
            wanted.as_ref().is_some_and(|wanted| *wanted != vdf::format_number(found))
        };
        let found = claim.squarings();
        Ok(match self.squarings {
            _ if differs(&self.modulus, &claim.modulus()) => Some("has another modulus".into()),
            _ if differs(&self.input, &claim.input()) => Some("has another input".into()),
            Some(wanted) if wanted != found => {
                Some(format!("is of {found} squarings; expected {wanted}"))
            }
            _ => None,
        })
    }
}

fn write(
    output: &mut Output,
    as_json: bool,
    file: &Path,
    number: usize,
    record: &Record,
    verdict: Verdict,
) -> anyhow::Result<Exit> {
    let (exit, problem) = match verdict {
        Ok(Ok(())) => (Exit::Valid, None),
        Ok(Err(problem)) => (Exit::Invalid, Some(problem)),
        Err(error) => (Exit::Input, Some(error.to_string())),
    };
    if as_json {
        let mut line = json!({
            "type": "vdf",
            "file": file.to_string_lossy(),
            "number": number,
            "scheme": record.scheme(),
            "valid": exit == Exit::Valid,
        });
        if let Some(problem) = problem {
            line["error"] = problem.into();
        }
        output.line(line)?;
        return Ok(exit);
    }
    let name = file.display();
    match problem {
        None => output.line(format_args!("{name}: {number}: valid"))?,
        Some(problem) => output.line(format_args!("{name}: {number}: INVALID: {problem}"))?,
    }
    Ok(exit)
}

/// Reads one JSON object, or one in each line.
fn read(file: &Path) -> anyhow::Result<Vec<Record>> {
    let mut text = String::new();
    let count = if is_stdin(file) {
        std::io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut text)
    } else {
        File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text)
    };
    if count? as u64 > MAX_BYTES {
        bail!("more than {MAX_BYTES} bytes; expected at most these in one file");
    }
    let records = serde_json::Deserializer::from_str(&text).into_iter();
    let records =
        records.zip(1..).map(|(record, number)| record.with_context(|| format!("proof {number}")));
    let records: Vec<Record> = records.collect::<anyhow::Result<_>>()?;
    if records.is_empty() {
        bail!("no proofs; expected JSON objects");
    }
    Ok(records)
}
