//! The NTT engine of a card and its registers.

use std::ops::RangeInclusive;
use std::sync::Arc;

use proofmill_algebra::ntt::Form;
use proofmill_op::msm::Instance;
use proofmill_op::ntt::Field;
use proofmill_op::{Argument, Capability, Error, Result, in_field};

use crate::Transport;
use crate::driver::chain::{Block, Chain};
use crate::driver::job::{Engine, Exchange, Lane};
use crate::driver::msm;
use crate::driver::regions::Memory;
use crate::wire::Header;
use crate::wire::constants::ntt::{block, commands, fields};
use crate::wire::constants::shell::capabilities::NTT;

/// The capability of the card's engine, or of one that it might have, and its bit: all fields have the same.
pub fn known(engines: &[Engine]) -> (Capability, u32) {
    let mut own = engines.iter().map(|engine| &engine.capability);
    let own = own.find(|capability| matches!(capability, Capability::Ntt(_)));
    (own.cloned().unwrap_or(Capability::Ntt(Field::Goldilocks)), NTT)
}

/// Returns the field with this number; `None` if no card has it.
fn field_of(number: u32) -> Option<Field> {
    match number {
        fields::goldilocks::NUMBER => Some(Field::Goldilocks),
        fields::bn254_fr::NUMBER => Some(Field::Bn254Fr),
        fields::bls12_381_fr::NUMBER => Some(Field::Bls12_381Fr),
        _ => None,
    }
}

/// Bytes of a write and of a read, and what addresses are multiples of.
pub const GRANULE: usize = 1024;

/// Quotients of the largest size that can be resident at a time.
const RESIDENT: u64 = 4;

/// The geometry of the engine according to its registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The field of the elements.
    pub field: Field,
    /// Memory channels, which have beats in turn.
    pub channels: usize,
    /// Bytes of each.
    pub memory: u64,
    /// Base-2 logarithms of the smallest and the largest transform, and of the largest that needs no scratch memory.
    pub logs: RangeInclusive<u32>,
    /// See `logs`.
    pub pass_log: u32,
    /// Bytes of the channel of scalars of MSMs to which a quotient can be written; or 0.
    pub scalars: u64,
}

impl Geometry {
    /// Bytes of a channel's beat.
    pub const BEAT: usize = 64;

    /// Returns the granules in a channel of some lists of 2^log_size elements, one behind the other.
    pub fn granules(&self, lists: usize, log_size: u32) -> usize {
        let row = Self::BEAT * self.channels;
        (((lists * self.field.bytes()) << log_size).div_ceil(row) * Self::BEAT).div_ceil(GRANULE)
    }

    /// Returns the bytes of these in a channel, in whole granules.
    pub fn bytes(&self, lists: usize, log_size: u32) -> u64 {
        (self.granules(lists, log_size) * GRANULE) as u64
    }

    /// Returns these bytes and those of the scratch memory of a transform, if it needs that.
    pub fn needed(&self, lists: usize, log_size: u32) -> u64 {
        let scratch = if log_size > self.pass_log { self.bytes(1, log_size) } else { 0 };
        self.bytes(lists, log_size) + scratch
    }

    /// Returns the base-2 logarithms of the sizes of which `lists` lists fit, from `least` on.
    fn sizes(&self, lists: usize, least: u32) -> RangeInclusive<u32> {
        let mut fit =
            (least..=*self.logs.end()).rev().filter(|&log| self.needed(lists, log) <= self.memory);
        least..=fit.next().unwrap_or(least.saturating_sub(1))
    }

    /// Returns the base-2 logarithms of the sizes of transforms.
    fn transforms(&self) -> RangeInclusive<u32> {
        self.sizes(1, *self.logs.start())
    }

    /// Returns the base-2 logarithms of the sizes of quotients: a list has whole beats of all channels.
    pub fn quotients(&self) -> RangeInclusive<u32> {
        let beats = (Self::BEAT * self.channels / self.field.bytes()).ilog2();
        self.sizes(3, beats.max(*self.logs.start()))
    }

    /// Returns an error for a transform of a size that the card does not offer.
    pub fn require(&self, log_size: u32) -> Result<()> {
        require(Argument::Elements, log_size, self.transforms())
    }

