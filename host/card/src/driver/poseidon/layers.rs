//! Layers of trees in the card's memory: nodes are written there, each layer is hashed to the place behind it, and the layers requested are read.
//!
//! Each job has a region of the memory, whose earlier content does not matter; it waits until a region is free. Nodes and digests go through the
//! card's memory port if it has one, and through commands otherwise.

use std::sync::Arc;

use proofmill_op::poseidon::{Domain, ELEMENT_BYTES, Layers, LayersResponse, Output, Strength};
use proofmill_op::{Argument, Bytes, Error, Result, SecretBytes};

use super::Port;
use crate::driver::job::{self, Exchange, Respond, Settings, Transfer};
use crate::driver::regions::Region;
use crate::transport::Place;
use crate::transport::memory_port::BEAT;
use crate::wire::constants::poseidon::commands::{layer, read, write};
use crate::wire::constants::poseidon::status;
use crate::wire::{self, Header};

/// Bytes of a write and of a read, and what addresses are multiples of.
pub const GRANULE: u64 = 1024;
/// Digests that a command makes at most, whole granules of them: between two commands a job can be ended, and the first digest of a command
/// waits for nothing but its rounds, which take as long as some hundred digests.
const PIECE: usize = 2048;
/// Bytes of a transfer through the memory port.
const SPAN: usize = 1 << 16;

/// The commands.
pub fn exchanges() -> [Exchange; 3] {
    [
        (write::NUMBER, write::LEN, write::REPLY, write::REPLY_LEN),
        (layer::NUMBER, layer::LEN, layer::REPLY, layer::REPLY_LEN),
        (read::NUMBER, read::LEN, read::REPLY, read::REPLY_LEN),
    ]
    .map(|(number, len, reply, reply_len)| Exchange {
        command: Header { len, cmd: number },
        reply: Header { len: reply_len, cmd: reply },
    })
}

/// A command; addresses are relative to the region, bytes are those of the request's nodes or of the response's digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Write the bytes `from..end` to an address.
    Write { from: usize, end: usize, to: u64 },
    /// Hash to `count` digests. `first`: number of its first node, in the lowest layer.
    Layer { from: u64, to: u64, count: usize, arity: usize, first: Option<usize> },
    /// Read from an address to the bytes `to..end`.
    Read { from: u64, to: usize, end: usize },
}

/// Returns the bytes of `nodes` nodes in memory.
fn bytes_of(nodes: usize) -> u64 {
    (nodes as u64 * ELEMENT_BYTES as u64).div_ceil(GRANULE) * GRANULE
}

/// Returns all commands for layers of `counts` nodes; those that move bytes move `span` of them, whole granules.
fn steps(counts: &[usize], arities: &[usize], output: Output, span: usize) -> Vec<Step> {
    let pieces =
        |bytes: usize| (0..bytes).step_by(span).map(move |start| (start, bytes.min(start + span)));
    let writes = pieces(counts[0] * ELEMENT_BYTES);
    let mut steps: Vec<_> =
        writes.map(|(from, end)| Step::Write { from, end, to: from as u64 }).collect();
    let mut reads = vec![];
    let (mut from, mut answered) = (0, 0);
    for (number, (&arity, &count)) in arities.iter().zip(&counts[1..]).enumerate() {
        let to = from + bytes_of(counts[number]);
        steps.extend((0..count).step_by(PIECE).map(|digest| {
            let at = |base: u64, nodes: usize| base + (nodes * ELEMENT_BYTES) as u64;
            Step::Layer {
                from: at(from, digest * arity),
                to: at(to, digest),
                count: PIECE.min(count - digest),
                arity,
                first: (number == 0).then_some(digest * arity),
            }
        }));
        if output == Output::All || number + 1 == arities.len() {
            let read = |(at, end): (usize, usize)| Step::Read {
                from: to + at as u64,
                to: answered + at,
                end: answered + end,
            };
            reads.extend(pieces(count * ELEMENT_BYTES).map(read));
            answered += count * ELEMENT_BYTES;
        }
        from = to;
    }
    steps.extend(reads);
    steps
}

/// A request and its progress.
pub struct Job {
    port: Arc<Port>,
    request: Layers,
    nodes: Bytes,
    steps: Vec<Step>,
    /// Bytes of all nodes and digests.
    bytes: u64,
    region: Option<Region>,
    settings: Settings,
    digests: Vec<u8>,
    sent: usize,
    answered: usize,
    /// Number of the first node that is not below the modulus.
    wrong: Option<usize>,
    /// The memory did not answer.
    failed: bool,
}

