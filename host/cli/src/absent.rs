//! A command that this build leaves out: typing it is an error that says how to get it.

use std::ffi::OsString;

use clap::Args;

use crate::output::Exit;

/// Whatever follows its name.
#[derive(Args)]
pub struct Arguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// The error.
pub fn run(command: &str, feature: &str) -> anyhow::Result<Exit> {
    anyhow::bail!("this build has no `proofmill {command}`: build with --features {feature}")
}