    /// Returns an error for a quotient of a size that the card does not offer.
    pub fn require_quotient(&self, log_size: u32) -> Result<()> {
        require(Argument::Lists, log_size, self.quotients())
    }

    /// Returns the bytes reserved for quotients in a channel of scalars with `memory` bytes, of MSMs in a group of this order: 0 unless quotients can
    /// become such scalars.
    pub fn reserved(&self, memory: u64, order: &[u64]) -> u64 {
        let is_order = in_field!(self.field, is_order(order)).unwrap_or(false);
        if self.scalars != memory || !is_order {
            return 0;
        }
        let one = (self.field.bytes() as u64) << self.quotients().end();
        let all = (RESIDENT * one).min(memory / 4);
        all.next_multiple_of(2 * GRANULE as u64)
    }

    fn problem(&self) -> Option<String> {
        let logs = &self.logs;
        if ![1, 2, 4, 8].contains(&self.channels) {
            Some(format!("{} channels", self.channels))
        } else if logs.is_empty() || *logs.start() == 0 || *logs.end() > 32 {
            Some(format!("sizes from 2^{} to 2^{}", logs.start(), logs.end()))
        } else if self.needed(1, *logs.start()) > self.memory {
            Some(format!("{} bytes of memory", self.memory))
        } else {
            None
        }
    }
}

/// Returns an error for a size that is not one of these.
fn require(argument: Argument, log_size: u32, sizes: RangeInclusive<u32>) -> Result<()> {
    if sizes.contains(&log_size) {
        return Ok(());
    }
    let (least, most) = (sizes.start(), sizes.end());
    let problem =
        format!("a count of 2^{log_size}, where the card transforms 2^{least} to 2^{most}");
    Err(Error::argument(argument, problem))
}

fn is_order<F: Form<D>, const D: usize>(order: &[u64]) -> Result<bool> {
    Ok(F::MODULUS == order)
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
    /// The memory of elements.
    pub memory: Arc<Memory>,
    /// The number of the engine's first channel at the card's memory port, if that is used.
    pub bulk: Option<u32>,
    /// The MSM engine whose scalars results can become.
    pub msm: Option<Arc<msm::Port>>,
}

impl Port {
    /// Returns the port of an engine with nothing in its memory, whose results become scalars of this MSM engine.
    pub fn new(
        geometry: Geometry,
        identity: u64,
        uri: &str,
        bulk: Option<u32>,
        msm: Option<Arc<msm::Port>>,
    ) -> Arc<Self> {
        let memory = Memory::new(geometry.memory);
        Arc::new(Self { geometry, identity, uri: uri.to_owned(), memory, bulk, msm })
    }

    /// Reserves memory for a quotient of 2^log_size elements among the scalars of MSMs in this group.
    pub fn scalars(&self, instance: Instance, log_size: u32) -> Result<msm::Scalars> {
        let msm = self.msm.as_ref().filter(|msm| msm.geometry.instance == instance);
        let problem = || format!("this card has no resident scalars for {instance}");
        let msm = msm.ok_or_else(|| Error::argument(Argument::ResidentFor, problem()))?;
        msm.reserve(1 << log_size)
    }
}

/// Finds this operation's engine among the blocks; there is at most one.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
) -> Result<Option<(Engine, Geometry)>> {
    use block::registers as at;
    chain.engine("ntt", (block::TYPE, block::VERSION), uri, |it| {
        let Some(field) = field_of(it.read(transport, at::field::OFFSET)?) else { return Ok(None) };
        let geometry = geometry(transport, &it, field)?;
        if let Some(problem) = geometry.problem() {
            return Err(it.broken(problem));
        }
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let engine = Engine { capability: Capability::Ntt(field), lane: lane(it.address, queue) };
        Ok(Some((engine, geometry)))
    })
}

