//! Shared parts of subcommands that read files: the device's arguments, standard input as a file, and files of known length.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use proofmill::pairing::Pairings;
use proofmill::{Capability, Device, Uri};

use crate::threads;

/// The device that verifies.
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
    /// Opens the device. Missing capabilities are reported before any file is read.
    pub fn open(&self, capability: &Capability) -> anyhow::Result<Box<dyn Device>> {
        let device = proofmill::open_uri(&self.uri()?)?;
        device.caps().require(capability)?;
        Ok(device)
    }

    /// Runs work whose pairings the device computes; for this machine's processor, on a pool of this many threads.
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

/// Returns whether the name means standard input.
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

/// Opens a file whose length is known, which excludes pipes and folders.
pub fn regular(file: &Path) -> anyhow::Result<File> {
    let opened = File::open(file)?;
    if !opened.metadata()?.is_file() {
        bail!("not a regular file");
    }
    Ok(opened)
}
