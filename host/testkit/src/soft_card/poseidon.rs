//! Poseidon of a card in software: all arities of Filecoin, hashed by the processor.

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Bls12381Fr, PrimeField};
use proofmill_algebra::poseidon::{ELEMENT_BYTES, Instance, Strength};
use proofmill_card::wire::constants::poseidon::block::registers as at;
use proofmill_card::wire::constants::poseidon::{command, status};
use proofmill_card::wire::{Header, INDEX_OFFSET, put};

/// The arities.
pub(crate) const ARITIES: [usize; 4] = [2, 4, 8, 11];

/// What stands in its registers, by their offsets.
pub(super) fn registers(queue: u32) -> Vec<(u32, u32)> {
    let arities = ARITIES.iter().map(|arity| 1 << arity).sum();
    vec![(at::arities::OFFSET, arities), (at::queue::OFFSET, queue)]
}

/// The reply to a state: its digest, or the first element that is not below the modulus.
pub(crate) fn reply(index: u64, state: &[u8]) -> Vec<u8> {
    let mut elements = state.chunks(ELEMENT_BYTES);
    let wrong = elements.position(|element| Bls12381Fr::from_le_bytes(element).is_err());
    let mut reply = vec![0; command::REPLY_LEN as usize];
    put(&mut reply, 0, &Header { len: command::REPLY_LEN, cmd: command::REPLY }.to_bytes());
    put(&mut reply, INDEX_OFFSET, &index.to_le_bytes());
    use command::reply_fields as at;
    if let Some(element) = wrong {
        put(&mut reply, at::status::OFFSET, &status::REFUSED.to_le_bytes());
        put(&mut reply, at::element::OFFSET, &(element as u32).to_le_bytes());
        return reply;
    }
    let (tag, preimage) = state.split_at(ELEMENT_BYTES);
    let tag = Bls12381Fr::from_le_bytes(tag).expect("below the modulus");
    let arity = preimage.len() / ELEMENT_BYTES;
    let instance = Instance::of(arity, Strength::Standard).expect("one of the arities");
    let mut digest = [0; ELEMENT_BYTES];
    let hashed = instance.hash_with(Isa::words(), tag, arity, preimage, &mut digest);
    hashed.expect("below the modulus");
    put(&mut reply, at::digest::OFFSET, &digest);
    reply
}
