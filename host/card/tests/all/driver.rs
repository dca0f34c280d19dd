//! The driver with the software model of the card: its commands, their order, and how many are outstanding.

use std::sync::atomic::Ordering;

use proofmill_card::wire::constants::ecdsa_verify;
use proofmill_card::wire::constants::equihash_verify::block::registers as at;
use proofmill_card::wire::constants::shell::{block_header, commands, identification};
use proofmill_card::wire::{self, Header};
use proofmill_card::{Card, Options};
use proofmill_op::ecdsa_verify::{self as ecdsa, Request as Ecdsa, SIGNATURE_BYTES};
use proofmill_op::equihash_verify::{
    self as equihash, Network, Params, Personalisation, Request as Equihash,
};
use proofmill_op::{
    AnyRequest, Argument, Capability, Data, Device, DeviceKind, Error, Result, Submit, Ticket, ntt,
};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{Order, SoftCard, SoftEngine, first_byte};

const TOY: SoftEngine = SoftEngine::equihash(Params::N48_K5, 4);
const BIG: SoftEngine = SoftEngine::equihash(Params::N200_K9, 3);
const ECDSA: SoftEngine = SoftEngine::ecdsa(6);

fn options() -> Options {
    Options::new("soft:", DeviceKind::Card)
}

fn open(card: SoftCard) -> Result<Card> {
    Card::open(Box::new(card), options())
}

fn soft() -> SoftCard {
    SoftCard::new(&[TOY, BIG, ECDSA], first_byte())
}

/// Headers whose verdicts are 0, 1, 2, …
fn headers(params: Params, first: u8, count: u8) -> Vec<u8> {
    let header = |number| {
        let mut header = vec![0; params.header_bytes()];
        header[0] = number;
        header
    };
    (first..first + count).flat_map(header).collect()
}

fn submit(
    card: &Card,
    params: Params,
    network: Network,
    headers: Vec<u8>,
) -> Result<Ticket<equihash::Response>> {
    card.submit(Equihash::new(params, network, headers))
}

fn masks(ticket: Ticket<equihash::Response>) -> Vec<u8> {
    ticket.wait().unwrap().verdicts.iter().map(|verdict| verdict.mask()).collect()
}

/// Signatures with these first bytes.
fn signatures(first: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let signature = |byte| [&[byte][..], &[0; SIGNATURE_BYTES - 1]].concat();
    first.into_iter().flat_map(signature).collect()
}

fn verify(card: &Card, signatures: Vec<u8>) -> ecdsa::Response {
    card.submit(Ecdsa::new(signatures)).unwrap().wait().unwrap()
}

#[test]
fn a_card_reports_its_capabilities() {
    let card = open(soft()).unwrap();
    let caps = card.caps();
    assert_eq!(caps.capabilities.len(), 3);
    assert!(caps.offers(&Capability::EquihashVerify(Params::N200_K9)));
    assert!(caps.offers(&Capability::EcdsaVerify));
    assert_eq!(caps.queue, 4 + 3 + 6);
    let description = &caps.description;
    for part in ["1.2.3", "20261121", "soft", "48,5", "queue 4", "200,9", "secp256k1), queue 6"] {
        assert!(description.contains(part), "{part} is not in: {description}");
    }
}

#[test]
fn requests_are_cut_into_commands_and_put_together_again() {
    for order in [Order::InOrder, Order::Shuffled(Random::new(1))] {
        let soft = soft().with_order(order);
        let log = soft.log();
        let card = open(soft).unwrap();
        let tickets: Vec<_> = (0..6)
            .map(|i| {
                let params = if i % 2 == 0 { Params::N48_K5 } else { Params::N200_K9 };
                submit(&card, params, Network::Main, headers(params, i, 10)).unwrap()
            })
            .collect();
        for (i, ticket) in (0u8..).zip(tickets) {
            assert_eq!(masks(ticket), (i..i + 10).collect::<Vec<_>>());
        }
        let log = log.lock().unwrap();
        assert_eq!(log.overruns, 0);
        assert!(log.max_outstanding > 1, "the queue was never used");
        assert_eq!(card.metrics().requests, 6);
        assert!(card.metrics().cycles.unwrap() > 0);
    }
}

