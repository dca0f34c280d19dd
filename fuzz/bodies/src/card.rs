//! Registers and replies of a card: the driver opens a software model of a card whose registers and replies the input
//! changes, and submits a request to each of its engines. The outcome is an error or a response, in limited time.

use std::time::Duration;

use proofmill_card::wire::{Header, bytes_at, reversed_text, u32_at, u64_at};
use proofmill_card::{Card, Options, Transport};
use proofmill_op::ecdsa_verify::{self, SIGNATURE_BYTES};
use proofmill_op::equihash_verify::{self, Network, Params};
use proofmill_op::{AnyRequest, Device, DeviceKind, Error, Result};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine, first_byte};

const ENGINES: [SoftEngine; 2] = [SoftEngine::equihash(Params::N48_K5, 4), SoftEngine::ecdsa(4)];

/// Short, because this target does not test time-outs.
const TIMEOUT: Duration = Duration::from_millis(20);

/// The number of registers and packets that a card returns before its transport fails.
const ANSWERS: usize = 400;

pub(crate) fn run(input: &[u8]) {
    fields(input);
    let card =
        Changed { card: SoftCard::new(&ENGINES, first_byte()), input: input.to_vec(), at: 0 };
    let options = Options { timeout: TIMEOUT, ..Options::new("soft:", DeviceKind::Card) };
    let Ok(card) = Card::open(Box::new(card), options) else { return };
    let header = vec![0; Params::N48_K5.header_bytes()];
    let header = equihash_verify::Request::new(Params::N48_K5, Network::None, header);
    let signature = ecdsa_verify::Request::new(vec![0; SIGNATURE_BYTES]);
    for request in [AnyRequest::from(header), AnyRequest::from(signature)] {
        if let Ok(ticket) = card.submit_any(request) {
            drop(ticket.wait());
        }
    }
}

/// Returns seeds that change nothing, and seeds that change one of the words that are read first.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    (0..60).map(|at| [vec![0; 4 * at], vec![1]].concat()).collect()
}

/// Reads the fields of a packet, at offsets inside and outside it.
fn fields(packet: &[u8]) {
    let end = packet.len() as u32;
    assert_eq!(Header::of(packet).is_some(), packet.len() >= Header::BYTES);
    for at in [0, 4, end / 2, end.saturating_sub(8), end, u32::MAX - 3] {
        let inside = |bytes: u64| u64::from(at) + bytes <= u64::from(end);
        assert_eq!(u32_at(packet, at).is_some(), inside(4));
        assert_eq!(u64_at(packet, at).is_some(), inside(8));
        if let Some(text) = bytes_at(packet, at) {
            assert!(reversed_text(text).len() <= 8);
        }
    }
}

/// A card whose words are XORed with the input until the input ends.
struct Changed {
    card: SoftCard,
    input: Vec<u8>,
    at: usize,
}

impl Changed {
    fn change(&mut self, bytes: &mut [u8]) -> Result<()> {
        if self.at > 4 * ANSWERS {
            return Err(Error::Lost {
                device: "soft:".into(),
                problem: "end of the changed replies".into(),
            });
        }
        let changes = self.input.iter().skip(self.at);
        bytes.iter_mut().zip(changes).for_each(|(byte, change)| *byte ^= change);
        self.at += bytes.len().max(4);
        Ok(())
    }
}

impl Transport for Changed {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        self.card.send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let Some(mut packet) = self.card.receive(limit)? else { return Ok(None) };
        self.change(&mut packet)?;
        Ok(Some(packet))
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        let mut word = self.card.read_register(address)?.to_le_bytes();
        self.change(&mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.card.write_register(address, value)
    }
}
