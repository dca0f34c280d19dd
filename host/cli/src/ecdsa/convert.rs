//! `proofmill ecdsa convert`: signatures into the compact form.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use proofmill::ecdsa::file::{KeyForm, Writer};

use super::open;
use crate::output::{Exit, Output, count, report};
use crate::source::stdin_once;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill ecdsa convert --output signatures.pmsig signatures.jsonl",
    "proofmill ecdsa convert --output all.pmsig first.jsonl second.jsonl",
))]
pub struct Arguments {
    /// Where to write; an existing file is an error
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Keys of 33 bytes make a smaller file; keys of 65 bytes verify faster
    #[arg(long, value_enum, default_value_t = Keys::Compressed)]
    keys: Keys,
    /// Files to read; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Keys {
    Compressed,
    Uncompressed,
}

impl From<Keys> for KeyForm {
    fn from(keys: Keys) -> Self {
        match keys {
            Keys::Compressed => Self::Compressed,
            Keys::Uncompressed => Self::Uncompressed,
        }
    }
}

/// Writes all signatures, or no file.
pub fn convert(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    stdin_once(arguments.files.iter().map(|file| ("FILE", file)))?;
    let target = &arguments.output;
    let place = || format!("--output: {}", target.display());
    let file = File::create_new(target).with_context(place)?;
    let copied = copy(arguments, file);
    let Copied { written, left_out } = copied.inspect_err(|_| {
        // Report the first error; readers refuse an unfinished file.
        let _ = fs::remove_file(target);
    })?;
    let mut line = format!("{} in {}", count(written, "signature"), target.display());
    if left_out > 0 {
        line += &format!("; {left_out} omitted");
    }
    output.line(line)?;
    Ok(if left_out > 0 { Exit::Invalid } else { Exit::Valid })
}

struct Copied {
    written: u64,
    left_out: u64,
}

fn copy(arguments: &Arguments, file: File) -> anyhow::Result<Copied> {
    let target = || format!("--output: {}", arguments.output.display());
    let buffered = BufWriter::with_capacity(1 << 16, file);
    let mut writer = Writer::new(buffered, arguments.keys.into()).with_context(target)?;
    let mut left_out = 0;
    for path in &arguments.files {
        let entries = open(path, |source| source).with_context(|| name(path))?;
        for entry in entries {
            let entry = entry.with_context(|| name(path))?;
            let done = match entry.item {
                Ok(item) => writer.write(&item).with_context(target)?,
                Err(rejection) => Err(rejection),
            };
            if let Err(rejection) = done {
                left_out += 1;
                let place = format!("{}:{}", path.display(), entry.number);
                report(&anyhow::Error::new(rejection).context(place));
            }
        }
    }
    let written = writer.finish().with_context(target)?;
    // Readers refuse a file without signatures.
    ensure!(written > 0, "{}: not made, for none of {left_out} signatures fits into it", target());
    Ok(Copied { written, left_out })
}

fn name(path: &Path) -> String {
    path.display().to_string()
}
