//! The PCIe transport against files like the XDMA driver's, with a card in software behind them: each fault ends in time, with an error that
//! says what to do, and afterwards the card works again.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::{commands, identification};
use proofmill_card::{Card, Event, PcieTransport, Place, Transport};
use proofmill_op::equihash_verify::Params;
use proofmill_op::{Error, Result};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine, first_byte};
use proofmill_testkit::xdma::Xdma;
use proofmill_testkit::xdma::faults::{self, Cards, end, refused, submit};

const TIMEOUT: Duration = Duration::from_secs(2);

fn soft() -> SoftCard {
    SoftCard::new(&[SoftEngine::equihash(Params::N48_K5, 8)], first_byte())
}

const CARDS: Cards<'_> = Cards { make: &|| Box::new(soft()), timeout: TIMEOUT };

fn files() -> Xdma {
    CARDS.files()
}

fn transport(xdma: &Xdma) -> Result<PcieTransport> {
    CARDS.transport(xdma)
}

fn open(xdma: &Xdma) -> Result<Card> {
    CARDS.open(xdma)
}

fn works(xdma: &Xdma) {
    CARDS.works(xdma);
}

#[test]
fn a_hung_card_times_out() {
    faults::hung(&CARDS);
}

#[test]
fn a_card_whose_replies_nobody_takes_takes_no_packets() {
    faults::full(&CARDS);
}

#[test]
fn a_card_leaves_the_bus() {
    faults::gone(&CARDS);
}

#[test]
fn a_host_dies_in_the_middle() {
    faults::reset_in_the_middle(&CARDS);
}

#[test]
fn a_wrong_image_is_named() {
    faults::wrong_image(&CARDS);
}

#[test]
fn hosts_come_and_go() {
    let xdma = files();
    for _ in 0..3 {
        works(&xdma);
    }
}

#[test]
fn a_card_in_use_is_not_opened() {
    let xdma = files();
    let first = open(&xdma).unwrap();
    let problem = refused(open(&xdma));
    assert!(problem.contains("another program uses this card"), "{problem}");
    end(submit(&first, 1).unwrap()).unwrap();
    drop(first);
    works(&xdma);
}

#[test]
fn a_card_that_takes_nothing_times_out() {
    let xdma = files();
    let mut transport = transport(&xdma).unwrap();
    xdma.hang(true);
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
    assert!(taken >= 1 && start.elapsed() < TIMEOUT * 5, "{taken}, {:?}", start.elapsed());
    // Once lost, always lost.
    let error = transport.receive(TIMEOUT).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
}

#[test]
fn registers_of_a_card_that_left_the_bus_say_so() {
    let xdma = files();
    let mut transport = transport(&xdma).unwrap();
    // Ones may be a register's own.
    transport.write_register(identification::scratch::OFFSET, u32::MAX).unwrap();
    assert_eq!(transport.read_register(identification::scratch::OFFSET).unwrap(), u32::MAX);
    let user = fs::OpenOptions::new().write(true).open(xdma.file("user")).unwrap();
    xdma.hang(true);
    user.write_all_at(&[0xff; 1 << 16], 0).unwrap();
    let problem = transport.read_register(identification::scratch::OFFSET).unwrap_err();
    assert!(problem.to_string().contains("left the bus"), "{problem}");
    assert!(transport.write_register(identification::scratch::OFFSET, 0).is_err());
}

#[test]
fn what_is_missing_is_named() {
    let xdma = files();
    let problem = refused(PcieTransport::open(&xdma.prefix(), 3, TIMEOUT));
    assert!(problem.contains("xdma3_user; `proofmill devices` lists the cards"), "{problem}");
    fs::remove_file(xdma.file("c2h_0")).unwrap();
    let problem = refused(open(&xdma));
    assert!(problem.contains("its image has no streaming channel"), "{problem}");
}

#[test]
fn interrupts_are_events() {
    let xdma = files();
    let mut transport = transport(&xdma).unwrap();
    assert!(!transport.wait_event(Duration::from_millis(10)).unwrap());
    xdma.interrupt().unwrap();
    assert!(transport.wait_event(TIMEOUT).unwrap());
    assert!(!transport.wait_event(Duration::from_millis(10)).unwrap());
    drop(transport);
    fs::remove_file(xdma.file("events_0")).unwrap();
    let mut without = self::transport(&xdma).unwrap();
    assert!(matches!(without.wait_event(TIMEOUT), Err(Error::Unsupported { .. })));
}

/// The driver's rules are the same whatever is below it.
#[test]
fn replies_that_no_healthy_card_sends_lose_the_card() {
    for fault in
        [Fault::Garbage(42), Fault::UnknownIndex(42), Fault::ShortReply(42), Fault::Stalls(42)]
    {
        let card = Faulty::new(soft(), fault);
        let hold = card.hold();
        let xdma = Xdma::new(Box::new(card)).unwrap();
        let card = open(&xdma).unwrap();
        hold.store(true, Ordering::SeqCst);
        let tickets: Vec<_> = (0..100).map(|_| submit(&card, 1).unwrap()).collect();
        hold.store(false, Ordering::SeqCst);
        let answered = tickets.into_iter().map(end).filter(Result::is_ok).count();
        assert_eq!(answered, 42, "{fault:?}");
        assert!(submit(&card, 1).and_then(end).unwrap_err().is_device(), "{fault:?}");
    }
}

