//! Witnesses for inputs.

use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use proofmill_op::msm::Curve;
use proofmill_op::{Cancel, SecretBytes, Ticket};
use proofmill_proof::snark::{Control, Proved, Prover};
use proofmill_proof::snarkjs::Witness;
use proofmill_proof::{Error, FileError, Result};
use wasmi::{ExternType, Module};

use crate::generator::{self, Bounds, Code, Generator, LIMBS, Stop, engine};
use crate::inputs::{Inputs, Signal, shown};
use crate::native::{self, Field};
use crate::prime::{self, Limbs};

/// Maximum number of bytes of a module.
const MAX_MODULE: u64 = 1 << 30;

/// Maximum number of 32-bit limbs of a prime that is named in an error.
const MAX_LIMBS: u32 = 64;

/// A time limit that is longer than any calculation, and not too long for the clock.
const FOREVER: Duration = Duration::from_secs(1 << 32);

/// Bytes of a value.
const VALUE: usize = 4 * LIMBS;

/// Bounds of a calculation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of bytes of the generator's memory, and of the witness; WebAssembly has at most 4 GiB. 2 GiB by
    /// default.
    pub max_bytes: usize,
    /// Maximum time of a calculation. 10 minutes by default. It may be exceeded by some tenths of a second.
    pub max_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 2 << 30, max_time: Duration::from_secs(600) }
    }
}

/// A generator of circom 2, ready for any number of inputs. Several threads may use it at a time.
pub struct WitnessCalculator {
    name: String,
    code: Code,
    /// The field of native operations, of a rewritten module.
    field: Option<Field>,
    limits: Limits,
    curve: Curve,
    modulus: Limbs,
    version: [u32; 3],
    /// The number of input values; generators of circom before 2.0.5 do not export it.
    inputs: Option<usize>,
    /// The number of values of a witness.
    values: usize,
    /// Bytes of linear memory that calculations needed so far.
    memory: AtomicUsize,
}

