//! Arguments that several subcommands share: the device, files and streams that are read, keys, the token.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
#[cfg(any(feature = "remote", feature = "serve"))]
use proofmill::Token;
use proofmill::groth16::snarkjs::Witness;
use proofmill::pairing::Pairings;
use proofmill::{Capability, Device, SecretBytes, Uri};

use crate::threads;

/// Names of standard input.
const STDIN: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

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
    STDIN.iter().any(|name| file == Path::new(name))
}

/// Returns the name of a file in messages.
pub fn shown(file: &Path) -> String {
    if is_stdin(file) { "standard input".into() } else { file.display().to_string() }
}

/// Refuses standard input where an earlier argument reads it: `(argument, file)` each.
pub fn stdin_once<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a PathBuf)>,
) -> anyhow::Result<()> {
    let mut reads = files.into_iter().filter(|(_, file)| is_stdin(file)).map(|(name, _)| name);
    match (reads.next(), reads.next()) {
        (Some(first), Some(second)) if first != second => {
            bail!("{second}: standard input (-) can be read only once, and {first} reads it")
        }
        (Some(_), Some(second)) => bail!("{second}: standard input (-) can be read only once"),
        _ => Ok(()),
    }
}

/// Returns whether a file is read once from its start to its end: standard input, a pipe, a device.
pub fn is_stream(file: &Path) -> bool {
    is_stdin(file) || fs::metadata(file).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// Opens a file or standard input. Nothing is read ahead, so no buffer keeps a copy of a secret.
pub fn open(file: &Path) -> io::Result<File> {
    if !is_stdin(file) {
        return File::open(file);
    }
    #[cfg(unix)]
    return Ok(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?.into());
    #[cfg(windows)]
    return Ok(std::os::windows::io::AsHandle::as_handle(&io::stdin())
        .try_clone_to_owned()?
        .into());
}

/// Reads a [stream](is_stream) of public content. Reading stops after `max_bytes` and one more byte, which a parser refuses.
pub fn read_stream(file: &Path, max_bytes: usize) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = open(file).and_then(|it| it.take(max_bytes as u64 + 1).read_to_end(&mut bytes));
    read.with_context(|| shown(file))?;
    Ok(bytes)
}

/// Refuses a key that is not a file. A key is mapped, and its parts are read many times in any order.
pub fn require_file(argument: &str, key: &Path) -> anyhow::Result<()> {
    require_regular(argument, "a key", key)
}

/// Refuses an input that is not a file but must be mapped; `what` it is completes the message.
pub fn require_regular(argument: &str, what: &str, file: &Path) -> anyhow::Result<()> {
    if file == Path::new("-") || fs::metadata(file).is_ok_and(|it| !it.is_file()) {
        let name = shown(file);
        bail!(
            "{argument}: {name}: {what} must be a regular file, not standard input, a pipe or a folder"
        );
    }
    Ok(())
}

/// Maps a witness file, or reads a witness from a stream into memory for secrets. It may have the bytes of this number of
/// values; `of` names the key or circuit in errors.
pub fn read_witness(file: &Path, values: usize, of: &str) -> anyhow::Result<Witness> {
    if !is_stream(file) {
        return Ok(Witness::open(file)?);
    }
    let name = shown(file);
    let max_bytes = Witness::max_file_bytes(values);
    let bytes = open(file).and_then(|mut stream| SecretBytes::read_to_end(&mut stream, max_bytes));
    let bytes = bytes.map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            anyhow::anyhow!("{error}, the most of a witness for {of}")
        }
        _ => error.into(),
    });
    let bytes = bytes.with_context(|| format!("WTNS: {name}"))?;
    Ok(Witness::from_bytes(name, bytes)?)
}

/// Reads the token that clients must show, from the file of `--token-file` or from the environment.
#[cfg(any(feature = "remote", feature = "serve"))]
pub fn token(file: Option<&Path>) -> anyhow::Result<Option<Token>> {
    let token = Token::find(file);
    Ok(if file.is_some() { token.context("--token-file")? } else { token? })
}

/// Opens a file whose length is known, which excludes pipes and folders.
pub fn regular(file: &Path) -> anyhow::Result<File> {
    let opened = File::open(file)?;
    if !opened.metadata()?.is_file() {
        bail!("not a regular file");
    }
    Ok(opened)
}
