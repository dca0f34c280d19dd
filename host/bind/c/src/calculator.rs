//! Proofs from the inputs of circuits, with the WebAssembly generators that circom writes.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::time::Duration;

use proofmill::snark::{Limits, WitnessCalculator};

use crate::batch::proofmill_proving;
use crate::buffer::{bytes, close, give, handle, text};
use crate::prover::{Made, control, proofmill_progress, proofmill_prover, reporter};
use crate::secret;
use crate::status::{Failure, Outcome, call, proofmill_status};

/// A witness generator of circom 2.
pub struct proofmill_calculator(Arc<WitnessCalculator>);

/// Opens a witness generator, a .wasm file that `circom --wasm` writes, and stores the handle in `*calculator`, or NULL on failure.
/// `max_bytes` limits the generator's memory and `max_seconds` the time of each calculation; 0 means 2 GiB and 600 s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_calculator_open(
    wasm_path: *const c_char,
    max_bytes: usize,
    max_seconds: f64,
    calculator: *mut *mut proofmill_calculator,
) -> proofmill_status {
    call(|| unsafe {
        give("calculator", calculator, || {
            let path = text("wasm_path", wasm_path)?;
            let opened = WitnessCalculator::open_with(path, limits(max_bytes, max_seconds)?)?;
            Ok(proofmill_calculator(Arc::new(opened)))
        })
    })
}

/// Opens a witness generator as proofmill_calculator_open does, from the bytes of a .wasm file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_calculator_open_bytes(
    wasm: *const u8,
    wasm_length: usize,
    max_bytes: usize,
    max_seconds: f64,
    calculator: *mut *mut proofmill_calculator,
) -> proofmill_status {
    call(|| unsafe {
        give("calculator", calculator, || {
            let (wasm, limits) =
                (bytes("wasm", wasm, wasm_length)?, limits(max_bytes, max_seconds)?);
            Ok(proofmill_calculator(Arc::new(WitnessCalculator::from_bytes("wasm", wasm, limits)?)))
        })
    })
}

/// Frees a witness generator. Proofs that proofmill_full_prove_start started continue. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_calculator_close(calculator: *mut proofmill_calculator) {
    unsafe { close(calculator) };
}

/// Calculates the witness for the inputs of a circuit and proves it. `inputs` is JSON with a value for each input signal, as
/// snarkjs reads it; its copies are overwritten in the end. The other arguments are those of proofmill_prove; the first step is
/// "witness".
///
/// Fails with PROOFMILL_ERROR_FILE for malformed JSON, and with PROOFMILL_ERROR_ARGUMENT for wrong signals (`inputs`), a failed
/// assertion, with its template and line (`witness generator`), or an exceeded limit (`limits`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_full_prove(
    prover: *const proofmill_prover,
    calculator: *const proofmill_calculator,
    inputs: *const c_char,
    inputs_length: usize,
    progress: proofmill_progress,
    context: *mut c_void,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_inputs: *mut c_char,
    public_inputs_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let prover = handle("prover", prover)?;
        let calculator = handle("calculator", calculator)?;
        prover.demand(proof, proof_length, public_inputs, public_inputs_length)?;
        let inputs = secret::inputs(bytes("inputs", inputs.cast(), inputs_length)?)?;
        let control = control(progress.map(|progress| reporter(progress, context)));
        let proved = calculator.0.full_prove_with(prover.shared(), &inputs, &control);
        Made::of(proved)?.put(proof, proof_length, public_inputs, public_inputs_length)
    })
}

/// Starts a calculation and a proof as proofmill_full_prove does, and returns at once. The inputs are copied. Stores the handle in
/// `*proving`, or NULL on failure. `progress` may be NULL; it is called until the proof ends or its handle is closed. The prover and
/// the generator may be closed meanwhile. proofmill_proving_cancel cancels the calculation, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_full_prove_start(
    prover: *const proofmill_prover,
    calculator: *const proofmill_calculator,
    inputs: *const c_char,
    inputs_length: usize,
    progress: proofmill_progress,
    context: *mut c_void,
    proving: *mut *mut proofmill_proving,
) -> proofmill_status {
    call(|| unsafe {
        give("proving", proving, || {
            let prover = handle("prover", prover)?;
            let calculator = handle("calculator", calculator)?;
            let inputs = secret::inputs(bytes("inputs", inputs.cast(), inputs_length)?)?;
            proofmill_proving::start(progress, context, |control| {
                calculator.0.submit(prover.shared(), inputs, control)
            })
        })
    })
}

/// Returns the limits of the caller. 0 means the default.
fn limits(max_bytes: usize, max_seconds: f64) -> Outcome<Limits> {
    let mut limits = Limits::default();
    if max_bytes != 0 {
        limits.max_bytes = max_bytes;
    }
    if max_seconds != 0.0 {
        limits.max_time = Duration::try_from_secs_f64(max_seconds).map_err(|_| {
            let problem = format!("{max_seconds}; expected a finite number that is not negative");
            Failure::argument("max_seconds", problem)
        })?;
    }
    Ok(limits)
}
