//! Random and mutated packets for a card's command stream. Each packet has exactly one reply, the predicted one, and at
//! the end the card is in sync.
//!
//! A reset is the exception that the wire format defines: commands outstanding at a reset get no reply. Replies to
//! packets before a reset may therefore be missing, but may not follow the reset's own reply.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use proofmill_card::Transport;
use proofmill_card::wire::constants::shell::commands::{reset, status};
use proofmill_card::wire::constants::shell::replies::ignore;
use proofmill_card::wire::constants::{ecdsa_verify, equihash_verify, poseidon as poseidon_wire};
use proofmill_card::wire::{self, Header, INDEX_OFFSET, u64_at};
use proofmill_op::Capability;
use proofmill_op::poseidon::Strength;

use crate::random::Random;
use crate::soft_card::{VerdictFn, poseidon, reply_of, request_after_reset};
use crate::stream_model::{Reaction, reaction};
use crate::vectors::ShellCase;

/// A run: the packets to send and the expected replies.
pub struct Soak<'a> {
    /// The engines that the card has.
    pub engines: Vec<Capability>,
    /// Commands to these engines, which are sent with other indices and mutated.
    pub commands: Vec<Vec<u8>>,
    /// Computes the engine's verdict.
    pub verdict: &'a mut VerdictFn,
    /// Packets to send.
    pub packets: u64,
    /// Sends resets as well; without them, every packet has a reply.
    pub resets: bool,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The maximum time until a reply.
    pub limit: Duration,
}

/// Counts of packets and replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets sent.
    pub sent: u64,
    /// Replies, each equal to the predicted one.
    pub replies: u64,
    /// Ignores among them.
    pub ignored: u64,
    /// Verdicts among them.
    pub verdicts: u64,
    /// Resets among them.
    pub resets: u64,
    /// Packets whose replies a reset dropped.
    pub forgotten: u64,
}

/// Maximum number of outstanding replies when a packet is sent.
const DEPTH: u64 = 48;

enum Expected {
    Ignore([u8; Header::BYTES]),
    /// An engine's reply, with the length of its predicted part: all but counts of cycles.
    Engine(Vec<u8>, usize),
    /// An engine's reply that this module does not predict: its number and index.
    Numbered(u32, u64),
    Reset,
    Status,
}

