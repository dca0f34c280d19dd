//! `ecdsa_verify` on the processor and on every simulation that has the engine: random and corrupted signatures as
//! libsecp256k1 sees them, and an engine whose contexts are all full.

use std::time::Duration;

use crate::support;
use proofmill_card::wire::constants::ecdsa_verify::{block, command};
use proofmill_card::wire::constants::shell::{block_header, commands, identification, replies};
use proofmill_card::wire::{self, Header, bytes_at, u64_at};
use proofmill_card::{SimTransport, Transport};
use proofmill_device::Simulation;
use proofmill_op::ecdsa_verify::{Request as Ecdsa, Response, Signature};
use proofmill_op::{Capability, Device, Submit};
use proofmill_testkit::signatures::{library_accepts, random};
use proofmill_testkit::vectors;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Signatures on each side of the comparisons with libsecp256k1, and in the long tests.
const MANY: usize = 200;
const MORE: usize = 500;
const LIMIT: Duration = Duration::from_secs(60);

fn verify(device: &dyn Device, signatures: &[Signature]) -> Response {
    let bytes: Vec<u8> = signatures.iter().flat_map(Signature::to_bytes).collect();
    device.submit(Ecdsa::new(bytes)).unwrap().wait().unwrap()
}

/// One of the five integers has a bit changed, is another's, or is 0.
fn corrupted(rng: &mut ChaCha20Rng) -> Signature {
    let mut bytes = random(rng).to_bytes();
    let field = 32 * rng.random_range(0..5);
    match rng.random_range(0..8) {
        0 => bytes[field..field + 32].fill(0),
        1 => bytes[field..field + 32].copy_from_slice(&random(rng).to_bytes()[field..field + 32]),
        _ => bytes[field + rng.random_range(0..32)] ^= 1 << rng.random_range(0..8),
    }
    Signature::from_bytes(&bytes)
}

/// Every device gives the verdicts of libsecp256k1, and all give the same masks.
fn agree(signatures: &[Signature], valid: bool) {
    assert!(signatures.iter().all(|signature| library_accepts(signature) == valid));
    let cpu = proofmill_device::open("cpu:").unwrap();
    let wanted = verify(&*cpu, signatures).verdicts;
    assert!(wanted.iter().all(|verdict| verdict.is_valid() == valid));
    for simulation in support::offering(&Capability::EcdsaVerify) {
        let device = proofmill_device::open(&simulation.uri()).unwrap();
        let response = verify(&*device, signatures);
        assert_eq!(response.verdicts, wanted, "{}", simulation.name);
        let cycles = response.cycles.expect("a card counts cycles");
        assert!(cycles.iter().all(|&cycles| cycles > 0), "{}", simulation.name);
    }
}

#[test]
fn random_signatures_are_valid_everywhere() {
    agree_on_random(MANY);
}

#[test]
fn corrupted_signatures_are_invalid_everywhere() {
    agree_on_corrupted(MANY);
}

#[test]
#[ignore = "a minute"]
fn more_signatures_are_judged_alike_everywhere() {
    agree_on_random(MORE);
    agree_on_corrupted(MORE);
}

fn agree_on_random(count: usize) {
    let mut rng = ChaCha20Rng::seed_from_u64(30);
    agree(&(0..count).map(|_| random(&mut rng)).collect::<Vec<_>>(), true);
}

fn agree_on_corrupted(count: usize) {
    let mut rng = ChaCha20Rng::seed_from_u64(31);
    agree(&(0..count).map(|_| corrupted(&mut rng)).collect::<Vec<_>>(), false);
}

/// The vectors come from a model of our own; this is what they are held to.
#[test]
fn libsecp256k1_agrees_with_every_vector() {
    for case in vectors::ecdsa_verify().unwrap() {
        assert_eq!(library_accepts(&case.signature), case.verdict.is_valid(), "{}", case.id);
    }
}

/// A packet, and what must come back: an engine's mask, an ignore, or the status.
enum Sent {
    Engine(u8),
    Ignored(Vec<u8>),
    Status,
}

