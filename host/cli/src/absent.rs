//! A command that this build omits: it results in an error that names the feature to build with.

use std::ffi::OsString;

use clap::Args;

use crate::output::Exit;

/// Any arguments.
#[derive(Args)]
pub struct Arguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// Returns the error.
pub fn run(command: &str, feature: &str) -> anyhow::Result<Exit> {
    anyhow::bail!("this build has no `proofmill {command}`: build with --features {feature}")
}
