//! Proofs with keys of any protocol.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use proofmill::groth16;
use proofmill::groth16::snarkjs::public;
use proofmill::snark::{
    self, AnyVerifyingKey, AnyZkey, Control, Proof, Protocol, Proved, Prover, Settings, Step,
    StepProgress, Witness,
};

use crate::buffer::{Flag, Variable, bytes, close, demand, give, handle, put_text, text};
use crate::secret;
use crate::status::{Outcome, call, proofmill_status};

/// An upper bound of the bytes of a proof for Groth16 as text, on any curve.
pub(crate) const GROTH16_PROOF_BYTES: usize = 2048;
/// An upper bound of the bytes of a proof for another protocol as text, on any curve.
const OTHER_PROOF_BYTES: usize = 4096;
/// An upper bound of the bytes of a public input: 77 digits, quotes, comma, line break, indentation.
const PUBLIC_INPUT_BYTES: usize = 96;

/// A proving key on a device.
pub struct proofmill_prover(Arc<Prover>);

/// Receives the progress of a proof: the name of a step and the fraction of it that is done, from 0 to 1. Any thread may call it,
/// several at once. `context` is the caller's. It must not throw, and `step` is valid during the call only.
pub type proofmill_progress =
    Option<unsafe extern "C" fn(context: *mut c_void, step: *const c_char, fraction: f64)>;

/// Opens a proving key, a .zkey file for Groth16, PLONK or FFLONK, on the device of a URI ("cpu:", "sim:msm_bn254_twin"), and stores the
/// handle in `*prover`, or NULL on failure. If `resident` is true, the points of the key stay loaded on the device, for many
/// proofs. The file is mapped: it must not change while the prover is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_open(
    uri: *const c_char,
    zkey_path: *const c_char,
    resident: Flag,
    prover: *mut *mut proofmill_prover,
) -> proofmill_status {
    call(|| unsafe {
        give("prover", prover, || {
            let (uri, resident) = (text("uri", uri)?, resident.value("resident")?);
            let key = AnyZkey::open(text("zkey_path", zkey_path)?)?;
            proofmill_prover::new(uri, key, resident)
        })
    })
}

/// Opens a proving key as proofmill_prover_open does, from the bytes of a .zkey file, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_open_bytes(
    uri: *const c_char,
    zkey: *const u8,
    zkey_length: usize,
    resident: Flag,
    prover: *mut *mut proofmill_prover,
) -> proofmill_status {
    call(|| unsafe {
        give("prover", prover, || {
            let (uri, resident) = (text("uri", uri)?, resident.value("resident")?);
            let key = AnyZkey::from_bytes("zkey", bytes("zkey", zkey, zkey_length)?.into())?;
            proofmill_prover::new(uri, key, resident)
        })
    })
}

/// Frees a prover. Proofs that proofmill_prove_start started continue. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_close(prover: *mut proofmill_prover) {
    unsafe { close(prover) };
}

/// Sets both lengths to sizes in bytes that suffice for every proof of a prover and for its public inputs, as strings with their
/// zero bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prover_sizes(
    prover: *const proofmill_prover,
    proof_length: *mut usize,
    public_inputs_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let prover = handle("prover", prover)?;
        let proof_length = Variable::new("proof_length", proof_length)?;
        let public_inputs_length = Variable::new("public_inputs_length", public_inputs_length)?;
        proof_length.set(prover.proof_bytes());
        public_inputs_length.set(prover.public_inputs_bytes());
        Ok(())
    })
}

/// Proves that the bytes of a .wtns file satisfy the circuit, and verifies the proof before it is returned.
///
/// `proof` and `public_inputs` receive the content of proof.json and public.json as snarkjs writes them, with a zero byte at the
/// end. `*proof_length` and `*public_inputs_length` are the sizes of the buffers in bytes, at least those of
/// proofmill_prover_sizes; they become the sizes of the strings with their zero bytes. `progress` may be NULL. The copies of the
/// witness are overwritten in the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_prove(
    prover: *const proofmill_prover,
    witness: *const u8,
    witness_length: usize,
    progress: proofmill_progress,
    context: *mut c_void,
    proof: *mut c_char,
    proof_length: *mut usize,
    public_inputs: *mut c_char,
    public_inputs_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let prover = handle("prover", prover)?;
        prover.demand(proof, proof_length, public_inputs, public_inputs_length)?;
        let witness = secret::witness("witness", bytes("witness", witness, witness_length)?)?;
        let made = prover.prove(&witness, progress.map(|progress| reporter(progress, context)))?;
        made.put(proof, proof_length, public_inputs, public_inputs_length)
    })
}