/// The model derives a signature's mask from its first byte; failed_sig_ver comes with every other bit.
#[test]
fn signatures_have_verdicts_in_order_and_cycles_each() {
    for order in [Order::InOrder, Order::Shuffled(Random::new(8))] {
        let soft = soft().with_order(order);
        let log = soft.log();
        let card = open(soft).unwrap();
        let response = verify(&card, signatures(0..64));
        let masks: Vec<u8> = response.verdicts.iter().map(|verdict| verdict.mask()).collect();
        let wanted: Vec<u8> = (0..64).map(|bits| if bits == 0 { 0 } else { bits | 8 }).collect();
        assert_eq!(masks, wanted);
        let cycles = response.cycles.unwrap();
        assert!(cycles.len() == 64 && cycles.iter().all(|&cycles| cycles > 0), "{cycles:?}");
        let log = log.lock().unwrap();
        assert_eq!((log.overruns, log.max_outstanding), (0, 6), "the queue is filled, not overrun");
        assert_eq!(log.writes, 0, "there is nothing to set");
    }
}

#[test]
fn engines_of_both_operations_work_at_once() {
    let card = open(soft().with_order(Order::Shuffled(Random::new(9)))).unwrap();
    let tickets: Vec<_> = (0..20u8)
        .map(|i| {
            let headers = headers(Params::N48_K5, i, 7);
            let equihash = submit(&card, Params::N48_K5, Network::Main, headers).unwrap();
            (equihash, card.submit(Ecdsa::new(signatures(i..i + 7))).unwrap())
        })
        .collect();
    for (i, (equihash, ecdsa)) in (0u8..).zip(tickets) {
        assert!(masks(equihash).into_iter().eq(i..i + 7));
        let verdicts = ecdsa.wait().unwrap().verdicts;
        let wanted = (i..i + 7).map(|bits| if bits == 0 { 0 } else { bits | 8 });
        assert!(verdicts.iter().map(|verdict| verdict.mask()).eq(wanted));
    }
}

#[test]
fn registers_are_written_only_while_the_engine_is_idle() {
    let verdict = Box::new(|request: &AnyRequest| {
        let AnyRequest::EquihashVerify(request) = request else { return 0x3f };
        match (request.network, request.personalisation.0) {
            (Network::None, _) => 1,
            (Network::Limit(limit), name) => limit[0] & 2 | u8::from(&name == b"OtherPoW") << 2,
            _ => 0x3f,
        }
    });
    let soft = SoftCard::new(&[TOY], verdict).with_order(Order::Shuffled(Random::new(2)));
    let log = soft.log();
    let card = open(soft).unwrap();
    let one = |network, name: &[u8; 8]| {
        let request = Equihash::new(Params::N48_K5, network, headers(Params::N48_K5, 0, 5));
        let request = Equihash { personalisation: Personalisation(*name), ..request };
        card.submit(request).unwrap()
    };
    let mut tickets = Vec::new();
    for _ in 0..3 {
        tickets.push((one(Network::None, b"ZcashPoW"), 1));
        tickets.push((one(Network::Limit([0; 32]), b"ZcashPoW"), 0));
        tickets.push((one(Network::Main, b"OtherPoW"), 2 | 4));
        tickets.push((one(Network::Main, b"OtherPoW"), 2 | 4));
    }
    for (ticket, mask) in tickets {
        assert_eq!(masks(ticket), [mask; 5]);
    }
    let log = log.lock().unwrap();
    assert_eq!(log.writes_while_busy, 0);
    assert_eq!(log.writes, 3 * (3 + 11 + 11), "equal settings are not written twice");
}

