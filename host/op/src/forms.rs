//! Serialises requests and responses by serde (feature `serde`), for remote devices.
//!
//! Bulk bytes are transported separately: [`Data`] and points are written as a mark, the bytes of a response
//! ([`AnyResponse::take_bytes`](crate::AnyResponse::take_bytes)) and callbacks are omitted. Instances are written by name.

use proofmill_algebra::coprocessor::{Fault, Interrupt, Kind, SLOT_BYTES, Stop};
use proofmill_algebra::poseidon::{Domain, Strength};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::equihash_verify::Params;
use crate::{Data, Error, ResidentData, coprocessor, msm, ntt, poseidon};

/// Replaces bytes that are transported separately. It takes a byte, so that the length of a list of them is bounded by the bytes read.
const MARK: u8 = 0;

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(MARK)
    }
}

/// No bytes.
impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match u8::deserialize(from)? {
            MARK => Ok(Self::from(Vec::new())),
            other => Err(D::Error::custom(format!("{other} where bytes are marked"))),
        }
    }
}

impl Serialize for msm::Points {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Data(data) => data.serialize(to),
            Self::Stream(_) => Err(S::Error::custom("points are read before they are sent")),
        }
    }
}

impl<'de> Deserialize<'de> for msm::Points {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Data::deserialize(from).map(Self::Data)
    }
}

/// An error: a handle is valid on its device only.
impl Serialize for ResidentData {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("resident bytes are not sent"))
    }
}

/// An error.
impl<'de> Deserialize<'de> for ResidentData {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("resident bytes are not sent"))
    }
}

impl From<Params> for (u32, u32) {
    fn from(params: Params) -> Self {
        (params.n(), params.k())
    }
}

impl TryFrom<(u32, u32)> for Params {
    type Error = Error;

    fn try_from((n, k): (u32, u32)) -> crate::Result<Self> {
        Self::new(n, k)
    }
}

macro_rules! by_name {
    ($($type:ty),*) => {
        $(impl From<$type> for String {
            fn from(it: $type) -> Self {
                it.name().to_owned()
            }
        }

        impl TryFrom<String> for $type {
            type Error = Error;

            fn try_from(name: String) -> crate::Result<Self> {
                name.parse()
            }
        })*
    };
}
by_name!(msm::Instance, ntt::Field, poseidon::Instance);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Strength")]
pub(crate) enum StrengthForm {
    Standard,
    Strengthened,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Domain")]
pub(crate) enum DomainForm {
    MerkleTree,
    VariableLength,
    ConstantLength(usize),
    Encryption,
}

/// An [`Interrupt`].
#[derive(Serialize, Deserialize)]
pub struct InterruptForm {
    index: u16,
    kind: u8,
    value: Vec<u8>,
}

impl From<Interrupt> for InterruptForm {
    fn from(sent: Interrupt) -> Self {
        let value = sent.value.into_flattened();
        Self { index: sent.index, kind: sent.kind.number(), value }
    }
}

impl TryFrom<InterruptForm> for Interrupt {
    type Error = &'static str;

    fn try_from(form: InterruptForm) -> Result<Self, Self::Error> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.number() == form.kind);
        let kind = kind.ok_or("there is no such type of slot")?;
        let (value, []) = form.value.as_chunks::<SLOT_BYTES>() else {
            return Err("not whole slots");
        };
        Ok(Self { index: form.index, kind, value: value.to_vec() })
    }
}

/// A [`coprocessor::Response`] without its data.
#[derive(Serialize, Deserialize)]
pub(crate) struct ProgramForm {
    pointer: usize,
    error: Option<(u8, usize)>,
    interrupts: Vec<InterruptForm>,
    steps: u64,
    is_waiting: bool,
}

impl From<coprocessor::Response> for ProgramForm {
    fn from(response: coprocessor::Response) -> Self {
        Self {
            pointer: response.pointer,
            error: response.error.map(|(fault, slot)| (fault.number(), slot)),
            interrupts: response.interrupts.into_iter().map(InterruptForm::from).collect(),
            steps: response.steps,
            is_waiting: response.stop == Stop::Waits,
        }
    }
}

impl TryFrom<ProgramForm> for coprocessor::Response {
    type Error = &'static str;

    fn try_from(form: ProgramForm) -> Result<Self, Self::Error> {
        let fault = |number| Fault::ALL.into_iter().find(|fault| fault.number() == number);
        let error = match form.error {
            None => None,
            Some((number, slot)) => Some((fault(number).ok_or("there is no such error")?, slot)),
        };
        let interrupts = form.interrupts.into_iter().map(Interrupt::try_from);
        Ok(Self {
            data: Vec::new(),
            pointer: form.pointer,
            error,
            interrupts: interrupts.collect::<Result<_, _>>()?,
            steps: form.steps,
            stop: if form.is_waiting { Stop::Waits } else { Stop::Limit },
        })
    }
}
