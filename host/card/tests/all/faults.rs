//! Faulty cards: every ticket ends, in time, with an error that contains the reason; nothing hangs, nothing is guessed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proofmill_card::{Card, Options};
use proofmill_op::ecdsa_verify::{Request as Ecdsa, SIGNATURE_BYTES};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash, Response};
use proofmill_op::{DeviceKind, Error, Result, Submit, Ticket};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::soft_card::{Log, SoftCard, SoftEngine, first_byte};

/// A time limit that no test reaches unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Commands that the engine takes.
const QUEUE: u32 = 8;

fn open(fault: Fault) -> (Card, Arc<AtomicBool>) {
    let (card, hold, _) = open_with_log(fault);
    (card, hold)
}

fn open_with_log(fault: Fault) -> (Card, Arc<AtomicBool>, Arc<Mutex<Log>>) {
    let card = SoftCard::new(&[SoftEngine::equihash(Params::N48_K5, QUEUE)], first_byte());
    let log = card.log();
    let card = Faulty::new(card, fault);
    let hold = card.hold();
    (Card::open(Box::new(card), options(fault)).unwrap(), hold, log)
}

fn options(fault: Fault) -> Options {
    Options { timeout: fault.timeout(), ..Options::new("soft:", DeviceKind::Card) }
}

fn submit(card: &Card, headers: usize) -> Result<Ticket<Response>> {
    let bytes = vec![5; headers * Params::N48_K5.header_bytes()];
    card.submit(Equihash::new(Params::N48_K5, Network::Test, bytes))
}

/// Waits for the response; fails the test if it does not arrive within the patience.
fn end<T>(ticket: Ticket<T>) -> Result<T> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// Submits 100 requests, so that all are outstanding when the fault shows, and counts those that were answered
/// before it; all others must have failed with the wanted error, and so must what comes later.
fn hundred(fault: Fault, wanted: impl Fn(&Error) -> bool) -> usize {
    let (card, hold) = open(fault);
    hold.store(true, Ordering::SeqCst);
    let tickets: Vec<_> = (0..100).map(|_| submit(&card, 1).unwrap()).collect();
    hold.store(false, Ordering::SeqCst);
    let mut answered = 0;
    for ticket in tickets {
        match end(ticket) {
            Ok(_) => answered += 1,
            Err(error) => assert!(wanted(&error), "{fault:?}: {error}"),
        }
    }
    let error = submit(&card, 1).and_then(end).expect_err("a lost card took a request");
    assert!(wanted(&error), "{fault:?}, afterwards: {error}");
    answered
}

fn lost(error: &Error) -> bool {
    matches!(error, Error::Lost { .. })
}

fn timed_out(error: &Error) -> bool {
    matches!(error, Error::TimedOut { .. })
}

#[test]
fn a_card_that_dies_fails_all_hundred_outstanding_tickets() {
    for after in [0, 1, 57, 99] {
        assert_eq!(hundred(Fault::Dies(after), lost), after as usize);
    }
}

#[test]
fn a_card_that_stalls_times_out_all_hundred_outstanding_tickets() {
    for after in [0, 1, 57, 99] {
        assert_eq!(hundred(Fault::Stalls(after), timed_out), after as usize);
    }
}

#[test]
fn a_lost_reply_is_noticed_even_though_others_come() {
    let (card, _) = open(Fault::Loses(3));
    let first = submit(&card, 8).unwrap();
    // Keeps the card busy with one request after the other for longer than the time-out.
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match submit(&card, 1).and_then(end) {
            Ok(_) => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => {
                assert!(timed_out(&error), "{error}");
                assert!(timed_out(&end(first).unwrap_err()));
                return;
            }
        }
    }
    panic!("the lost reply was never noticed");
}

#[test]
fn a_transport_that_panics_fails_all_hundred_outstanding_tickets() {
    let said =
        |error: &Error| lost(error) && error.to_string().contains("panicked: the fault injector");
    assert_eq!(hundred(Fault::Panics(42), said), 42);
}

