//! Devices of other machines: [`RemoteDevice`] sends whole requests to a [`Server`], which hands them to a device of its own.
//!
//! A connection begins with a hello in the clear, with the protocol's version, and the handshake `NNpsk0` of the Noise protocol framework, whose
//! pre-shared key is made from a [`Token`](proofmill_op::Token): each side shows that it knows the token without sending it, and all that follows is
//! encrypted and authenticated (X25519, ChaCha20-Poly1305, BLAKE2s). `docs/use/remote.md` tells the rest.

mod channel;
mod client;
mod fault;
mod message;
mod server;

pub use channel::VERSION;
pub use client::{Options, RemoteDevice};
pub use server::{Limits, Running, Server};
