//! The transports with boards that are emulated around a software model of the card: each check on each kind of board. Each fault ends in time, with
//! an error that names the remedy, and afterwards the card works again.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proofmill_card::wire::constants::memory_door;
use proofmill_card::wire::constants::shell::{block_header, commands, identification};
use proofmill_card::wire::{Header, bare};
use proofmill_card::{Event, Place, Transport};
use proofmill_op::equihash_verify::Params;
use proofmill_op::{Error, Result};
use proofmill_testkit::boards::faults::{self, Board, Cards, PATIENCE, end, refused, submit};
use proofmill_testkit::f2::F2;
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine, first_byte};
use proofmill_testkit::xdma::Xdma;

/// Limits what is waited for a card that hangs; for any other, [`PATIENCE`] does.
const TIMEOUT: Duration = Duration::from_secs(2);

pub fn soft() -> SoftCard {
    SoftCard::new(&[SoftEngine::equihash(Params::N48_K5, 8)], first_byte())
}

pub fn cards<B: Board<Card = dyn Transport>>() -> Cards<'static, B> {
    const MAKE: &dyn Fn() -> Box<dyn Transport> = &|| Box::new(soft());
    Cards::new(MAKE, TIMEOUT)
}

macro_rules! on_every_board {
    ($($check:ident)*) => {
        mod on_pcie {
            $( #[test] fn $check() { super::$check::<super::Xdma>(); } )*
        }

        mod on_f2 {
            $( #[test] fn $check() { super::$check::<super::F2>(); } )*
        }
    };
}

on_every_board! {
    a_hung_card_times_out
    a_card_whose_replies_nobody_takes_takes_no_packets
    a_card_leaves_the_bus
    a_host_dies_in_the_middle
    a_wrong_image_is_named
    hosts_come_and_go
    a_card_in_use_is_not_opened
    a_card_that_takes_nothing_times_out
    registers_of_a_card_that_left_the_bus_say_so
    replies_that_no_healthy_card_sends_lose_the_card
    memory_is_written_and_read_through_its_own_channels
    replies_are_heard_while_memory_is_written
    unread_replies_do_not_hold_up_the_memory
    a_hung_card_takes_no_memory_in_time_and_has_none_without_a_door
}

fn a_hung_card_times_out<B: Board<Card = dyn Transport>>() {
    faults::hung(&cards::<B>());
}

fn a_card_whose_replies_nobody_takes_takes_no_packets<B: Board<Card = dyn Transport>>() {
    faults::full(&cards::<B>());
}

fn a_card_leaves_the_bus<B: Board<Card = dyn Transport>>() {
    faults::gone(&cards::<B>());
}

fn a_host_dies_in_the_middle<B: Board<Card = dyn Transport>>() {
    faults::reset_in_the_middle(&cards::<B>());
}

fn a_wrong_image_is_named<B: Board<Card = dyn Transport>>() {
    faults::wrong_image(&cards::<B>());
}

fn hosts_come_and_go<B: Board<Card = dyn Transport>>() {
    let board = cards::<B>().board();
    for _ in 0..3 {
        cards().works(&board);
    }
}

fn a_card_in_use_is_not_opened<B: Board<Card = dyn Transport>>() {
    let board = cards::<B>().board();
    let first = cards().open(&board).unwrap();
    let problem = refused(cards().open(&board));
    assert!(problem.contains("another program uses this card"), "{problem}");
    end(submit(&first, 1).unwrap()).unwrap();
    drop(first);
    cards().works(&board);
}

fn a_card_that_takes_nothing_times_out<B: Board<Card = dyn Transport>>() {
    let board = cards::<B>().board();
    let mut transport = cards().transport_to_hang(&board);
    board.hang(true);
    let packet = vec![1; 4096];
    let mut taken = 0;
    let start = Instant::now();
    let error = loop {
        match transport.send(&packet) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(taken >= 1 && start.elapsed() < PATIENCE, "{taken}, {:?}", start.elapsed());
    // Once lost, always lost.
    let error = transport.receive(TIMEOUT).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
}

fn registers_of_a_card_that_left_the_bus_say_so<B: Board<Card = dyn Transport>>() {
    let board = cards::<B>().board();
    let mut transport = board.transport(PATIENCE).unwrap();
    // Ones may be a register's own.
    transport.write_register(identification::scratch::OFFSET, u32::MAX).unwrap();
    assert_eq!(transport.read_register(identification::scratch::OFFSET).unwrap(), u32::MAX);
    let registers = OpenOptions::new().write(true).open(board.magic().file).unwrap();
    board.hang(true);
    let bytes = registers.metadata().unwrap().len();
    registers.write_all_at(&vec![0xff; bytes as usize], 0).unwrap();
    let problem = transport.read_register(identification::scratch::OFFSET).unwrap_err();
    assert!(problem.to_string().contains("left the bus"), "{problem}");
    assert!(transport.write_register(identification::scratch::OFFSET, 0).is_err());
}

/// The driver's rules are the same whatever is below it.
fn replies_that_no_healthy_card_sends_lose_the_card<B: Board<Card = dyn Transport>>() {
    for fault in
        [Fault::Garbage(42), Fault::UnknownIndex(42), Fault::ShortReply(42), Fault::Stalls(42)]
    {
        let card = Faulty::new(soft(), fault);
        let hold = card.hold();
        let board = B::with(Box::new(card)).unwrap();
        let card = match fault {
            Fault::Stalls(_) => cards().open_to_hang(&board),
            _ => cards().open(&board).unwrap(),
        };
        hold.store(true, Ordering::SeqCst);
        let tickets: Vec<_> = (0..100).map(|_| submit(&card, 1).unwrap()).collect();
        hold.store(false, Ordering::SeqCst);
        let answered = tickets.into_iter().map(end).filter(Result::is_ok).count();
        assert_eq!(answered, 42, "{fault:?}");
        assert!(submit(&card, 1).and_then(end).unwrap_err().is_device(), "{fault:?}");
    }
}

/// A software model of a card with two channels of memory behind a memory port.
struct WithMemory {
    card: SoftCard,
    channels: [Vec<u8>; 2],
    /// A place that does not answer.
    faulty: Option<u64>,
}

impl WithMemory {
    fn part(&mut self, place: Place, bytes: usize) -> Result<&mut [u8]> {
        let device = || "soft".to_owned();
        if self.faulty == Some(place.address) {
            return Err(Error::Failed { device: device(), problem: "faulty".into() });
        }
        let start = place.address as usize;
        let channel = self.channels.get_mut(place.channel as usize);
        let part = channel.and_then(|it| it.get_mut(start..start + bytes));
        part.ok_or_else(|| Error::argument("place", format!("{place:?}")))
    }
}

impl Transport for WithMemory {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        self.card.send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        self.card.receive(limit)
    }

    /// Reads a register; the block of the memory port ends the chain of blocks.
    fn read_register(&mut self, address: u32) -> Result<u32> {
        let (last, door) = (SoftCard::block_of(0), SoftCard::block_of(1));
        let block = [
            (last + block_header::NEXT, door),
            (door + block_header::TYPE, memory_door::block::TYPE),
            (door + block_header::VERSION, memory_door::block::VERSION),
            (door + block_header::NEXT, 0),
            (door + block_header::SIZE, 0x40),
            (door + memory_door::block::registers::channels::OFFSET, 2),
        ];
        match block.into_iter().find(|(at, _)| *at == address) {
            Some((_, value)) => Ok(value),
            None => self.card.read_register(address),
        }
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.card.write_register(address, value)
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn read_memory(&mut self, place: Place, bytes: &mut [u8]) -> Result<()> {
        bytes.copy_from_slice(self.part(place, bytes.len())?);
        Ok(())
    }

    fn write_memory(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        let slice = place.slice as usize;
        let part = self.part(place, bytes.len() / slice * 64)?;
        for (beat, bytes) in part.chunks_mut(64).zip(bytes.chunks(slice)) {
            beat.fill(0);
            beat[..slice].copy_from_slice(bytes);
        }
        Ok(())
    }
}

fn memory_is_written_and_read_through_its_own_channels<B: Board<Card = dyn Transport>>() {
    let channels = [vec![0xee; 1 << 20], vec![0xee; 1 << 20]];
    let card = WithMemory { card: soft(), channels, faulty: Some(1 << 19) };
    let board = B::with(Box::new(card)).unwrap();
    let mut transport = board.transport(PATIENCE).unwrap();
    let bytes: Vec<u8> =
        (0..300_000u32 / 192 * 192).map(|i| (u64::from(i).pow(2) >> 7) as u8).collect();
    for (place, beats) in
        [(Place::new(0, 4096), bytes.len() / 64), (Place::new(1, 0).packed(), bytes.len() / 48)]
    {
        transport.write_memory(place, &bytes).unwrap();
        let mut back = vec![0; beats * 64];
        transport.read_memory(Place::new(place.channel, place.address), &mut back).unwrap();
        let slice = place.slice as usize;
        for (beat, bytes) in back.chunks(64).zip(bytes.chunks(slice)) {
            assert!(beat[..slice] == *bytes && beat[slice..].iter().all(|it| *it == 0));
        }
    }
    // An error of the memory is told, and the card lives; a place that is none is a driver's error, so it does not.
    let error = transport.write_memory(Place::new(0, 1 << 19), &[0; 64]).unwrap_err();
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    transport.write_memory(Place::new(0, 0), &[0; 64]).unwrap();
    let error = transport.write_memory(Place::new(7, 0), &[0; 64]).unwrap_err();
    assert!(matches!(error, Error::Lost { .. }), "{error}");
    assert_eq!(
        transport.write_memory(Place::new(0, 0), &[0; 64]).unwrap_err().to_string(),
        error.to_string()
    );
}

/// Returns whether a reply is that to a status command; any other event is an error.
fn is_status(event: Option<Event>) -> bool {
    match event {
        Some(Event::Reply(reply)) => {
            Header::of(&reply).is_some_and(|it| it.cmd == commands::status::REPLY)
        }
        other => panic!("{other:?}"),
    }
}

fn replies_are_heard_while_memory_is_written<B: Board<Card = dyn Transport>>() {
    let channels = [vec![0; 1 << 20], vec![0; 1 << 20]];
    let card = WithMemory { card: soft(), channels, faulty: Some(1 << 19) };
    let board = B::with(Box::new(card)).unwrap();
    let mut transport = board.transport(PATIENCE).unwrap();
    board.hold_memory(true);
    let bytes: Vec<u8> = (0..1 << 18).map(|i| (i % 251) as u8).collect();
    for (address, bytes) in [(0, bytes.clone()), (1 << 19, vec![0; 64]), (1 << 18, vec![3; 64])] {
        transport.begin_write(Place::new(0, address), bytes.into()).unwrap();
    }
    for _ in 0..20 {
        transport.send(&bare(commands::status::NUMBER)).unwrap();
        while !is_status(transport.event(PATIENCE).unwrap()) {} // what opening has caused comes first
    }
    assert!(transport.event(Duration::from_millis(1)).unwrap().is_none());
    // Their ends come in their order, also when only replies are asked for meanwhile.
    board.hold_memory(false);
    assert!(transport.receive(Duration::from_millis(500)).unwrap().is_none());
    for fault in [false, true, false] {
        match transport.event(PATIENCE).unwrap() {
            Some(Event::Written(Ok(()))) => assert!(!fault),
            Some(Event::Written(Err(Error::Failed { .. }))) => assert!(fault),
            other => panic!("{other:?}"),
        }
    }
    let mut back = vec![0; 1 << 18];
    transport.read_memory(Place::new(0, 0), &mut back).unwrap();
    assert!(back == bytes);
    // A write that no card answers ends the card within the time-out.
    drop(transport);
    let mut transport = cards().transport_to_hang(&board);
    board.hold_memory(true);
    transport.begin_write(Place::new(0, 0), vec![0; 64].into()).unwrap();
    let start = Instant::now();
    let error = loop {
        match transport.event(TIMEOUT) {
            Ok(Some(Event::Reply(_)) | None) => assert!(start.elapsed() < PATIENCE),
            Ok(event) => panic!("{event:?}"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(transport.send(&bare(commands::status::NUMBER)).is_err());
}

/// The thread of the memory waits for space in the queue to report the first write while the second one is awaited.
fn unread_replies_do_not_hold_up_the_memory<B: Board<Card = dyn Transport>>() {
    let card = WithMemory { card: soft(), channels: [vec![0; 4096], vec![]], faulty: None };
    let board = B::with(Box::new(card)).unwrap();
    let mut transport = board.transport(PATIENCE).unwrap();
    for _ in 0..260 {
        transport.send(&bare(commands::status::NUMBER)).unwrap();
    }
    std::thread::sleep(Duration::from_millis(500));
    transport.begin_write(Place::new(0, 0), vec![1; 64].into()).unwrap();
    transport.write_memory(Place::new(0, 1024), &[2; 64]).unwrap();
    let (mut replies, mut writes) = (0, 0);
    while (replies, writes) != (260, 1) {
        match transport.event(PATIENCE).unwrap() {
            Some(Event::Written(Ok(()))) => writes += 1,
            other => replies += i32::from(is_status(other)),
        }
    }
    assert!(transport.event(Duration::from_millis(50)).unwrap().is_none());
}

fn a_hung_card_takes_no_memory_in_time_and_has_none_without_a_door<
    B: Board<Card = dyn Transport>,
>() {
    let channels = [vec![0; 4096], vec![0; 4096]];
    let card = WithMemory { card: soft(), channels, faulty: None };
    let board = B::with(Box::new(card)).unwrap();
    let mut hung = board.transport(TIMEOUT).unwrap();
    board.hang(true);
    let error = hung.write_memory(Place::new(0, 0), &[1; 4096]).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    drop(hung);
    board.hang(false);
    // What was under way then is answered to nobody.
    let mut again = board.transport(PATIENCE).unwrap();
    again.write_memory(Place::new(1, 0), &[2; 4096]).unwrap();
    drop(again);
    cards().works(&board);

    let plain = cards::<B>().board();
    let mut without = plain.transport(PATIENCE).unwrap();
    assert!(!without.has_memory());
    let error = without.write_memory(Place::new(0, 0), &[0; 64]).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}
