//! proofmill for C: `include/proofmill.h`, made of this source, and rapidsnark's names in `include/prover.h` and
//! `include/verifier.h`.
//!
//! Every function that can fail returns a [`proofmill_status`]; [`proofmill_last_error`] says what went wrong, per
//! thread. No panic crosses this door. Texts are UTF-8 that ends with a zero byte. A handle may be used by several threads at
//! once; whoever closes it must know that no call uses it any more.
//!
//! [`proofmill_status`]: status::proofmill_status
//! [`proofmill_last_error`]: status::proofmill_last_error

// C's names, and C's rule: pointers are valid for what their documentation says. The header states it once for all.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

pub mod batch;
mod buffer;
pub mod device;
pub mod ecdsa;
pub mod equihash;
pub mod groth16;
pub mod msm;
pub mod ntt;
pub mod pairing;
pub mod poseidon;
pub mod rapidsnark;
pub mod status;
