//! One run of a generator: an instance of its module, the imports of circom, and the limits.
//!
//! The linear memory is allocated before it holds secrets and never moves: a generator that needs more than it has ends with
//! [`Stop::Memory`], and the calculation starts again with more.

use std::time::Instant;

use proofmill_op::{Cancel, wipe, wipe_stack};
use proofmill_proof::groth16::Scalar;
use proofmill_proof::snarkjs::decimal;
use wasmi::{
    Caller, Config, CustomFuelCosts, Engine, Error, Extern, ExternType, Instance, Linker, Memory,
    Module, Store, StoreLimits, StoreLimitsBuilder, TrapCode, TypedFunc, TypedResumableCall,
    WasmParams, WasmResults,
};

use crate::native::{self, Access, Field};

/// The module of circom's imports.
const RUNTIME: &str = "runtime";

/// Instructions between two checks of the time, some hundredths of a second.
const SLICE: u64 = 10_000_000;

/// Instructions for one character of a message.
const MESSAGE_SLICE: u64 = 100_000;

/// Instructions that a call from an import counts as.
const CALL_BACK: u64 = 1000;

/// Maximum number of characters of a message.
const MAX_MESSAGE: usize = 1024;

/// Maximum number of bytes of all messages of a run, and of all its log lines.
const MAX_TEXT: usize = 1 << 20;

/// Bytes of the interpreter's stack. It is allocated once, so that no copy of it remains.
const STACK: usize = 1 << 20;

/// Maximum number of elements of the table of functions; circom's has one for each template instance.
const MAX_TABLE: usize = 1 << 20;

/// Bytes of a page of linear memory.
const PAGE: usize = 1 << 16;

/// 32-bit limbs of a value.
pub const LIMBS: usize = 8;

/// The reason for which a run ended without a result.
#[derive(Debug)]
pub enum Stop {
    /// The generator called the exception handler: the code and the messages before.
    Exception { code: i32, messages: Vec<String> },
    /// The generator needs more memory than it has.
    Memory,
    /// The time limit.
    Time,
    /// The caller cancelled.
    Cancelled(proofmill_op::Error),
    /// A trap, or an error of the interface.
    Trap(String),
}

/// The bounds of a run.
pub struct Bounds<'a> {
    /// Bytes of linear memory.
    pub memory: usize,
    /// The end of the time limit.
    pub deadline: Instant,
    /// The caller's cancellation.
    pub cancel: &'a Cancel,
}

/// The functions that a generator exports.
pub struct Exports {
    memory: Memory,
    /// Major, minor and patch number of the version of circom; numbers that are not exported are 0.
    pub version: [u32; 3],
    /// The address of the shared value, of generators that export it.
    shared: Option<usize>,
    read: TypedFunc<u32, u32>,
    write: TypedFunc<(u32, u32), ()>,
    pub init: TypedFunc<i32, ()>,
    pub get_prime: TypedFunc<(), ()>,
    pub limbs: TypedFunc<(), u32>,
    pub set_input: TypedFunc<(u32, u32, u32), ()>,
    pub input_size: Option<TypedFunc<(u32, u32), i32>>,
    pub inputs: Option<TypedFunc<(), u32>>,
    pub witness_size: TypedFunc<(), u32>,
    pub get_witness: TypedFunc<u32, ()>,
}

/// The state of the imports.
struct State {
    memory: Option<Memory>,
    limits: StoreLimits,
    exception: Option<i32>,
    messages: Text,
    log: Text,
    /// The line of the log that is not finished.
    line: Vec<String>,
    /// Whether strings are logged, and a line has several parts: circom 2.0.7 and later.
    logs_strings: bool,
}

impl Access for State {
    fn memory(&self) -> Option<Memory> {
        self.memory
    }
}

/// Lines of bounded length.
#[derive(Default)]
struct Text {
    lines: Vec<String>,
    bytes: usize,
}

impl Text {
    fn push(&mut self, line: String) {
        self.bytes += line.len() + 1;
        if self.bytes <= MAX_TEXT {
            self.lines.push(line);
        }
    }
}

/// A generator's module, and the one that overwrites the interpreter's stack after a run. An engine keeps the code of every module
/// that it translated, so both are translated once.
pub struct Code {
    pub module: Module,
    wiper: Module,
}

impl Code {
    /// Translates a module. An error is that of the module.
    pub fn new(engine: &Engine, bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self { module: Module::new(engine, bytes)?, wiper: Module::new(engine, &WIPER[..])? })
    }
}

