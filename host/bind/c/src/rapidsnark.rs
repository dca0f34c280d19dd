//! rapidsnark's interface, its `prover.h` and `verifier.h`, so that programs written for rapidsnark link to proofmill instead.
//! Proofs are made on `cpu:` with all threads, or on the device that the environment variable PROOFMILL_DEVICE names.
//!
//! Returned sizes do not count the zero byte at the end, as in rapidsnark.

use std::ffi::{c_char, c_int, c_ulong, c_ulonglong, c_void};

use proofmill::groth16::snarkjs::{Zkey, verifying_key};
use proofmill::snark::{AnyVerifyingKey, AnyZkey};

use crate::buffer::{Variable, bytes, close, give, handle, text};
use crate::prover::{GROTH16_PROOF_BYTES, proofmill_prover, public_inputs_bytes, verify};
use crate::secret;
use crate::status::{Failure, Outcome, guarded, proofmill_status};

/// The call succeeded.
pub const PROVER_OK: c_int = 0;
/// The call failed; the message gives the reason.
pub const PROVER_ERROR: c_int = 1;
/// A buffer is too small; the sizes are the required ones.
pub const PROVER_ERROR_SHORT_BUFFER: c_int = 2;
/// The witness is for another circuit.
pub const PROVER_INVALID_WITNESS_LENGTH: c_int = 3;
/// The proof is valid.
pub const VERIFIER_VALID_PROOF: c_int = 0;
/// The proof is not valid.
pub const VERIFIER_INVALID_PROOF: c_int = 1;
/// Verification failed; the message gives the reason.
pub const VERIFIER_ERROR: c_int = 2;

/// The caller's buffer for a message.
struct Message {
    text: *mut c_char,
    size: usize,
}

impl Message {
    fn new(text: *mut c_char, size: impl TryInto<usize>) -> Self {
        Self { text, size: size.try_into().unwrap_or(usize::MAX) }
    }

    /// Writes as much of a message as the buffer holds, and a zero byte.
    fn write(&self, message: &str) {
        if self.text.is_null() || self.size == 0 {
            return;
        }
        let limit = message.len().min(self.size - 1);
        let length = (0..=limit).rev().find(|&at| message.is_char_boundary(at)).unwrap_or(0);
        // SAFETY: the caller guarantees that the buffer has this size.
        unsafe {
            std::ptr::copy_nonoverlapping(message.as_ptr(), self.text.cast(), length);
            *self.text.add(length) = 0;
        }
    }
}

/// A code of the prover, and the message.
struct Fault(c_int, String);

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let is_short = failure.status == proofmill_status::PROOFMILL_ERROR_SHORT_BUFFER;
        Self(if is_short { PROVER_ERROR_SHORT_BUFFER } else { PROVER_ERROR }, failure.text)
    }
}

/// Runs the body of a call of the prover.
fn prover(message: &Message, body: impl FnOnce() -> Result<(), Fault>) -> c_int {
    match guarded(|| Ok(body())).unwrap_or_else(|bug| Err(bug.into())) {
        Ok(()) => PROVER_OK,
        Err(Fault(code, text)) => {
            message.write(&text);
            code
        }
    }
}

unsafe fn buffer<'a>(argument: &str, pointer: *const c_void, size: u64) -> Outcome<&'a [u8]> {
    let size = usize::try_from(size).map_err(|_| Failure::argument(argument, "is too large"))?;
    unsafe { bytes(argument, pointer.cast(), size) }
}

fn zkey(bytes: &[u8]) -> Outcome<AnyZkey> {
    Ok(AnyZkey::Groth16(Zkey::from_bytes("zkey", bytes.into())?))
}

unsafe fn zkey_file(argument: &str, path: *const c_char) -> Outcome<AnyZkey> {
    Ok(AnyZkey::Groth16(Zkey::open(unsafe { text(argument, path)? })?))
}

fn open(key: AnyZkey) -> Outcome<proofmill_prover> {
    let device = std::env::var("PROOFMILL_DEVICE").unwrap_or_else(|_| "cpu:".into());
    proofmill_prover::new(&device, key, true)
}

/// Stores a new prover for a key.
unsafe fn created(
    prover_object: *mut *mut c_void,
    key: impl FnOnce() -> Outcome<AnyZkey>,
) -> Result<(), Fault> {
    let handle = prover_object.cast::<*mut proofmill_prover>();
    unsafe { give("prover_object", handle, || open(key()?))? };
    Ok(())
}

fn store_public_size(
    public_size: *mut c_ulonglong,
    key: impl FnOnce() -> Outcome<AnyZkey>,
) -> Result<(), Fault> {
    let public_size = Variable::new("public_size", public_size)?;
    public_size.set(public_inputs_bytes(&key()?) as u64);
    Ok(())
}

/// The caller's buffers for a proof and its public inputs.
struct Buffers {
    proof: *mut c_char,
    proof_size: *mut c_ulonglong,
    public: *mut c_char,
    public_size: *mut c_ulonglong,
}

impl Buffers {
    /// Checks that the buffers have space for so many bytes; if not, sets the sizes to the required ones.
    fn demand(&self, proof_bytes: usize, public_bytes: usize) -> Outcome {
        let proof_size = Variable::new("proof_size", self.proof_size)?;
        let public_size = Variable::new("public_size", self.public_size)?;
        Variable::new("proof_buffer", self.proof)?;
        Variable::new("public_buffer", self.public)?;
        let (proof_bytes, public_bytes) = (proof_bytes as u64, public_bytes as u64);
        if proof_size.get() < proof_bytes || public_size.get() < public_bytes {
            proof_size.set(proof_bytes);
            public_size.set(public_bytes);
            let text = format!(
                "{proof_bytes} bytes are required for the proof, {public_bytes} for the public inputs"
            );
            return Err(Failure { status: proofmill_status::PROOFMILL_ERROR_SHORT_BUFFER, text });
        }
        Ok(())
    }

