//! Verifies proofs of snarkjs in WebAssembly. `index.mjs` is the interface for users; this is the one below it.
//!
//! WebAssembly passes numbers only. The caller reserves memory for the three texts, writes them one after the other as UTF-8, and calls
//! [`proofmill_verify`] with the lengths of the first two. After an error, [`proofmill_error`] is the place of its description as JSON.
//!
//! | function | returns |
//! |---|---|
//! | `proofmill_reserve(bytes)` | the address of so many bytes, or 0 if there is not enough memory |
//! | `proofmill_verify(key_bytes, public_bytes)` | 1 for a valid proof, 0 for an invalid one, -1 for an error; the bytes are released |
//! | `proofmill_error()`, `proofmill_error_bytes()` | address and length of the last error |

use std::cell::RefCell;
use std::ptr::null;

use proofmill_proof::snark::{PreparedVerifyingKey, Proof};
use proofmill_proof::snarkjs::{AnyVerifyingKey, public};
use proofmill_proof::{Error, Result};
use serde_json::{Value, json};

/// The names of the arguments in JavaScript.
const KEY: &str = "verifyingKey";
const PUBLIC: &str = "publicSignals";
const PROOF: &str = "proof";

thread_local! {
    static TEXTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the address of `bytes` bytes for the texts, or null if there is not enough memory. They replace those of the call before.
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_reserve(bytes: usize) -> *const u8 {
    TEXTS.with_borrow_mut(|texts| {
        *texts = Vec::new();
        if texts.try_reserve_exact(bytes).is_err() {
            return null();
        }
        texts.resize(bytes, 0);
        texts.as_ptr()
    })
}

/// Verifies the proof of the reserved texts: a key of `key_bytes`, public signals of `public_bytes`, and the proof. Returns 1 if it is valid, 0 if it is
/// not, and -1 for an error.
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_verify(key_bytes: usize, public_bytes: usize) -> i32 {
    let texts = TEXTS.take();
    let (key, rest) = texts.split_at(key_bytes.min(texts.len()));
    let (public_signals, proof) = rest.split_at(public_bytes.min(rest.len()));
    match verify_texts(key, public_signals, proof) {
        Ok(valid) => valid.into(),
        Err(error) => {
            ERROR.set(error.to_string());
            -1
        }
    }
}

/// Returns the address of the last error.
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_error() -> *const u8 {
    ERROR.with_borrow(|error| error.as_ptr())
}

/// Returns the number of bytes of the last error.
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_error_bytes() -> usize {
    ERROR.with_borrow(|error| error.len())
}

/// Returns whether a proof is valid, or an error as `index.mjs` reads it. The key names the protocol.
fn verify_texts(
    key: &[u8],
    public_signals: &[u8],
    proof: &[u8],
) -> std::result::Result<bool, Value> {
    let prepared = AnyVerifyingKey::parse(KEY, key).and_then(|key| PreparedVerifyingKey::new(&key));
    let prepared = prepared.map_err(|error| described(error, KEY))?;
    let public_signals = public::parse(PUBLIC, public_signals, prepared.curve());
    let public_signals = public_signals.map_err(|error| described(error, PUBLIC))?;
    let proof = Proof::parse(prepared.protocol(), PROOF, proof);
    let proof = proof.map_err(|error| described(error, PROOF))?;
    let verified: Result<bool> = prepared.verify(&public_signals, &proof);
    verified.map_err(|error| described(error, PUBLIC))
}

/// Describes an error of this argument, unless the error names another one.
fn described(error: Error, argument: &str) -> Value {
    let message = error.to_string();
    match error {
        Error::File(file) => json!({
            "code": "PROOFMILL_FILE", "message": message, "argument": file.file,
            "section": file.section, "offset": file.offset,
        }),
        Error::Argument { argument, .. } => {
            let argument = match argument {
                "verifying key" => KEY,
                "public" => PUBLIC,
                other => other,
            };
            json!({ "code": "PROOFMILL_ARGUMENT", "message": message, "argument": argument })
        }
        _ => json!({ "code": "PROOFMILL_INTERNAL", "message": message, "argument": argument }),
    }
}
