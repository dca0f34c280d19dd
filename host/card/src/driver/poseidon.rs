//! `poseidon` on a card: one command a hash, whose state the tag begins, and one reply each. A card has some arities and
//! strengths. Layers of trees are hashed in its memory, by the standard instance.

pub mod layers;

use std::sync::Arc;

use proofmill_op::poseidon::{
    ELEMENT_BYTES, Instance, MAX_ARITY, MIN_ARITY, Progress, Request, Response, Strength,
};
use proofmill_op::{Argument, Bytes, Capability, Error, Result, SecretBytes};

use super::chain::Chain;
use super::job::{self, Engine, Exchange, Lane, Respond, Settings};
use super::regions::Memory;
use crate::Transport;
use crate::wire::constants::poseidon::{block, command, status, strengthened};
use crate::wire::constants::shell::capabilities::POSEIDON;
use crate::wire::{self, Header};

/// The capability and its bit.
pub const KNOWN: [(Capability, u32); 1] = [(Capability::Poseidon(Instance::Bls12_381), POSEIDON)];

/// Replies between two calls of a callback for progress.
const PACE: usize = 256;

/// The arities and strengths that an engine has, and the bytes of its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    arities: Vec<usize>,
    strengths: Vec<Strength>,
    memory: u64,
}

impl Geometry {
    /// Bit a of the register of arities: arity a. Bits 0 and 1 of that of strengths: the standard instance, the strengthened one.
    fn of(arities: u32, strengths: u32, memory: u64) -> std::result::Result<Self, String> {
        let all: Vec<_> = (0..32).filter(|bit| arities >> bit & 1 == 1).collect();
        let known = all.iter().all(|arity| (MIN_ARITY..=MAX_ARITY).contains(arity));
        if !known || all.is_empty() {
            return Err(format!("arities {arities:#010x}"));
        }
        let strengths = match strengths {
            1 => vec![Strength::Standard],
            3 => vec![Strength::Standard, Strength::Strengthened],
            _ => return Err(format!("strengths {strengths:#x}")),
        };
        if !memory.is_multiple_of(layers::GRANULE) {
            return Err(format!("a memory of {memory:#x} bytes"));
        }
        Ok(Self { arities: all, strengths, memory })
    }

    fn exchanges(&self) -> Vec<Exchange> {
        let of_strength = |&strength: &Strength| {
            let (number, reply) = match strength {
                Strength::Standard => (command::NUMBER, command::REPLY),
                Strength::Strengthened => (strengthened::NUMBER, strengthened::REPLY),
            };
            self.arities.iter().map(move |arity| Exchange {
                command: Header {
                    len: command::BARE_LEN + ((arity + 1) * ELEMENT_BYTES) as u32,
                    cmd: number,
                },
                reply: Header { len: command::REPLY_LEN, cmd: reply },
            })
        };
        self.strengths.iter().flat_map(of_strength).chain(layers::exchanges()).collect()
    }

    /// Returns an error for a hash that the engine does not offer.
    fn require(&self, arity: usize, strength: Strength, device: &str) -> Result<()> {
        let has_strength = self.strengths.contains(&strength);
        if has_strength && self.arities.contains(&arity) {
            return Ok(());
        }
        let requested = match has_strength {
            true => format!("arity {arity}"),
            false => "the strengthened instance".into(),
        };
        let offered: Vec<_> = self.arities.iter().map(usize::to_string).collect();
        let instances = match self.strengths.len() {
            1 => "the standard instance",
            _ => "the standard and the strengthened instance",
        };
        let what = format!(
            "poseidon with {requested}; it has {instances} of arity {}",
            offered.join(", ")
        );
        Err(Error::Unsupported { device: device.to_owned(), what })
    }
}

/// The engine as requests use it.
#[derive(Debug)]
pub struct Port {
    /// Its properties.
    pub geometry: Geometry,
    /// The card's identity for resident data.
    pub identity: u64,
    /// The card's URI.
    pub uri: String,
    /// The memory of nodes and digests of layers.
    pub memory: Arc<Memory>,
    /// The number of the engine's channel at the card's memory port, if that is used.
    pub bulk: Option<u32>,
}

impl Port {
    /// Returns the port of an engine with nothing in its memory.
    pub fn new(geometry: Geometry, identity: u64, uri: &str, bulk: Option<u32>) -> Arc<Self> {
        let memory = Memory::new(geometry.memory);
        Arc::new(Self { geometry, identity, uri: uri.to_owned(), memory, bulk })
    }
}

/// Finds this operation's engine among the blocks; there is at most one.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
) -> Result<Option<(Engine, Geometry)>> {
    use block::registers as at;
    chain.engine("poseidon", (block::TYPE, block::VERSION), uri, |it| {
        let arities = it.read(transport, at::arities::OFFSET)?;
        let memory = it.read64(transport, at::memory::OFFSET)?;
        let strengths = it.read(transport, at::strengths::OFFSET)?;
        let geometry =
            Geometry::of(arities, strengths, memory).map_err(|problem| it.broken(problem))?;
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let exchanges = geometry.exchanges();
        let lane = Lane { block: it.address, exchanges, queue, progress: &[] };
        let engine = Engine { capability: Capability::Poseidon(Instance::Bls12_381), lane };
        Ok(Some((engine, geometry)))
    })
}

/// A request: the preimages, and the digests that have arrived.
pub struct Job {
    preimages: Bytes,
    /// Elements of a preimage.
    elements: usize,
    /// Header and index of a command, the tag, and zeros to be written over.
    bare: Vec<u8>,
    settings: Settings,
    digests: Vec<u8>,
    progress: Option<Progress>,
    sent: usize,
    answered: usize,
    /// Preimage and element that are not below the modulus: the first ones.
    wrong: Option<(usize, usize)>,
}

