//! `proofmill witness`: finds the constraints that a witness violates. `calculate` has a file of its own, `generator`.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::Args;
use proofmill::groth16::snarkjs::{Constraint, R1cs, Symbols, Violations, Witness, decimal};
use serde_json::{Value, json};

use crate::hardening::Hardening;
use crate::output::{Exit, Output, count};
use crate::r1cs::{Names, open, warn_of_gates};
use crate::source::{read_witness, shown};
use crate::threads::Threads;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Calculates a witness (.wtns) from inputs with the WebAssembly generator of circom 2.
    #[cfg(feature = "witness")]
    Calculate(crate::generator::Calculate),
    /// Calculates a witness with circom's generator. NOT IN THIS BUILD: build with --features witness.
    #[cfg(not(feature = "witness"))]
    Calculate(crate::absent::Arguments),
    /// Finds the constraints that a witness violates. PRINTS VALUES OF THE WITNESS, which is secret.
    ///
    /// For each violated constraint: its number, its text, the values of A, B and C, and the values of its signals. Numbers
    /// above r/2 are shown as negative numbers; JSON has them from 0 to r - 1.
    ///
    /// SECRET: the values are values of the witness. Do not share the output where the witness must not be shared.
    Check(Check),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill witness check circuit.r1cs witness.wtns --sym circuit.sym",
    "proofmill witness check circuit.r1cs witness.wtns --max 100 --json",
))]
pub struct Check {
    #[command(flatten)]
    names: Names,
    /// Maximum number of violated constraints to print; all are counted
    #[arg(long, value_name = "N", default_value_t = MAX)]
    max: usize,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    hardening: Hardening,
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
    /// The constraint system (.r1cs), a regular file
    #[arg(value_name = "R1CS")]
    r1cs: PathBuf,
    /// The witness (.wtns), a file, a pipe or - for standard input
    #[arg(value_name = "WTNS")]
    witness: PathBuf,
}

/// Maximum number of violated constraints that are printed by default.
pub const MAX: usize = 10;

/// Checks.
pub fn check(arguments: &Check, output: &mut Output) -> anyhow::Result<Exit> {
    arguments.hardening.apply();
    let Check { r1cs, witness, names, max, threads, .. } = arguments;
    let (diagnosis, violations, seconds) = threads.run(|| {
        let system = open("R1CS", r1cs)?;
        let names = names.open(&system)?;
        let witness = read_witness(witness, system.variables(), system.name())?;
        let start = Instant::now();
        let violations = system
            .check(&witness, *max)
            .with_context(|| format!("{} with {}", system.name(), shown(&arguments.witness)))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok((Diagnosis { system, witness, names }, violations, seconds))
    })?;
    let is_valid = violations.count == 0;
    if arguments.json {
        output.line(diagnosis.json(&violations, seconds)?)?;
    } else {
        diagnosis.print(&violations, output)?;
        let verdict = if is_valid { "valid" } else { "invalid" };
        output.line(format_args!("{}: {verdict}", shown(&arguments.witness)))?;
    }
    warn_of_gates(&diagnosis.system, "checked");
    Ok(if is_valid { Exit::Valid } else { Exit::Invalid })
}

/// A constraint system and a witness, for which [`R1cs::require`] holds.
pub struct Diagnosis {
    pub system: R1cs,
    pub witness: Witness,
    pub names: Option<Symbols>,
}

impl Diagnosis {
    /// Prints the first violated constraints with their values, and how many there are.
    pub fn print(&self, violations: &Violations, output: &mut Output) -> anyhow::Result<()> {
        let Self { system, names, .. } = self;
        for constraint in self.constraints(violations) {
            let constraint = constraint?;
            let text = system.text(&constraint, names.as_ref());
            output.line(format_args!("constraint {}: {text}", constraint.number))?;
            let values = system.values(&constraint, &self.witness)?;
            let [a, b, c] = values.map(|value| system.signed(&value));
            output.line(format_args!("  A = {a}, B = {b}, C = {c}"))?;
            for variable in constraint.variables() {
                let value = system.signed(&self.witness.values()[variable as usize]);
                output.line(format_args!("  {} = {value}", self.name(variable)))?;
            }
        }
        let (violated, all) = (violations.count, count(system.count() as u64, "constraint"));
        let more = violated - violations.first.len();
        let rest = if more > 0 { format!("; {more} not shown") } else { String::new() };
        output.line(format_args!("{all}, {violated} violated{rest}"))
    }

    fn json(&self, violations: &Violations, seconds: f64) -> anyhow::Result<Value> {
        let listed = self.constraints(violations).map(|constraint| self.violation(&constraint?));
        Ok(json!({
            "type": "witness",
            "valid": violations.count == 0,
            "curve": self.system.curve().name(),
            "constraints": self.system.count(),
            "variables": self.system.variables(),
            "violated": violations.count,
            "violations": listed.collect::<anyhow::Result<Vec<_>>>()?,
            "custom_gate_uses": self.system.custom_gates().uses(),
            "seconds": seconds,
        }))
    }

    fn violation(&self, constraint: &Constraint) -> anyhow::Result<Value> {
        let Self { system, witness, names } = self;
        let [a, b, c] = system.values(constraint, witness)?.map(|value| decimal(&value));
        let signals = constraint.variables().into_iter().map(|variable| {
            json!({
                "variable": variable,
                "name": names.as_ref().and_then(|names| names.name(variable)),
                "value": decimal(&witness.values()[variable as usize]),
            })
        });
        Ok(json!({
            "constraint": constraint.number,
            "text": system.text(constraint, names.as_ref()).to_string(),
            "A": a,
            "B": b,
            "C": c,
            "signals": signals.collect::<Vec<_>>(),
        }))
    }

    /// Returns the constraints that are shown.
    fn constraints(
        &self,
        violations: &Violations,
    ) -> impl Iterator<Item = anyhow::Result<Constraint>> {
        let found = violations.first.iter().filter_map(|&number| self.system.constraint(number));
        found.map(|constraint| Ok(constraint?))
    }

    fn name(&self, variable: u32) -> String {
        let name = self.names.as_ref().and_then(|names| names.name(variable));
        name.unwrap_or_else(|| format!("w{variable}"))
    }
}
