//! Operations of proofmill devices: an [`Operation`] with its request and response types, the trait [`Device`] that every backend
//! implements, [`Submit`] for typed requests, and the [`Ticket`] for a pending response.
//!
//! This crate depends on no backend. Data have one form: canonical little-endian bytes.

mod cancel;
mod code_file;
pub mod coprocessor;
mod data;
mod device;
pub mod ecdsa_verify;
pub mod equihash_solve;
pub mod equihash_verify;
mod error;
mod features;
#[cfg(feature = "serde")]
pub mod forms;
pub mod keccak256;
pub mod msm;
pub mod ntt;
mod operation;
pub mod poseidon;
pub mod process;
mod progress;
mod registry;
mod secret;
mod ticket;
mod token;
pub mod vdf;
mod verdict;

pub use cancel::Cancel;
pub use code_file::{CodeFile, check_folder, create_private_folder};
pub use data::{Bytes, Data, ResidentData, WeakBytes};
pub use device::{Capability, Caps, Device, DeviceKind, Metrics};
pub use error::{Argument, Error, Result};
pub use features::not_in_this_build;
pub use operation::{Operation, ResponseOf, Submit};
pub use progress::Progress;
pub use registry::{AnyCompleter, AnyRequest, AnyResponse, AnyTicket, Erased, RequestOf};
pub use secret::{Full, Secret, SecretBytes, StackWipe, lock_memory, wipe, wipe_stack};
pub use ticket::{Completer, Ticket, milliseconds};
pub use token::{TOKEN_VARIABLE, Token};
