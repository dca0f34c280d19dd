//! `proofmill r1cs`: describes and prints the constraints of a circuit.

use std::path::{Path, PathBuf};

use clap::Args;
use proofmill::groth16::snarkjs::{R1cs, Symbols};
use serde_json::json;

use crate::output::{Exit, Output, count, note};
use crate::source::require_regular;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Describes a constraint system: curve, sizes, custom gates.
    Info(Info),
    /// Prints the constraints, one a line. Coefficients above r/2 are shown as negative numbers.
    Print(Print),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill r1cs info circuit.r1cs",
    "proofmill r1cs info circuit.r1cs --json",
))]
pub struct Info {
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
    /// The constraint system (.r1cs), a regular file
    #[arg(value_name = "R1CS")]
    r1cs: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill r1cs print circuit.r1cs",
    "proofmill r1cs print circuit.r1cs --sym circuit.sym",
))]
pub struct Print {
    #[command(flatten)]
    names: Names,
    /// The constraint system (.r1cs), a regular file
    #[arg(value_name = "R1CS")]
    r1cs: PathBuf,
}

/// The option `--sym`.
#[derive(Args)]
pub struct Names {
    /// The names of the signals (.sym), as circom's --sym writes them, a regular file; without a name, variable 12 is w12
    #[arg(long, value_name = "FILE", requires = "r1cs")]
    sym: Option<PathBuf>,
}

impl Names {
    /// Returns the file, if one was given.
    pub fn file(&self) -> Option<&PathBuf> {
        self.sym.as_ref()
    }

    /// Reads the names for a constraint system, if a file was given.
    pub fn open(&self, system: &R1cs) -> anyhow::Result<Option<Symbols>> {
        let open = |file: &PathBuf| {
            require_regular("--sym", "the names of signals", file)?;
            Ok(Symbols::open(file, system)?)
        };
        self.sym.as_ref().map(open).transpose()
    }
}

/// Opens a constraint system.
pub fn open(argument: &str, file: &Path) -> anyhow::Result<R1cs> {
    require_regular(argument, "a constraint system", file)?;
    Ok(R1cs::open(file)?)
}

/// Describes.
pub fn info(arguments: &Info, output: &mut Output) -> anyhow::Result<Exit> {
    let system = open("R1CS", &arguments.r1cs)?;
    let ([a, b, c], gates) = (system.terms(), system.custom_gates());
    let (outputs, inputs) = (system.public_outputs(), system.public_inputs());
    if arguments.json {
        output.line(json!({
            "type": "r1cs",
            "file": arguments.r1cs.to_string_lossy(),
            "curve": system.curve().name(),
            "constraints": system.count(),
            "variables": system.variables(),
            "public_inputs": outputs + inputs,
            "outputs": outputs,
            "private_inputs": system.private_inputs(),
            "labels": system.labels(),
            "entries": { "A": a, "B": b, "C": c },
            "custom_gates": gates.names().collect::<Vec<_>>(),
            "custom_gate_uses": gates.uses(),
            "bytes": system.file_bytes(),
        }))?;
        return Ok(Exit::Valid);
    }
    let (curve, bytes) = (system.curve().name(), system.file_bytes());
    output.line(format_args!("{}: r1cs, {curve}, {bytes} bytes", system.name()))?;
    output.line(format_args!("constraints  {}", system.count()))?;
    let (variables, public) = (system.variables(), outputs + inputs);
    output.line(format_args!(
        "variables    {variables}: 1, {public} public ({outputs} of them outputs), the others private"
    ))?;
    output
        .line(format_args!("inputs       {inputs} public, {} private", system.private_inputs()))?;
    output.line(format_args!("labels       {}", system.labels()))?;
    output.line(format_args!("entries      {a} in A, {b} in B, {c} in C"))?;
    if gates.count() > 0 {
        let names: Vec<_> = gates.names().collect();
        let uses = count(gates.uses() as u64, "use");
        output.line(format_args!("custom gates {}, {uses}; for PLONK", names.join(", ")))?;
    }
    Ok(Exit::Valid)
}

/// Prints every constraint.
pub fn print(arguments: &Print, output: &mut Output) -> anyhow::Result<Exit> {
    let system = open("R1CS", &arguments.r1cs)?;
    let names = arguments.names.open(&system)?;
    for constraint in system.constraints() {
        output.line(system.text(&constraint?, names.as_ref()))?;
    }
    warn_of_gates(&system, "printed");
    Ok(Exit::Valid)
}

/// Notes that custom gates were not treated.
pub fn warn_of_gates(system: &R1cs, what: &str) {
    let uses = system.custom_gates().uses();
    if uses > 0 {
        let name = system.name();
        note(format_args!("{name}: custom gates are not {what}: {uses} uses"));
    }
}
