//! Witnesses from circom's generators: `proofmill witness calculate`, and `--wasm` of `proofmill prove`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use proofmill::snark::{AnyZkey, Inputs, Limits, Witness, WitnessCalculator};
use proofmill::{Cancel, SecretBytes};
use serde_json::json;

use crate::hardening::Hardening;
use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output, count, note};
use crate::source::{is_stream, open, require_regular, shown};

/// Maximum number of bytes of inputs that are read from a stream.
const MAX_STREAM: usize = 64 << 20;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill witness calculate circuit.wasm input.json",
    "proofmill witness calculate circuit.wasm input.json -o witness.wtns --max-seconds 60",
))]
pub struct Calculate {
    /// Where to write the witness, which is secret; an existing file is replaced, - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "witness.wtns")]
    output: PathBuf,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    hardening: Hardening,
    /// Writes one line of JSON, to standard error if - is the output
    #[arg(long)]
    json: bool,
    /// The generator (.wasm) that circom 2 writes with --wasm, a regular file
    #[arg(value_name = "WASM")]
    wasm: PathBuf,
    /// The inputs (.json), a file, a pipe or - for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
}

/// The options of `prove` for a witness that is calculated.
#[derive(Args)]
pub struct Calculated {
    /// Calculates the witness with this generator (.wasm) of circom 2, a regular file, instead of reading WTNS
    #[arg(long, value_name = "FILE", requires = "input", conflicts_with = "witness")]
    wasm: Option<PathBuf>,
    /// The inputs (.json) for --wasm, a file, a pipe or - for standard input
    #[arg(long, value_name = "FILE", requires = "wasm")]
    input: Option<PathBuf>,
    #[command(flatten)]
    bounds: Bounds,
}

/// The bounds of a generator.
#[derive(Args, Clone, Copy)]
struct Bounds {
    /// Memory limit of the generator, and of the witness, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=4096))]
    max_memory: u32,
    /// Time limit of the generator, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    max_seconds: u32,
    /// Shows what the circuit logs, on standard error: VALUES OF THE WITNESS, which is secret
    #[arg(long)]
    log: bool,
}

impl Bounds {
    fn open(self, argument: &str, wasm: &Path) -> anyhow::Result<WitnessCalculator> {
        require_regular(argument, "a witness generator", wasm)?;
        let limits = Limits {
            max_bytes: usize::try_from(u64::from(self.max_memory) << 20).unwrap_or(usize::MAX),
            max_time: Duration::from_secs(self.max_seconds.into()),
        };
        Ok(WitnessCalculator::open_with(wasm, limits)?)
    }

    fn calculate(self, calculator: &WitnessCalculator, inputs: &Inputs) -> anyhow::Result<Witness> {
        let mut log = |line: &str| {
            if self.log {
                note(format_args!("{}: {line}", calculator.name()));
            }
        };
        Ok(calculator.calculate_with(inputs, &Cancel::new(), &mut log)?)
    }
}

impl Calculated {
    /// Returns the generator, if one was given.
    pub fn wasm(&self) -> Option<&PathBuf> {
        self.wasm.as_ref()
    }

    /// Returns the inputs, if they were given.
    pub fn input(&self) -> Option<&PathBuf> {
        self.input.as_ref()
    }

    /// Calculates the witness for a key, if a generator was given.
    pub fn calculate(&self, key: &AnyZkey) -> anyhow::Result<Option<Witness>> {
        let (Some(wasm), Some(input)) = (&self.wasm, &self.input) else { return Ok(None) };
        let calculator = self.bounds.open("--wasm", wasm)?;
        calculator.require(key.name(), key.curve(), key.witness_values())?;
        let inputs = read_inputs("--input", input)?;
        self.bounds.calculate(&calculator, &inputs).map(Some)
    }
}

/// Calculates.
pub fn calculate(arguments: &Calculate, output: &mut Output) -> anyhow::Result<Exit> {
    let Calculate { output: file, bounds, wasm, input, .. } = arguments;
    arguments.hardening.apply();
    keep_apart(&[("--output", file)], &[("WASM", wasm), ("INPUT", input)])?;
    output.keep_apart_from([file]);
    let calculator = bounds.open("WASM", wasm)?;
    let inputs = read_inputs("INPUT", input)?;
    let start = std::time::Instant::now();
    let witness = bounds.calculate(&calculator, &inputs)?;
    let seconds = start.elapsed().as_secs_f64();
    write_all(&[("--output", file, &witness.to_file())])?;
    let [major, minor, patch] = calculator.version();
    let (curve, values) = (witness.curve().name(), witness.count());
    if arguments.json {
        output.line(json!({
            "type": "wtns",
            "file": file.to_string_lossy(),
            "curve": curve,
            "values": values,
            "circom": format!("{major}.{minor}.{patch}"),
            "seconds": seconds,
        }))?;
    } else {
        let values = count(values as u64, "value");
        output.line(format_args!("{}: {values} of {curve}, in {seconds:.3} s", file.display()))?;
    }
    Ok(Exit::Valid)
}

/// Reads inputs into memory that is overwritten.
fn read_inputs(argument: &str, file: &Path) -> anyhow::Result<Inputs> {
    if !is_stream(file) {
        return Ok(Inputs::open(file)?);
    }
    let name = shown(file);
    let json = open(file).and_then(|mut stream| SecretBytes::read_to_end(&mut stream, MAX_STREAM));
    let json = json.with_context(|| format!("{argument}: {name}"))?;
    Ok(Inputs::from_json(name, json)?)
}