#[test]
fn packets_of_an_earlier_host_are_discarded() {
    let mut answer = wire::equihash_verify(0, &[0]);
    answer[..8].copy_from_slice(&Header { len: 17, cmd: 0x8000_0100 }.to_bytes());
    let reset = Header { len: 8, cmd: commands::reset::REPLY }.to_bytes().to_vec();
    let status = vec![0; 37];
    let card = open(soft().with_stale([answer, reset.clone(), status, vec![1, 2], reset])).unwrap();
    assert_eq!(
        masks(submit(&card, Params::N48_K5, Network::Main, headers(Params::N48_K5, 3, 1)).unwrap()),
        [3]
    );
}

#[test]
fn no_headers_need_no_commands() {
    let soft = soft();
    let log = soft.log();
    let card = open(soft).unwrap();
    let before = log.lock().unwrap().packets;
    assert!(masks(submit(&card, Params::N48_K5, Network::Main, vec![]).unwrap()).is_empty());
    let response = verify(&card, vec![]);
    assert_eq!((response.verdicts.len(), response.cycles), (0, Some(vec![])));
    assert_eq!(log.lock().unwrap().packets, before);
}

#[test]
fn wrong_arguments_are_refused_at_once() {
    let card = open(soft()).unwrap();
    let error = submit(&card, Params::N48_K5, Network::Main, vec![0; 100]).unwrap_err();
    assert!(error.is_about(Argument::Headers), "{error}");
    let error = card.submit(Ecdsa::new(vec![0; SIGNATURE_BYTES + 1])).unwrap_err();
    assert!(error.is_about(Argument::Signatures), "{error}");
    let error = submit(&card, Params::N144_K5, Network::Main, vec![]).unwrap_err();
    assert!(error.to_string().contains("equihash_verify (144,5)"), "{error}");
    let transform = ntt::Request::forward(ntt::Field::Goldilocks, vec![0; 8]);
    let error = card.submit(transform).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}

#[test]
fn a_cancelled_request_is_not_sent_and_its_late_replies_are_discarded() {
    let soft = soft();
    let log = soft.log();
    let held = Faulty::new(soft, Fault::Stalls(u64::MAX));
    let hold = held.hold();
    let card = Card::open(Box::new(held), options()).unwrap();
    hold.store(true, Ordering::SeqCst);
    let many = submit(&card, Params::N200_K9, Network::Main, vec![0; 1487 * 5000]).unwrap();
    many.cancel();
    hold.store(false, Ordering::SeqCst);
    assert!(matches!(many.wait(), Err(Error::Cancelled)));
    assert_eq!(
        masks(
            submit(&card, Params::N200_K9, Network::Main, headers(Params::N200_K9, 9, 2)).unwrap()
        ),
        [9, 10]
    );
    assert!(log.lock().unwrap().packets < 5000, "the cancelled request was worked off");
}

#[test]
fn dropping_the_card_waits_for_tickets_that_are_held() {
    let card = open(soft()).unwrap();
    let ticket =
        submit(&card, Params::N48_K5, Network::Main, headers(Params::N48_K5, 0, 50)).unwrap();
    drop(card);
    assert_eq!(masks(ticket).len(), 50);
}

#[test]
fn two_cards_at_once_keep_their_data_separate() {
    let (one, other) = (open(soft()).unwrap(), open(soft()).unwrap());
    let headers = headers(Params::N48_K5, 7, 3);
    let resident = Data::Resident(one.load(headers.clone().into()).unwrap());
    let request = Equihash::new(Params::N48_K5, Network::Main, resident.clone());
    let on_one = one.submit(request.clone()).unwrap();
    let on_other = submit(&other, Params::N48_K5, Network::Main, headers).unwrap();
    let error = other.submit(request).unwrap_err();
    assert!(error.to_string().contains("resident on another device"), "{error}");
    assert!(other.load(resident).is_err());
    assert_eq!(masks(on_one), [7, 8, 9]);
    assert_eq!(masks(on_other), [7, 8, 9]);
}

