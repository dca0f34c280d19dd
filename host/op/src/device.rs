//! The central door: whoever answers requests implements [`Device`].

use std::ops::RangeInclusive;

use crate::{
    Cancel, Data, Error, Parked, Result, Ticket, coprocessor, ecdsa_verify, equihash_verify, msm,
    ntt, poseidon,
};
use proofmill_algebra::Isa;

/// One question to a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Request {
    /// Are these block headers valid?
    EquihashVerify(equihash_verify::Request),
    /// Are these signatures valid?
    EcdsaVerify(ecdsa_verify::Request),
    /// What is the sum of these multiples of points?
    Msm(msm::Request),
    /// What are the values of this polynomial, or the polynomial of these values?
    Ntt(ntt::Request),
    /// What is left of a b - c on a coset? Answered by [`Answer::Ntt`], or where it is kept by [`msm::Response::Parked`].
    Quotient(Box<ntt::Quotient>),
    /// What are the hashes of these elements?
    Poseidon(poseidon::Request),
    /// What are the layers of these trees? Answered by [`Answer::Poseidon`].
    PoseidonLayers(poseidon::Layers),
    /// What does this program do?
    Coprocessor(coprocessor::Request),
}

impl Request {
    /// What a device must offer to answer it.
    pub fn capability(&self) -> Capability {
        match self {
            Self::EquihashVerify(request) => Capability::EquihashVerify(request.params),
            Self::EcdsaVerify(_) => Capability::EcdsaVerify,
            Self::Msm(request) => Capability::Msm(request.instance()),
            Self::Ntt(request) => Capability::Ntt(request.field),
            Self::Quotient(request) => Capability::Ntt(request.field),
            Self::Poseidon(request) => Capability::Poseidon(request.instance),
            Self::PoseidonLayers(request) => Capability::Poseidon(request.instance),
            Self::Coprocessor(_) => Capability::Coprocessor,
        }
    }

    /// For devices elsewhere: the bytes that it brings, resident ones too, in an order that depends on nothing but what is asked. Points that
    /// are streamed are not among them.
    pub fn data_mut(&mut self) -> Vec<&mut Data> {
        match self {
            Self::EquihashVerify(request) => vec![&mut request.headers],
            Self::EcdsaVerify(request) => vec![&mut request.signatures],
            Self::Msm(msm::Request::Plan { .. }) => vec![],
            Self::Msm(msm::Request::Park(bases)) => bases.points.data_mut().into_iter().collect(),
            Self::Msm(msm::Request::Sums(sums)) => {
                sums.bases.points.data_mut().into_iter().chain(&mut sums.scalars).collect()
            }
            Self::Ntt(request) => vec![&mut request.elements],
            Self::Quotient(request) => request.lists.iter_mut().collect(),
            Self::Poseidon(request) => vec![&mut request.preimages],
            Self::PoseidonLayers(request) => vec![&mut request.nodes],
            Self::Coprocessor(request) => vec![&mut request.program, &mut request.data],
        }
    }

    /// For devices elsewhere: who is to be told of the progress, if anybody can be.
    pub fn progress_mut(&mut self) -> Option<&mut Option<msm::Progress>> {
        match self {
            Self::Msm(msm::Request::Sums(sums)) => Some(&mut sums.progress),
            Self::Ntt(request) => Some(&mut request.progress),
            Self::Quotient(request) => Some(&mut request.progress),
            Self::Poseidon(request) => Some(&mut request.progress),
            Self::PoseidonLayers(request) => Some(&mut request.progress),
            _ => None,
        }
    }
}

/// The answer to the request of the same name.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Answer {
    /// One verdict a header.
    EquihashVerify(equihash_verify::Response),
    /// One verdict a signature.
    EcdsaVerify(ecdsa_verify::Response),
    /// A point a sum.
    Msm(msm::Response),
    /// The elements.
    Ntt(ntt::Response),
    /// The digests.
    Poseidon(poseidon::Response),
    /// The memory, and what was sent.
    Coprocessor(coprocessor::Response),
}

