//! A peer as a program of its own: it does work on request, a line in and a line out, and idles in between.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::report;

/// A running program.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts one that has threads when it is asked for them.
    pub fn start(path: &Path) -> Result<Self> {
        Self::run(Command::new(path).env("GOMAXPROCS", "1"))
    }

    /// Starts a command.
    pub fn run(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let input = child.stdin.take();
        let output =
            BufReader::new(child.stdout.take().context("no output of the peer's program")?);
        Ok(Self { child, input, output })
    }

    /// The seconds that a piece of work takes it.
    pub fn seconds(&mut self, work: &impl Serialize) -> Result<f64> {
        let input = self.input.as_mut().context("the peer's program has ended")?;
        writeln!(input, "{}", serde_json::to_string(work)?)?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        line.trim().parse().with_context(|| format!("the peer's program said {line:?}"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.input.take()); // the end of its input ends the program
        if let Err(problem) = self.child.wait() {
            eprintln!("the peer's program: {problem}");
        }
    }
}

/// The folder that a peer is built in.
pub fn folder(name: &str) -> PathBuf {
    report::checkout().join("target/bench/peers").join(name)
}

/// How C is compiled, unless a peer is faster otherwise.
pub const C_FLAGS: &str = "-O3 -march=native";

/// Builds one of the bench's own programs for exactly this processor, in a folder of its own; gives its path.
pub fn build(
    binary: &str,
    features: Option<&str>,
    c_flags: &str,
    folder: &Path,
) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--package", "proofmill-bench", "--bin", binary])
        .args(features.into_iter().flat_map(|features| ["--features", features]))
        .arg("--target-dir")
        .arg(folder)
        .env("RUSTFLAGS", "-C target-cpu=native")
        // With debug information, C is compiled with frame pointers, and has a register less.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CFLAGS", c_flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(report::checkout())
        .status()
        .context("cannot start cargo")?;
    ensure!(built.success(), "cargo cannot build the peer's program {binary}");
    Ok(folder.join("release").join(binary))
}

/// The sources of a peer that is no program of ours in Rust.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/peers").join(name)
}

/// Builds a package of the Go module with gnark-crypto; gives the program's path.
pub fn build_gnark_crypto(package: &str, binary: &str) -> Result<PathBuf> {
    let path = folder("gnark-crypto").join(binary);
    build_go("gnark_crypto", package, &path)?;
    Ok(path)
}

/// Builds a package of a Go module, by its folder in `peers`, for processors with AVX-512, as a program with this path. An
/// error where there is no `go`.
pub fn build_go(module: &str, package: &str, path: &Path) -> Result<()> {
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(path)
        .arg(package)
        .env("GOAMD64", "v4")
        .current_dir(source(module))
        .status()
        .context("cannot start go")?;
    ensure!(built.success(), "go cannot build the peer's program {}", path.display());
    Ok(())
}
