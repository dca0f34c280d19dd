//! proofmill makes and verifies Groth16 proofs, computes MSMs, NTTs and Poseidon hashes, and verifies ECDSA signatures and Equihash block
//! headers in bulk. Work runs on a device, opened by its URI: this machine's processor (`cpu:`) or a card (`sim:` is one in
//! simulation). Every device gives the same results.
//!
//! # One header, on this machine's processor
//!
//! ```
//! use proofmill::equihash::{self, Network, Params};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/headers/mainnet-346.hex");
//! // A file that holds a header, a block, or many of them, as bytes or as hex.
//! let file = std::fs::read(path)?;
//! let headers = equihash::read::headers(&file, Params::N200_K9)?;
//! let header = headers.iter().next().ok_or("no header")?;
//!
//! let device = proofmill::open("cpu:")?;
//! let verdict = equihash::verify(&device, Params::N200_K9, Network::Main, header)?;
//! assert!(verdict.is_valid());
//!
//! let hash = equihash::BlockHash::of(header);
//! assert_eq!(hash.to_string(), "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f");
//! # Ok(())
//! # }
//! ```
//!
//! # Signatures, in any number
//!
//! ```
//! use proofmill::ecdsa::{self, Item, Policy, file::Reader};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/signatures/mainnet.jsonl");
//! // A file of JSON lines, or of the compact form.
//! let file = std::io::BufReader::new(std::fs::File::open(path)?);
//! let items: Vec<Item> = Reader::new(file)?.map(|entry| Ok(entry?.item?)).collect::<Result<_, Box<dyn std::error::Error>>>()?;
//!
//! let device = proofmill::open("cpu:")?;
//! let invalid = ecdsa::find_invalid(&device, &items, Policy::default())?;
//! assert!(items.len() == 21 && invalid.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # A proof
//!
//! From the files of circom and snarkjs: [`snark`] for keys of any protocol, from a witness or from the inputs of the circuit;
//! [`groth16`], [`plonk`] and [`fflonk`] for one protocol.
//!
//! # A program of pairings
//!
//! For the BLS12-381 coprocessor: [`coprocessor`].
//!
//! # Without waiting
//!
//! [`Submit::submit`] takes a request of any [`Operation`] and returns a [`Ticket`] for its response at once; a device can work on many requests. [`equihash`] shows
//! a request, [`open`] lists the devices; [`ecdsa::submit`] also parses keys and signatures.
//!
//! An invalid proof, signature or header is a result, never an [`Error`]. An error means that there is no result.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `bls12_377` | yes | MSM on BLS12-377 |
//! | `pasta` | yes | MSM on Pallas and Vesta, NTT over their scalars |
//! | `card` | yes | cards: `sim:` |
//! | `cuda` | yes | GPUs: `cuda:` |
//! | `arkworks`, `blst`, `halo2curves` | no | conversions from and to their elements and points: `algebra::conversions` |
//! | `dev` | no | `groth16::dev`, circuits and INSECURE keys for tests |
//! | `witness` | no | witnesses from circom's WebAssembly generators: `snark::WitnessCalculator` |
//! | `neptune` | no | `poseidon::neptune`, the traits and builders of that crate |

pub mod bls;
pub mod coprocessor;
pub mod ecdsa;
pub mod eip2537;
pub mod equihash;
pub mod fflonk;
pub mod groth16;
pub mod keccak256;
mod malformed;
pub mod msm;
pub mod ntt;
pub mod pairing;
pub mod plonk;
pub mod poseidon;
pub mod snark;
pub mod solidity;
pub mod vdf;

/// Fields, curves and points as types.
pub use proofmill_algebra as algebra;
pub use proofmill_device::{Listed, Uri, list as devices, open, open_uri};
pub use proofmill_op::{
    AnyRequest, AnyResponse, AnyTicket, Argument, Bytes, Cancel, Capability, Caps, Completer, Data,
    Device, DeviceKind, Error, Metrics, Operation, Progress, ResidentData, Result, Secret,
    SecretBytes, Submit, TOKEN_VARIABLE, Ticket, Token, lock_memory,
};
#[doc(hidden)]
pub use proofmill_proof::json_error;
