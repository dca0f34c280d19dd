//! A card on PCIe, through the vendor's XDMA driver and its character devices: `_h2c_0` and `_c2h_0` carry packets, `_h2c_1` and `_c2h_1` access the
//! card's memory if they exist, `_user` has the registers, `_events_0` interrupts. A write is a packet, and a read ends with one: the bridge sets
//! `tlast` at the end of a transfer.
//!
//! Behaviour of the driver (its sources, `cdev_sgdma.c` and `libxdma.c`), and the consequences:
//! 1. Reads and writes of a channel sleep until the card responds, whatever the file's flags are. Therefore each channel has a thread of its own, and
//!    this transport implements the time-outs.
//! 2. The driver abandons a transfer after ten seconds, with the kernel's internal error 512. For a read this only means that no packet came; a
//!    command that was written in part is damaged.
//! 3. A read of several pages may join packets. Therefore reads are of one page, and every buffer is page-aligned.
//!
//! A register of a card that has left the bus reads all ones.

mod files;
mod lines;
mod queues;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proofmill_op::{Error, Result, SecretBytes};
use rustix::event::{PollFlags, Timespec};
use rustix::fs::{FlockOperation, OFlags, flock};

pub use self::files::{boards_without_driver, xdma_cards};

use self::files::{explain, file_of, foreign, word};
use self::lines::Lines;
use self::queues::{Channel, Driver, Queues, SLICE, is_passing, ready};
use super::bulk::{Bulk, reading, writing};
use super::image::ONES;
use super::memory_port::{MemoryPort, Place, Streams};
use super::{Event, Transport};
use crate::wire::bare;
use crate::wire::constants::shell::{block, command_blocks, identification};

/// The driver's default prefix of its files; the card's number and the file's name follow.
pub const XDMA_PREFIX: &str = "/dev/xdma";
/// The longest time that closing waits for the threads.
const FAREWELL: Duration = Duration::from_millis(500);
/// The most replies that wait on the host before the card has to hold them.
const REPLIES: usize = 256;
/// A command that no card implements.
const UNKNOWN: u32 = command_blocks::CONTROL | 0x00fe;

/// A card behind the XDMA driver.
pub struct PcieTransport {
    name: String,
    limit: Duration,
    user: Arc<File>,
    events: Option<File>,
    /// `None` while the transport is closed.
    queues: Option<Queues>,
    heard: Option<Receiver<Heard>>,
    teller: SyncSender<Heard>,
    /// Events that arrived while another one was awaited.
    aside: VecDeque<Heard>,
    /// The memory port, if the card has one, and the queue of the thread that writes for it.
    bulk: Option<(Bulk, SyncSender<SecretBytes>)>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// The reason why the card was lost.
    dead: Option<Error>,
}

/// An event from the threads.
enum Heard {
    Reply(Result<Vec<u8>>),
    Written(Result<()>),
    Read(Result<SecretBytes>),
}

/// Returns the first number of transfers, different at each opening, so that the reply to an earlier host is not accepted.
fn first_transfer() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() as u64) << 8
}

impl PcieTransport {
    /// Opens card `number`, whose files begin with `prefix` ([`XDMA_PREFIX`]), checks that its image is supported, and resets it. No call
    /// but `receive` and `wait_event` takes longer than `limit`, and calls that access memory no longer than that for each transfer.
    pub fn open(prefix: &str, number: u32, limit: Duration) -> Result<Self> {
        let name = format!("pcie:{number}");
        let failed = |problem: String| Error::Open { device: name.clone(), problem };
        let file = |what: &str, options: &mut OpenOptions| {
            let path = file_of(prefix, number, what);
            let flags = OFlags::NONBLOCK.bits() as i32;
            let file = options.custom_flags(flags).open(&path);
            file.map_err(|error| (error.kind(), failed(explain(prefix, number, &path, &error))))
        };
        let registers = file("user", OpenOptions::new().read(true).write(true));
        let user = Arc::new(registers.map_err(|(_, error)| error)?);
        flock(&user, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| failed("another program uses this card".into()))?;
        let magic = word(&user, identification::magic::OFFSET)
            .map_err(|error| failed(format!("its registers cannot be read: {error}")))?;
        if magic != identification::magic::VALUE {
            return Err(failed(foreign(magic)));
        }
        let commands = file("h2c_0", OpenOptions::new().write(true)).map_err(|(_, error)| error)?;
        let replies = file("c2h_0", OpenOptions::new().read(true)).map_err(|(_, error)| error)?;
        let events = match file("events_0", OpenOptions::new().read(true)) {
            Ok(file) => Some(file),
            Err((ErrorKind::NotFound, _)) => None,
            Err((_, error)) => return Err(error),
        };

        let mut bulk = None;
        if file_of(prefix, number, "h2c_1").exists() {
            let commands = file("h2c_1", OpenOptions::new().write(true));
            let answers = file("c2h_1", OpenOptions::new().read(true));
            bulk =
                Some((commands.map_err(|(_, error)| error)?, answers.map_err(|(_, error)| error)?));
        }

        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        let channel =
            |file| Channel { file, name: name.clone(), stop: stop.clone(), _lock: user.clone() };
        let (teller, heard) = mpsc::sync_channel(REPLIES);
        let tell = {
            let teller = teller.clone();
            move |reply| teller.send(Heard::Reply(reply)).is_ok()
        };
        let queues = Queues::open(channel(commands), channel(replies), &mut threads, tell)?;
        let bulk = match bulk {
            Some((transfers, answers)) => {
                let pair = (channel(transfers), channel(answers));
                let lines = Lines::open(pair, limit, &mut threads)?;
                let farewell = lines.farewell();
                Some((Bulk::open(lines, &mut threads)?, farewell))
            }
            None => None,
        };
        let mut transport = Self {
            name,
            limit,
            user,
            events,
            queues: Some(queues),
            heard: Some(heard),
            teller,
            aside: VecDeque::new(),
            bulk,
            stop,
            threads,
            dead: None,
        };
        transport.restart()?;
        if transport.bulk.is_some() {
            transport.through(|port, streams| port.open(streams, first_transfer()))?;
        }
        Ok(transport)
    }

