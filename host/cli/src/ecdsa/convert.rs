//! `proofmill ecdsa convert`: signatures into the compact form.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proofmill::ecdsa::file::{KeyForm, Writer};

use super::open;
use crate::output::{Exit, Output, count, report};
use crate::source::stdin_once;

#[derive(Args)]
pub struct Arguments {
    /// The file to be made; one that is there already is left alone
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Keys of 33 bytes, for a smaller file, or of 65, which are verified faster
    #[arg(long, value_enum, default_value_t = Keys::Compressed)]
    keys: Keys,
    /// Files to be read; - is standard input
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

/// Writes all of it, or no file.
pub fn convert(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    stdin_once(&arguments.files)?;
    let target = &arguments.output;
    let place = || format!("--output: {}", target.display());
    let file = File::create_new(target).with_context(place)?;
    let copied = copy(arguments, file);
    if copied.is_err() {
        fs::remove_file(target).with_context(place)?;
    }
    let Copied { written, left_out } = copied?;
    let mut line = format!("{} in {}", count(written, "signature"), target.display());
    if left_out > 0 {
        line += &format!("; {left_out} left out");
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
    Ok(Copied { written: writer.finish().with_context(target)?, left_out })
}

fn name(path: &Path) -> String {
    path.display().to_string()
}
