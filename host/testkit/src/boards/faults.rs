//! Faults of cards, as a board's files show them. Behind any files, each ticket ends within the time-out with an error
//! that names the remedy, other cards are unaffected, and afterwards the card works again. A failed check panics with
//! the observed values.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::commands;
use proofmill_card::{Card, Options, Transport};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash, Response, Verdict};
use proofmill_op::{DeviceKind, Error, Result, Submit, Ticket};

use super::Served;

/// A limit that only a hung test reaches.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An emulated kind of board.
pub trait Board: Sized {
    /// The URI of the card.
    const URI: &str;
    /// Texts in the error of a card that has left the bus.
    const GONE: [&str; 2];
    /// The cards that fit on a board.
    type Card: Transport + ?Sized;
    /// Puts a card on a board.
    fn with(card: Box<Self::Card>) -> io::Result<Self>;
    /// Opens the host's transport to the board.
    fn transport(&self, limit: Duration) -> Result<Box<dyn Transport>>;
    /// Returns the board's thread.
    fn served(&self) -> &Served;
    /// Returns the register that identifies the image.
    fn magic(&self) -> Magic;
    /// Returns the boards that the host lists before it opens one, with their descriptions.
    fn listed(&self) -> Vec<(u32, String)>;

    /// Stops the card: it accepts nothing, answers nothing, and its registers do not change.
    fn hang(&self, hung: bool) {
        self.served().hang(hung);
    }

    /// Stops transfers at the card's memory port; packets are still accepted and answered.
    fn hold_memory(&self, held: bool) {
        self.served().hold_memory(held);
    }

    /// Removes the card from the bus: its registers read ones, its files disappear.
    fn vanish(&self) {
        self.served().vanish();
    }
}

/// A word in a file of registers.
pub struct Magic {
    /// The file.
    pub file: PathBuf,
    /// The word's offset in bytes.
    pub offset: u32,
    /// The value for proofmill's images.
    pub value: u32,
}

/// Cards with an engine for Equihash (48,5), each on a board of this kind.
pub struct Cards<'a, B: Board> {
    make: &'a dyn Fn() -> Box<B::Card>,
    timeout: Duration,
}

impl<'a, B: Board> Cards<'a, B> {
    /// Creates cards with `make`. The host waits `timeout` for a card that hangs, and [`PATIENCE`] for any other, since a slow card is not faulty.
    pub const fn new(make: &'a dyn Fn() -> Box<B::Card>, timeout: Duration) -> Self {
        Self { make, timeout }
    }

    /// Puts a new card on a board.
    pub fn board(&self) -> B {
        B::with((self.make)()).expect("the files can be created")
    }

    /// Opens the card of this board.
    pub fn open(&self, board: &B) -> Result<Card> {
        Self::open_within(board, PATIENCE)
    }

    /// Opens the card of a board that will hang, with a short time-out.
    pub fn open_to_hang(&self, board: &B) -> Card {
        attempt(|| Self::open_within(board, self.timeout))
    }

    /// Opens the transport to a board that will hang, with a short time-out.
    pub fn transport_to_hang(&self, board: &B) -> Box<dyn Transport> {
        attempt(|| board.transport(self.timeout))
    }

    fn open_within(board: &B, timeout: Duration) -> Result<Card> {
        let options = Options { timeout, ..Options::new(B::URI, DeviceKind::Card) };
        Card::open(board.transport(timeout)?, options)
    }

    /// Checks that the card answers a hundred requests with the same verdict.
    pub fn works(&self, board: &B) {
        let card = self.open(board).unwrap_or_else(|error| panic!("{error}"));
        let tickets: Vec<_> = (0..100).map(|_| submit(&card, 3)).collect();
        let verdicts: Vec<_> = tickets.into_iter().map(|it| verdicts(it.and_then(end))).collect();
        assert!(verdicts.iter().all(|it| it.len() == 3 && *it == verdicts[0]), "{verdicts:?}");
    }
}

/// Opens something with a short time-out. A busy machine may need several attempts to open it within the time-out.
fn attempt<T>(open: impl Fn() -> Result<T>) -> T {
    let start = Instant::now();
    loop {
        match open() {
            Ok(opened) => return opened,
            Err(error) => assert!(start.elapsed() < PATIENCE, "{error}"),
        }
    }
}

/// Submits equal headers.
pub fn submit(card: &Card, headers: usize) -> Result<Ticket<Response>> {
    let bytes = vec![5; headers * Params::N48_K5.header_bytes()];
    card.submit(Equihash::new(Params::N48_K5, Network::Test, bytes))
}

/// Waits for a ticket for at most [`PATIENCE`].
pub fn end(ticket: Ticket<Response>) -> Result<Response> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// Returns the error of a failed attempt to open something.
pub fn refused(opened: Result<impl Sized>) -> String {
    opened.err().expect("it was opened").to_string()
}

fn verdicts(answer: Result<Response>) -> Vec<Verdict> {
    match answer {
        Ok(response) => response.verdicts,
        Err(error) => panic!("{error}"),
    }
}

/// Submits a hundred requests and checks that all end with a wanted error.
fn all_fail(card: &Card, begin: impl FnOnce(), wanted: fn(&Error) -> bool) {
    let tickets: Vec<_> = (0..100).map(|_| submit(card, 1)).collect();
    begin();
    for ticket in tickets {
        let error = ticket.and_then(end).expect_err("it was answered");
        assert!(wanted(&error), "{error}");
    }
    assert!(submit(card, 1).and_then(end).expect_err("it was answered").is_device());
}

/// Checks that a hung card times out its own tickets only, that an endless reset is reported, and that a later reset works.
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

/// Checks that a card whose replies are not read fills its queues and accepts no more packets, and that sending then times out.
pub fn full<B: Board>(cards: &Cards<'_, B>) {
    let board = cards.board();
    let mut transport = cards.transport_to_hang(&board);
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
    // A lost card stays lost.
    let later = transport.receive(cards.timeout).expect_err("it was lost");
    assert_eq!(later.to_string(), error.to_string());
    drop(transport);
    cards.works(&board);
}

/// Checks that a card that leaves the bus loses its own tickets only.
pub fn gone<B: Board>(cards: &Cards<'_, B>) {
    let (leaving, other) = (cards.board(), cards.board());
    let [card, neighbour] = [&leaving, &other].map(|it| cards.open(it).expect("it opens"));
    leaving.hang(true);
    all_fail(&card, || leaving.vanish(), |error| matches!(error, Error::Lost { .. }));
    verdicts(submit(&neighbour, 20).and_then(end));
    let problem = refused(cards.open(&leaving));
    assert!(B::GONE.iter().all(|part| problem.contains(part)), "{problem}");
}

/// Checks that a card is reset when it is opened after a host that died with commands and replies outstanding.
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

/// Checks that the errors for a wrong image and for a card without an image name them.
pub fn wrong_image<B: Board>(cards: &Cards<'_, B>) {
    let board = cards.board();
    let Magic { file, offset, value } = board.magic();
    let registers = OpenOptions::new().write(true).open(file).expect("the file can be written");
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
