//! The names of rapidsnark's `prover.h` and `verifier.h`, so that programs that were linked to it are linked to proofmill instead.
//! Proofs are made on `cpu:` with all threads, or on the device that the variable PROOFMILL_DEVICE names.
//!
//! Sizes that come back do not count the zero byte at the end, as there.

use std::ffi::{c_char, c_int, c_ulong, c_ulonglong, c_void};

use proofmill::groth16::snarkjs::{Witness, Zkey};

use crate::buffer::{bytes, close, give, handle, place, text};
use crate::groth16::{PROOF_BYTES, proofmill_prover, public_bytes, verify};
use crate::status::{Failure, Outcome, guarded, proofmill_status};

/// The proof is there.
pub const PROVER_OK: c_int = 0;
/// It is not; the message says why.
pub const PROVER_ERROR: c_int = 1;
/// A buffer is too small; the sizes say what is needed.
pub const PROVER_ERROR_SHORT_BUFFER: c_int = 2;
/// The witness is of another circuit.
pub const PROVER_INVALID_WITNESS_LENGTH: c_int = 3;
/// The proof is valid.
pub const VERIFIER_VALID_PROOF: c_int = 0;
/// It is not.
pub const VERIFIER_INVALID_PROOF: c_int = 1;
/// There is no answer; the message says why.
pub const VERIFIER_ERROR: c_int = 2;

/// Where a caller wants to read what went wrong.
struct Message {
    text: *mut c_char,
    room: usize,
}

impl Message {
    fn new(text: *mut c_char, room: usize) -> Self {
        Self { text, room }
    }

    /// Writes as much as there is room for.
    fn say(&self, said: &str) {
        if self.text.is_null() || self.room == 0 {
            return;
        }
        let length =
            (0..=said.len().min(self.room - 1)).rev().find(|&at| said.is_char_boundary(at));
        let length = length.unwrap_or(0);
        // SAFETY: the caller has given so much room.
        unsafe {
            std::ptr::copy_nonoverlapping(said.as_ptr(), self.text.cast(), length);
            *self.text.add(length) = 0;
        }
    }
}

/// A code of the prover, and the message.
struct Fault(c_int, String);

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        let is_short = failure.status == proofmill_status::PROOFMILL_SHORT_BUFFER;
        Self(if is_short { PROVER_ERROR_SHORT_BUFFER } else { PROVER_ERROR }, failure.text)
    }
}

/// Runs a call of the prover.
fn prover(message: &Message, body: impl FnOnce() -> Result<(), Fault>) -> c_int {
    match guarded(|| Ok(body())).unwrap_or_else(|bug| Err(bug.into())) {
        Ok(()) => PROVER_OK,
        Err(Fault(code, text)) => {
            message.say(&text);
            code
        }
    }
}

unsafe fn buffer<'a>(argument: &str, pointer: *const c_void, size: u64) -> Outcome<&'a [u8]> {
    let size = usize::try_from(size).map_err(|_| Failure::argument(argument, "too large"))?;
    unsafe { bytes(argument, pointer.cast(), size) }
}

fn zkey(bytes: &[u8]) -> Outcome<Zkey> {
    Ok(Zkey::from_bytes("zkey", bytes.into())?)
}

unsafe fn zkey_file(argument: &str, path: *const c_char) -> Outcome<Zkey> {
    Ok(Zkey::open(unsafe { text(argument, path)? })?)
}

fn open(key: Zkey) -> Outcome<proofmill_prover> {
    let device = std::env::var("PROOFMILL_DEVICE").unwrap_or_else(|_| "cpu:".into());
    proofmill_prover::new(&device, key, true)
}

/// Puts a prover for a key at its place.
unsafe fn created(
    prover_object: *mut *mut c_void,
    key: impl FnOnce() -> Outcome<Zkey>,
) -> Result<(), Fault> {
    let place = prover_object.cast::<*mut proofmill_prover>();
    unsafe { give("prover_object", place, || open(key()?))? };
    Ok(())
}

unsafe fn tell_public_size(key: &Zkey, public_size: *mut c_ulonglong) -> Result<(), Fault> {
    *unsafe { place("public_size", public_size)? } = public_bytes(key) as u64;
    Ok(())
}

/// Where a proof goes.
struct Room {
    proof: *mut c_char,
    proof_size: *mut c_ulonglong,
    public: *mut c_char,
    public_size: *mut c_ulonglong,
}

