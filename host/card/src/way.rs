//! Measures the connection to a card, for `proofmill doctor --device`. No engine is used, so the figures are those of transport and shell.

use std::time::{Duration, Instant};

use proofmill_op::{Error, Result};

use crate::driver::{Options, handshake};
use crate::wire::constants::shell::commands::status;
use crate::wire::constants::shell::{block, command_blocks, identification};
use crate::wire::{Header, bare};
use crate::{Transport, driver::chain};

/// The number of repetitions, of which the fastest counts.
const QUESTIONS: usize = 20;
/// The most outstanding packets, so that neither side waits for the other.
const WINDOW: usize = 8;
/// The time for which packets are sent to measure the throughput.
const SENDING: Duration = Duration::from_millis(300);

/// The measured speed of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The time of a register read.
    pub register: Duration,
    /// The time from a STATUS command to its reply.
    pub round_trip: Duration,
    /// The throughput of packets of the largest size that the card accepts.
    pub bytes_per_second: f64,
}

/// Resets the card and measures.
pub fn measure(transport: &mut dyn Transport, options: &Options) -> Result<Way> {
    chain::read(transport, &options.uri)?;
    handshake::perform(transport, options)?;
    let mut register = Duration::MAX;
    for _ in 0..QUESTIONS {
        let start = Instant::now();
        transport.read_register(identification::magic::OFFSET)?;
        register = register.min(start.elapsed());
    }
    let mut round_trip = Duration::MAX;
    for _ in 0..QUESTIONS {
        let start = Instant::now();
        transport.send(&bare(status::NUMBER))?;
        answered(transport, options)?;
        round_trip = round_trip.min(start.elapsed());
    }
    Ok(Way { register, round_trip, bytes_per_second: bandwidth(transport, options)? })
}

/// Measures the throughput with commands that no card implements: they are received completely and answered like any other.
fn bandwidth(transport: &mut dyn Transport, options: &Options) -> Result<f64> {
    let first = transport.read_register(identification::first_block::OFFSET)?;
    let longest =
        transport.read_register(first.saturating_add(block::registers::max_packet::OFFSET))?;
    let len = longest.clamp(Header::BYTES as u32, 1 << 16);
    let mut packet = vec![0; len as usize];
    let header = Header { len, cmd: command_blocks::CONTROL | 0x00fe };
    packet[..Header::BYTES].copy_from_slice(&header.to_bytes());
    let (start, mut sent) = (Instant::now(), 0);
    let mut waiting = 0;
    while start.elapsed() < SENDING {
        transport.send(&packet)?;
        sent += packet.len();
        waiting += 1;
        if waiting == WINDOW {
            answered(transport, options)?;
            waiting -= 1;
        }
    }
    for _ in 0..waiting {
        answered(transport, options)?;
    }
    Ok(sent as f64 / start.elapsed().as_secs_f64())
}

fn answered(transport: &mut dyn Transport, options: &Options) -> Result<()> {
    if transport.receive(options.timeout)?.is_some() {
        return Ok(());
    }
    Err(Error::TimedOut { device: options.uri.clone(), seconds: options.timeout.as_secs_f64() })
}