impl WitnessCalculator {
    /// Reads and checks a module, a regular file of at most 1 GiB. Its functions are compiled for the interpreter when they are first called.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Limits::default())
    }

    /// Reads and checks a module; `limits` hold for the check and for each calculation.
    pub fn open_with(path: impl AsRef<Path>, limits: Limits) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let read = || {
            if !std::fs::metadata(path)?.is_file() {
                return Err(std::io::Error::other("not a regular file"));
            }
            let mut bytes = Vec::new();
            std::fs::File::open(path)?.take(MAX_MODULE + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Self::from_bytes(name, &bytes, limits),
            Err(source) => Err(Error::Io { name, source }),
        }
    }

    /// Checks a module in memory, under a name for errors.
    pub fn from_bytes(name: impl Into<String>, bytes: &[u8], limits: Limits) -> Result<Self> {
        let name = name.into();
        if bytes.len() as u64 > MAX_MODULE {
            let problem = format!("more than {MAX_MODULE} bytes");
            return Err(FileError::new(name, "module", MAX_MODULE, problem).into());
        }
        let engine = engine();
        // A module that cannot be rewritten runs as it is, and has the errors of its own bytes.
        let rewritten = native::rewritten(bytes).and_then(|bytes| Code::new(&engine, &bytes).ok());
        if let Some(code) = rewritten
            && let Ok(calculator) = Self::of_code(&name, code, limits, true)
        {
            return Ok(calculator);
        }
        let code = Code::new(&engine, bytes)
            .map_err(|error| module_error(&name, bytes, &error.to_string()))?;
        Self::of_code(&name, code, limits, false)
    }

    fn of_code(name: &str, code: Code, limits: Limits, is_rewritten: bool) -> Result<Self> {
        check_imports(name, &code.module)?;
        let mut calculator = Self {
            name: name.into(),
            code,
            field: None,
            limits,
            curve: Curve::Bn254,
            modulus: prime::BN254,
            version: [0; 3],
            inputs: None,
            values: 0,
            memory: AtomicUsize::new(0),
        };
        calculator.inspect(is_rewritten)?;
        Ok(calculator)
    }

    /// Reads what the module states about its circuit. A rewritten module must compute as the native functions do.
    fn inspect(&mut self, is_rewritten: bool) -> Result<()> {
        let wrong = |problem: String| FileError::new(&self.name, "exports", 0, problem);
        let cancel = Cancel::new();
        let mut generator =
            Generator::new(&self.code, self.bounds(self.limits.max_bytes, &cancel), None).map_err(
                |stop| match stop {
                    Stop::Memory => self.stopped(Stop::Memory),
                    Stop::Trap(problem) => {
                        wrong(format!("not a witness generator of circom 2: {problem}")).into()
                    }
                    stop => self.stopped(stop),
                },
            )?;
        let exports = &generator.exports;
        let (limbs, get_prime, inputs, size) =
            (exports.limbs, exports.get_prime, exports.inputs, exports.witness_size);
        let version = exports.version;
        if version[0] != 2 {
            return Err(wrong(format!(
                "a generator of circom {}; those of circom 2 are supported",
                version[0]
            ))
            .into());
        }
        let stopped = |stop| self.stopped(stop);
        let limbs = generator.call(limbs, ()).map_err(stopped)?;
        if !(1..=MAX_LIMBS).contains(&limbs) {
            return Err(wrong(format!("values of {limbs} 32-bit limbs")).into());
        }
        let mut words = vec![0; limbs as usize];
        generator.call(get_prime, ()).map_err(stopped)?;
        generator.read(&mut words).map_err(stopped)?;
        let (curve, modulus) = prime::find(&words).map_err(|found| {
            wrong(format!("{found}; the curves that are read are bn254 and bls12_381"))
        })?;
        let inputs =
            inputs.map(|inputs| generator.call(inputs, ())).transpose().map_err(stopped)?;
        let values = generator.call(size, ()).map_err(stopped)? as usize;
        if values.saturating_mul(VALUE) > self.limits.max_bytes {
            let problem = format!(
                "a witness of {values} values exceeds the memory limit of {} bytes",
                self.limits.max_bytes
            );
            return Err(wrong(problem).into());
        }
        let memory = generator.memory_bytes();
        let field = is_rewritten.then(|| Field::new(modulus));
        if field.as_ref().is_some_and(|field| !generator.agrees(field)) {
            return Err(wrong("field operations that differ from circom's".into()).into());
        }
        drop(generator);
        self.field = field;
        self.version = version;
        (self.curve, self.modulus) = (curve, modulus);
        (self.inputs, self.values) = (inputs.map(|inputs| inputs as usize), values);
        self.memory.store(memory, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the same calculator under another name for errors.
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the curve whose scalars the values are.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Returns the number of values of a witness.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Returns the number of input values; `None` for generators of circom before 2.0.5, which do not export it.
    pub fn input_values(&self) -> Option<usize> {
        self.inputs
    }

    /// Returns the limits of each calculation.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the version of circom that made the generator: major, minor and patch number.
    pub fn version(&self) -> [u32; 3] {
        self.version
    }

    /// Returns whether field operations run in native code. They do for modules of circom with the names of their functions; a
    /// module without them takes several times as long.
    pub fn is_native(&self) -> bool {
        self.field.is_some()
    }

    /// Calculates the witness for inputs. Errors name the signal that is missing or has a wrong number of values, or the
    /// assertion that failed with its template and line. An error of the argument `limits` is a limit that was exceeded.
    pub fn calculate(&self, inputs: &Inputs) -> Result<Witness> {
        self.calculate_with(inputs, &Cancel::new(), &mut |_| {})
    }

    /// Calculates a witness that can be cancelled. `log` receives the lines that the circuit logs, which may contain values of
    /// the witness, when the calculation ends, also with an error.
    pub fn calculate_with(
        &self,
        inputs: &Inputs,
        cancel: &Cancel,
        log: &mut dyn FnMut(&str),
    ) -> Result<Witness> {
        let signals = inputs.signals(&self.modulus)?;
        let bounds = self.bounds(self.memory.load(Ordering::Relaxed), cancel);
        let mut memory = bounds.memory;
        loop {
            let (result, lines) = self.attempt(&signals, Bounds { memory, ..bounds });
            if let Err(Failure::Stop(Stop::Memory)) = result
                && memory < self.limits.max_bytes
            {
                memory = memory.saturating_mul(2).min(self.limits.max_bytes);
                continue;
            }
            lines.iter().for_each(|line| log(line));
            let values = result.map_err(|failure| match failure {
                Failure::Stop(stop) => self.stopped(stop),
                Failure::Inputs(problem) => Error::argument(
                    "inputs",
                    match inputs.name() {
                        "inputs" => problem,
                        name => format!("{name}: {problem}"),
                    },
                ),
            })?;
            self.memory.fetch_max(memory, Ordering::Relaxed);
            return Witness::from_values(self.curve, values).map_err(|error| match error {
                Error::Argument { problem, .. } => {
                    self.wrong(format!("the witness is invalid: {problem}"))
                }
                other => other,
            });
        }
    }

    /// Calculates the witness for inputs and proves it. The prover must have a key of the generator's circuit.
    pub fn full_prove(&self, prover: &Prover, inputs: &Inputs) -> Result<Proved> {
        self.full_prove_with(prover, inputs, &Control::none())
    }

    /// Calculates a witness and proves it, with a progress callback and a cancellation signal. The calculation is the first step,
    /// [`Step::Witness`](proofmill_proof::snark::Step::Witness).
    pub fn full_prove_with(
        &self,
        prover: &Prover,
        inputs: &Inputs,
        control: &Control,
    ) -> Result<Proved> {
        self.require_key_of(prover)?;
        prover.prove_from(|cancel| self.calculate_with(inputs, cancel, &mut |_| {}), control)
    }

    /// Calculates a witness and proves it on a thread of its own. Returns a ticket, which is also a future. Dropping it cancels the
    /// calculation and the proof.
    pub fn submit(
        self: &Arc<Self>,
        prover: &Arc<Prover>,
        inputs: Inputs,
        control: Control,
    ) -> Result<Ticket<Proved, Error>> {
        self.require_key_of(prover)?;
        let calculator = self.clone();
        let calculate =
            move |cancel: &Cancel| calculator.calculate_with(&inputs, cancel, &mut |_| {});
        prover.submit_from(calculate, control)
    }

    /// Checks that the prover has a key of the generator's circuit, as [`WitnessCalculator::require`] does.
    pub fn require_key_of(&self, prover: &Prover) -> Result<()> {
        let key = prover.key();
        self.require(key.name(), key.curve(), key.witness_values())
    }

    /// Checks that the witnesses are those of a key's circuit, by prime and number of values. `key` is the key's name in errors.
    pub fn require(&self, key: &str, curve: Curve, values: usize) -> Result<()> {
        let problem = if self.curve != curve {
            let (own, other) = (self.curve.name(), curve.name());
            format!("the prime is that of {own}, and the key {key} has that of {other}")
        } else if self.values != values {
            format!("a witness has {} values, and the key {key} needs {values}", self.values)
        } else {
            return Ok(());
        };
        Err(self.wrong(problem))
    }

    fn bounds<'a>(&self, memory: usize, cancel: &'a Cancel) -> Bounds<'a> {
        let now = Instant::now();
        let deadline = now.checked_add(self.limits.max_time).unwrap_or(now + FOREVER);
        Bounds { memory, deadline, cancel }
    }

    /// Calculates with a fixed size of memory. Returns the values, and the lines that were logged.
    fn attempt(
        &self,
        signals: &[Signal],
        bounds: Bounds<'_>,
    ) -> (std::result::Result<SecretBytes, Failure>, Vec<String>) {
        let mut generator = match Generator::new(&self.code, bounds, self.field) {
            Ok(generator) => generator,
            Err(stop) => return (Err(stop.into()), Vec::new()),
        };
        let result = self.run(&mut generator, signals);
        let lines = generator.take_log();
        (result, lines)
    }

    fn run(
        &self,
        generator: &mut Generator<'_>,
        signals: &[Signal],
    ) -> std::result::Result<SecretBytes, Failure> {
        generator.grow()?;
        generator.call(generator.exports.init, 0)?;
        self.check_sizes(generator, signals)?;
        for signal in signals {
            set(generator, signal)?;
        }
        let mut values = SecretBytes::with_capacity(self.values * VALUE);
        for number in 0..self.values {
            generator.call(generator.exports.get_witness, number as u32)?;
            let value = generator.read_scalar()?;
            values.extend_from_slice(&value).expect("memory for all values");
        }
        Ok(values)
    }

    /// Checks names and sizes of signals before any is set, as far as the generator knows them.
    fn check_sizes(
        &self,
        generator: &mut Generator<'_>,
        signals: &[Signal],
    ) -> std::result::Result<(), Failure> {
        if let Some(size) = generator.exports.input_size {
            for signal in signals {
                let (high, low) = hash(&signal.name);
                let expected = generator.call(size, (high, low))?;
                let (name, found) = (shown(&signal.name), signal.values.len());
                let expected = usize::try_from(expected).unwrap_or(0);
                // circom 2.1 and later have the size 0 for unknown signals, too.
                if expected == 0 && found > 0 {
                    return Err(unknown(&name));
                }
                if expected != found {
                    let problem =
                        format!("signal `{name}` has {found} values; the circuit has {expected}");
                    return Err(Failure::Inputs(problem));
                }
            }
        }
        let found: usize = signals.iter().map(|signal| signal.values.len()).sum();
        match self.inputs {
            Some(expected) if found < expected => {
                let names: Vec<_> = signals
                    .iter()
                    .map(|signal| format!("`{}` ({})", shown(&signal.name), signal.values.len()))
                    .collect();
                let given = if names.is_empty() { "none".into() } else { names.join(", ") };
                let missing = expected - found;
                Err(Failure::Inputs(format!(
                    "{missing} of {expected} input values are missing; given are {given}"
                )))
            }
            _ => Ok(()),
        }
    }

    fn wrong(&self, problem: String) -> Error {
        Error::argument("witness generator", format!("{}: {problem}", self.name))
    }

    fn stopped(&self, stop: Stop) -> Error {
        let Limits { max_bytes, max_time } = self.limits;
        let exceeded =
            |problem: String| Error::argument("limits", format!("{}: {problem}", self.name));
        self.wrong(match stop {
            Stop::Exception { code, messages } => {
                let messages: Vec<_> = messages.iter().map(|line| shown(line)).collect();
                let separator = if messages.is_empty() { "" } else { ": " };
                format!("{}{separator}{}", exception(code), messages.join("; "))
            }
            Stop::Memory => {
                return exceeded(format!("needs more than the memory limit of {max_bytes} bytes"));
            }
            Stop::Time => {
                return exceeded(format!("exceeds the time limit of {} s", max_time.as_secs_f64()));
            }
            Stop::Trap(problem) => problem,
            Stop::Cancelled(error) => return error.into(),
        })
    }
}