/// An instance of a generator.
pub struct Generator<'a> {
    store: Store<State>,
    wiper: &'a Module,
    instance: Instance,
    pub exports: Exports,
    bounds: Bounds<'a>,
}

/// Returns an interpreter for one kind of generator.
pub fn engine() -> Engine {
    let mut config = Config::default();
    // Translation takes time in proportion to the module, once. With a cost it could end a run that cannot be resumed.
    let costs = CustomFuelCosts {
        bytes_copied_per_fuel: 64,
        fuel_per_bytes_translated: 0,
        fuel_per_bytes_validated: 0,
    };
    config
        .consume_fuel(true)
        .fuel_cost(costs)
        .allow_start_fn(false)
        .floats(false)
        .ignore_custom_sections(true)
        .set_max_stack_height(STACK)
        .set_min_stack_height(STACK);
    Engine::new(&config)
}

impl<'a> Generator<'a> {
    /// Instantiates a module. An error of the interface names the export that is missing.
    ///
    /// Native field operations of a [rewritten](native::rewritten) module work if the field is known.
    pub fn new(code: &'a Code, bounds: Bounds<'a>, field: Option<Field>) -> Result<Self, Stop> {
        let Code { module, wiper } = code;
        if let Some(ExternType::Memory(memory)) = module.get_export("memory")
            && memory.minimum().saturating_mul(PAGE as u64) > bounds.memory as u64
        {
            return Err(Stop::Memory);
        }
        let engine = module.engine();
        let limits = StoreLimitsBuilder::new()
            .memory_size(bounds.memory)
            .table_elements(MAX_TABLE)
            .memories(1)
            .tables(2) // with that of native functions
            .instances(1)
            .trap_on_grow_failure(true)
            .build();
        let (messages, log, line) = Default::default();
        let state = State {
            memory: None,
            limits,
            exception: None,
            messages,
            log,
            line,
            logs_strings: false,
        };
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.limits);
        store.set_fuel(SLICE).expect("fuel is enabled");
        let linker = imports(engine).map_err(|error| Stop::Trap(error.to_string()))?;
        let instance = linker.instantiate_and_start(&mut store, module).map_err(stop_of)?;
        let exports = Exports::new(&instance, &mut store).map_err(Stop::Trap)?;
        let state = store.data_mut();
        state.logs_strings = exports.version >= [2, 0, 7];
        state.memory = Some(exports.memory);
        if let Some(field) = field {
            native::install(&instance, &mut store, field)
                .map_err(|error| Stop::Trap(error.to_string()))?;
        }
        Ok(Self { store, wiper, instance, exports, bounds })
    }

    /// Returns whether the module computes in the field as the native functions do. Overwrites the end of the memory.
    pub fn agrees(&mut self, field: &Field) -> bool {
        self.store.set_fuel(SLICE).expect("fuel is enabled");
        native::agrees(&self.instance, &mut self.store, field)
    }

    /// Grows the memory to its bound, if the bound exceeds the module's initial memory.
    pub fn grow(&mut self) -> Result<(), Stop> {
        let (memory, bytes) = (self.exports.memory, self.memory_bytes());
        let missing = self.bounds.memory.saturating_sub(bytes) / PAGE;
        memory.grow(&mut self.store, missing as u64).map_err(|_| Stop::Memory)?;
        Ok(())
    }

    /// Returns the size of the linear memory.
    pub fn memory_bytes(&self) -> usize {
        self.exports.memory.data_size(&self.store)
    }

    /// Calls an exported function within the bounds.
    pub fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        function: TypedFunc<P, R>,
        parameters: P,
    ) -> Result<R, Stop> {
        let mut call = function.call_resumable(&mut self.store, parameters).map_err(stop_of)?;
        loop {
            match call {
                TypedResumableCall::Finished(results) => return Ok(results),
                TypedResumableCall::HostTrap(trap) => {
                    return Err(self.stop_in_import(trap.host_error()));
                }
                TypedResumableCall::OutOfFuel(paused) => {
                    self.bounds.cancel.check().map_err(Stop::Cancelled)?;
                    if Instant::now() >= self.bounds.deadline {
                        return Err(Stop::Time);
                    }
                    let fuel = SLICE.max(paused.required_fuel());
                    self.store.set_fuel(fuel).expect("fuel is enabled");
                    call = paused.resume(&mut self.store).map_err(stop_of)?;
                }
            }
        }
    }

    fn stop_in_import(&mut self, error: &Error) -> Stop {
        let state = self.store.data_mut();
        match state.exception.take() {
            Some(code) => {
                Stop::Exception { code, messages: std::mem::take(&mut state.messages.lines) }
            }
            None => Stop::Trap(error.to_string()),
        }
    }

    /// Reads the shared value into `limbs`, lowest limb first.
    pub fn read(&mut self, limbs: &mut [u32]) -> Result<(), Stop> {
        for (number, limb) in limbs.iter_mut().enumerate() {
            *limb = self.call(self.exports.read, number as u32)?;
        }
        Ok(())
    }

    /// Reads the shared value.
    pub fn read_scalar(&mut self) -> Result<Scalar, Stop> {
        let mut value = Scalar::default();
        if let Some(start) = self.exports.shared {
            let memory = self.exports.memory.data(&self.store);
            let shared = start.checked_add(value.len()).and_then(|end| memory.get(start..end));
            value.copy_from_slice(
                shared
                    .ok_or_else(|| Stop::Trap("the shared value is outside the memory".into()))?,
            );
            return Ok(value);
        }
        let mut limbs = [0; LIMBS];
        self.read(&mut limbs)?;
        value
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(limbs)
            .for_each(|(bytes, limb)| *bytes = limb.to_le_bytes());
        Ok(value)
    }

    /// Writes the shared value.
    pub fn write_scalar(&mut self, value: &Scalar) -> Result<(), Stop> {
        for (number, limb) in value.as_chunks().0.iter().enumerate() {
            self.call(self.exports.write, (number as u32, u32::from_le_bytes(*limb)))?;
        }
        Ok(())
    }

    /// Takes the lines that the circuit logged.
    pub fn take_log(&mut self) -> Vec<String> {
        let state = self.store.data_mut();
        if !state.line.is_empty() {
            let line = std::mem::take(&mut state.line).join(" ");
            state.log.push(line);
        }
        std::mem::take(&mut state.log.lines)
    }
}

