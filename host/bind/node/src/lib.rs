//! The native half of the npm package `proofmill`: strings and bytes in, jobs out. The public interface is written in JavaScript, in
//! `index.cjs`, which checks all arguments before it calls these functions.
//!
//! Node-API requires nothing of the thread that loads the module: each environment (the main thread, each worker) has its own classes. The
//! threads of the jobs belong to the process (`pool`).

#![cfg_attr(test, allow(dead_code, reason = "test builds export nothing to Node"))]

mod errors;
mod job;
mod pool;
mod prover;
mod source;
mod verifier;
mod witness;

use napi_derive::napi;

/// Returns the version of this module.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the URIs of the devices that can be opened on this machine.
#[napi]
pub fn devices() -> Vec<String> {
    proofmill::devices().into_iter().map(|listed| listed.uri).collect()
}