fn geometry(transport: &mut dyn Transport, it: &Block, field: Field) -> Result<Geometry> {
    use block::registers as at;
    let mut word = |offset| it.read(transport, offset);
    Ok(Geometry {
        field,
        channels: word(at::channels::OFFSET)? as usize,
        logs: word(at::least_log::OFFSET)?..=word(at::most_log::OFFSET)?,
        pass_log: word(at::pass_log::OFFSET)?,
        memory: it.read64(transport, at::memory::OFFSET)?,
        scalars: it.read64(transport, at::scalars::OFFSET)?,
    })
}

fn lane(block: u32, queue: usize) -> Lane {
    use block::registers as at;
    use commands::{read, run, write};
    let exchange = |command, len, cmd, reply_len| Exchange {
        command: Header { len, cmd: command },
        reply: Header { len: reply_len, cmd },
    };
    Lane {
        block,
        exchanges: vec![
            exchange(write::NUMBER, write::LEN, write::REPLY, write::REPLY_LEN),
            exchange(run::NUMBER, run::LEN, run::REPLY, run::REPLY_LEN),
            exchange(read::NUMBER, read::LEN, read::REPLY, read::REPLY_LEN),
        ],
        queue,
        progress: &[at::beats::OFFSET, at::done::OFFSET],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry() -> Geometry {
        let field = Field::Goldilocks;
        Geometry { field, channels: 4, memory: 1 << 20, logs: 6..=24, pass_log: 12, scalars: 0 }
    }

    #[test]
    fn a_transform_has_whole_granules_in_each_channel() {
        let bytes = [6, 9, 10, 12, 13].map(|log| geometry().bytes(1, log));
        assert_eq!(bytes, [1024, 1024, 2048, 8192, 16384]);
        assert_eq!([12, 13].map(|log| geometry().needed(1, log)), [8192, 32768]);
        let long = Geometry { field: Field::Bn254Fr, channels: 2, logs: 1..=20, ..geometry() };
        assert_eq!([1, 2, 6, 7, 10].map(|log| long.bytes(1, log)), [1024, 1024, 1024, 2048, 16384]);
    }

    #[test]
    fn errors_name_the_sizes_that_fit() {
        geometry().require(18).unwrap();
        for log in [5, 19] {
            let problem = geometry().require(log).unwrap_err().to_string();
            let wanted =
                format!("elements: a count of 2^{log}, where the card transforms 2^6 to 2^18");
            assert_eq!(problem, wanted);
        }
    }

    #[test]
    fn quotients_have_three_lists_of_whole_beats() {
        assert_eq!(geometry().quotients(), 6..=17);
        let long = Geometry { field: Field::Bn254Fr, channels: 2, logs: 1..=20, ..geometry() };
        assert_eq!(long.quotients(), 2..=14);
        assert_eq!([2, 4, 5, 6].map(|log| long.granules(3, log)), [1, 1, 2, 3]);
        let problem = long.require_quotient(1).unwrap_err().to_string();
        assert_eq!(problem, "lists: a count of 2^1, where the card transforms 2^2 to 2^14");
        let none = Geometry { memory: 512, ..geometry() };
        assert!(none.quotients().is_empty());
    }

    #[test]
    fn scalars_of_the_groups_order_fit() {
        use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
        let long = |scalars| {
            let (field, logs, memory) = (Field::Bn254Fr, 1..=12, 1 << 30);
            Geometry { field, channels: 2, logs, memory, scalars, ..geometry() }
        };
        assert_eq!(long(1 << 34).reserved(1 << 34, Bn254Fr::MODULUS), 4 << 17);
        assert_eq!(long(1 << 34).reserved(1 << 34, Bls12381Fr::MODULUS), 0);
        assert_eq!(long(0).reserved(1 << 34, Bn254Fr::MODULUS), 0);
        assert_eq!(long(1 << 16).reserved(1 << 16, Bn254Fr::MODULUS), 1 << 14);
    }

    #[test]
    fn registers_that_cannot_be_are_found() {
        assert_eq!(geometry().problem(), None);
        for (broken, word) in [
            (Geometry { channels: 3, ..geometry() }, "3 channels"),
            (Geometry { logs: 0..=24, ..geometry() }, "sizes from 2^0 to 2^24"),
            (Geometry { memory: 512, ..geometry() }, "512 bytes of memory"),
        ] {
            assert_eq!(broken.problem().as_deref(), Some(word));
        }
    }
}