impl Job {
    /// Checks the request and returns its job.
    pub fn new(request: Request, port: &Port) -> Result<Self> {
        let (elements, count) = (request.elements()?, request.count()?);
        port.geometry.require(request.arity, request.strength, &port.uri)?;
        let tag = request.domain.tag(request.arity);
        let mut state = vec![0; (request.arity + 1) * ELEMENT_BYTES];
        state[..ELEMENT_BYTES].copy_from_slice(&tag);
        Ok(Self {
            preimages: request.preimages.on(port.identity)?.clone(),
            elements,
            bare: wire::poseidon(0, request.strength, &state),
            settings: Settings::new(),
            digests: vec![0; count * ELEMENT_BYTES],
            progress: request.progress,
            sent: 0,
            answered: 0,
            wrong: None,
        })
    }

    fn count(&self) -> usize {
        self.digests.len() / ELEMENT_BYTES
    }

    fn report(&self) {
        if let Some(progress) = &self.progress
            && self.wrong.is_none()
            && (self.answered.is_multiple_of(PACE) || self.answered == self.count())
        {
            progress.report(self.answered as f64 / self.count() as f64);
        }
    }
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        if self.wrong.is_some() { self.sent } else { self.count() }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        let bytes = self.elements * ELEMENT_BYTES;
        let preimage = &self.preimages[position * bytes..][..bytes];
        let mut packet = self.bare.clone();
        wire::put(&mut packet, wire::INDEX_OFFSET, &index.to_le_bytes());
        let first = command::fields::state::OFFSET + ELEMENT_BYTES as u32; // behind the tag
        wire::put(&mut packet, first, preimage);
        self.sent = self.sent.max(position + 1);
        packet.into()
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        use command::reply_fields as at;
        let word = |offset| wire::u32_at(reply, offset).ok_or("a reply without its status");
        let (found, element) = (word(at::status::OFFSET)?, word(at::element::OFFSET)?);
        let digest: [u8; ELEMENT_BYTES] =
            wire::bytes_at(reply, at::digest::OFFSET).ok_or("a reply without its digest")?;
        match (found, element as usize) {
            (status::DONE, 0) => {
                self.digests[position * ELEMENT_BYTES..][..ELEMENT_BYTES].copy_from_slice(&digest);
            }
            // The tag, 0, is right, and so are the zeros behind the preimage.
            (status::REFUSED, element) if (1..=self.elements).contains(&element) => {
                let wrong = (position, element - 1);
                self.wrong = Some(self.wrong.map_or(wrong, |first| first.min(wrong)));
            }
            _ => return Err(format!("status {found}, element {element}")),
        }
        self.answered += 1;
        self.report();
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(self: Box<Self>) -> Result<Response> {
        if let Some((preimage, element)) = self.wrong {
            let problem =
                format!("element {element} of preimage {preimage} is not below the modulus");
            return Err(Error::argument(Argument::Preimages, problem));
        }
        Ok(Response { digests: self.digests })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Strength; 2] = [Strength::Standard, Strength::Strengthened];

    fn geometry(arities: &[usize], strengths: &[Strength]) -> Geometry {
        Geometry { arities: arities.to_vec(), strengths: strengths.to_vec(), memory: 1 << 20 }
    }

    #[test]
    fn arities_and_strengths_are_those_of_the_registers() {
        assert_eq!(
            Geometry::of(0b1001_0001_0100, 1, 1 << 20),
            Ok(geometry(&[2, 4, 8, 11], &BOTH[..1]))
        );
        assert_eq!(Geometry::of(4, 3, 1 << 20), Ok(geometry(&[2], &BOTH)));
        for register in [0, 1, 0b110] {
            let problem = format!("arities {register:#010x}");
            assert_eq!(Geometry::of(register, 1, 1 << 20), Err(problem));
        }
        for register in [0, 2, 4, 5] {
            assert_eq!(Geometry::of(4, register, 1 << 20), Err(format!("strengths {register:#x}")));
        }
        assert_eq!(Geometry::of(4, 1, 1000), Err("a memory of 0x3e8 bytes".into()));
    }

    #[test]
    fn each_strength_has_its_commands() {
        let exchanges = geometry(&[2, 8], &BOTH).exchanges();
        let hashes = exchanges[..4].iter().map(|it| (it.command.cmd, it.command.len, it.reply.cmd));
        let wanted = [
            (0x500, 112, 0x8000_0500),
            (0x500, 304, 0x8000_0500),
            (0x504, 112, 0x8000_0504),
            (0x504, 304, 0x8000_0504),
        ];
        assert!(hashes.eq(wanted));
    }

    #[test]
    fn missing_arities_and_strengths_are_errors() {
        let geometry = geometry(&[2, 8], &BOTH[..1]);
        let require = |arity, strength| geometry.require(arity, strength, "sim:x");
        require(8, Strength::Standard).unwrap();
        let problem = |arity, strength| require(arity, strength).unwrap_err().to_string();
        assert!(problem(4, Strength::Standard).contains("arity 4; it has"));
        let strengthened = problem(8, Strength::Strengthened);
        assert!(strengthened.contains("with the strengthened instance; it has"));
        assert!(strengthened.ends_with("the standard instance of arity 2, 8"));
        let both = Geometry { strengths: BOTH.to_vec(), ..geometry.clone() };
        both.require(8, Strength::Strengthened, "sim:x").unwrap();
        let problem = both.require(4, Strength::Strengthened, "sim:x").unwrap_err().to_string();
        assert!(
            problem.ends_with(
                "arity 4; it has the standard and the strengthened instance of arity 2, 8"
            )
        );
    }
}