impl Soak<'_> {
    /// Sends all packets and checks every reply. The error names the packet and the difference.
    pub fn run(&mut self, transport: &mut dyn Transport) -> Result<Tally, String> {
        let mut random = Random::new(self.seed);
        let mut expected: VecDeque<(u64, Expected)> = VecDeque::new();
        let mut tally = Tally::default();
        while tally.sent < self.packets {
            let depth = random.below(DEPTH) as usize;
            self.drain(transport, &mut expected, depth, &mut tally)?;
            for _ in 0..=random.below(DEPTH / 2) {
                let mut packet = self.packet(&mut random);
                while !self.resets && reaction(&self.engines, &packet) == Reaction::Reset {
                    packet = self.packet(&mut random);
                }
                expected.push_back((tally.sent, self.predict(&packet)));
                transport
                    .send(&packet)
                    .map_err(|error| format!("packet {}: {error}", tally.sent))?;
                tally.sent += 1;
            }
        }
        self.drain(transport, &mut expected, 0, &mut tally)?;
        in_sync(transport, self.limit)?;
        Ok(tally)
    }

    fn predict(&mut self, packet: &[u8]) -> Expected {
        let command = Header::of(packet).map_or(0, |header| header.cmd);
        match reaction(&self.engines, packet) {
            Reaction::Reset => Expected::Reset,
            Reaction::Status => Expected::Status,
            Reaction::Ignore(echo) => Expected::Ignore(echo),
            // Their responses depend on the contents of the memory.
            Reaction::Engine { engine: Capability::Msm(_) | Capability::Ntt(_), index, .. } => {
                Expected::Numbered(command | wire::REPLY, index)
            }
            Reaction::Engine { engine: Capability::Poseidon(_), index, body } => {
                let strength = match command {
                    poseidon_wire::command::NUMBER => Strength::Standard,
                    poseidon_wire::strengthened::NUMBER => Strength::Strengthened,
                    _ => return Expected::Numbered(command | wire::REPLY, index),
                };
                let reply = poseidon::reply(index, strength, &body);
                let predicted = reply.len();
                Expected::Engine(reply, predicted)
            }
            Reaction::Engine { engine, index, body } => {
                let mask = (self.verdict)(&request_after_reset(&engine, &body));
                let reply = reply_of(&engine, index, mask, 0);
                let predicted = match engine {
                    Capability::EcdsaVerify => {
                        ecdsa_verify::command::reply_fields::cycle_cnt::OFFSET as usize
                    }
                    _ => reply.len(),
                };
                Expected::Engine(reply, predicted)
            }
        }
    }

    /// Receives until at most `left` replies are outstanding.
    fn drain(
        &self,
        transport: &mut dyn Transport,
        expected: &mut VecDeque<(u64, Expected)>,
        left: usize,
        tally: &mut Tally,
    ) -> Result<(), String> {
        while expected.len() > left {
            let reply = receive(transport, self.limit)?.ok_or_else(|| {
                let oldest = expected.front().map_or(0, |(number, _)| *number);
                format!("no reply for {:?}; packet {oldest} waits (seed {})", self.limit, self.seed)
            })?;
            let reset = expected.iter().position(|(_, it)| matches!(it, Expected::Reset));
            let end = reset.map_or(expected.len(), |at| at + 1);
            let at =
                expected.iter().take(end).position(|(_, it)| it.is_met_by(&reply)).ok_or_else(
                    || {
                        format!(
                            "a reply to none of the packets from {:?}: {reply:02x?} (seed {})",
                            expected.front().map(|e| e.0),
                            self.seed
                        )
                    },
                )?;
            tally.replies += 1;
            match expected.remove(at) {
                Some((_, Expected::Reset)) => {
                    tally.resets += 1;
                    tally.forgotten += at as u64;
                    expected.drain(..at);
                }
                Some((_, Expected::Ignore(_))) => tally.ignored += 1,
                Some((_, Expected::Engine(..) | Expected::Numbered(..))) => tally.verdicts += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn packet(&self, random: &mut Random) -> Vec<u8> {
        let valid = |random: &mut Random| {
            let mut packet = random.pick::<Vec<u8>>(&self.commands).clone();
            wire::put(&mut packet, INDEX_OFFSET, &random.bits().to_le_bytes());
            packet
        };
        match random.below(100) {
            0 => wire::bare(reset::NUMBER).to_vec(),
            1..=12 => wire::bare(status::NUMBER).to_vec(),
            13..=24 => {
                let n = 1 + random.below(7);
                random.bytes(n as usize)
            }
            25..=49 => header_and_noise(random, 8),
            50..=69 => header_and_noise(random, 96),
            70.. if self.commands.is_empty() => header_and_noise(random, 300),
            70..=79 => valid(random),
            80..=84 => flipped(valid(random), random),
            85..=94 => cut(valid(random), random),
            95..=97 => grown(valid(random), random),
            _ => header_and_noise(random, 4096),
        }
    }
}

impl Expected {
    fn is_met_by(&self, reply: &[u8]) -> bool {
        let header = Header::of(reply);
        match self {
            Self::Ignore(echo) => {
                header == Some(Header { len: ignore::LEN, cmd: ignore::NUMBER })
                    && reply[Header::BYTES..] == echo[..]
            }
            Self::Engine(bytes, predicted) => {
                reply.len() == bytes.len() && reply[..*predicted] == bytes[..*predicted]
            }
            Self::Numbered(cmd, index) => {
                header.is_some_and(|header| header.cmd == *cmd)
                    && u64_at(reply, INDEX_OFFSET) == Some(*index)
            }
            Self::Reset => header == Some(Header { len: reset::REPLY_LEN, cmd: reset::REPLY }),
            Self::Status => {
                header == Some(Header { len: status::REPLY_LEN, cmd: status::REPLY })
                    && reply.len() == status::REPLY_LEN as usize
            }
        }
    }
}

/// Sends the packets of one case of `spec/vectors/wire` to a card after a reset, each after the previous reply, and
/// compares the replies.
pub fn exchange(
    transport: &mut dyn Transport,
    case: &ShellCase,
    limit: Duration,
) -> Result<(), String> {
    transport.send(&wire::bare(reset::NUMBER)).map_err(|error| error.to_string())?;
    receive(transport, limit)?
        .filter(|reply| Expected::Reset.is_met_by(reply))
        .ok_or_else(|| format!("{}: no reply to the reset before it", case.id))?;
    for (number, exchange) in case.exchanges.iter().enumerate() {
        let wrong = |what: String| format!("{}, packet {number}: {what}", case.id);
        transport.send(&exchange.packet).map_err(|error| wrong(error.to_string()))?;
        let reply = receive(transport, limit)?.ok_or_else(|| wrong("no reply".into()))?;
        if !exchange.is_met_by(&reply) {
            return Err(wrong(format!("{reply:02x?}, where {:02x?} was expected", exchange.reply)));
        }
    }
    Ok(())
}

/// Checks that a status command gets its reply and nothing else arrives.
fn in_sync(transport: &mut dyn Transport, limit: Duration) -> Result<(), String> {
    transport.send(&wire::bare(status::NUMBER)).map_err(|error| error.to_string())?;
    let reply = receive(transport, limit)?.ok_or("no reply to the last status command")?;
    if !Expected::Status.is_met_by(&reply) {
        return Err(format!("a reply too many, before the last status: {reply:02x?}"));
    }
    match receive(transport, limit.min(Duration::from_millis(50)))? {
        None => Ok(()),
        Some(reply) => Err(format!("a reply too many, after the last status: {reply:02x?}")),
    }
}

fn receive(transport: &mut dyn Transport, limit: Duration) -> Result<Option<Vec<u8>>, String> {
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let reply = transport.receive(left).map_err(|error| error.to_string())?;
        if reply.is_some() || left.is_zero() {
            return Ok(reply);
        }
    }
}

/// Returns a header that is often nearly valid, with up to `most` bytes in all.
fn header_and_noise(random: &mut Random, most: u64) -> Vec<u8> {
    let len = 8 + random.below(most - 7) as usize;
    let mut packet = random.bytes(len);
    let commands = [
        reset::NUMBER,
        status::NUMBER,
        2,
        equihash_verify::command::NUMBER,
        ecdsa_verify::command::NUMBER,
        ecdsa_verify::command::NUMBER + 1,
        0x200,
        0x300,
        0x8000_0000,
        u32::MAX,
    ];
    let lengths = [0, 1, 7, 8, 9, 16, 17, len as u32, len as u32 + 1, u32::MAX];
    let header = Header { len: *random.pick(&lengths), cmd: *random.pick(&commands) };
    match random.below(4) {
        0 => {}
        1 => wire::put(&mut packet, 4, &header.cmd.to_le_bytes()),
        2 => wire::put(&mut packet, 0, &header.len.to_le_bytes()),
        _ => wire::put(&mut packet, 0, &header.to_bytes()),
    }
    packet
}

fn flipped(mut packet: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let bit = random.below(packet.len() as u64 * 8);
    packet[bit as usize / 8] ^= 1 << (bit % 8);
    packet
}

fn cut(mut packet: Vec<u8>, random: &mut Random) -> Vec<u8> {
    packet.truncate(1 + random.below(packet.len() as u64 - 1) as usize);
    packet
}

/// Pads a packet to the next multiple of eight, or to a length nearby, or to a larger one.
fn grown(mut packet: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let word = packet.len().next_multiple_of(8);
    let more = *random.pick(&[word, word, word + 1, word + 8, word + 16, packet.len() + 1]);
    packet.resize(more, random.bits() as u8);
    packet
}
