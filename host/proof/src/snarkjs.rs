//! The files of circom and snarkjs.