#[test]
fn cycles_are_counted_before_the_response_arrives() {
    let card = open(soft()).unwrap();
    let mut before = card.metrics().cycles.unwrap();
    for _ in 0..200 {
        let ticket = submit(&card, Params::N48_K5, Network::Main, headers(Params::N48_K5, 0, 1));
        masks(ticket.unwrap());
        let after = card.metrics().cycles.unwrap();
        // The command alone takes 25 words, the reply one more.
        assert!(after >= before + 26, "{after} after {before}");
        before = after;
    }
}

#[test]
fn strange_cards_are_not_opened() {
    use ecdsa_verify::block::registers as ecdsa_at;
    let shell = SoftCard::block_of(0) - 0x1000;
    let engine = SoftCard::block_of(0);
    let ecdsa = SoftCard::block_of(2);
    let cases = [
        (identification::magic::OFFSET, 0xbeef, "magic reads 0x0000beef"),
        (identification::layout::OFFSET, 2, "layout is version 2"),
        (identification::first_block::OFFSET, 3, "no address of a block"),
        (identification::first_block::OFFSET, 0x00ff_fff0, "no address of a block"),
        (identification::first_block::OFFSET, engine, "no shell block"),
        (engine + block_header::NEXT, shell, "comes back"),
        (engine + block_header::NEXT, engine, "comes back"),
        (engine + block_header::SIZE, 0x1_0000, "its size is 65536"),
        (engine + at::n::OFFSET, 201, "not an Equihash parameter set"),
        (engine + at::k::OFFSET, 4, "not an Equihash parameter set"),
        (engine + at::command_len::OFFSET, 194, "commands of 194 bytes"),
        (engine + at::queue::OFFSET, 0, "a queue of no command"),
        (engine + block_header::TYPE, 0x77, "contradicts itself on equihash_verify (48,5)"),
        (engine + block_header::TYPE, ecdsa_verify::block::TYPE, "commands of 193 bytes"),
        (ecdsa + ecdsa_at::command_len::OFFSET, 168, "commands of 168 bytes, where 176"),
        (ecdsa + ecdsa_at::queue::OFFSET, 0, "a queue of no command"),
        (ecdsa + block_header::VERSION, 2, "contradicts itself on ecdsa_verify (secp256k1)"),
        (shell + 0x10, 9, "differ"),
        (shell + 0x24, 0, "differ"),
    ];
    for (address, value, problem) in cases {
        let error = open(soft().with_register(address, value))
            .err()
            .unwrap_or_else(|| panic!("{problem}: was opened"));
        assert!(matches!(error, Error::Open { .. }), "{error}");
        assert!(error.to_string().contains(problem), "'{problem}' is not in: {error}");
    }
}

#[test]
fn two_engines_for_one_thing_are_one_too_many() {
    for (engines, block) in [([TOY, TOY], "equihash_verify"), ([ECDSA, ECDSA], "ecdsa_verify")] {
        let error = open(SoftCard::new(&engines, first_byte())).err().expect("was opened");
        assert!(
            error.to_string().contains(&format!("its {block} block at 0xa000: a second")),
            "{error}"
        );
    }
}

#[test]
fn blocks_that_the_driver_does_not_know_are_passed_over() {
    // The toy's block becomes one of an unknown kind; its capability bit would then be a lie, so it is the (96,3)
    // engine, which has no bit, that stands here.
    let odd = SoftEngine::equihash(Params::new(96, 3).unwrap(), 1);
    let card = SoftCard::new(&[odd, TOY], first_byte());
    let card =
        open(card.with_register(SoftCard::block_of(0) + block_header::TYPE, 0x4242)).unwrap();
    assert_eq!(card.caps().capabilities, [Capability::EquihashVerify(Params::N48_K5)]);
}