    /// Returns a card to its initial state after a host process died in the middle of a packet: a reset by register, which also works when
    /// the stream is blocked, and a packet that ends the partial one. The driver discards the reply to it.
    fn restart(&mut self) -> Result<()> {
        let control = self
            .read_register(identification::first_block::OFFSET)?
            .saturating_add(block::registers::control::OFFSET);
        self.write_register(control, 1)?;
        let start = Instant::now();
        while self.read_register(control)? != 0 {
            // It waits until its complete replies have been read.
            self.receive(Duration::from_millis(1))?;
            if start.elapsed() >= self.limit {
                let seconds = self.limit.as_secs_f64();
                let problem =
                    format!("not out of its reset after {seconds} s; load its image again");
                return Err(Error::Open { device: self.name.clone(), problem });
            }
        }
        self.send(&bare(UNKNOWN))
    }

    fn lost(&self, problem: impl std::fmt::Display) -> Error {
        Error::Lost { device: self.name.clone(), problem: problem.to_string() }
    }

    /// Once lost, always lost.
    fn alive(&self) -> Result<(&Queues, &Receiver<Heard>)> {
        match (&self.dead, &self.queues, &self.heard) {
            (Some(error), ..) => Err(error.clone()),
            (None, Some(queues), Some(heard)) => Ok((queues, heard)),
            _ => Err(self.lost("it is closed")),
        }
    }

    fn died<T>(&mut self, error: Error) -> Result<T> {
        self.dead = Some(error.clone());
        Err(error)
    }

    fn access(&mut self, what: &str, address: u32, done: io::Result<u32>) -> Result<u32> {
        match done {
            Ok(value) => Ok(value),
            Err(error) => {
                let error = self.lost(format!("{what} register {address:#06x}: {error}"));
                self.died(error)
            }
        }
    }

    fn bulk(&self) -> Result<&Bulk> {
        self.alive()?;
        let bulk = self.bulk.as_ref().map(|(bulk, _)| bulk);
        bulk.ok_or_else(|| super::unsupported(&self.name, "card memory"))
    }

