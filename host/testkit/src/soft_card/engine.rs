//! An engine of a card in software, whatever it answers: what it is asked, and the packet with its verdict.

use proofmill_card::wire::Header;
use proofmill_card::wire::constants::shell::capabilities as bit;
use proofmill_card::wire::constants::{ecdsa_verify, equihash_verify};
use proofmill_op::ecdsa_verify::{Request as Ecdsa, Verdict};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash};
use proofmill_op::msm::Curve;
use proofmill_op::{AnyRequest, Capability, Data, ntt, poseidon};

use super::msm::MsmGeometry;

/// Computes an error mask: the request has one item.
pub type VerdictFn = Box<dyn FnMut(&AnyRequest) -> u8 + Send>;

/// One engine of the card.
#[derive(Clone, Debug)]
pub struct SoftEngine {
    /// What it answers.
    pub capability: Capability,
    /// What its queue register says.
    pub queue: u32,
    /// For an MSM engine, what its other registers say.
    pub msm: Option<MsmGeometry>,
}

impl SoftEngine {
    /// An Equihash engine.
    pub const fn equihash(params: Params, queue: u32) -> Self {
        Self { capability: Capability::EquihashVerify(params), queue, msm: None }
    }

    /// An ECDSA engine.
    pub const fn ecdsa(queue: u32) -> Self {
        Self { capability: Capability::EcdsaVerify, queue, msm: None }
    }

    /// A Poseidon engine with the arities of Filecoin.
    pub const fn poseidon(queue: u32) -> Self {
        let capability = Capability::Poseidon(poseidon::Instance::Bls12_381);
        Self { capability, queue, msm: None }
    }

    /// An NTT engine over one of the fields that cards have.
    pub const fn ntt(field: ntt::Field, queue: u32) -> Self {
        Self { capability: Capability::Ntt(field), queue, msm: None }
    }

    /// An MSM engine.
    pub fn msm(geometry: MsmGeometry, queue: u32) -> Self {
        Self { capability: geometry.capability(), queue, msm: Some(geometry) }
    }

    /// What a card with it has among its capabilities; nothing where there is no bit.
    pub(super) fn bit(&self) -> u64 {
        match self.capability {
            Capability::EquihashVerify(Params::N200_K9) => 1 << bit::EQUIHASH_200_9,
            Capability::EquihashVerify(Params::N144_K5) => 1 << bit::EQUIHASH_144_5,
            Capability::EquihashVerify(Params::N48_K5) => 1 << bit::EQUIHASH_48_5,
            Capability::EcdsaVerify => 1 << bit::ECDSA_SECP256K1,
            Capability::Ntt(_) => 1 << bit::NTT,
            Capability::Poseidon(_) => 1 << bit::POSEIDON,
            Capability::Msm(instance) => match instance.curve {
                Curve::Bn254 => 1 << bit::MSM_BN254,
                Curve::Bls12_381 => 1 << bit::MSM_BLS12_381,
                Curve::Bls12_377 => 1 << bit::MSM_BLS12_377,
                _ => 0,
            },
            _ => 0,
        }
    }
}

/// A verdict for tests of drivers: the low six bits of the item's first byte, with what an operation demands of them.
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

/// The request that a command's body makes, to an engine whose registers are as after a reset.
pub fn request_after_reset(engine: &Capability, body: &[u8]) -> AnyRequest {
    match engine {
        Capability::EquihashVerify(params) => {
            AnyRequest::from(Equihash::new(*params, Network::Main, body))
        }
        _ => AnyRequest::from(Ecdsa::new(body)),
    }
}

/// An engine's reply; the cycles are told where the wire has room for them.
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
