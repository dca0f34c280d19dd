//! The PCIe transport against files like the XDMA driver's, with a card in software behind them: each fault ends in time, with an error that
//! says what to do, and afterwards the card works again.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::{commands, identification};
use proofmill_card::{Card, Options, PcieTransport, Place, Transport, xdma_cards};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash};
use proofmill_op::{Answer, Device, DeviceKind, Error, Request, Result, Ticket};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine, first_byte};
use proofmill_testkit::xdma::Xdma;

const TIMEOUT: Duration = Duration::from_secs(2);
/// Far more than any test here needs, far less than for ever.
const PATIENCE: Duration = Duration::from_secs(60);

fn soft() -> SoftCard {
    SoftCard::new(&[SoftEngine::equihash(Params::N48_K5, 8)], first_byte())
}

fn files() -> Xdma {
    Xdma::new(Box::new(soft())).unwrap()
}

fn transport(xdma: &Xdma) -> Result<PcieTransport> {
    PcieTransport::open(&xdma.prefix(), 0, TIMEOUT)
}

fn open(xdma: &Xdma) -> Result<Card> {
    let options = Options { timeout: TIMEOUT, ..Options::new("pcie:0", DeviceKind::Card) };
    Card::open(Box::new(transport(xdma)?), options)
}

fn submit(card: &Card, headers: usize) -> Result<Ticket> {
    let bytes = vec![5; headers * Params::N48_K5.header_bytes()];
    card.submit(Request::EquihashVerify(Equihash::new(Params::N48_K5, Network::Test, bytes)))
}

/// Ends within the patience, or the test fails.
fn end(ticket: Ticket) -> Result<Answer> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

fn works(xdma: &Xdma) {
    let card = open(xdma).unwrap();
    let tickets: Vec<_> = (0..100).map(|_| submit(&card, 3).unwrap()).collect();
    for ticket in tickets {
        end(ticket).unwrap();
    }
}

fn refused(opened: Result<impl Sized>) -> String {
    opened.err().expect("it was opened").to_string()
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
fn a_hung_card_times_out_every_ticket_and_no_other_card() {
    let (hung, other) = (files(), files());
    let (card, neighbour) = (open(&hung).unwrap(), open(&other).unwrap());
    hung.hang(true);
    let start = Instant::now();
    let tickets: Vec<_> = (0..100).map(|_| submit(&card, 1).unwrap()).collect();
    for ticket in tickets {
        let error = end(ticket).unwrap_err();
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    }
    assert!(start.elapsed() < TIMEOUT * 5, "{:?}", start.elapsed());
    end(submit(&neighbour, 20).unwrap()).unwrap();
    drop(card);
    let problem = refused(open(&hung));
    assert!(problem.contains("not out of its reset after 2 s; load its image again"), "{problem}");
    hung.hang(false);
    works(&hung);
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
fn a_card_that_leaves_the_bus_loses_every_ticket_and_no_other_card() {
    let (leaving, other) = (files(), files());
    let (card, neighbour) = (open(&leaving).unwrap(), open(&other).unwrap());
    leaving.hang(true);
    let tickets: Vec<_> = (0..100).map(|_| submit(&card, 1).unwrap()).collect();
    leaving.vanish();
    for ticket in tickets {
        let error = end(ticket).unwrap_err();
        assert!(matches!(error, Error::Lost { .. }), "{error}");
    }
    assert!(submit(&card, 1).and_then(end).unwrap_err().is_device());
    end(submit(&neighbour, 20).unwrap()).unwrap();
    let problem = refused(open(&leaving));
    assert!(problem.contains("there is no ") && problem.contains("modprobe xdma"), "{problem}");
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

/// A host that dies leaves commands under way and replies that nobody takes.
#[test]
fn a_reset_in_the_middle_leaves_nothing() {
    let xdma = files();
    for packets in [1, 10, 14] {
        let mut dying = transport(&xdma).unwrap();
        for _ in 0..packets {
            dying.send(&bare(commands::status::NUMBER)).unwrap();
        }
        drop(dying);
        works(&xdma);
    }
}

#[test]
fn a_wrong_image_is_named() {
    let xdma = files();
    let user = fs::OpenOptions::new().write(true).open(xdma.file("user")).unwrap();
    xdma.hang(true);
    let about = |magic: u32| {
        user.write_all_at(&magic.to_le_bytes(), identification::magic::OFFSET.into()).unwrap();
        (refused(transport(&xdma)), xdma_cards(&xdma.prefix()))
    };
    for (magic, said) in [
        (0x1234_5678, "another image is loaded: its magic reads 0x12345678, not 0x4c4d5250"),
        (u32::MAX, "its registers read all ones: it has left the bus"),
    ] {
        let (problem, cards) = about(magic);
        assert!(problem.contains(said), "{problem}");
        assert!(matches!(&cards[..], [(0, about)] if about.contains(said)), "{cards:?}");
    }
    let (_, cards) = about(identification::magic::VALUE);
    assert!(matches!(&cards[..], [(0, about)] if about.contains("a proofmill card")), "{cards:?}");
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