/// Verifies a proof for Groth16, PLONK or FFLONK, as the key states, and sets `*valid`. The arguments are the content of
/// verification_key.json, public.json and proof.json. On failure `*valid` is false.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_verify(
    verification_key: *const c_char,
    public_inputs: *const c_char,
    proof: *const c_char,
    valid: *mut bool,
) -> proofmill_status {
    call(|| unsafe {
        let valid = Variable::new("valid", valid)?;
        valid.set(false);
        let key = text("verification_key", verification_key)?;
        let public_inputs = text("public_inputs", public_inputs)?;
        let proof = text("proof", proof)?;
        let key = AnyVerifyingKey::parse("verification_key", key.as_bytes())?;
        valid.set(verify(&key, ("public_inputs", public_inputs), proof)?);
        Ok(())
    })
}

/// A proof and its public inputs as JSON.
pub(crate) struct Made {
    pub proof: String,
    pub public_inputs: String,
}

impl Made {
    pub(crate) fn of(proved: snark::Result<Proved>) -> Outcome<Self> {
        let proved = proved?;
        let proof = proved.proof.text()?;
        Ok(Self { proof, public_inputs: public::text(&proved.public_inputs) })
    }

    /// Writes both strings to the caller's buffers, and both lengths even if the first buffer is too small.
    pub(crate) unsafe fn put(
        &self,
        proof: *mut c_char,
        proof_length: *mut usize,
        public_inputs: *mut c_char,
        public_inputs_length: *mut usize,
    ) -> Outcome {
        unsafe {
            let first = put_text("proof", &self.proof, proof, proof_length);
            let second =
                put_text("public_inputs", &self.public_inputs, public_inputs, public_inputs_length);
            first.and(second)
        }
    }
}

impl proofmill_prover {
    pub(crate) fn new(uri: &str, key: AnyZkey, resident: bool) -> Outcome<Self> {
        let settings = Settings { resident, ..Settings::default() };
        Ok(Self(Arc::new(Prover::new(&key, groth16::devices(uri)?, settings)?)))
    }

    fn proof_bytes(&self) -> usize {
        match self.0.key().protocol() {
            Protocol::Groth16 => GROTH16_PROOF_BYTES,
            _ => OTHER_PROOF_BYTES,
        }
    }

    fn public_inputs_bytes(&self) -> usize {
        public_inputs_bytes(self.0.key())
    }

    /// Checks that the caller's buffers have space for every proof of this prover.
    pub(crate) fn demand(
        &self,
        proof: *mut c_char,
        proof_length: *mut usize,
        public_inputs: *mut c_char,
        public_inputs_length: *mut usize,
    ) -> Outcome {
        demand("proof", self.proof_bytes(), proof, proof_length)?;
        let expected = self.public_inputs_bytes();
        demand("public_inputs", expected, public_inputs, public_inputs_length)
    }

    /// Returns the number of values of a witness.
    pub(crate) fn variables(&self) -> usize {
        self.0.key().witness_values()
    }

    pub(crate) fn prove(&self, witness: &Witness, progress: Option<StepProgress>) -> Outcome<Made> {
        Made::of(self.0.prove_with(witness, &control(progress)))
    }

    /// Returns the prover, which proofs that are under way keep alive.
    pub(crate) fn shared(&self) -> &Arc<Prover> {
        &self.0
    }
}

/// Returns an upper bound of the bytes of the public inputs of proofs with a key, as text.
pub(crate) fn public_inputs_bytes(key: &AnyZkey) -> usize {
    (key.public_inputs() + 1) * PUBLIC_INPUT_BYTES
}

/// Verifies a proof. The public inputs come with the name of their argument.
pub(crate) fn verify(
    key: &AnyVerifyingKey,
    public_inputs: (&str, &str),
    proof: &str,
) -> Outcome<bool> {
    let (name, public_inputs) = public_inputs;
    let public_inputs = public::parse(name, public_inputs.as_bytes(), key.curve())?;
    let proof = Proof::parse(key.protocol(), "proof", proof.as_bytes())?;
    Ok(snark::verify(key, &public_inputs, &proof)?)
}

/// Returns a control with this progress callback.
pub(crate) fn control(progress: Option<StepProgress>) -> Control {
    let mut control = Control::none();
    control.progress = progress;
    control
}

/// Returns a progress callback that calls the caller's function.
pub(crate) fn reporter(
    progress: unsafe extern "C" fn(*mut c_void, *const c_char, f64),
    context: *mut c_void,
) -> StepProgress {
    struct Context(*mut c_void);
    // SAFETY: the header documents that any thread calls back with it.
    unsafe impl Send for Context {}
    unsafe impl Sync for Context {}
    impl Context {
        fn get(&self) -> *mut c_void {
            self.0
        }
    }
    let context = Context(context);
    Arc::new(move |step: Step, fraction: f64| {
        let step = format!("{step}\0");
        // SAFETY: the caller's function, with the caller's context and a string that ends.
        unsafe { progress(context.get(), step.as_ptr().cast(), fraction) };
    })
}
