//! The ways in which a card goes wrong, as its board's files show them. Whatever stands behind the files: each ticket ends within the time-out, with
//! an error that says what to do, other cards are unaffected, and afterwards the card works again. A check panics with what it saw.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::commands;
use proofmill_card::{Card, Options, Transport};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash, Response, Verdict};
use proofmill_op::{DeviceKind, Error, Result, Submit, Ticket};

use super::Orders;

/// Far more than any check needs, far less than for ever.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A kind of board, emulated.
pub trait Board: Sized {
    /// How its card is called.
    const URI: &str;
    /// What is said of one that has left the bus.
    const GONE: [&str; 2];
    /// What may be on one.
    type Card: Transport + ?Sized;
    /// Puts a card on one.
    fn with(card: Box<Self::Card>) -> io::Result<Self>;
    /// The host's way to it.
    fn transport(&self, limit: Duration) -> Result<Box<dyn Transport>>;
    /// What happens to it.
    fn orders(&self) -> &Orders;
    /// By what its image is known.
    fn magic(&self) -> Magic;
    /// What is said of it before it is opened.
    fn listed(&self) -> Vec<(u32, String)>;

    /// A hung card takes nothing, answers nothing, and its registers stand still.
    fn hang(&self, hung: bool) {
        self.orders().hang.store(hung, Ordering::SeqCst);
    }

    /// A card whose memory is held takes packets and answers them, and leaves what comes to the door of its memory.
    fn hold_memory(&self, held: bool) {
        self.orders().hold_memory.store(held, Ordering::SeqCst);
    }

    /// The card leaves the bus: its registers read ones, its files go.
    fn vanish(&self) {
        self.orders().vanish.store(true, Ordering::SeqCst);
    }
}

/// A word of a board's registers.
pub struct Magic {
    /// Where they are.
    pub file: PathBuf,
    /// In bytes.
    pub offset: u32,
    /// Of our images.
    pub value: u32,
}

/// Cards with an engine for Equihash (48,5), each on a board of this kind.
pub struct Cards<'a, B: Board> {
    make: &'a dyn Fn() -> Box<B::Card>,
    timeout: Duration,
}

impl<'a, B: Board> Cards<'a, B> {
    /// `make` makes a card; `timeout` limits what the host waits for a card that hangs, and [`PATIENCE`] for any other: a slow card is not a wrong one.
    pub const fn new(make: &'a dyn Fn() -> Box<B::Card>, timeout: Duration) -> Self {
        Self { make, timeout }
    }

    /// A new one on its board.
    pub fn board(&self) -> B {
        B::with((self.make)()).expect("there is room for files")
    }

    /// Opens the card of this board.
    pub fn open(&self, board: &B) -> Result<Card> {
        Self::open_within(board, PATIENCE)
    }

    /// Opens the card of a board that will hang, with a short time-out. A busy machine may need several attempts to open it within the time-out.
    pub fn open_to_hang(&self, board: &B) -> Card {
        let start = Instant::now();
        loop {
            match Self::open_within(board, self.timeout) {
                Ok(card) => return card,
                Err(error) => assert!(start.elapsed() < PATIENCE, "{error}"),
            }
        }
    }

    fn open_within(board: &B, timeout: Duration) -> Result<Card> {
        let options = Options { timeout, ..Options::new(B::URI, DeviceKind::Card) };
        Card::open(board.transport(timeout)?, options)
    }

    /// It answers a hundred requests, the same verdict to each.
    pub fn works(&self, board: &B) {
        let card = self.open(board).unwrap_or_else(|error| panic!("{error}"));
        let tickets: Vec<_> = (0..100).map(|_| submit(&card, 3)).collect();
        let verdicts: Vec<_> = tickets.into_iter().map(|it| verdicts(it.and_then(end))).collect();
        assert!(verdicts.iter().all(|it| it.len() == 3 && *it == verdicts[0]), "{verdicts:?}");
    }
}

