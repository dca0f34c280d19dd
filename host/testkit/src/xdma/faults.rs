//! The ways in which a card goes wrong, as its driver's files show them. Whatever stands behind the files: each ticket ends within the time-out, with
//! an error that says what to do, other cards are unaffected, and afterwards the card works again. A check panics with what it saw.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::{commands, identification};
use proofmill_card::{Card, Options, PcieTransport, Transport, xdma_cards};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash, Verdict};
use proofmill_op::{Answer, Device, DeviceKind, Error, Request, Result, Ticket};

use super::Xdma;

/// Far more than any check needs, far less than for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Cards with an engine for Equihash (48,5).
pub struct Cards<'a> {
    /// Makes one.
    pub make: &'a dyn Fn() -> Box<dyn Transport>,
    /// Of the host.
    pub timeout: Duration,
}

impl Cards<'_> {
    /// A new one behind files.
    pub fn files(&self) -> Xdma {
        Xdma::new((self.make)()).expect("there is room for files")
    }

    /// The way to it.
    pub fn transport(&self, xdma: &Xdma) -> Result<PcieTransport> {
        PcieTransport::open(&xdma.prefix(), 0, self.timeout)
    }

    /// It, as a device.
    pub fn open(&self, xdma: &Xdma) -> Result<Card> {
        let options = Options { timeout: self.timeout, ..Options::new("pcie:0", DeviceKind::Card) };
        Card::open(Box::new(self.transport(xdma)?), options)
    }

    /// It answers a hundred requests, the same verdict to each.
    pub fn works(&self, xdma: &Xdma) {
        let card = self.open(xdma).unwrap_or_else(|error| panic!("{error}"));
        let tickets: Vec<_> = (0..100).map(|_| submit(&card, 3)).collect();
        let verdicts: Vec<_> = tickets.into_iter().map(|it| verdicts(it.and_then(end))).collect();
        assert!(verdicts.iter().all(|it| it.len() == 3 && *it == verdicts[0]), "{verdicts:?}");
    }
}

/// Asks for the verdicts of so many headers that are alike.
pub fn submit(card: &Card, headers: usize) -> Result<Ticket> {
    let bytes = vec![5; headers * Params::N48_K5.header_bytes()];
    card.submit(Request::EquihashVerify(Equihash::new(Params::N48_K5, Network::Test, bytes)))
}

/// Ends within the patience.
pub fn end(ticket: Ticket) -> Result<Answer> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// Why something was not opened.
pub fn refused(opened: Result<impl Sized>) -> String {
    opened.err().expect("it was opened").to_string()
}

fn verdicts(answer: Result<Answer>) -> Vec<Verdict> {
    match answer {
        Ok(Answer::EquihashVerify(response)) => response.verdicts,
        other => panic!("another answer: {other:?}"),
    }
}

/// A hundred requests, all of which end with such an error.
fn all_fail(card: &Card, begin: impl FnOnce(), wanted: fn(&Error) -> bool) {
    let tickets: Vec<_> = (0..100).map(|_| submit(card, 1)).collect();
    begin();
    for ticket in tickets {
        let error = ticket.and_then(end).expect_err("it was answered");
        assert!(wanted(&error), "{error}");
    }
    assert!(submit(card, 1).and_then(end).expect_err("it was answered").is_device());
}

/// A hung card times out every ticket and no other card's; a reset that does not end is told, and later it does.
pub fn hung(cards: &Cards<'_>) {
    let (hung, other) = (cards.files(), cards.files());
    let [card, neighbour] = [&hung, &other].map(|it| cards.open(it).expect("it opens"));
    hung.hang(true);
    let start = Instant::now();
    all_fail(&card, || (), |error| matches!(error, Error::TimedOut { .. }));
    assert!(start.elapsed() < cards.timeout * 5, "{:?}", start.elapsed());
    verdicts(submit(&neighbour, 20).and_then(end));
    drop(card);
    let problem = refused(cards.open(&hung));
    let said = format!("not out of its reset after {} s; load its image", cards.timeout.as_secs());
    assert!(problem.contains(&said), "{problem}");
    hung.hang(false);
    cards.works(&hung);
}

/// A card whose replies nobody takes fills its queues and takes no more packets; sending ends within the time-out.
pub fn full(cards: &Cards<'_>) {
    let xdma = cards.files();
    let mut transport = cards.transport(&xdma).expect("it opens");
    let (start, mut taken) = (Instant::now(), 0u64);
    let error = loop {
        match transport.send(&bare(commands::status::NUMBER)) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(start.elapsed() < PATIENCE, "it takes packets without end: {taken}");
    };
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(taken >= 16, "{taken}");
    // Once lost, always lost.
    let later = transport.receive(cards.timeout).expect_err("it was lost");
    assert_eq!(later.to_string(), error.to_string());
    drop(transport);
    cards.works(&xdma);
}

/// A card that leaves the bus loses every ticket and no other card's.
pub fn gone(cards: &Cards<'_>) {
    let (leaving, other) = (cards.files(), cards.files());
    let [card, neighbour] = [&leaving, &other].map(|it| cards.open(it).expect("it opens"));
    leaving.hang(true);
    let start = Instant::now();
    all_fail(&card, || leaving.vanish(), |error| matches!(error, Error::Lost { .. }));
    assert!(start.elapsed() < cards.timeout * 5, "{:?}", start.elapsed());
    verdicts(submit(&neighbour, 20).and_then(end));
    let problem = refused(cards.open(&leaving));
    assert!(problem.contains("there is no ") && problem.contains("modprobe xdma"), "{problem}");
}

/// A host that dies leaves commands under way and replies that nobody takes; the next one finds a card in its first state.
pub fn reset_in_the_middle(cards: &Cards<'_>) {
    let xdma = cards.files();
    for packets in [1, 10, 14] {
        let mut dying = cards.transport(&xdma).expect("it opens");
        for _ in 0..packets {
            dying.send(&bare(commands::status::NUMBER)).expect("the card takes packets");
        }
        drop(dying);
        cards.works(&xdma);
    }
    // With requests in the engine.
    let card = cards.open(&xdma).expect("it opens");
    let tickets: Vec<_> = (0..20).map(|_| submit(&card, 5)).collect();
    drop(tickets);
    drop(card);
    cards.works(&xdma);
}

/// Another image, and a card without one, are named.
pub fn wrong_image(cards: &Cards<'_>) {
    let xdma = cards.files();
    let user = fs::OpenOptions::new().write(true).open(xdma.file("user")).expect("it is there");
    xdma.hang(true);
    let about = |magic: u32| {
        let at = identification::magic::OFFSET.into();
        user.write_all_at(&magic.to_le_bytes(), at).expect("it has all registers");
        (refused(cards.transport(&xdma)), xdma_cards(&xdma.prefix()))
    };
    for (magic, said) in [
        (0x1234_5678, "another image is loaded: its magic reads 0x12345678, not 0x4c4d5250"),
        (u32::MAX, "its registers read all ones: it has left the bus"),
    ] {
        let (problem, found) = about(magic);
        assert!(problem.contains(said), "{problem}");
        assert!(matches!(&found[..], [(0, about)] if about.contains(said)), "{found:?}");
    }
    let right = identification::magic::VALUE.to_le_bytes();
    user.write_all_at(&right, identification::magic::OFFSET.into()).expect("likewise");
    let found = xdma_cards(&xdma.prefix());
    assert!(matches!(&found[..], [(0, about)] if about.contains("a proofmill card")), "{found:?}");
    xdma.hang(false);
    cards.works(&xdma);
}
