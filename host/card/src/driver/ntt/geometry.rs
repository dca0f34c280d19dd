//! The engine of a card that transforms, and what its registers say of it.

use std::sync::Arc;

use proofmill_op::ntt::Field;
use proofmill_op::{Capability, Error, Result};

use crate::Transport;
use crate::driver::chain::{Block, Chain};
use crate::driver::job::{Engine, Exchange, Lane};
use crate::driver::open_error;
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

/// The field that a number stands for, if there are cards that have it.
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

/// What the registers say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Of the elements.
    pub field: Field,
    /// Memory channels, which have beats in turn.
    pub channels: usize,
    /// Bytes of each.
    pub memory: u64,
    /// Base-2 logarithms of the smallest and the largest transform, and of the largest that needs no scratch memory.
    pub logs: std::ops::RangeInclusive<u32>,
    /// See `logs`.
    pub pass_log: u32,
}

impl Geometry {
    /// Bytes of a channel's beat.
    pub const BEAT: usize = 64;

    /// Granules of a transform in a channel.
    pub fn granules(&self, log_size: u32) -> usize {
        let row = Self::BEAT * self.channels;
        ((self.field.bytes() << log_size).div_ceil(row) * Self::BEAT).div_ceil(GRANULE)
    }

    /// Bytes of a transform in a channel, in whole granules.
    pub fn bytes(&self, log_size: u32) -> u64 {
        (self.granules(log_size) * GRANULE) as u64
    }

    /// The same with the scratch memory, if it needs that.
    pub fn needed(&self, log_size: u32) -> u64 {
        self.bytes(log_size) * if log_size > self.pass_log { 2 } else { 1 }
    }

    /// Base-2 logarithm of the largest transform that fits.
    fn most(&self) -> u32 {
        let fits = self.logs.clone().rev().find(|&log| self.needed(log) <= self.memory);
        fits.unwrap_or(*self.logs.start())
    }

    /// An error for a size that the card has not.
    pub fn demand(&self, log_size: u32) -> Result<()> {
        let (least, most) = (*self.logs.start(), self.most());
        if (least..=most).contains(&log_size) {
            return Ok(());
        }
        let problem =
            format!("a count of 2^{log_size}, where the card transforms 2^{least} to 2^{most}");
        Err(Error::argument("elements", problem))
    }

    fn problem(&self) -> Option<String> {
        let logs = &self.logs;
        if ![1, 2, 4, 8].contains(&self.channels) {
            Some(format!("{} channels", self.channels))
        } else if logs.is_empty() || *logs.start() == 0 || *logs.end() > 32 {
            Some(format!("sizes from 2^{} to 2^{}", logs.start(), logs.end()))
        } else if self.needed(*logs.start()) > self.memory {
            Some(format!("{} bytes of memory", self.memory))
        } else {
            None
        }
    }
}

/// An engine, as requests see it.
#[derive(Debug)]
pub struct Door {
    /// What it is.
    pub geometry: Geometry,
    /// The card's.
    pub identity: u64,
    /// The card's.
    pub uri: String,
    /// Where elements lie.
    pub memory: Arc<Memory>,
}

/// Finds this operation's engine among the blocks: there is one at most.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
    identity: u64,
) -> Result<Option<(Engine, Arc<Door>)>> {
    use block::registers as at;
    let mut found = None;
    for it in
        chain.blocks.iter().filter(|it| it.kind == block::TYPE && it.version == block::VERSION)
    {
        let broken =
            |what: String| open_error(uri, format!("its ntt block at {:#x}: {what}", it.address));
        let Some(field) = field_of(it.read(transport, at::field::OFFSET)?) else { continue };
        let geometry = geometry(transport, it, field)?;
        if let Some(problem) = geometry.problem() {
            return Err(broken(problem));
        }
        let queue = it.read(transport, at::queue::OFFSET)? as usize;
        if queue == 0 {
            return Err(broken("a queue of no command".into()));
        }
        let engine = Engine { capability: Capability::Ntt(field), lane: lane(it.address, queue) };
        let memory = Memory::new(geometry.memory);
        let door = Arc::new(Door { geometry, identity, uri: uri.to_owned(), memory });
        if found.replace((engine, door)).is_some() {
            return Err(broken("a second engine".into()));
        }
    }
    Ok(found)
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
        Geometry { field, channels: 4, memory: 1 << 20, logs: 6..=24, pass_log: 12 }
    }

    #[test]
    fn a_transform_has_whole_granules_in_each_channel() {
        let bytes = [6, 9, 10, 12, 13].map(|log| geometry().bytes(log));
        assert_eq!(bytes, [1024, 1024, 2048, 8192, 16384]);
        assert_eq!([12, 13].map(|log| geometry().needed(log)), [8192, 32768]);
        let long = Geometry { field: Field::Bn254Fr, channels: 2, logs: 1..=20, ..geometry() };
        assert_eq!([1, 2, 6, 7, 10].map(|log| long.bytes(log)), [1024, 1024, 1024, 2048, 16384]);
    }

    #[test]
    fn sizes_that_do_not_fit_are_told_with_what_would() {
        geometry().demand(18).unwrap();
        for log in [5, 19] {
            let problem = geometry().demand(log).unwrap_err().to_string();
            let wanted =
                format!("elements: a count of 2^{log}, where the card transforms 2^6 to 2^18");
            assert_eq!(problem, wanted);
        }
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