/// Asks for the verdicts of so many headers that are alike.
pub fn submit(card: &Card, headers: usize) -> Result<Ticket<Response>> {
    let bytes = vec![5; headers * Params::N48_K5.header_bytes()];
    card.submit(Equihash::new(Params::N48_K5, Network::Test, bytes))
}

/// Ends within the patience.
pub fn end(ticket: Ticket<Response>) -> Result<Response> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// Why something was not opened.
pub fn refused(opened: Result<impl Sized>) -> String {
    opened.err().expect("it was opened").to_string()
}

fn verdicts(answer: Result<Response>) -> Vec<Verdict> {
    match answer {
        Ok(response) => response.verdicts,
        Err(error) => panic!("{error}"),
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
pub fn hung<B: Board>(cards: &Cards<'_, B>) {
    let (hung, other) = (cards.board(), cards.board());
    let card = cards.open_to_hang(&hung);
    let neighbour = cards.open(&other).expect("it opens");
    hung.hang(true);
    all_fail(&card, || (), |error| matches!(error, Error::TimedOut { .. }));
    verdicts(submit(&neighbour, 20).and_then(end));
    drop(card);
    let problem = refused(Cards::open_within(&hung, cards.timeout));
    let said = format!("not out of its reset after {} s; load its image", cards.timeout.as_secs());
    assert!(problem.contains(&said), "{problem}");
    hung.hang(false);
    cards.works(&hung);
}

/// A card whose replies nobody takes fills its queues and takes no more packets; sending ends within the time-out.
pub fn full<B: Board>(cards: &Cards<'_, B>) {
    let board = cards.board();
    let mut transport = board.transport(cards.timeout).expect("it opens");
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
    cards.works(&board);
}

/// A card that leaves the bus loses every ticket and no other card's.
pub fn gone<B: Board>(cards: &Cards<'_, B>) {
    let (leaving, other) = (cards.board(), cards.board());
    let [card, neighbour] = [&leaving, &other].map(|it| cards.open(it).expect("it opens"));
    leaving.hang(true);
    all_fail(&card, || leaving.vanish(), |error| matches!(error, Error::Lost { .. }));
    verdicts(submit(&neighbour, 20).and_then(end));
    let problem = refused(cards.open(&leaving));
    assert!(B::GONE.iter().all(|part| problem.contains(part)), "{problem}");
}

/// A host that dies leaves commands under way and replies that nobody takes; the next one finds a card in its first state.
pub fn reset_in_the_middle<B: Board>(cards: &Cards<'_, B>) {
    let board = cards.board();
    for packets in [1, 10, 14] {
        let mut dying = board.transport(PATIENCE).expect("it opens");
        for _ in 0..packets {
            dying.send(&bare(commands::status::NUMBER)).expect("the card takes packets");
        }
        drop(dying);
        cards.works(&board);
    }
    // With requests in the engine.
    let card = cards.open(&board).expect("it opens");
    let tickets: Vec<_> = (0..20).map(|_| submit(&card, 5)).collect();
    drop(tickets);
    drop(card);
    cards.works(&board);
}

/// Another image, and a card without one, are named.
pub fn wrong_image<B: Board>(cards: &Cards<'_, B>) {
    let board = cards.board();
    let Magic { file, offset, value } = board.magic();
    let registers = OpenOptions::new().write(true).open(file).expect("it is there");
    let write = |magic: u32| {
        registers.write_all_at(&magic.to_le_bytes(), offset.into()).expect("it has all registers");
    };
    board.hang(true);
    let other = format!("another image is loaded: its magic reads 0x12345678, not {value:#010x}");
    for (magic, said) in
        [(0x1234_5678, &other[..]), (u32::MAX, "its registers read all ones: it has left the bus")]
    {
        write(magic);
        let (problem, found) = (refused(board.transport(PATIENCE)), board.listed());
        assert!(problem.contains(said), "{problem}");
        assert!(matches!(&found[..], [(0, about)] if about.contains(said)), "{found:?}");
    }
    write(value);
    let found = board.listed();
    assert!(matches!(&found[..], [(0, about)] if about.contains("a proofmill card")), "{found:?}");
    board.hang(false);
    cards.works(&board);
}
