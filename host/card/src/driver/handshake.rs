//! The start of the communication with a card: RESET, a probe, STATUS.
//!
//! A host process that was killed may have left commands in the card and replies in transit, including the reply to a reset. After
//! RESET the driver therefore sends a probe: a command that no card implements, with a fresh number in it. The card replies
//! with IGNORE and echoes that number, and every packet before it is discarded.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proofmill_op::Result;

use super::{Options, open_error};
use crate::Transport;
use crate::wire::constants::shell::{command_blocks, commands, replies};
use crate::wire::{Header, bare, bytes_at, reversed_text, u32_at, u64_at};

/// The interval at which a wait for a packet checks the time-out.
const SLICE: Duration = Duration::from_millis(20);

/// The status reply.
#[derive(Clone, Debug)]
pub struct Status {
    /// 0x00MMmmpp.
    pub version: u32,
    /// The date on which it was built.
    pub build_date: String,
    /// The host on which it was built.
    pub build_host: String,
    /// The date's bytes as they came.
    pub raw_date: [u8; 8],
    /// The host's bytes as they came.
    pub raw_host: [u8; 8],
    /// Its capability bits.
    pub capabilities: u64,
}

/// Resets the card and reads its status.
pub fn perform(transport: &mut dyn Transport, options: &Options) -> Result<Status> {
    transport.send(&bare(commands::reset::NUMBER))?;
    let probe = probe();
    transport.send(&probe.to_bytes())?;
    let mut reset_answered = false;
    await_reply(transport, options, "the reset command", |packet| {
        let header = Header::of(packet)?;
        reset_answered |=
            header == Header { len: commands::reset::REPLY_LEN, cmd: commands::reset::REPLY };
        let echo = Header::of(packet.get(Header::BYTES..)?)?;
        (header.cmd == replies::ignore::NUMBER && echo == probe).then_some(())
    })?;
    if !reset_answered {
        return Err(open_error(
            &options.uri,
            "it answered what came after the reset, but not the reset",
        ));
    }
    transport.send(&bare(commands::status::NUMBER))?;
    let packet =
        await_reply(transport, options, "the status command", |packet| Some(packet.to_vec()))?;
    parse_status(&packet).ok_or_else(|| {
        let problem = format!(
            "its answer to the status command is none: {} bytes, {:02x?}",
            packet.len(),
            packet
        );
        open_error(&options.uri, problem)
    })
}

/// Returns a header in the control block that no card implements, different at each opening.
fn probe() -> Header {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let number = (now.as_nanos() as u32 ^ std::process::id().rotate_left(16)) & 0x7fff_0000;
    Header { len: Header::BYTES as u32, cmd: number | command_blocks::CONTROL | 0x00ff }
}

fn await_reply<T>(
    transport: &mut dyn Transport,
    options: &Options,
    to: &str,
    mut wanted: impl FnMut(&[u8]) -> Option<T>,
) -> Result<T> {
    let start = Instant::now();
    loop {
        let left = options.timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            let problem = format!("no answer to {to} in {} s", options.timeout.as_secs_f64());
            return Err(open_error(&options.uri, problem));
        }
        if let Some(packet) = transport.receive(left.min(SLICE))?
            && let Some(found) = wanted(&packet)
        {
            return Ok(found);
        }
    }
}

/// Parses the reply. The published document and the published card disagree on the width of the last field, `state`; the fields
/// before it are sufficient.
fn parse_status(packet: &[u8]) -> Option<Status> {
    use commands::status::{REPLY, reply_fields as at};
    if Header::of(packet)?.cmd != REPLY {
        return None;
    }
    let raw_date = bytes_at(packet, at::build_date::OFFSET)?;
    let raw_host = bytes_at(packet, at::build_host::OFFSET)?;
    Some(Status {
        version: u32_at(packet, at::version::OFFSET)?,
        build_date: reversed_text(raw_date),
        build_host: reversed_text(raw_host),
        raw_date,
        raw_host,
        capabilities: u64_at(packet, at::cmd_cap::OFFSET)?,
    })
}