impl fmt::Debug for WitnessCalculator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "WitnessCalculator({}: {} values of {})",
            self.name,
            self.values,
            self.curve.name()
        )
    }
}

/// The reason for which a calculation has no result.
enum Failure {
    Stop(Stop),
    /// What is wrong with the inputs.
    Inputs(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Inputs(format!("signal `{name}` is not an input of the circuit"))
}

/// Sets the values of a signal. The last value of all runs the circuit.
fn set(generator: &mut Generator<'_>, signal: &Signal) -> std::result::Result<(), Failure> {
    let (high, low) = hash(&signal.name);
    let name = || shown(&signal.name);
    for (number, value) in signal.values.iter().enumerate() {
        generator.write_scalar(value)?;
        let result = generator.call(generator.exports.set_input, (high, low, number as u32));
        result.map_err(|stop| match stop {
            Stop::Exception { code: 1, .. } => unknown(&name()),
            Stop::Exception { code: 2, .. } => Failure::Inputs(format!(
                "signal `{}`: all inputs of the circuit are set already",
                name()
            )),
            Stop::Exception { code: 3, .. } => {
                Failure::Inputs(format!("signal `{}` is set twice", name()))
            }
            Stop::Exception { code: 6, .. } => {
                let found = signal.values.len();
                Failure::Inputs(format!(
                    "signal `{}` has {found} values; the circuit has {number}",
                    name()
                ))
            }
            stop => stop.into(),
        })?;
    }
    Ok(())
}

/// Returns the upper and the lower half of a signal's hash, FNV-1a of 64 bits.
fn hash(name: &str) -> (u32, u32) {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    ((hash >> 32) as u32, hash as u32)
}

/// Describes a code of the exception handler.
fn exception(code: i32) -> String {
    match code {
        1 => "signal not found".into(),
        2 => "too many signals set".into(),
        3 => "signal already set".into(),
        4 => "assert failed".into(),
        5 => "not enough memory".into(),
        6 => "access beyond the end of an input signal".into(),
        7 => "access beyond the end of an array".into(),
        _ => format!("exception {code}"),
    }
}

/// Returns the error of a module that is not valid WebAssembly, at the byte that the parser names.
fn module_error(name: &str, bytes: &[u8], said: &str) -> Error {
    let problem = if bytes.starts_with(b"\0asm") {
        said.to_owned()
    } else {
        "not a WebAssembly module: it does not begin with \\0asm".into()
    };
    let offset = problem.rsplit_once("(at offset 0x").and_then(|(_, digits)| {
        u64::from_str_radix(digits.trim_end().trim_end_matches(')'), 16).ok()
    });
    FileError::new(name, "module", offset.unwrap_or(0), problem).into()
}

fn check_imports(name: &str, module: &Module) -> Result<()> {
    let mut imports = module.imports();
    let foreign = imports.find(|import| {
        let is_function = matches!(import.ty(), ExternType::Func(_));
        !is_function || !generator::is_import(import.module(), import.name())
    });
    let Some(import) = foreign else { return Ok(()) };
    let problem = format!(
        "not a witness generator of circom 2: it imports {}.{}",
        shown(import.module()),
        shown(import.name())
    );
    Err(FileError::new(name, "imports", 0, problem).into())
}