impl Room {
    /// Are the buffers large enough? If not, the sizes say what is needed.
    unsafe fn demand(&self, proof_bytes: usize, public_bytes: usize) -> Outcome {
        let proof_size = unsafe { place("proof_size", self.proof_size)? };
        let public_size = unsafe { place("public_size", self.public_size)? };
        let (proof_bytes, public_bytes) = (proof_bytes as u64, public_bytes as u64);
        if self.proof.is_null() || self.public.is_null() {
            return Err(Failure::argument("proof_buffer or public_buffer", "is null"));
        }
        if *proof_size < proof_bytes || *public_size < public_bytes {
            (*proof_size, *public_size) = (proof_bytes, public_bytes);
            let text = format!(
                "{proof_bytes} bytes are needed for the proof, {public_bytes} for the public values"
            );
            return Err(Failure { status: proofmill_status::PROOFMILL_SHORT_BUFFER, text });
        }
        Ok(())
    }

    unsafe fn fill(&self, prover: &proofmill_prover, witness: &[u8]) -> Result<(), Fault> {
        // What is surely too small is said before the work; how much it takes is known after it.
        unsafe { self.demand(1, 1)? };
        let witness = Witness::from_bytes("wtns", witness.into()).map_err(Failure::from)?;
        let (found, expected) = (witness.count(), prover.variables());
        if found != expected {
            let text = format!("wtns: {found} values; the circuit has {expected}");
            return Err(Fault(PROVER_INVALID_WITNESS_LENGTH, text));
        }
        let made = prover.prove(&witness, None)?;
        unsafe { self.demand(made.proof.len() + 1, made.public.len() + 1)? };
        // SAFETY: there is room for both.
        unsafe {
            for (text, out, size) in [
                (&made.proof, self.proof, self.proof_size),
                (&made.public, self.public, self.public_size),
            ] {
                std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast(), text.len());
                *out.add(text.len()) = 0;
                *size = text.len() as u64;
            }
        }
        Ok(())
    }
}

/// A size for `public_buffer` that is large enough for every proof with this key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_public_size_for_zkey_buf(
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        tell_public_size(&zkey(buffer("zkey_buffer", zkey_buffer, zkey_size)?)?, public_size)
    })
}

/// The same for a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_public_size_for_zkey_file(
    zkey_fname: *const c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        tell_public_size(&zkey_file("zkey_fname", zkey_fname)?, public_size)
    })
}

/// A size for `proof_buffer` that is large enough for every proof.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_proof_size(proof_size: *mut c_ulonglong) {
    // SAFETY: the caller's own variable, or null.
    if let Some(proof_size) = unsafe { proof_size.as_mut() } {
        *proof_size = PROOF_BYTES as u64;
    }
}

/// A prover for the bytes of a .zkey file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_create(
    prover_object: *mut *mut c_void,
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        created(prover_object, || zkey(buffer("zkey_buffer", zkey_buffer, zkey_size)?))
    })
}

/// A prover for a .zkey file, which is mapped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_create_zkey_file(
    prover_object: *mut *mut c_void,
    zkey_file_path: *const c_char,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        created(prover_object, || zkey_file("zkey_file_path", zkey_file_path))
    })
}

/// A proof and its public values as JSON, for the bytes of a .wtns file.
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
    let room = Room { proof: proof_buffer, proof_size, public: public_buffer, public_size };
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        let prover = handle("prover_object", prover_object.cast_const().cast())?;
        room.fill(prover, buffer("wtns_buffer", wtns_buffer, wtns_size)?)
    })
}

/// Frees a prover.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_destroy(prover_object: *mut c_void) {
    unsafe { close(prover_object.cast::<proofmill_prover>()) };
}

/// One proof with the bytes of a .zkey file.
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
    let room = Room { proof: proof_buffer, proof_size, public: public_buffer, public_size };
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        let key = buffer("zkey_buffer", zkey_buffer, zkey_size)?;
        let prover = open(zkey(key)?)?;
        room.fill(&prover, buffer("wtns_buffer", wtns_buffer, wtns_size)?)
    })
}

/// One proof with a .zkey file.
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
    let room = Room { proof: proof_buffer, proof_size, public: public_buffer, public_size };
    prover(&Message::new(error_msg, error_msg_maxsize as usize), || unsafe {
        let prover = open(zkey_file("zkey_file_path", zkey_file_path)?)?;
        room.fill(&prover, buffer("wtns_buffer", wtns_buffer, wtns_size)?)
    })
}

/// Does a proof convince? JSON texts as snarkjs writes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_verify(
    proof: *const c_char,
    inputs: *const c_char,
    verification_key: *const c_char,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulong,
) -> c_int {
    let convinced = guarded(|| unsafe {
        let key = text("verification_key", verification_key)?;
        verify(key, text("inputs", inputs)?, text("proof", proof)?)
    });
    match convinced {
        Ok(true) => VERIFIER_VALID_PROOF,
        Ok(false) => VERIFIER_INVALID_PROOF,
        Err(failure) => {
            Message::new(error_msg, error_msg_maxsize as usize).say(&failure.text);
            VERIFIER_ERROR
        }
    }
}
