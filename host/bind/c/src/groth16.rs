//! Groth16.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use proofmill::groth16::snarkjs::{self, Witness, Zkey};
use proofmill::groth16::{self, Proved, Prover, Settings, Step, Watch};

use crate::buffer::{bytes, close, demand, give, handle, place, put_text, text};
use crate::status::{Outcome, call, proofmill_status};

/// A proof takes no more bytes as text, on any curve.
pub(crate) const PROOF_BYTES: usize = 2048;
/// A public value takes no more: 77 digits, quotes, comma, line break, indentation.
const PUBLIC_BYTES: usize = 96;

/// A proving key on a device.
pub struct proofmill_prover {
    key: Zkey,
    prover: Arc<Prover>,
}

/// Is told which part of a step of a proof is done, from 0 to 1, by any thread. `context` is what the caller gave.
pub type proofmill_progress =
    Option<unsafe extern "C" fn(context: *mut c_void, step: *const c_char, part: f64)>;

/// A prover for a .zkey file, on the device that a URI names ("cpu:", "sim:msm_bn254_twin"). With `resident`, the device keeps
/// the key's points in its own form, for many proofs. The file is mapped: nobody may change it while the prover is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_open(
    uri: *const c_char,
    zkey_path: *const c_char,
    resident: bool,
    prover: *mut *mut proofmill_prover,
) -> proofmill_status {
    call(|| unsafe {
        give("prover", prover, || {
            let key = Zkey::open(text("zkey_path", zkey_path)?)?;
            proofmill_prover::new(text("uri", uri)?, key, resident)
        })
    })
}

/// The same for the bytes of a .zkey file, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_open_bytes(
    uri: *const c_char,
    zkey: *const u8,
    zkey_length: usize,
    resident: bool,
    prover: *mut *mut proofmill_prover,
) -> proofmill_status {
    call(|| unsafe {
        give("prover", prover, || {
            let key = Zkey::from_bytes("zkey", bytes("zkey", zkey, zkey_length)?.into())?;
            proofmill_prover::new(text("uri", uri)?, key, resident)
        })
    })
}

/// Frees a prover. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_close(prover: *mut proofmill_prover) {
    unsafe { close(prover) };
}

/// Sizes of buffers that are large enough for every proof of a prover and for its public values, zero bytes included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_sizes(
    prover: *const proofmill_prover,
    proof_length: *mut usize,
    public_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let prover = handle("prover", prover)?;
        *place("proof_length", proof_length)? = PROOF_BYTES;
        *place("public_length", public_length)? = prover.public_bytes();
        Ok(())
    })
}

/// A proof for the bytes of a .wtns file: proof.json and public.json as snarkjs writes them, with a zero byte at the end. The
/// buffers must have the sizes of proofmill_prover_sizes; their lengths become what the texts take. `progress` may be NULL.
/// Every proof is verified before it is returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prove(
    prover: *const proofmill_prover,
    witness: *const u8,
    witness_length: usize,
    progress: proofmill_progress,
    context: *mut c_void,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_values: *mut c_char,
    public_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let prover = handle("prover", prover)?;
        demand("proof", PROOF_BYTES, proof, proof_length)?;
        demand("public", prover.public_bytes(), public_values, public_length)?;
        let witness = bytes("witness", witness, witness_length)?;
        let witness = Witness::from_bytes("witness", witness.into())?;
        let made = prover.prove(&witness, progress.map(|progress| watch(progress, context)))?;
        made.put(proof, proof_length, public_values, public_length)
    })
}

/// Does a proof convince? The texts of verification_key.json, public.json and proof.json.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_groth16_verify(
    verification_key: *const c_char,
    public_values: *const c_char,
    proof: *const c_char,
    valid: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let place = place("valid", valid)?;
        *place = false;
        let key = text("verification_key", verification_key)?;
        let (public, proof) = (text("public", public_values)?, text("proof", proof)?);
        *place = verify(key, public, proof)?;
        Ok(())
    })
}

/// A proof as texts.
pub(crate) struct Made {
    pub proof: String,
    pub public: String,
}

impl Made {
    pub(crate) fn of(proved: groth16::Result<Proved>) -> Outcome<Self> {
        let proved = proved?;
        let proof = snarkjs::proof::text(&proved.proof)?;
        Ok(Self { proof, public: snarkjs::public::text(&proved.public) })
    }

    /// Both texts to the caller's buffers.
    pub(crate) unsafe fn put(
        &self,
        proof: *mut c_char,
        proof_length: *mut usize,
        public_values: *mut c_char,
        public_length: *mut usize,
    ) -> Outcome {
        unsafe {
            put_text("proof", &self.proof, proof, proof_length)?;
            put_text("public", &self.public, public_values, public_length)
        }
    }
}

impl proofmill_prover {
    pub(crate) fn new(uri: &str, key: Zkey, resident: bool) -> Outcome<Self> {
        let settings = Settings { park: resident, ..Settings::default() };
        let prover = Arc::new(Prover::new(&key, groth16::devices(uri)?, settings)?);
        Ok(Self { key, prover })
    }

    pub(crate) fn public_bytes(&self) -> usize {
        public_bytes(&self.key)
    }

    /// Number of values of a witness.
    pub(crate) fn variables(&self) -> usize {
        self.key.variables()
    }

    pub(crate) fn prove(&self, witness: &Witness, watch: Option<Watch>) -> Outcome<Made> {
        Made::of(self.prover.prove(witness, watch.as_ref()))
    }

    /// The prover, which stays while proofs are made.
    pub(crate) fn shared(&self) -> &Arc<Prover> {
        &self.prover
    }
}

/// What the public values of proofs with a key take at most as a text.
pub(crate) fn public_bytes(key: &Zkey) -> usize {
    (key.publics() + 1) * PUBLIC_BYTES
}

pub(crate) fn verify(key: &str, public: &str, proof: &str) -> Outcome<bool> {
    let key = snarkjs::verifying_key::parse("verification_key", key.as_bytes())?;
    let public = snarkjs::public::parse("public", public.as_bytes(), key.curve)?;
    let proof = snarkjs::proof::parse("proof", proof.as_bytes())?;
    Ok(groth16::verify(&key, &public, &proof)?)
}

/// Hands on to the caller's function.
pub(crate) fn watch(
    progress: unsafe extern "C" fn(*mut c_void, *const c_char, f64),
    context: *mut c_void,
) -> Watch {
    struct Context(*mut c_void);
    // SAFETY: the header says that any thread calls back with it.
    unsafe impl Send for Context {}
    unsafe impl Sync for Context {}
    impl Context {
        fn get(&self) -> *mut c_void {
            self.0
        }
    }
    let context = Context(context);
    Arc::new(move |step: Step, part: f64| {
        let step = format!("{step}\0");
        // SAFETY: the caller's own function, with its own context and a text that ends.
        unsafe { progress(context.get(), step.as_ptr().cast(), part) };
    })
}