#[test]
fn a_card_that_does_not_take_a_command_is_lost() {
    let said = |error: &Error| lost(error) && error.to_string().contains("send: refused");
    let (card, _) = open(Fault::RefusesSend(20));
    let tickets = [8, 30, 8].map(|headers| submit(&card, headers).unwrap());
    for (ticket, answered) in tickets.into_iter().zip([true, false, false]) {
        match end(ticket) {
            Ok(_) => assert!(answered),
            Err(error) => assert!(said(&error) && !answered, "{error}"),
        }
    }
}

/// A cancelled request whose commands are in the card: an ignored command does not affect other requests.
#[test]
fn an_ignored_command_of_a_cancelled_request_frees_its_slot() {
    let (card, hold, log) = open_with_log(Fault::Ignores(0));
    hold.store(true, Ordering::SeqCst);
    let cancelled = submit(&card, 20).unwrap();
    let start = Instant::now();
    while log.lock().unwrap().max_outstanding < QUEUE as usize {
        assert!(start.elapsed() < PATIENCE, "the queue does not fill");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(cancelled);
    hold.store(false, Ordering::SeqCst);
    for _ in 0..3 {
        assert!(end(submit(&card, 20).unwrap()).is_ok());
    }
}

#[test]
fn invalid_packets_lose_the_card() {
    for at in [0, 42] {
        for fault in [
            Fault::Garbage(at),
            Fault::UnknownIndex(at),
            Fault::ShortReply(at),
            Fault::LongReply(at),
            Fault::UndefinedBits(at),
        ] {
            assert_eq!(hundred(fault, lost), at as usize, "{fault:?}");
        }
        assert_eq!(hundred(Fault::Duplicates(at), lost), at as usize + 1);
    }
}

/// The same of an ECDSA engine: its reply is two bytes longer, and its mask knows fewer values.
#[test]
fn an_ecdsa_engine_that_goes_wrong_loses_the_card() {
    for (fault, problem) in [
        (Fault::UndefinedBits(3), "undefined"),
        (Fault::UnexpectedBits(3), "without the one that comes with all others"),
        (Fault::Garbage(3), "23 bytes"),
        (Fault::UnknownIndex(3), "that was not sent"),
        (Fault::Duplicates(3), "that was not sent"),
        (Fault::ShortReply(3), "18 bytes that claim to be 19"),
        (Fault::LongReply(3), "header"),
        (Fault::Dies(3), "an injected fault"),
    ] {
        let card = SoftCard::new(&[SoftEngine::ecdsa(8)], first_byte());
        let card = Card::open(Box::new(Faulty::new(card, fault)), options(fault)).unwrap();
        let request = || Ecdsa::new(vec![0; 6 * SIGNATURE_BYTES]);
        let error = end(card.submit(request()).unwrap()).unwrap_err();
        assert!(lost(&error) && error.to_string().contains(problem), "{fault:?}: {error}");
        assert!(lost(&card.submit(request()).and_then(end).unwrap_err()));
    }
}

#[test]
fn registers_that_fail_lose_the_card() {
    for fault in [Fault::RefusesWrite, Fault::DropsWrite] {
        let (card, _) = open(fault);
        let error = submit(&card, 1).and_then(end).unwrap_err();
        assert!(lost(&error) && error.to_string().contains("register"), "{error}");
        assert!(lost(&submit(&card, 1).and_then(end).unwrap_err()));
    }
}

#[test]
fn an_ignore_that_can_only_be_one_requests_fails_that_one() {
    let (card, _) = open(Fault::Ignores(2));
    let error = end(submit(&card, 6).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    // The device lives on, and the ignored command does not block the queue.
    for _ in 0..3 {
        assert!(end(submit(&card, 20).unwrap()).is_ok());
    }
}

#[test]
fn an_ignore_that_may_be_anybodys_loses_the_card() {
    let whose =
        |error: &Error| lost(error) && error.to_string().contains("one of several requests'");
    assert_eq!(hundred(Fault::Ignores(10), whose), 10);
}
