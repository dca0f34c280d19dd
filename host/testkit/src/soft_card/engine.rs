//! An engine of the software model of the card: its capability, its registers, and its replies with verdicts.

use proofmill_card::wire::Header;
use proofmill_card::wire::constants::shell::capabilities as bit;
use proofmill_card::wire::constants::{ecdsa_verify, equihash_verify};
use proofmill_op::ecdsa_verify::{Request as Ecdsa, Verdict};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash};
use proofmill_op::msm::{Curve, Group};
use proofmill_op::{AnyRequest, Capability, Data, ntt, poseidon};

use super::msm::MsmGeometry;

/// Computes the error mask of a request with one item.
pub type VerdictFn = Box<dyn FnMut(&AnyRequest) -> u8 + Send>;

/// An engine of the card.
#[derive(Clone, Debug)]
pub struct SoftEngine {
    /// The operation and its instance.
    pub capability: Capability,
    /// The value of its queue register.
    pub queue: u32,
    /// The values of the other registers of an MSM engine.
    pub msm: Option<MsmGeometry>,
}

impl SoftEngine {
    /// Returns an Equihash engine.
    pub const fn equihash(params: Params, queue: u32) -> Self {
        Self { capability: Capability::EquihashVerify(params), queue, msm: None }
    }

    /// Returns an ECDSA engine.
    pub const fn ecdsa(queue: u32) -> Self {
        Self { capability: Capability::EcdsaVerify, queue, msm: None }
    }

    /// Returns a Poseidon engine with the arities of Filecoin.
    pub const fn poseidon(queue: u32) -> Self {
        let capability = Capability::Poseidon(poseidon::Instance::Bls12_381);
        Self { capability, queue, msm: None }
    }

    /// Returns an NTT engine over a field of the cards.
    pub const fn ntt(field: ntt::Field, queue: u32) -> Self {
        Self { capability: Capability::Ntt(field), queue, msm: None }
    }

    /// Returns an MSM engine.
    pub fn msm(geometry: MsmGeometry, queue: u32) -> Self {
        Self { capability: geometry.capability(), queue, msm: Some(geometry) }
    }

    /// Returns the engine's bit in a card's capabilities, or 0 if it has none.
    pub(super) fn bit(&self) -> u64 {
        match self.capability {
            Capability::EquihashVerify(Params::N200_K9) => 1 << bit::EQUIHASH_200_9,
            Capability::EquihashVerify(Params::N144_K5) => 1 << bit::EQUIHASH_144_5,
            Capability::EquihashVerify(Params::N48_K5) => 1 << bit::EQUIHASH_48_5,
            Capability::EcdsaVerify => 1 << bit::ECDSA_SECP256K1,
            Capability::Ntt(_) => 1 << bit::NTT,
            Capability::Poseidon(_) => 1 << bit::POSEIDON,
            Capability::Msm(instance) => match (instance.curve, instance.group) {
                (Curve::Bn254, Group::G1) => 1 << bit::MSM_BN254,
                (Curve::Bn254, Group::G2) => 1 << bit::MSM_BN254_G2,
                (Curve::Bls12_381, Group::G1) => 1 << bit::MSM_BLS12_381,
                (Curve::Bls12_381, Group::G2) => 1 << bit::MSM_BLS12_381_G2,
                (Curve::Bls12_377, Group::G1) => 1 << bit::MSM_BLS12_377,
                (Curve::Bls12_377, Group::G2) => 1 << bit::MSM_BLS12_377_G2,
                _ => 0,
            },
            _ => 0,
        }
    }
}

/// Returns a verdict function for tests of drivers: the low six bits of the item's first byte, corrected to a valid mask of the operation.
pub fn first_byte() -> VerdictFn {
    Box::new(|request| {
        let (data, with_any) = match request {
            AnyRequest::EquihashVerify(request) => (&request.headers, 0),
            AnyRequest::EcdsaVerify(request) => (&request.signatures, Verdict::FAILED_SIG_VER),
            other => panic!("{other:?}: not a card's"),
        };
        match data {
            Data::Host(bytes) if bytes[0] & 0x3f == 0 => 0,
            Data::Host(bytes) => bytes[0] & 0x3f | with_any,
            Data::Resident(_) => 0x3f,
        }
    })
}

/// Returns the request of a command's body for an engine with the registers of a reset.
pub fn request_after_reset(engine: &Capability, body: &[u8]) -> AnyRequest {
    match engine {
        Capability::EquihashVerify(params) => {
            AnyRequest::from(Equihash::new(*params, Network::Main, body))
        }
        _ => AnyRequest::from(Ecdsa::new(body)),
    }
}

/// Returns an engine's reply, with the cycles if the wire format has a field for them.
pub fn reply_of(engine: &Capability, index: u64, mask: u8, cycles: u16) -> Vec<u8> {
    let (len, cmd) = match engine {
        Capability::EcdsaVerify => (ecdsa_verify::command::REPLY_LEN, ecdsa_verify::command::REPLY),
        _ => (equihash_verify::command::REPLY_LEN, equihash_verify::command::REPLY),
    };
    let cycles = cycles.to_le_bytes();
    let head = Header { len, cmd }.to_bytes();
    let mut reply = [&head[..], &index.to_le_bytes(), &[mask], &cycles].concat();
    reply.truncate(len as usize);
    reply
}