impl Answer {
    /// For devices elsewhere: its bytes, where there may be many.
    pub fn bytes_mut(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::Ntt(response) => Some(&mut response.elements),
            Self::Poseidon(response) => Some(&mut response.digests),
            Self::Coprocessor(response) => Some(&mut response.data),
            Self::EquihashVerify(_) | Self::EcdsaVerify(_) | Self::Msm(_) => None,
        }
    }
}

/// An operation with one of its instances, by the names that the command line and `spec/` use.
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
        }
    }
}

/// What kind of machinery stands behind the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DeviceKind {
    /// This machine's processor.
    Cpu,
    /// A card's circuit in a cycle-accurate simulation.
    Sim,
    /// A card.
    Card,
    /// A GPU, or its emulation.
    Gpu,
    /// A device of another machine, or of another process.
    Remote,
}

impl DeviceKind {
    /// In a word: `cpu`, `sim`, `card`, `gpu`, `remote`.
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

/// What a device says of itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Caps {
    /// The URI that opens it again.
    pub uri: String,
    /// The machinery behind it.
    pub kind: DeviceKind,
    /// One line for people: the code path, the build.
    pub description: String,
    /// Everything it can be asked.
    pub capabilities: Vec<Capability>,
    /// Requests that can usefully be outstanding at once.
    pub queue: usize,
    /// Base-2 logarithms of the numbers of elements of which it makes an [`ntt::Quotient`], where these are fewer than [`ntt`] has.
    pub quotients: Option<RangeInclusive<u32>>,
    /// The code path, where the device is this machine's processor.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub isa: Option<Isa>,
    /// The threads of its own, where the device is this machine's processor.
    pub threads: Option<usize>,
}

impl Caps {
    /// For devices.
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

    /// True when the device can be asked this.
    pub fn offers(&self, capability: &Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// True when the device can be asked for an [`ntt::Quotient`] of lists of 2^log elements of this field.
    pub fn offers_quotient(&self, field: ntt::Field, log: u32) -> bool {
        let fits = self.quotients.as_ref().is_none_or(|logs| logs.contains(&log));
        fits && self.offers(&Capability::Ntt(field))
    }

    /// [`Error::Unsupported`] when the device cannot be asked this; it names what it can be asked instead.
    pub fn demand(&self, capability: &Capability) -> Result<()> {
        if self.offers(capability) {
            return Ok(());
        }
        let offered: Vec<_> = self.capabilities.iter().map(Capability::to_string).collect();
        let offered = if offered.is_empty() { "nothing".into() } else { offered.join(", ") };
        let what = format!("{capability}; it offers {offered}");
        Err(Error::Unsupported { device: self.uri.clone(), what })
    }
}

/// What a device counted since it was opened. A backend without a clock of its own leaves the cycles out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Metrics {
    /// Requests answered, errors included.
    pub requests: u64,
    /// Cycles of the device's clock since it was opened.
    pub cycles: Option<u64>,
}

/// Answers requests: the CPU, a simulated card, a card, a remote machine.
pub trait Device: Send + Sync {
    /// What it offers.
    fn caps(&self) -> &Caps;

    /// Keeps `bytes` near the engine for requests to come.
    fn park(&self, bytes: Data) -> Result<Parked>;

    /// Takes a request and returns at once. An argument that is wrong, or something not offered, is said here;
    /// everything later arrives through the ticket.
    fn submit(&self, request: Request) -> Result<Ticket>;

    /// Answers a request before it returns: this machine's processor on the threads of the caller's rayon pool instead of its own, so that
    /// several callers with a pool each divide the processor among themselves; other devices as [`Device::submit`] does. It ends
    /// early when `cancel` is said.
    fn answer(&self, request: Request, cancel: &Cancel) -> Result<Answer> {
        self.submit(request)?.covered_by(cancel).wait()
    }

    /// What it counted so far.
    fn metrics(&self) -> Metrics;
}
