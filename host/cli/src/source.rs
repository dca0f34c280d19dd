//! What subcommands that read files have in common: the device's arguments, standard input as a file, and files of a known length.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use proofmill::pairing::Pairings;
use proofmill::{Capability, Device, Uri};

use crate::threads;

/// Which device verifies.
#[derive(Args)]
pub struct DeviceArguments {
    /// Device that verifies, such as cpu: or sim: (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Writes a waveform (VCD); simulations only
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

impl DeviceArguments {
    /// Opens it. What it cannot do is said now, before any file is read.
    pub fn open(&self, capability: &Capability) -> anyhow::Result<Box<dyn Device>> {
        let device = proofmill::open_uri(&self.uri()?)?;
        device.caps().require(capability)?;
        Ok(device)
    }

    /// Does a work with pairings computed by the device: of this machine's processor, on so many threads.
    pub fn pairings<T: Send>(
        &self,
        work: impl FnOnce(Pairings) -> anyhow::Result<T> + Send,
    ) -> anyhow::Result<T> {
        let device = self.open(&Capability::Coprocessor)?;
        let threads = device.caps().threads;
        threads::run(threads, || work(Pairings::by(device.into())))
    }

    fn uri(&self) -> anyhow::Result<Uri> {
        let uri = self.device.clone();
        let Some(trace) = &self.trace else { return Ok(uri) };
        let trace = trace.to_str().context("--trace: the file's name is not UTF-8")?;
        if uri.scheme() == "cpu" {
            bail!("--trace: {uri} has no waveform; a simulation has, such as --device sim:");
        }
        Ok(uri.with_option("trace", trace))
    }
}

/// Does this name stand for standard input?
pub fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// An error if standard input is among the files more than once.
pub fn stdin_once(files: &[PathBuf]) -> anyhow::Result<()> {
    if files.iter().filter(|file| is_stdin(file)).count() > 1 {
        bail!("FILE: standard input (-) can be read only once");
    }
    Ok(())
}

/// A file whose length says how much is in it: a pipe's and a folder's do not.
pub fn regular(file: &Path) -> anyhow::Result<File> {
    let opened = File::open(file)?;
    if !opened.metadata()?.is_file() {
        bail!("not a regular file");
    }
    Ok(opened)
}