/// A soft card with two channels of memory behind a door.
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

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.card.read_register(address)
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

#[test]
fn memory_is_written_and_read_through_its_own_channels() {
    let channels = [vec![0xee; 1 << 20], vec![0xee; 1 << 20]];
    let card = WithMemory { card: soft(), channels, faulty: Some(1 << 19) };
    let xdma = Xdma::new(Box::new(card)).unwrap();
    let mut transport = transport(&xdma).unwrap();
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

#[test]
fn replies_are_heard_while_memory_is_written() {
    let channels = [vec![0; 1 << 20], vec![0; 1 << 20]];
    let card = WithMemory { card: soft(), channels, faulty: Some(1 << 19) };
    let xdma = Xdma::new(Box::new(card)).unwrap();
    let mut transport = transport(&xdma).unwrap();
    while transport.receive(Duration::from_millis(50)).unwrap().is_some() {} // of opening
    xdma.hold_memory(true);
    let bytes: Vec<u8> = (0..1 << 18).map(|i| (i % 251) as u8).collect();
    for (address, bytes) in [(0, bytes.clone()), (1 << 19, vec![0; 64]), (1 << 18, vec![3; 64])] {
        transport.begin_write(Place::new(0, address), bytes).unwrap();
    }
    for _ in 0..20 {
        transport.send(&bare(commands::status::NUMBER)).unwrap();
        let event = transport.event(TIMEOUT).unwrap();
        assert!(matches!(event, Some(Event::Reply(_))), "{event:?}");
    }
    assert!(transport.event(Duration::from_millis(1)).unwrap().is_none());
    // Their ends come in their order, also when only replies are asked for meanwhile.
    xdma.hold_memory(false);
    assert!(transport.receive(Duration::from_millis(500)).unwrap().is_none());
    for fault in [false, true, false] {
        match transport.event(TIMEOUT).unwrap() {
            Some(Event::Written(Ok(()))) => assert!(!fault),
            Some(Event::Written(Err(Error::Failed { .. }))) => assert!(fault),
            other => panic!("{other:?}"),
        }
    }
    let mut back = vec![0; 1 << 18];
    transport.read_memory(Place::new(0, 0), &mut back).unwrap();
    assert!(back == bytes);
    // A write that no card answers ends the card within the time-out.
    xdma.hold_memory(true);
    transport.begin_write(Place::new(0, 0), vec![0; 64]).unwrap();
    let start = Instant::now();
    let error = loop {
        match transport.event(TIMEOUT) {
            Ok(event) => assert!(event.is_none() && start.elapsed() < 5 * TIMEOUT, "{event:?}"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(transport.send(&bare(commands::status::NUMBER)).is_err());
}

/// The thread of the memory waits for room to tell of the first write while the second one is waited for.
#[test]
fn replies_that_nobody_takes_do_not_hold_up_the_memory() {
    let card = WithMemory { card: soft(), channels: [vec![0; 4096], vec![]], faulty: None };
    let xdma = Xdma::new(Box::new(card)).unwrap();
    let mut transport = transport(&xdma).unwrap();
    while transport.receive(Duration::from_millis(50)).unwrap().is_some() {} // of opening
    for _ in 0..260 {
        transport.send(&bare(commands::status::NUMBER)).unwrap();
    }
    std::thread::sleep(Duration::from_millis(500));
    transport.begin_write(Place::new(0, 0), vec![1; 64]).unwrap();
    transport.write_memory(Place::new(0, 1024), &[2; 64]).unwrap();
    let (mut replies, mut writes) = (0, 0);
    while let Some(event) = transport.event(Duration::from_millis(500)).unwrap() {
        match event {
            Event::Reply(_) => replies += 1,
            Event::Written(done) => writes += i32::from(done.is_ok()),
        }
    }
    assert_eq!((replies, writes), (260, 1));
}

#[test]
fn a_hung_card_takes_no_memory_in_time_and_has_none_without_a_door() {
    let channels = [vec![0; 4096], vec![0; 4096]];
    let card = WithMemory { card: soft(), channels, faulty: None };
    let xdma = Xdma::new(Box::new(card)).unwrap();
    let mut hung = transport(&xdma).unwrap();
    xdma.hang(true);
    let start = Instant::now();
    let error = hung.write_memory(Place::new(0, 0), &[1; 4096]).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < 2 * TIMEOUT);
    drop(hung);
    xdma.hang(false);
    // What was under way then is answered to nobody.
    let mut again = transport(&xdma).unwrap();
    again.write_memory(Place::new(1, 0), &[2; 4096]).unwrap();
    drop(again);
    works(&xdma);

    let plain = files();
    let mut without = transport(&plain).unwrap();
    assert!(!without.has_memory());
    let error = without.write_memory(Place::new(0, 0), &[0; 64]).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}