    /// Executes work on the memory port and waits for it.
    fn through<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut MemoryPort, &mut dyn Streams) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let replies = self.bulk()?.request(work);
        let done = loop {
            match replies.recv_timeout(SLICE) {
                Ok(done) => break done,
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(self.lost("the thread of its memory has ended"));
                }
                // The thread may be waiting for space in the queue of events.
                Err(RecvTimeoutError::Timeout) => {
                    self.aside.extend(self.heard.iter().flat_map(Receiver::try_iter));
                }
            }
        };
        self.survived(done)
    }

    /// Records the loss of the card if an error ends the exchange with the memory port; an error of the memory does not.
    fn survived<T>(&mut self, done: Result<T>) -> Result<T> {
        match done {
            Err(error @ (Error::Lost { .. } | Error::TimedOut { .. })) => self.died(error),
            other => other,
        }
    }

    /// Returns the result of a transfer; the outer error is the loss of the card.
    fn record_failure<T>(&mut self, done: Result<T>) -> Result<Result<T>> {
        match self.survived(done) {
            Err(error) if self.dead.is_some() => Err(error),
            done => Ok(done),
        }
    }

    /// Returns the next event from a thread.
    fn heard(&mut self, limit: Duration) -> Result<Option<Heard>> {
        let (queues, heard) = self.alive()?;
        queues.ask();
        queues.wait(heard, limit).or_else(|error| self.died(error))
    }

    fn reply(&mut self, reply: Result<Vec<u8>>) -> Result<Vec<u8>> {
        reply.or_else(|error| self.died(error))
    }

    fn wait_for_threads(&self, limit: Duration) -> bool {
        let start = Instant::now();
        while !self.threads.iter().all(JoinHandle::is_finished) {
            if start.elapsed() >= limit {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Transport for PcieTransport {
    fn name(&self) -> &str {
        &self.name
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        if packet.is_empty() {
            return Err(Error::argument("packet", "has no bytes"));
        }
        match self.alive()?.0.write(packet, self.limit) {
            Ok(()) => Ok(()),
            Err(error) => self.died(error),
        }
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let start = Instant::now();
        self.alive()?;
        let is_reply = |heard: &Heard| matches!(heard, Heard::Reply(_));
        let mut next = self.aside.iter().position(is_reply).and_then(|at| self.aside.remove(at));
        loop {
            match next {
                Some(Heard::Reply(reply)) => return self.reply(reply).map(Some),
                Some(moved) => self.aside.push_back(moved),
                None => {}
            }
            next = self.heard(limit.saturating_sub(start.elapsed()))?;
            if next.is_none() {
                return Ok(None);
            }
        }
    }

    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        self.alive()?;
        let heard = match self.aside.pop_front() {
            None => self.heard(limit)?,
            aside => aside,
        };
        Ok(match heard {
            Some(Heard::Reply(reply)) => Some(Event::Reply(self.reply(reply)?)),
            Some(Heard::Written(done)) => Some(Event::Written(self.record_failure(done)?)),
            Some(Heard::Read(done)) => Some(Event::Read(self.record_failure(done)?)),
            None => None,
        })
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.alive()?;
        let found = word(&self.user, address);
        let value = self.access("reading", address, found)?;
        if value == ONES {
            let magic = word(&self.user, identification::magic::OFFSET);
            let magic = self.access("reading", identification::magic::OFFSET, magic)?;
            if magic != identification::magic::VALUE {
                let error = self.lost(foreign(magic));
                return self.died(error);
            }
        }
        Ok(value)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.alive()?;
        let done = self.user.write_all_at(&value.to_le_bytes(), address.into());
        self.access("writing", address, done.map(|()| value)).map(drop)
    }

    fn has_memory(&self) -> bool {
        self.bulk.is_some()
    }

    fn read_memory(&mut self, place: Place, bytes: &mut [u8]) -> Result<()> {
        bytes.copy_from_slice(&self.through(reading(place, bytes.len()))?);
        Ok(())
    }

    fn write_memory(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        self.through(writing(place, bytes.to_vec().into()))
    }

    fn begin_write(&mut self, place: Place, bytes: SecretBytes) -> Result<()> {
        let teller = self.teller.clone();
        // The receiver is gone if the card was closed.
        let tell = move |done| _ = teller.send(Heard::Written(done));
        self.bulk()?.begin(writing(place, bytes), tell);
        Ok(())
    }

    fn begin_read(&mut self, place: Place, bytes: usize) -> Result<()> {
        let teller = self.teller.clone();
        // As above.
        let tell = move |done| _ = teller.send(Heard::Read(done));
        self.bulk()?.begin(reading(place, bytes), tell);
        Ok(())
    }

    fn wait_event(&mut self, limit: Duration) -> Result<bool> {
        self.alive()?;
        let Some(events) = &self.events else {
            return Err(super::unsupported(&self.name, "events"));
        };
        let happened = ready(events, PollFlags::IN, Timespec::try_from(limit).ok().as_ref())
            .and_then(|is| if is { events_read(events) } else { Ok(false) });
        match happened {
            Ok(happened) => Ok(happened),
            Err(error) => {
                let error = self.lost(format!("its events: {error}"));
                self.died(error)
            }
        }
    }
}

impl Drop for PcieTransport {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // The threads of the memory port end with their queue.
        let bulk = self.bulk.take().map(|(_, farewell)| farewell);
        self.heard = None;
        let Some(commands) = self.queues.take().map(|queues| queues.farewell()) else { return };
        if !self.wait_for_threads(FAREWELL / 5) && self.dead.is_none() {
            // A read that the driver keeps for a packet or an answer, which must not be the next host's: so each gets one.
            let _ = commands.try_send(bare(UNKNOWN).to_vec().into());
            let _ = bulk.as_ref().map(|bulk| bulk.try_send(MemoryPort::refused(0).to_vec().into()));
        }
        drop((commands, bulk));
        // A transfer that is still in the driver ends when the driver abandons it. Until then the thread keeps the card locked.
        self.wait_for_threads(FAREWELL);
    }
}

/// The number of interrupts since the last look, which is not 0 when the file could be read.
fn events_read(events: &File) -> io::Result<bool> {
    let mut count = [0; 4];
    match Driver::read(events, &mut count) {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Ok(_) => Ok(count != [0; 4]),
        Err(error) if is_passing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}
