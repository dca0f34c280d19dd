//! Devices of remote machines: [`RemoteDevice`] sends whole requests to a [`Server`], which passes them to its own device.
//!
//! A connection begins with an unencrypted hello, with the protocol's version, and the handshake `NNpsk0` of the Noise protocol framework. Its
//! pre-shared key is derived from a [`Token`](proofmill_op::Token): each side proves that it has the token without sending it, and all further bytes are
//! encrypted and authenticated (X25519, ChaCha20-Poly1305, BLAKE2s). `docs/use/remote.md` describes the protocol.

mod channel;
mod client;
mod fault;
mod message;
mod server;

pub use channel::VERSION;
pub use client::{Options, RemoteDevice};
pub use server::{Limits, Running, Server};
