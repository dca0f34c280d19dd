//! Tests of the packet soak with the software model of the card: a correct card passes, and every faulty card is
//! detected.

use std::time::Duration;

use proofmill_card::{Transport, wire};
use proofmill_op::Capability;
use proofmill_op::ecdsa_verify::SIGNATURE_BYTES;
use proofmill_op::equihash_verify::Params;
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::packets::{Soak, Tally};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{Order, SoftCard, SoftEngine, first_byte};

const EQUIHASH: [Params; 2] = [Params::N48_K5, Params::N144_K5];

fn engines() -> Vec<SoftEngine> {
    let equihash = EQUIHASH.map(|params| SoftEngine::equihash(params, u32::MAX));
    [&equihash[..], &[SoftEngine::ecdsa(u32::MAX)]].concat()
}

fn card() -> SoftCard {
    SoftCard::new(&engines(), first_byte())
}

fn soak(card: &mut dyn Transport, packets: u64, resets: bool, seed: u64) -> Result<Tally, String> {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut commands: Vec<_> = EQUIHASH
        .iter()
        .map(|params| wire::equihash_verify(0, &random.bytes(params.header_bytes())))
        .collect();
    commands.push(wire::ecdsa_verify(0, &random.bytes(SIGNATURE_BYTES)));
    let engines: Vec<Capability> = engines().into_iter().map(|it| it.capability).collect();
    Soak {
        engines,
        commands,
        verdict: &mut first_byte(),
        packets,
        resets,
        seed,
        limit: Duration::from_millis(500),
    }
    .run(card)
}

#[test]
fn a_healthy_card_passes_a_hundred_thousand_packets() {
    for order in [Order::InOrder, Order::Shuffled(Random::new(3))] {
        let tally = soak(&mut card().with_order(order), 100_000, true, 1).unwrap();
        assert!(tally.sent >= 100_000);
        assert_eq!(tally.replies + tally.forgotten, tally.sent);
        for (count, what) in
            [(tally.ignored, "ignores"), (tally.verdicts, "verdicts"), (tally.resets, "resets")]
        {
            assert!(count > 500, "only {count} {what}: {tally:?}");
        }
    }
}

#[test]
fn every_misbehaviour_is_caught() {
    for fault in [
        Fault::Dies(20),
        Fault::Stalls(20),
        Fault::Garbage(20),
        Fault::Duplicates(20),
        Fault::UnknownIndex(20),
        Fault::ShortReply(20),
        Fault::LongReply(20),
        Fault::UndefinedBits(20),
    ] {
        let result = soak(&mut Faulty::new(card(), fault), 5_000, true, 2);
        assert!(result.is_err(), "{fault:?} was not noticed: {result:?}");
    }
}

/// Only a reset excuses a reply that never comes.
#[test]
fn a_lost_reply_is_caught() {
    for at in [0, 20] {
        let result = soak(&mut Faulty::new(card(), Fault::Loses(at)), 1_000, false, 4);
        assert!(result.unwrap_err().starts_with("no reply for"));
    }
}

#[test]
fn without_resets_every_packet_has_its_reply() {
    let tally = soak(&mut card(), 10_000, false, 5).unwrap();
    assert_eq!((tally.replies, tally.resets, tally.forgotten), (tally.sent, 0, 0));
}
