//! `proofmill cluster`: the command of the Python module `proofmill.cluster`.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context as _, bail};
use clap::Args;

use crate::output::Exit;

/// The variable that names another interpreter.
const PYTHON_VARIABLE: &str = "PROOFMILL_PYTHON";
/// Exits with 0 if the module can be found, without importing it.
const FIND: &str = "import importlib.util as u, sys\nsys.exit(not (u.find_spec('proofmill') and u.find_spec('ray')))";

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill cluster up --workers 8",
    "proofmill cluster prove circuit.zkey a.wtns b.wtns --out proofs --jobs jobs.sqlite",
))]
pub struct Arguments {
    /// up, status, prove or verify, with its arguments; `--help` after it lists them. Needs Python with the package proofmill[ray]
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Replaces this process with the Python command.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let python = std::env::var_os(PYTHON_VARIABLE).unwrap_or_else(|| "python3".into());
    let name = python.display();
    let found = Command::new(&python).args(["-c", FIND]).status();
    let found = found.with_context(|| {
        format!("{name}: the cluster needs Python; {PYTHON_VARIABLE} names the interpreter")
    })?;
    if !found.success() {
        bail!(
            "{name} has no proofmill with Ray: install the package proofmill[ray], or set {PYTHON_VARIABLE}"
        );
    }
    let mut command = Command::new(&python);
    command.args(["-m", "proofmill.cluster"]).args(&arguments.command);
    #[cfg(unix)]
    let problem = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let problem = match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(problem) => problem,
    };
    Err(problem).with_context(|| name.to_string())
}
