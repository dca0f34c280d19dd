//! A peer as a separate program: it reads a line of work, writes a line of seconds, and idles in between.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::Target;
use crate::report;

/// A running program.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Its standard error.
    complaints: File,
}

impl Program {
    /// Starts a command. A program in Go starts more threads on request.
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().display().to_string();
        let complaints = complaints()?;
        let mut child = command
            .env("GOMAXPROCS", "1")
            .envs(go_debug())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(complaints.try_clone()?)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let input = child.stdin.take();
        let output =
            BufReader::new(child.stdout.take().context("no output of the peer's program")?);
        Ok(Self { child, input, output, complaints })
    }

    /// Returns the seconds that the program takes for some work.
    pub fn seconds(&mut self, work: &impl Serialize) -> Result<f64> {
        let line = serde_json::to_string(work)?;
        let mut answer = String::new();
        // A program that has ended has written the reason, whichever of the two fails.
        let written = self.input.as_mut().map(|input| writeln!(input, "{line}"));
        let read = self.output.read_line(&mut answer);
        match answer.trim().parse() {
            Ok(seconds) if matches!((written, read), (Some(Ok(())), Ok(_))) => Ok(seconds),
            _ => bail!("{}", self.why(answer.trim())?),
        }
    }

    /// Ends the program. Returns the first line of its standard error, or its exit status.
    fn why(&mut self, answer: &str) -> Result<String> {
        drop(self.input.take());
        let status = self.child.wait()?;
        let mut text = String::new();
        self.complaints.rewind()?;
        self.complaints.read_to_string(&mut text)?;
        let line = text.lines().find(|line| !line.trim().is_empty());
        Ok(match line {
            Some(line) => line.trim().trim_start_matches("Error: ").into(),
            None => format!("the program answered {answer:?} and ended with {status}"),
        })
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

/// Creates an unnamed file for a program's standard error: a pipe that is not read would block it.
fn complaints() -> Result<File> {
    let folder = folder();
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let path = folder.join(format!("complaints-{}", std::process::id()));
    let file = File::options().read(true).append(true).create_new(true).open(&path);
    let file = file.with_context(|| path.display().to_string())?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Returns the folder in which peers are built.
fn folder() -> PathBuf {
    let folder = report::checkout().join("target/peers");
    match Target::current() {
        Target::Native => folder,
        Target::WithoutAvx512 => folder.join("x86-64-v3"),
    }
}

/// Returns the sources of a peer.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// libsecp256k1 as its authors build it, with its assembly. GCC refuses that with `-march=native`, and the C code instead
/// takes 2 % more time, even with `-O3`.
pub const LIBSECP256K1_C_FLAGS: &str =
    if cfg!(target_arch = "x86_64") { "-O2 -DUSE_ASM_X86_64=1" } else { "-O3 -march=native" };

/// Runs a build. On failure, shows its whole output and returns the first line with an error.
fn build(command: &mut Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let done = command.output().with_context(|| format!("cannot start {name}"))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        eprint!("{said}");
        let mut lines = said.lines().filter(|line| !line.trim().is_empty());
        let line = lines.clone().find(|line| line.contains("error")).or_else(|| lines.next_back());
        bail!("{name}: {}", line.unwrap_or("it failed without a word").trim());
    }
    Ok(())
}

/// Returns the setting that disables AVX-512 in programs in Go, which detect it at run time.
fn go_debug() -> Option<(&'static str, &'static str)> {
    let hidden =
        "cpu.avx512=off,cpu.avx512f=off,cpu.avx512dq=off,cpu.avx512ifma=off,cpu.avx512vbmi2=off";
    (Target::current() == Target::WithoutAvx512).then_some(("GODEBUG", hidden))
}

/// Returns Cargo for a workspace of peers. The compiler flags and the target folder are set in its `.cargo/config.toml`,
/// not in the environment.
fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--release", "--locked"]).current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let settings =
            ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_", "CARGO_ENCODED_RUSTFLAGS"];
        if text == "RUSTFLAGS" || settings.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    if Target::current() == Target::WithoutAvx512 {
        command.env("RUSTFLAGS", "-C target-cpu=x86-64-v3 -C target-feature=+adx");
        // mcl has an MSM for AVX-512 IFMA, which it would choose at run time.
        command.env("CXXFLAGS", "-DMCL_MSM=0");
    }
    command
}

/// Returns an error that names a program of the system if it cannot be started; the build that needs it does not name it.
pub fn require(tool: &str, library: &str) -> Result<()> {
    match Command::new(tool).arg("--version").output() {
        Ok(_) => Ok(()),
        Err(_) => bail!("{tool} is missing, which the build of {library} needs"),
    }
}

/// Builds a package of the peers' workspace and returns its program's path.
pub fn build_rust(package: &str, c_flags: &str) -> Result<PathBuf> {
    let mut command = cargo(&source(""));
    command.args(["--package", package]).arg("--target-dir").arg(folder());
    build(command.env("CFLAGS", c_flags))?;
    Ok(folder().join("release").join(package))
}

/// Builds the program with Plonky3 and plonky2_field and returns its path.
pub fn build_plonky() -> Result<PathBuf> {
    let folder = folder().join("plonky");
    let mut command = cargo(&source("plonky"));
    // plonky2_field uses features of a nightly compiler.
    build(command.arg("--target-dir").arg(&folder).env("RUSTC_BOOTSTRAP", "1"))?;
    Ok(folder.join("release/plonky-peer"))
}

/// Builds a package of a Go module, by its folder, for this processor's level of x86-64. Returns the path of the program with
/// this name, or an error without `go`.
pub fn build_go(module: &str, package: &str, binary: &str) -> Result<PathBuf> {
    let level = Target::current().goamd64();
    let path = folder().join("go").join(&level).join(binary);
    let mut command = Command::new("go");
    command.args(["build", "-o"]).arg(&path).arg(package).env("GOAMD64", level);
    build(command.current_dir(source(module)))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<f64> {
        Program::start(Command::new("sh").args(["-c", script]))?.seconds(&"work")
    }

    #[test]
    fn a_program_answers_or_says_why_it_does_not() {
        assert_eq!(shell("read work; echo 2.5e-1; read end").unwrap(), 0.25);
        let why = |script: &str| shell(script).unwrap_err().to_string();
        assert_eq!(why("read work; echo 'Error: no such work' >&2; exit 1"), "no such work");
        assert!(why("read work; kill -4 $$").contains("signal: 4"));
        assert!(why("read work; echo no number").contains("no number"));
        assert!(Program::start(&mut Command::new("/nonexistent")).is_err());
    }

    #[test]
    fn a_build_that_fails_names_the_error() {
        let failing = |script: &str| build(Command::new("sh").args(["-c", script])).unwrap_err();
        let problem = failing("echo hm >&2; echo 'error: no cmake' >&2; echo end >&2; exit 1");
        assert_eq!(problem.to_string(), "sh: error: no cmake");
        assert_eq!(failing("echo end >&2; exit 1").to_string(), "sh: end");
        assert!(build(&mut Command::new("true")).is_ok());
    }
}