impl Job {
    /// Checks the request and returns its job.
    pub fn new(request: Layers, port: &Arc<Port>) -> Result<Self> {
        let counts = request.counts()?;
        for &arity in &request.arities {
            port.geometry.require(arity, Strength::Standard, &port.uri)?;
        }
        let nodes = request.nodes.on(port.identity)?.clone();
        fits(&counts, &request.arities, port.geometry.memory)?;
        let answered = match request.output {
            Output::All => counts[1..].iter().sum(),
            Output::Last => counts[counts.len() - 1],
        };
        let span = if port.bulk.is_some() { SPAN } else { GRANULE as usize };
        Ok(Self {
            port: port.clone(),
            nodes,
            steps: steps(&counts, &request.arities, request.output, span),
            bytes: needed(&counts),
            region: None,
            settings: Settings::new(),
            digests: vec![0; answered * ELEMENT_BYTES],
            sent: 0,
            answered: 0,
            wrong: None,
            failed: false,
            request,
        })
    }

    /// Records the status in a command's reply.
    fn note(&mut self, step: Step, found: u32, element: usize) -> std::result::Result<(), String> {
        match (found, step) {
            (status::DONE, _) => {}
            (status::MEMORY_FAULT, _) => self.failed = true,
            // The tag, 0, is right; the elements behind it in memory were hashed.
            (status::REFUSED, Step::Layer { count, arity, first: Some(first), .. })
                if !element.is_multiple_of(arity + 1) && element < count * (arity + 1) =>
            {
                let wrong = first + element / (arity + 1) * arity + element % (arity + 1) - 1;
                self.wrong = Some(self.wrong.map_or(wrong, |first| first.min(wrong)));
            }
            // The digest of a refused hash is 0, which is a valid node: no layer above refuses it.
            _ => return Err(format!("status {found}, element {element}")),
        }
        Ok(())
    }

    /// Returns the address of the region.
    fn base(&self) -> u64 {
        self.region.as_ref().map_or(0, Region::address)
    }

    fn report(&self) {
        if let Some(progress) = &self.request.progress
            && self.wrong.is_none()
            && !self.failed
        {
            progress.report(self.answered as f64 / self.steps.len() as f64);
        }
    }
}

/// Returns the bytes in memory of layers with these numbers of nodes.
fn needed(counts: &[usize]) -> u64 {
    counts.iter().map(|&nodes| bytes_of(nodes)).sum()
}

/// Returns an error for layers that exceed the memory; it names the most nodes that do not.
fn fits(counts: &[usize], arities: &[usize], memory: u64) -> Result<()> {
    if needed(counts) <= memory {
        return Ok(());
    }
    let of_tops = |tops: usize| {
        let above = arities.iter().rev().scan(tops, |nodes, arity| {
            *nodes *= arity;
            Some(*nodes)
        });
        std::iter::once(tops).chain(above).collect::<Vec<_>>()
    };
    // The most such trees that fit.
    let (mut some, mut too_many) = (0, counts[counts.len() - 1]);
    while too_many - some > 1 {
        let tops = some.midpoint(too_many);
        if needed(&of_tops(tops)) <= memory { some = tops } else { too_many = tops }
    }
    let most = of_tops(some)[arities.len()];
    let problem = format!(
        "{} with their layers take {} bytes, where the card's memory has {memory}: it holds {most} with as many layers",
        counts[0],
        needed(counts),
    );
    Err(Error::argument(Argument::Nodes, problem))
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        let ended = self.wrong.is_some() || self.failed;
        if ended { self.sent } else { self.steps.len() }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn acquire(&mut self, _position: usize) -> bool {
        if self.region.is_none() {
            self.region = self.port.memory.take(self.bytes).ok();
        }
        self.region.is_some()
    }

    fn transfer(&self, position: usize) -> Option<Transfer> {
        let bulk = self.port.bulk?;
        let place = |address| Place::new(bulk, self.base() + address);
        match self.steps[position] {
            Step::Write { from, end, to } => {
                let mut bytes = SecretBytes::filled((end - from).next_multiple_of(BEAT), 0);
                bytes[..end - from].copy_from_slice(&self.nodes[from..end]);
                Some(Transfer::Up(place(to), bytes))
            }
            Step::Layer { .. } => None,
            Step::Read { from, to, end } => {
                Some(Transfer::Down(place(from), (end - to).next_multiple_of(BEAT)))
            }
        }
    }

    fn transferred(&mut self, position: usize, bytes: Option<SecretBytes>) {
        match (bytes, self.steps[position]) {
            (None, _) => self.failed = true,
            (Some(bytes), Step::Read { to, end, .. }) => {
                self.digests[to..end].copy_from_slice(&bytes[..end - to]);
            }
            (Some(_), _) => {}
        }
        self.answered += 1;
        self.report();
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        self.sent = self.sent.max(position + 1);
        let base = self.base();
        match self.steps[position] {
            Step::Write { from, end, to } => {
                wire::poseidon_write(index, base + to, &self.nodes[from..end])
            }
            Step::Layer { from, to, count, arity, .. } => {
                let tag = Domain::MerkleTree.tag(arity);
                let (from, to) = (base + from, base + to);
                wire::poseidon_layer(index, from, to, count as u64, arity as u64, &tag)
            }
            Step::Read { from, .. } => wire::poseidon_read(index, base + from),
        }
        .into()
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        use read::reply_fields as at;
        let word = |offset| wire::u32_at(reply, offset).ok_or("a reply without its status");
        let (found, element) = (word(at::status::OFFSET)?, word(at::element::OFFSET)?);
        let step = self.steps[position];
        self.note(step, found, element as usize)?;
        if let Step::Read { to, end, .. } = step {
            let data = &reply[at::data::OFFSET as usize..];
            let data = data.get(..end - to).ok_or("a reply without its data")?;
            self.digests[to..end].copy_from_slice(data);
        }
        self.answered += 1;
        self.report();
        Ok(())
    }
}

