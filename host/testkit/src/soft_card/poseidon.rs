//! A software model of the Poseidon engine: all arities of Filecoin and both strengths, hashed by the CPU, and layers in a memory.

use std::collections::HashMap;

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Bls12381Fr, PrimeField};
use proofmill_algebra::poseidon::{ELEMENT_BYTES, Instance, Strength};
use proofmill_card::wire::constants::poseidon::block::registers as at;
use proofmill_card::wire::constants::poseidon::commands::{layer, read, write};
use proofmill_card::wire::constants::poseidon::{command, status, strengthened};
use proofmill_card::wire::{Header, INDEX_OFFSET, bytes_at, put, u32_at, u64_at};

use crate::stream_model::BODY;

/// The supported arities.
pub(crate) const ARITIES: [usize; 4] = [2, 4, 8, 11];

/// Returns its registers with their offsets.
pub(super) fn registers(queue: u32) -> Vec<(u32, u32)> {
    let arities = ARITIES.iter().map(|arity| 1 << arity).sum();
    vec![
        (at::arities::OFFSET, arities),
        (at::strengths::OFFSET, 3),
        (at::queue::OFFSET, queue),
        (at::memory::OFFSET, MEMORY as u32),
        (at::memory::OFFSET + 4, 0),
    ]
}

/// Bytes of the memory.
const MEMORY: u64 = 1 << 21;
/// Bytes of a write and of a read.
const GRANULE: usize = 1024;

/// The written granules.
#[derive(Debug, Default)]
pub(super) struct Memory(HashMap<u64, [u8; GRANULE]>);

impl Memory {
    /// Executes a command and returns its reply.
    pub fn answer(&mut self, index: u64, packet: &[u8]) -> Vec<u8> {
        let field = |offset| u64_at(packet, offset).expect("a whole command");
        match Header::of(packet).map(|header| header.cmd) {
            Some(write::NUMBER) => {
                let address = field(write::fields::address::OFFSET);
                let good = holds(address, Some(GRANULE as u64));
                if good {
                    let data = bytes_at(packet, write::fields::data::OFFSET);
                    self.0.insert(address, data.expect("a whole command"));
                }
                with_status(write::REPLY, write::REPLY_LEN, index, good)
            }
            Some(read::NUMBER) => {
                let address = field(read::fields::address::OFFSET);
                let good = holds(address, Some(GRANULE as u64));
                let mut reply = with_status(read::REPLY, read::REPLY_LEN, index, good);
                if good {
                    put(&mut reply, read::reply_fields::data::OFFSET, &self.load(address, GRANULE));
                }
                reply
            }
            Some(layer::NUMBER) => self.layer(index, packet),
            Some(strengthened::NUMBER) => reply(index, Strength::Strengthened, &packet[BODY..]),
            _ => reply(index, Strength::Standard, &packet[BODY..]),
        }
    }

    fn load(&self, address: u64, bytes: usize) -> Vec<u8> {
        let granules = (address..).step_by(GRANULE).take(bytes.div_ceil(GRANULE));
        let zeros = [0; GRANULE];
        let data = granules.flat_map(|at| *self.0.get(&at).unwrap_or(&zeros));
        data.take(bytes).collect()
    }

    fn layer(&mut self, index: u64, packet: &[u8]) -> Vec<u8> {
        use layer::fields as at;
        let field = |offset| u64_at(packet, offset).expect("a whole command");
        let (from, to) = (field(at::from::OFFSET), field(at::to::OFFSET));
        let (count, arity) = (field(at::count::OFFSET), field(at::arity::OFFSET));
        let size = |nodes: u64| nodes.checked_mul(ELEMENT_BYTES as u64);
        let good = count > 0
            && ARITIES.iter().any(|&one| one as u64 == arity)
            && holds(from, count.checked_mul(arity).and_then(size))
            && holds(to, size(count));
        let mut response = with_status(layer::REPLY, layer::REPLY_LEN, index, good);
        if !good {
            return response;
        }
        let tag = &packet[at::tag::OFFSET as usize..][..ELEMENT_BYTES];
        let nodes = self.load(from, (count * arity) as usize * ELEMENT_BYTES);
        let mut digests = vec![];
        for (number, nodes) in nodes.chunks(arity as usize * ELEMENT_BYTES).enumerate() {
            let one = reply(0, Strength::Standard, &[tag, nodes].concat());
            use layer::reply_fields as at;
            let word = |packet: &[u8], offset| u32_at(packet, offset).expect("a whole reply");
            let is_first = word(&response, at::status::OFFSET) == status::DONE;
            if is_first && word(&one, at::status::OFFSET) == status::REFUSED {
                let element = number as u32 * (arity as u32 + 1) + word(&one, at::element::OFFSET);
                put(&mut response, at::status::OFFSET, &status::REFUSED.to_le_bytes());
                put(&mut response, at::element::OFFSET, &element.to_le_bytes());
            }
            let digest = &one[command::reply_fields::digest::OFFSET as usize..];
            put(&mut response, at::digest::OFFSET, digest);
            digests.extend_from_slice(digest);
        }
        digests.resize(digests.len().next_multiple_of(GRANULE), 0);
        let granules = digests.as_chunks::<GRANULE>().0.iter().copied();
        self.0.extend((to..).step_by(GRANULE).zip(granules));
        response
    }
}

/// Returns whether the range is in the memory and starts at a granule.
fn holds(address: u64, bytes: Option<u64>) -> bool {
    let end = bytes.and_then(|bytes| address.checked_add(bytes));
    address.is_multiple_of(GRANULE as u64) && end.is_some_and(|end| end <= MEMORY)
}

/// Returns a reply with the status done or invalid, followed by zeros.
fn with_status(cmd: u32, len: u32, index: u64, good: bool) -> Vec<u8> {
    let mut reply = vec![0; len as usize];
    let status = if good { status::DONE } else { status::INVALID };
    put(&mut reply, 0, &Header { len, cmd }.to_bytes());
    put(&mut reply, INDEX_OFFSET, &index.to_le_bytes());
    put(&mut reply, command::reply_fields::status::OFFSET, &status.to_le_bytes());
    reply
}

/// Returns the reply to a state: its digest, or the first element that is not below the modulus.
pub(crate) fn reply(index: u64, strength: Strength, state: &[u8]) -> Vec<u8> {
    let mut elements = state.chunks(ELEMENT_BYTES);
    let wrong = elements.position(|element| Bls12381Fr::from_le_bytes(element).is_err());
    let cmd = match strength {
        Strength::Standard => command::REPLY,
        Strength::Strengthened => strengthened::REPLY,
    };
    let mut reply = vec![0; command::REPLY_LEN as usize];
    put(&mut reply, 0, &Header { len: command::REPLY_LEN, cmd }.to_bytes());
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
    let instance = Instance::of(arity, strength).expect("one of the arities");
    let mut digest = [0; ELEMENT_BYTES];
    let hashed = instance.hash_with(Isa::words(), tag, arity, preimage, &mut digest);
    hashed.expect("below the modulus");
    put(&mut reply, at::digest::OFFSET, &digest);
    reply
}