/// Commands of the vectors, with malformed ones and status requests strewn in: index, packet, and what it is.
fn interleaved(rng: &mut ChaCha20Rng, count: usize) -> Vec<(Vec<u8>, Sent)> {
    let cases = vectors::ecdsa_verify().unwrap();
    let one = |index: usize, rng: &mut ChaCha20Rng| {
        let case = &cases[rng.random_range(0..cases.len())];
        let mut packet = wire::ecdsa_verify(index as u64, &case.signature.to_bytes());
        match rng.random_range(0..12) {
            0 => return (wire::bare(commands::status::NUMBER).to_vec(), Sent::Status),
            1 => packet.truncate(rng.random_range(8..packet.len())),
            2 => packet.extend([0; 8]),
            3 => packet[0] ^= 1 << rng.random_range(0..8),
            4 => packet[5] = rng.random_range(2..6),
            _ => return (packet, Sent::Engine(case.verdict.mask())),
        }
        let echo = packet[..Header::BYTES].to_vec();
        (packet, Sent::Ignored(echo))
    };
    (0..count).map(|index| one(index, rng)).collect()
}

/// A register of the card's ECDSA block.
fn register(card: &mut SimTransport, offset: u32) -> u32 {
    let mut address = card.read_register(identification::first_block::OFFSET).unwrap();
    while card.read_register(address + block_header::TYPE).unwrap() != block::TYPE {
        address = card.read_register(address + block_header::NEXT).unwrap();
        assert_ne!(address, 0, "the card has no ECDSA block");
    }
    card.read_register(address + offset).unwrap()
}

/// Everything is sent before the first reply is taken, so that every context and every queue is full; each engine
/// command is answered in order, with its mask, and every other packet with what it deserves.
fn full(simulation: &Simulation, jitter: u8, seed: u64) {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut card = support::transport(simulation);
    card.jitter(seed, jitter, jitter);
    let contexts = register(&mut card, block::registers::cores::OFFSET)
        * register(&mut card, block::registers::contexts::OFFSET);
    assert!(contexts >= 8, "only {contexts} signatures at once");

    let packets = interleaved(&mut rng, 12 * contexts as usize);
    let start = card.cycles().unwrap();
    for (packet, _) in &packets {
        card.send(packet).unwrap();
    }
    let (mut ignored, mut verdicts, mut cycles) = (Vec::new(), Vec::new(), 0);
    for _ in &packets {
        let reply = card.receive(LIMIT).unwrap().expect("a reply for every packet");
        match Header::of(&reply).unwrap() {
            Header { cmd: command::REPLY, len: command::REPLY_LEN } => {
                let [mask] = bytes_at(&reply, command::reply_fields::mask::OFFSET).unwrap();
                verdicts.push((u64_at(&reply, wire::INDEX_OFFSET).unwrap(), mask));
                let count = bytes_at(&reply, command::reply_fields::cycle_cnt::OFFSET).unwrap();
                cycles += u64::from(u16::from_le_bytes(count));
            }
            Header { cmd: replies::ignore::NUMBER, .. } => ignored.push(reply[8..].to_vec()),
            Header { cmd, .. } => assert_eq!(cmd, commands::status::REPLY),
        }
    }
    let elapsed = card.cycles().unwrap() - start;

    let (mut engine, mut malformed) = (Vec::new(), Vec::new());
    for (index, (_, sent)) in (0..).zip(packets) {
        match sent {
            Sent::Engine(mask) => engine.push((index, mask)),
            Sent::Ignored(echo) => malformed.push(echo),
            Sent::Status => {}
        }
    }
    assert_eq!(verdicts, engine, "{}", simulation.name);
    malformed.sort();
    ignored.sort();
    assert_eq!(ignored, malformed, "{}", simulation.name);
    // Little's law: what was inside on average is the sum of the stays over the time.
    let inside = cycles as f64 / elapsed as f64;
    eprintln!(
        "{}: {} verdicts, {} ignored, {elapsed} cycles, {inside:.1} signatures inside of {contexts}",
        simulation.name,
        engine.len(),
        malformed.len()
    );
    assert!(inside >= 6.0, "{inside:.1} of {contexts} contexts were in use");
}

#[test]
fn contexts_full_of_good_bad_and_malformed_commands_keep_apart() {
    for simulation in support::offering(&Capability::EcdsaVerify) {
        full(&simulation, 0, 32);
        full(&simulation, 100, 33);
    }
}