impl Respond<LayersResponse> for Job {
    fn respond(self: Box<Self>) -> Result<LayersResponse> {
        if self.failed {
            let problem = "its memory did not answer".into();
            return Err(Error::Failed { device: self.port.uri.clone(), problem });
        }
        if let Some(number) = self.wrong {
            return Err(self.request.too_large(number));
        }
        Ok(LayersResponse { digests: self.digests })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_written_hashed_and_read() {
        let step = |from, to, count, first| Step::Layer { from, to, count, arity: 8, first };
        let counts = [64, 8, 1];
        let all = [
            Step::Write { from: 0, end: 1024, to: 0 },
            Step::Write { from: 1024, end: 2048, to: 1024 },
            step(0, 2048, 8, Some(0)),
            step(2048, 3072, 1, None),
            Step::Read { from: 2048, to: 0, end: 256 },
            Step::Read { from: 3072, to: 256, end: 288 },
        ];
        assert_eq!(steps(&counts, &[8, 8], Output::All, 1024), all);
        let last = [&all[..4], &[Step::Read { from: 3072, to: 0, end: 32 }]].concat();
        assert_eq!(steps(&counts, &[8, 8], Output::Last, 1024), last);
        let at_once = [&[Step::Write { from: 0, end: 2048, to: 0 }], &all[2..]].concat();
        assert_eq!(steps(&counts, &[8, 8], Output::All, SPAN), at_once);
    }

    #[test]
    fn a_long_layer_is_several_commands() {
        let counts = [2 * (2 * PIECE + 5), 2 * PIECE + 5];
        let steps = steps(&counts, &[2], Output::Last, SPAN);
        let layers: Vec<_> =
            steps.iter().filter(|step| matches!(step, Step::Layer { .. })).collect();
        assert_eq!(layers.len(), 3);
        let node = ELEMENT_BYTES as u64;
        let (from, to) =
            (2 * 2 * PIECE as u64 * node, bytes_of(counts[0]) + 2 * PIECE as u64 * node);
        let last = Step::Layer { from, to, count: 5, arity: 2, first: Some(4 * PIECE) };
        assert_eq!(layers[2], &last);
        assert!(from % GRANULE == 0 && to % GRANULE == 0);
    }

    #[test]
    fn errors_name_the_largest_size_that_fits() {
        let problem = |counts: &[usize], arities: &[usize], memory| {
            fits(counts, arities, memory).unwrap_err().to_string()
        };
        fits(&[64, 8, 1], &[8, 8], 4096).unwrap();
        assert_eq!(
            problem(&[64, 8, 1], &[8, 8], 3072),
            "nodes: 64 with their layers take 4096 bytes, where the card's memory has 3072: it holds 0 with as many layers"
        );
        assert!(
            problem(&[640, 80, 10], &[8, 8], 1 << 14).ends_with("it holds 384 with as many layers")
        );
    }
}