/// Overwrites the memory of the generator and the stack of the interpreter.
impl Drop for Generator<'_> {
    fn drop(&mut self) {
        wipe(self.exports.memory.data_mut(&mut self.store));
        wipe_interpreter(self.wiper);
        wipe_stack();
    }
}

impl Exports {
    fn new(instance: &Instance, store: &mut Store<State>) -> Result<Self, String> {
        let memory = instance.get_memory(&*store, "memory").ok_or("it exports no memory")?;
        let mut exports = Self {
            memory,
            version: [0; 3],
            shared: None,
            read: required(instance, store, "readSharedRWMemory")?,
            write: required(instance, store, "writeSharedRWMemory")?,
            init: required(instance, store, "init")?,
            get_prime: required(instance, store, "getRawPrime")?,
            limbs: required(instance, store, "getFieldNumLen32")?,
            set_input: required(instance, store, "setInputSignal")?,
            input_size: optional(instance, store, "getInputSignalSize")?,
            inputs: optional(instance, store, "getInputSize")?,
            witness_size: required(instance, store, "getWitnessSize")?,
            get_witness: required(instance, store, "getWitness")?,
        };
        required::<(), u32>(instance, store, "getVersion")?;
        let mut number = |name| -> Result<Option<u32>, String> {
            let function = optional::<(), u32>(instance, store, name)?;
            Ok(function.and_then(|function| function.call(&mut *store, ()).ok()))
        };
        for (part, name) in
            ["getVersion", "getMinorVersion", "getPatchVersion"].into_iter().enumerate()
        {
            exports.version[part] = number(name)?.unwrap_or(0);
        }
        exports.shared = number("getSharedRWMemoryStart")?.map(|start| start as usize);
        Ok(exports)
    }
}

fn required<P: WasmParams, R: WasmResults>(
    instance: &Instance,
    store: &Store<State>,
    name: &str,
) -> Result<TypedFunc<P, R>, String> {
    optional(instance, store, name)?.ok_or_else(|| format!("it exports no function `{name}`"))
}

fn optional<P: WasmParams, R: WasmResults>(
    instance: &Instance,
    store: &Store<State>,
    name: &str,
) -> Result<Option<TypedFunc<P, R>>, String> {
    let Some(export) = instance.get_export(store, name) else { return Ok(None) };
    let function = export.into_func().and_then(|function| function.typed(store).ok());
    function.map(Some).ok_or_else(|| format!("its export `{name}` has another type"))
}

