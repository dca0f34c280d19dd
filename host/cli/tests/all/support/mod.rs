//! Shared by the tests of several files: the command, its files, and its expected output.

pub mod made;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The command, on a machine without simulations.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmill"));
    // The environment hides the simulations of this machine.
    command.args(arguments).env("PROOFMILL_SIM_DIR", "/nowhere/proofmill-simulations");
    command
}

/// Runs it to its end.
pub fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Runs it with this standard input.
pub fn piped(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

/// Returns the output, which must be text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A folder with files of these contents; their paths.
pub fn files(contents: &[&[u8]]) -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = contents.iter().enumerate().map(|(number, content)| {
        let path: PathBuf = folder.path().join(format!("file-{number}"));
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let paths = paths.collect();
    (folder, paths)
}

/// Asserts the exit code and that standard error, or output, has these parts.
pub fn expect(output: &Output, code: i32, parts: &[&str]) {
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    for part in parts {
        assert!(said.contains(part), "'{part}' is not in: {said}");
    }
}
