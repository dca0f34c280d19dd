//! The C interface of proofmill: `include/proofmill.h`, generated from this source, and rapidsnark's interface in
//! `include/prover.h` and `include/verifier.h`.
//!
//! Every function that can fail returns a [`proofmill_status`]; [`proofmill_last_error`] describes the thread's last failure.
//! No panic crosses the interface. Enumerations and C `bool`s arrive as plain integers and are checked. Strings are UTF-8 and
//! end with a zero byte. Output buffers may overlap inputs. Several threads may use one handle; a handle must not be closed
//! while a call uses it.
//!
//! [`proofmill_status`]: status::proofmill_status
//! [`proofmill_last_error`]: status::proofmill_last_error

// C's naming, and C's contract: pointers are valid for what their documentation says. The header states it once for all.
// SAFETY of each block without a reason of its own: the caller keeps this contract. A block ends where its arguments are checked or copied.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

pub mod batch;
mod buffer;
#[cfg(feature = "witness")]
pub mod calculator;
pub mod device;
pub mod ecdsa;
pub mod equihash;
pub mod msm;
pub mod ntt;
pub mod pairing;
pub mod poseidon;
pub mod prover;
pub mod rapidsnark;
mod secret;
pub mod status;
pub mod vdf;