fn imports(engine: &Engine) -> Result<Linker<State>, Error> {
    let mut linker = Linker::new(engine);
    linker.func_wrap(RUNTIME, "exceptionHandler", |mut caller: Caller<'_, State>, code: i32| {
        // Before circom 2.0.7 the message is not printed, but ready.
        let message = message(&mut caller).unwrap_or_default();
        let state = caller.data_mut();
        state.exception = Some(code);
        if state.messages.lines.is_empty() && !message.is_empty() {
            state.messages.push(message.trim_end().into());
        }
        Err::<(), _>(Error::new("exception"))
    })?;
    linker.func_wrap(RUNTIME, "printErrorMessage", |mut caller: Caller<'_, State>| {
        let message = message(&mut caller)?;
        caller.data_mut().messages.push(message.trim_end().into());
        Ok::<_, Error>(())
    })?;
    linker.func_wrap(RUNTIME, "writeBufferMessage", |mut caller: Caller<'_, State>| {
        let message = message(&mut caller)?;
        let state = caller.data_mut();
        if message == "\n" {
            let line = std::mem::take(&mut state.line).join(" ");
            state.log.push(line);
        } else if state.line.len() < MAX_MESSAGE {
            state.line.push(message);
        }
        Ok::<_, Error>(())
    })?;
    linker.func_wrap(RUNTIME, "showSharedRWMemory", |mut caller: Caller<'_, State>| {
        let value = decimal(&shared(&mut caller)?);
        let state = caller.data_mut();
        if !state.logs_strings {
            state.log.push(value);
        } else if state.line.len() < MAX_MESSAGE {
            state.line.push(value);
        }
        Ok::<_, Error>(())
    })?;
    Ok(linker)
}

/// Returns the imports that a module may have.
pub fn is_import(module: &str, name: &str) -> bool {
    let known =
        ["exceptionHandler", "printErrorMessage", "writeBufferMessage", "showSharedRWMemory"];
    module == RUNTIME && known.contains(&name)
}

/// Calls an export from an import, with fuel of its own: the run may have little left.
fn call_back<P: WasmParams, R: WasmResults>(
    caller: &mut Caller<'_, State>,
    name: &str,
    parameters: P,
) -> Result<R, Error> {
    let function = caller.get_export(name).and_then(Extern::into_func);
    let function =
        function.ok_or_else(|| Error::new(format!("it exports no function `{name}`")))?;
    let function = function.typed::<P, R>(&mut *caller)?;
    let fuel = caller.get_fuel()?;
    caller.set_fuel(MESSAGE_SLICE)?;
    let result = function.call(&mut *caller, parameters);
    caller.set_fuel(fuel.saturating_sub(CALL_BACK))?;
    result
}

/// Reads the message that the generator prepared.
fn message(caller: &mut Caller<'_, State>) -> Result<String, Error> {
    let mut message = String::new();
    for _ in 0..MAX_MESSAGE {
        match call_back::<(), u32>(caller, "getMessageChar", ())? {
            0 => break,
            character => {
                message.push(char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
    }
    Ok(message)
}

fn shared(caller: &mut Caller<'_, State>) -> Result<Scalar, Error> {
    let mut value = Scalar::default();
    for (number, bytes) in value.as_chunks_mut().0.iter_mut().enumerate() {
        *bytes = call_back::<u32, u32>(caller, "readSharedRWMemory", number as u32)?.to_le_bytes();
    }
    Ok(value)
}

fn stop_of(error: Error) -> Stop {
    match error.as_trap_code() {
        Some(TrapCode::GrowthOperationLimited) => Stop::Memory,
        _ => Stop::Trap(error.to_string()),
    }
}

/// A function with 1000 locals of 64 bits that calls itself without end. The interpreter sets locals to zero.
///
/// ```text
/// (module (func (export "w") (local i64 …) call 0))
/// ```
const WIPER: [u8; 36] = [
    0, b'a', b's', b'm', 1, 0, 0, 0, // module, version
    1, 4, 1, 0x60, 0, 0, // one type: nothing to nothing
    3, 2, 1, 0, // one function of it
    7, 5, 1, 1, b'w', 0, 0, // exported
    10, 9, 1, 7, 1, 0xe8, 0x07, 0x7e, 0x10, 0, 0x0b, // its body: 1000 locals, a call
];

/// Overwrites the stack that the interpreter used last, except for less than 8 KiB at its end.
fn wipe_interpreter(wiper: &Module) {
    let wipe = || -> Result<(), Error> {
        let engine = wiper.engine();
        let mut store = Store::new(engine, ());
        store.set_fuel(SLICE)?;
        let instance = Linker::new(engine).instantiate_and_start(&mut store, wiper)?;
        instance.get_typed_func::<(), ()>(&store, "w")?.call(&mut store, ())
    };
    let end = wipe().map_err(|error| error.as_trap_code());
    debug_assert_eq!(end, Err(Some(TrapCode::StackOverflow)));
}