    unsafe fn fill(&self, prover: &proofmill_prover, witness: &[u8]) -> Result<(), Fault> {
        // Buffers that cannot suffice are rejected before the work; the size of the proof is known after it.
        self.demand(1, 1)?;
        let witness = secret::witness("wtns", witness).map_err(Failure::from)?;
        let (found, expected) = (witness.count(), prover.variables());
        if found != expected {
            let text = format!("wtns: {found} values; the circuit has {expected}");
            return Err(Fault(PROVER_INVALID_WITNESS_LENGTH, text));
        }
        let made = prover.prove(&witness, None)?;
        self.demand(made.proof.len() + 1, made.public_inputs.len() + 1)?;
        // SAFETY: both fit.
        unsafe {
            for (text, out, size) in [
                (&made.proof, self.proof, self.proof_size),
                (&made.public_inputs, self.public, self.public_size),
            ] {
                std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast(), text.len());
                *out.add(text.len()) = 0;
                *size = text.len() as u64;
            }
        }
        Ok(())
    }
}

/// Sets `*public_size` to a size of `public_buffer` that suffices for every proof with the bytes of a .zkey file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_public_size_for_zkey_buf(
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        store_public_size(public_size, || zkey(buffer("zkey_buffer", zkey_buffer, zkey_size)?))
    })
}

/// Sets `*public_size` as groth16_public_size_for_zkey_buf does, for a .zkey file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_public_size_for_zkey_file(
    zkey_fname: *const c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        store_public_size(public_size, || zkey_file("zkey_fname", zkey_fname))
    })
}

/// Sets `*proof_size` to a size of `proof_buffer` that suffices for every proof.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_proof_size(proof_size: *mut c_ulonglong) {
    if let Ok(proof_size) = Variable::new("proof_size", proof_size) {
        proof_size.set(GROTH16_PROOF_BYTES as u64);
    }
}

/// Opens a prover for the bytes of a .zkey file, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_create(
    prover_object: *mut *mut c_void,
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        created(prover_object, || zkey(buffer("zkey_buffer", zkey_buffer, zkey_size)?))
    })
}

/// Opens a prover for a .zkey file, which is mapped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_create_zkey_file(
    prover_object: *mut *mut c_void,
    zkey_file_path: *const c_char,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        created(prover_object, || zkey_file("zkey_file_path", zkey_file_path))
    })
}

/// Makes a proof for the bytes of a .wtns file; writes it and its public inputs as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_prove(
    prover_object: *mut c_void,
    wtns_buffer: *const c_void,
    wtns_size: c_ulonglong,
    proof_buffer: *mut c_char,
    proof_size: *mut c_ulonglong,
    public_buffer: *mut c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    let buffers = Buffers { proof: proof_buffer, proof_size, public: public_buffer, public_size };
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        let prover = handle("prover_object", prover_object.cast_const().cast())?;
        buffers.fill(prover, buffer("wtns_buffer", wtns_buffer, wtns_size)?)
    })
}

/// Frees a prover.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_destroy(prover_object: *mut c_void) {
    unsafe { close(prover_object.cast::<proofmill_prover>()) };
}

/// Makes one proof with the bytes of a .zkey file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover(
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    wtns_buffer: *const c_void,
    wtns_size: c_ulonglong,
    proof_buffer: *mut c_char,
    proof_size: *mut c_ulonglong,
    public_buffer: *mut c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    let buffers = Buffers { proof: proof_buffer, proof_size, public: public_buffer, public_size };
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        let key = buffer("zkey_buffer", zkey_buffer, zkey_size)?;
        let prover = open(zkey(key)?)?;
        buffers.fill(&prover, buffer("wtns_buffer", wtns_buffer, wtns_size)?)
    })
}

/// Makes one proof with a .zkey file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_zkey_file(
    zkey_file_path: *const c_char,
    wtns_buffer: *const c_void,
    wtns_size: c_ulonglong,
    proof_buffer: *mut c_char,
    proof_size: *mut c_ulonglong,
    public_buffer: *mut c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    let buffers = Buffers { proof: proof_buffer, proof_size, public: public_buffer, public_size };
    prover(&Message::new(error_msg, error_msg_maxsize), || unsafe {
        let prover = open(zkey_file("zkey_file_path", zkey_file_path)?)?;
        buffers.fill(&prover, buffer("wtns_buffer", wtns_buffer, wtns_size)?)
    })
}

/// Verifies a proof; the arguments are JSON as snarkjs writes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_verify(
    proof: *const c_char,
    inputs: *const c_char,
    verification_key: *const c_char,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulong,
) -> c_int {
    let verified = guarded(|| unsafe {
        let key = text("verification_key", verification_key)?;
        let (inputs, proof) = (text("inputs", inputs)?, text("proof", proof)?);
        let key = verifying_key::parse("verification_key", key.as_bytes())?;
        verify(&AnyVerifyingKey::Groth16(key), ("inputs", inputs), proof)
    });
    match verified {
        Ok(true) => VERIFIER_VALID_PROOF,
        Ok(false) => VERIFIER_INVALID_PROOF,
        Err(failure) => {
            Message::new(error_msg, error_msg_maxsize).write(&failure.text);
            VERIFIER_ERROR
        }
    }
}
