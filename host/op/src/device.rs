//! [`Device`]: the interface that every backend implements, and its description of itself.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::{
    AnyRequest, AnyResponse, AnyTicket, Cancel, Data, Error, ResidentData, Result, equihash_verify,
    msm, ntt, poseidon,
};
use proofmill_algebra::Isa;

/// An operation and one of its instances. `Display` uses the names of the command line and of `spec/`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Capability {
    /// `equihash_verify` for these parameters.
    EquihashVerify(equihash_verify::Params),
    /// `ecdsa_verify` on secp256k1.
    EcdsaVerify,
    /// `msm` in this group.
    Msm(msm::Instance),
    /// `ntt` over this field.
    Ntt(ntt::Field),
    /// `poseidon` of this instance.
    Poseidon(poseidon::Instance),
    /// `coprocessor` on BLS12-381.
    Coprocessor,
    /// `keccak256`.
    Keccak256,
    /// `vdf`.
    Vdf,
    /// `equihash_solve` for these parameters.
    EquihashSolve(equihash_verify::Params),
}

impl std::fmt::Display for Capability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::EquihashVerify(params) => write!(f, "equihash_verify ({params})"),
            Self::EcdsaVerify => f.write_str("ecdsa_verify (secp256k1)"),
            Self::Msm(instance) => write!(f, "msm ({instance})"),
            Self::Ntt(field) => write!(f, "ntt ({field})"),
            Self::Poseidon(instance) => write!(f, "poseidon ({instance})"),
            Self::Coprocessor => f.write_str("coprocessor (bls12_381)"),
            Self::Keccak256 => f.write_str("keccak256"),
            Self::Vdf => f.write_str("vdf"),
            Self::EquihashSolve(params) => write!(f, "equihash_solve ({params})"),
        }
    }
}

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DeviceKind {
    /// This machine's processor.
    Cpu,
    /// A cycle-accurate simulation of a card.
    Sim,
    /// A card.
    Card,
    /// A GPU, or its emulation.
    Gpu,
    /// A device of another machine, or of another process.
    Remote,
}

impl DeviceKind {
    /// Returns its name: `cpu`, `sim`, `card`, `gpu`, `remote`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Sim => "sim",
            Self::Card => "card",
            Self::Gpu => "gpu",
            Self::Remote => "remote",
        }
    }
}

/// The description of a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Caps {
    /// The URI that opens it again.
    pub uri: String,
    /// Its kind.
    pub kind: DeviceKind,
    /// One line for people: the code path, the build.
    pub description: String,
    /// The operations and instances that it offers.
    pub capabilities: Vec<Capability>,
    /// The number of outstanding requests that keeps it busy.
    pub queue: usize,
    /// The base-2 logarithms of the sizes at which it offers [`ntt::Quotient`], if these are fewer than those of NTTs.
    pub quotients: Option<RangeInclusive<u32>>,
    /// The code path, if the device is this machine's processor.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub isa: Option<Isa>,
    /// The number of its threads, if the device is this machine's processor.
    pub threads: Option<usize>,
}

impl Caps {
    /// Returns the description of a device without capabilities.
    pub fn new(uri: impl Into<String>, kind: DeviceKind, description: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            kind,
            description: description.into(),
            capabilities: Vec::new(),
            queue: 1,
            quotients: None,
            isa: None,
            threads: None,
        }
    }

    /// Returns whether the device offers `capability`.
    pub fn offers(&self, capability: &Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Returns whether the device offers [`ntt::Quotient`] for lists of 2^log elements of this field.
    pub fn offers_quotient(&self, field: ntt::Field, log: u32) -> bool {
        let fits = self.quotients.as_ref().is_none_or(|logs| logs.contains(&log));
        fits && self.offers(&Capability::Ntt(field))
    }

    /// Returns [`Error::Unsupported`] if the device does not offer `capability`; the error lists what it offers.
    pub fn require(&self, capability: &Capability) -> Result<()> {
        if self.offers(capability) {
            return Ok(());
        }
        let offered: Vec<_> = self.capabilities.iter().map(Capability::to_string).collect();
        let offered = if offered.is_empty() { "nothing".into() } else { offered.join(", ") };
        let what = format!("{capability}; it offers {offered}");
        Err(Error::Unsupported { device: self.uri.clone(), what })
    }
}

/// Counters of a device since it was opened. A device without a clock of its own has no cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Metrics {
    /// Completed requests, including those that failed.
    pub requests: u64,
    /// Cycles of the device's clock since it was opened.
    pub cycles: Option<u64>,
}

/// A device: the CPU, a GPU, a simulated card, a card, a device of another machine.
///
/// Backends implement it; callers submit typed requests by [`Submit`](crate::Submit), which every device has.
pub trait Device: Send + Sync {
    /// Returns the description of the device.
    fn caps(&self) -> &Caps;

    /// Loads `bytes` into the memory of the device, for later requests.
    fn load(&self, bytes: Data) -> Result<ResidentData>;

    /// Submits a request of any operation and returns at once: [`Submit::submit`](crate::Submit::submit).
    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket>;

    /// Executes a request of any operation: [`Submit::execute`](crate::Submit::execute).
    fn execute_any(&self, request: AnyRequest, cancel: &Cancel) -> Result<AnyResponse> {
        self.submit_any(request)?.linked_to(cancel).wait()
    }

    /// Returns the counters.
    fn metrics(&self) -> Metrics;
}

macro_rules! forwarded {
    ($($device:ty),*) => {
        $(impl<D: Device + ?Sized> Device for $device {
            fn caps(&self) -> &Caps {
                (**self).caps()
            }

            fn load(&self, bytes: Data) -> Result<ResidentData> {
                (**self).load(bytes)
            }

            fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
                (**self).submit_any(request)
            }

            fn execute_any(&self, request: AnyRequest, cancel: &Cancel) -> Result<AnyResponse> {
                (**self).execute_any(request, cancel)
            }

            fn metrics(&self) -> Metrics {
                (**self).metrics()
            }
        })*
    };
}

forwarded!(&D, Box<D>, Arc<D>);
