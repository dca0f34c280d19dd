//! A card on PCIe, behind the vendor's XDMA driver and its character devices: `_h2c_0` and `_c2h_0` carry packets, `_h2c_1` and `_c2h_1` lead to the
//! card's memory where they are there, `_user` has the registers, `_events_0` interrupts. A write is a packet, and a read ends with one: the bridge puts `tlast` where a transfer ends.
//!
//! What the driver does (its sources, `cdev_sgdma.c` and `libxdma.c`), and what follows:
//! 1. A channel's read and write sleep until the card moves, whatever the file's flags say: each channel has a thread of its own, and the
//!    time-outs are ours.
//! 2. The driver gives a transfer up after ten seconds, with the kernel's own error 512. For a read this only says that nothing came; a
//!    command that was written in part is damage.
//! 3. A read over several pages may join packets: reads are of one page, and every buffer begins with a page.
//!
//! A register of a card that has left the bus reads all ones.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proofmill_op::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::Transport;
use super::door::{Door, Place, Streams};
use crate::wire::constants::shell::{block, command_blocks, identification};
use crate::wire::{Header, bare};

/// Where the driver puts its files unless a rule says otherwise; the card's number and the file's name follow.
pub const XDMA_PREFIX: &str = "/dev/xdma";
/// A read's bytes, and what its buffer is aligned to.
const PAGE: usize = 4096;
/// No reply of any engine is longer.
const LONGEST: usize = 1 << 20;
/// The driver's word for a transfer that it gave up: ERESTARTSYS, which otherwise never leaves the kernel.
const GIVEN_UP: i32 = 512;
/// How often a thread that waits for a channel looks whether it is still wanted.
const SLICE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// After so long without a reply the reading thread waits to be asked again, as it does when the driver gives a read up.
const IDLE: Duration = Duration::from_secs(10);
/// How long closing waits for the threads.
const FAREWELL: Duration = Duration::from_millis(500);
/// Replies that may wait here before the card has to keep them.
const REPLIES: usize = 256;
/// What every register of an absent card reads.
const ONES: u32 = u32::MAX;
/// A command that no card knows.
const UNKNOWN: u32 = command_blocks::CONTROL | 0x00fe;

/// The cards behind files of this prefix: number, and what their registers say without opening them.
pub fn xdma_cards(prefix: &str) -> Vec<(u32, String)> {
    let about = |number: u32| {
        let path = file_of(prefix, number, "user");
        let magic = File::open(&path).and_then(|file| word(&file, identification::magic::OFFSET));
        match magic {
            Err(error) => explain(prefix, number, &path, &error),
            Ok(identification::magic::VALUE) => {
                "a proofmill card; `proofmill selftest --device` examines it".into()
            }
            Ok(found) => foreign(found),
        }
    };
    numbers(prefix).into_iter().map(|number| (number, about(number))).collect()
}

/// PCI addresses of the vendor's boards that no driver serves, as far as the system tells.
pub fn boards_without_driver() -> Vec<String> {
    without_driver(Path::new("/sys/bus/pci/devices"))
}

fn without_driver(folder: &Path) -> Vec<String> {
    const XILINX: &str = "0x10ee";
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_idle = |path: &PathBuf| {
        fs::read_to_string(path.join("vendor")).is_ok_and(|vendor| vendor.trim() == XILINX)
            && !path.join("driver").exists()
    };
    let idle = entries.map(|entry| entry.path()).filter(is_idle);
    let mut found: Vec<_> =
        idle.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    found.sort();
    found
}

fn numbers(prefix: &str) -> Vec<u32> {
    let (folder, start) = prefix.rsplit_once('/').unwrap_or((".", prefix));
    let folder = if folder.is_empty() { "/" } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix(start)?.strip_suffix("_user")?.parse().ok();
    let mut found: Vec<_> =
        entries.filter_map(|entry| number(entry.file_name().to_str()?)).collect();
    found.sort_unstable();
    found
}

fn file_of(prefix: &str, number: u32, name: &str) -> PathBuf {
    format!("{prefix}{number}_{name}").into()
}

/// A card behind the XDMA driver.
pub struct PcieTransport {
    name: String,
    limit: Duration,
    user: Arc<File>,
    events: Option<File>,
    /// None when the transport is being closed.
    channels: Option<Channels>,
    /// Those of the door to the memory, if the card has one.
    bulk: Option<Channels>,
    door: Option<Door>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// Why it is no more.
    dead: Option<Error>,
}

/// The ends of the threads' queues.
struct Channels {
    commands: SyncSender<Vec<u8>>,
    taken: Receiver<Result<()>>,
    wanted: SyncSender<()>,
    replies: Receiver<Result<Vec<u8>>>,
}

impl Channels {
    /// Threads for a channel to the card and one from it.
    fn open(writer: Channel, reader: Channel, threads: &mut Vec<JoinHandle<()>>) -> Result<Self> {
        let (commands, command_receiver) = mpsc::sync_channel(1);
        let (taken_sender, taken) = mpsc::channel();
        let (wanted, wanted_receiver) = mpsc::sync_channel(1);
        let (reply_sender, replies) = mpsc::sync_channel(REPLIES);
        threads.push(spawn(move || {
            writer.write_all(command_receiver, |done| taken_sender.send(done))
        })?);
        threads.push(spawn(move || reader.read_all(wanted_receiver, &reply_sender))?);
        Ok(Self { commands, taken, wanted, replies })
    }
}

/// Another one at each opening, so that no answer to an earlier host is taken for ours.
fn first_transfer() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() as u64) << 8
}

impl PcieTransport {
    /// Opens card `number` behind files that begin with `prefix` ([`XDMA_PREFIX`]), looks whether it is one of ours, and resets it. No call
    /// but `receive` and `wait_event` takes longer than `limit`, and those of the memory no longer than that a transfer.
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
        let mut pair = |(commands, replies)| {
            let channel = |file| Channel {
                file,
                name: name.clone(),
                stop: stop.clone(),
                _lock: user.clone(),
            };
            Channels::open(channel(commands), channel(replies), &mut threads)
        };
        let channels = Some(pair((commands, replies))?);
        let bulk = bulk.map(&mut pair).transpose()?;
        let mut transport = Self {
            name,
            limit,
            user,
            events,
            channels,
            bulk,
            door: None,
            stop,
            threads,
            dead: None,
        };
        transport.restart()?;
        if transport.bulk.is_some() {
            let mut door = Door::default();
            door.open(&mut transport, first_transfer())?;
            transport.door = Some(door);
        }
        Ok(transport)
    }

    /// Brings a card to its first state whose last host may have died in the middle of a packet: a reset by register, which also works when
    /// the stream stands still, and a packet that ends what was half sent. The answer to it is the driver's to swallow.
    fn restart(&mut self) -> Result<()> {
        let control = self
            .read_register(identification::first_block::OFFSET)?
            .saturating_add(block::registers::control::OFFSET);
        self.write_register(control, 1)?;
        let start = Instant::now();
        while self.read_register(control)? != 0 {
            // It waits until its complete replies have been taken.
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
    fn alive(&self) -> Result<&Channels> {
        match (&self.dead, &self.channels) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(channels)) => Ok(channels),
            (None, None) => Err(self.lost("it is closed")),
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

    fn timed_out(&self) -> Error {
        Error::TimedOut { device: self.name.clone(), seconds: self.limit.as_secs_f64() }
    }

    /// Gives bytes to a channel's thread, and waits until they are written.
    fn written(&self, channels: &Channels, bytes: &[u8]) -> Result<()> {
        // A thread that has ended has dropped the other end of `taken`, too.
        let _ = channels.commands.send(bytes.to_vec());
        match channels.taken.recv_timeout(self.limit) {
            Ok(done) => done,
            Err(RecvTimeoutError::Timeout) => Err(self.timed_out()),
            Err(RecvTimeoutError::Disconnected) => Err(self.lost("its writing thread has ended")),
        }
    }

    /// The streams of the door.
    fn bulk(&self) -> Result<&Channels> {
        self.alive()?;
        self.bulk.as_ref().ok_or_else(|| super::unsupported(&self.name, "card memory"))
    }

    /// Lets the door work; what ends the conversation ends the card, but an error of its memory.
    fn through(&mut self, work: impl FnOnce(&mut Door, &mut Self) -> Result<()>) -> Result<()> {
        self.bulk()?;
        let mut door = self.door.take().unwrap_or_default();
        let done = work(&mut door, self);
        self.door = Some(door);
        match done {
            Err(error @ (Error::Lost { .. } | Error::TimedOut { .. })) => self.died(error),
            other => other,
        }
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

impl Streams for PcieTransport {
    fn device(&self) -> &str {
        &self.name
    }

    fn transfer(&mut self, transfer: &[u8]) -> Result<()> {
        self.written(self.bulk()?, transfer)
    }

    fn answer(&mut self) -> Result<Vec<u8>> {
        let channels = self.bulk()?;
        // Full: it has been asked already.
        let _ = channels.wanted.try_send(());
        match channels.replies.recv_timeout(self.limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(self.timed_out()),
            Err(RecvTimeoutError::Disconnected) => Err(self.lost("its reading thread has ended")),
        }
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
        match self.written(self.alive()?, packet) {
            Ok(()) => Ok(()),
            Err(error) => self.died(error),
        }
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let channels = self.alive()?;
        // Full: it has been asked already.
        let _ = channels.wanted.try_send(());
        let error = match channels.replies.recv_timeout(limit) {
            Ok(Ok(packet)) => return Ok(Some(packet)),
            Ok(Err(error)) => error,
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => self.lost("its reading thread has ended"),
        };
        self.died(error)
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
        self.through(|door, streams| door.read(streams, place, bytes))
    }

    fn write_memory(&mut self, place: Place, bytes: &[u8]) -> Result<()> {
        self.through(|door, streams| door.write(streams, place, bytes))
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
        let bulk = self.bulk.take().map(|channels| channels.commands);
        let Some(Channels { commands, replies, .. }) = self.channels.take() else { return };
        drop(replies);
        if !self.wait_for_threads(FAREWELL / 5) && self.dead.is_none() {
            // A read that the driver keeps for a packet or an answer, which must not be the next host's: so each gets one.
            let _ = commands.try_send(bare(UNKNOWN).to_vec());
            let _ = bulk.as_ref().map(|bulk| bulk.try_send(Door::refused(0).to_vec()));
        }
        drop((commands, bulk));
        // Whatever is still in the driver ends when it gives up. Until then the thread keeps the card locked.
        self.wait_for_threads(FAREWELL);
    }
}

/// A channel as the driver offers it.
trait Driver: Send {
    /// May it be read or written?
    fn is_ready(&self, what: PollFlags) -> io::Result<bool>;
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;
    fn read(&self, room: &mut [u8]) -> io::Result<usize>;
}

impl Driver for File {
    fn is_ready(&self, what: PollFlags) -> io::Result<bool> {
        ready(self, what, Some(&SLICE))
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut &*self, bytes)
    }

    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        io::Read::read(&mut &*self, room)
    }
}

/// A channel's file, in its thread. The card stays locked while one is there.
struct Channel<F: Driver = File> {
    file: F,
    name: String,
    stop: Arc<AtomicBool>,
    _lock: Arc<File>,
}

impl<F: Driver> Channel<F> {
    /// Writes packet after packet and says of each how it went, until one fails or there are no more.
    fn write_all<E>(
        &self,
        commands: Receiver<Vec<u8>>,
        tell: impl Fn(Result<()>) -> std::result::Result<(), E>,
    ) {
        let mut page = Aligned::new(PAGE);
        for packet in commands {
            let done = self.write(page.filled(&packet));
            let failed = done.is_err();
            if tell(done).is_err() || failed {
                return;
            }
        }
    }

    fn write(&self, packet: &[u8]) -> Result<()> {
        loop {
            if !self.is_ready(PollFlags::OUT)? {
                if self.stop.load(Ordering::SeqCst) {
                    return Err(self.lost("it is closed"));
                }
                continue;
            }
            match self.file.write(packet) {
                Ok(count) if count == packet.len() => return Ok(()),
                Ok(count) => {
                    let whole = packet.len();
                    return Err(self.lost(format!("it took {count} bytes of a packet of {whole}")));
                }
                Err(error) if is_passing(&error) => {}
                Err(error) if error.raw_os_error() == Some(GIVEN_UP) => {
                    let problem = "it takes no packet: the XDMA driver gave a transfer up (error 512); load the card's image again";
                    return Err(self.lost(problem));
                }
                Err(error) => return Err(self.lost(format!("writing: {error}"))),
            }
        }
    }

    /// When asked, reads packets until none comes.
    fn read_all(&self, wanted: Receiver<()>, replies: &SyncSender<Result<Vec<u8>>>) {
        let mut page = Aligned::new(PAGE);
        for () in wanted {
            while let Some(packet) = self.packet(page.first(PAGE)).transpose() {
                let failed = packet.is_err();
                if replies.send(packet).is_err() || failed {
                    return;
                }
            }
        }
    }

    /// One packet; `None` when the driver gave up waiting for it, or nobody wants it any more.
    fn packet(&self, page: &mut [u8]) -> Result<Option<Vec<u8>>> {
        let mut packet = Vec::new();
        loop {
            let Some(count) = self.read(page)? else {
                return match packet.len() {
                    0 => Ok(None),
                    len => Err(self.lost(format!("a packet broke off after {len} bytes"))),
                };
            };
            packet.extend_from_slice(&page[..count]);
            // Only a packet whose end is a page's end does not show it; the header does. (An interrupt of the coprocessor says less than
            // its length, but is shorter than a page.)
            let is_whole = |header: Header| header.len as usize <= packet.len();
            if count < page.len() || Header::of(&packet).is_none_or(is_whole) {
                return Ok(Some(packet));
            }
            if packet.len() > LONGEST {
                return Err(self.lost(format!("a packet is longer than {LONGEST} bytes")));
            }
        }
    }

    fn read(&self, page: &mut [u8]) -> Result<Option<usize>> {
        let start = Instant::now();
        loop {
            if !self.is_ready(PollFlags::IN)? {
                if self.stop.load(Ordering::SeqCst) || start.elapsed() >= IDLE {
                    return Ok(None);
                }
                continue;
            }
            match self.file.read(page) {
                Ok(0) => return Err(self.lost("its stream of replies has ended")),
                Ok(count) => return Ok(Some(count)),
                Err(error) if is_passing(&error) => {}
                Err(error) if error.raw_os_error() == Some(GIVEN_UP) => return Ok(None),
                Err(error) => return Err(self.lost(format!("reading: {error}"))),
            }
        }
    }

    fn is_ready(&self, what: PollFlags) -> Result<bool> {
        self.file.is_ready(what).map_err(|error| self.lost(error))
    }

    fn lost(&self, problem: impl std::fmt::Display) -> Error {
        Error::Lost { device: self.name.clone(), problem: problem.to_string() }
    }
}

/// Can this be tried again at once?
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Waits until a file can be read or written. The driver's channels always say yes.
fn ready(file: &File, what: PollFlags, limit: Option<&Timespec>) -> io::Result<bool> {
    let mut files = [PollFd::new(file, what)];
    match poll(&mut files, limit) {
        // What went wrong with the file, its read or write tells.
        Ok(_) => Ok(!files[0].revents().is_empty()),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
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

/// A 32-bit register.
fn word(user: &File, address: u32) -> io::Result<u32> {
    let mut bytes = [0; 4];
    user.read_exact_at(&mut bytes, address.into())?;
    Ok(u32::from_le_bytes(bytes))
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("proofmill-pcie".into())
        .spawn(work)
        .map_err(|error| Error::Io { context: "starting a thread".into(), source: error.into() })
}

/// Bytes that begin with a page.
struct Aligned {
    bytes: Vec<u8>,
}

impl Aligned {
    fn new(len: usize) -> Self {
        Self { bytes: vec![0; len + PAGE] }
    }

    fn first(&mut self, len: usize) -> &mut [u8] {
        if self.bytes.len() < len + PAGE {
            self.bytes.resize(len + PAGE, 0);
        }
        let start = self.bytes.as_ptr().align_offset(PAGE);
        &mut self.bytes[start..start + len]
    }

    fn filled(&mut self, content: &[u8]) -> &[u8] {
        let place = self.first(content.len());
        place.copy_from_slice(content);
        place
    }
}

/// Why this is no card of ours, and what to do.
fn foreign(magic: u32) -> String {
    match magic {
        ONES => "its registers read all ones: it has left the bus, or its image is gone; load the image, then rescan the bus or start the machine again".into(),
        _ => format!(
            "another image is loaded: its magic reads {magic:#010x}, not {:#010x}; load proofmill's image, then rescan the bus or start the machine again",
            identification::magic::VALUE
        ),
    }
}

/// Why a file cannot be opened, and what to do.
fn explain(prefix: &str, number: u32, path: &Path, error: &io::Error) -> String {
    let shown = path.display();
    match error.kind() {
        ErrorKind::NotFound => {
            let there = numbers(prefix);
            if there.contains(&number) {
                return format!(
                    "there is no {shown}, but other files of the card are: its image has no streaming channel; load proofmill's image"
                );
            }
            if !there.is_empty() {
                return format!("there is no {shown}; `proofmill devices` lists the cards");
            }
            match &boards_without_driver()[..] {
                [] => format!(
                    "there is no {shown}: is the card plugged in, its image loaded, and the vendor's driver (`modprobe xdma`)?"
                ),
                boards => format!(
                    "there is no {shown}: the board at {} has no driver; load the vendor's (`modprobe xdma`)",
                    boards.join(", ")
                ),
            }
        }
        ErrorKind::PermissionDenied => format!(
            "no permission for {shown}: let a udev rule give your group the files {prefix}{number}_*"
        ),
        _ => format!("{shown}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use super::*;

    /// A driver that does what it is told, call by call.
    struct Script(Mutex<VecDeque<io::Result<usize>>>);

    impl Driver for Script {
        fn is_ready(&self, _what: PollFlags) -> io::Result<bool> {
            Ok(true)
        }

        fn write(&self, _bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().pop_front().unwrap()
        }

        fn read(&self, room: &mut [u8]) -> io::Result<usize> {
            room.fill(0);
            self.0.lock().unwrap().pop_front().unwrap()
        }
    }

    fn scripted(calls: impl IntoIterator<Item = io::Result<usize>>) -> Channel<Script> {
        let file = Script(Mutex::new(calls.into_iter().collect()));
        let lock = Arc::new(File::open("/dev/null").unwrap());
        Channel { file, name: "pcie:0".into(), stop: Arc::default(), _lock: lock }
    }

    fn given_up() -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(GIVEN_UP))
    }

    fn passing() -> io::Result<usize> {
        Err(ErrorKind::Interrupted.into())
    }

    #[test]
    fn a_write_that_the_driver_gave_up_says_what_to_do() {
        let error = scripted([passing(), given_up()]).write(&[0; 24]).unwrap_err().to_string();
        assert!(error.contains("error 512") && error.contains("load the card's image"), "{error}");
    }

    #[test]
    fn a_short_write_is_a_packet_in_two_so_the_card_is_lost() {
        let error = scripted([Ok(16)]).write(&[0; 24]).unwrap_err().to_string();
        assert!(error.contains("16 bytes of a packet of 24"), "{error}");
        scripted([passing(), Ok(24)]).write(&[0; 24]).unwrap();
    }

    #[test]
    fn a_read_that_the_driver_gave_up_brought_nothing() {
        let mut page = vec![0; PAGE];
        assert_eq!(scripted([given_up()]).packet(&mut page).unwrap(), None);
        let packet = scripted([passing(), Ok(17)]).packet(&mut page).unwrap();
        assert_eq!(packet.map(|it| it.len()), Some(17));
    }

    #[test]
    fn a_page_that_is_a_whole_packet_ends_it_and_no_bytes_end_the_stream() {
        let channel = scripted([Ok(PAGE), given_up()]);
        assert_eq!(channel.packet(&mut vec![0; PAGE]).unwrap().map(|it| it.len()), Some(PAGE));
        let error = scripted([Ok(0)]).packet(&mut vec![0; PAGE]).unwrap_err().to_string();
        assert!(error.contains("has ended"), "{error}");
    }

    #[test]
    fn buffers_begin_with_a_page() {
        let mut page = Aligned::new(1);
        for len in [1, 100, 5000, 3] {
            let content = vec![7; len];
            let place = page.filled(&content);
            assert_eq!((place.as_ptr() as usize % PAGE, place), (0, &content[..]));
        }
    }

    #[test]
    fn boards_without_a_driver_are_found() {
        let folder = std::env::temp_dir().join(format!("proofmill-pci-{}", std::process::id()));
        for (name, vendor, driven) in [
            ("0000:02:00.0", "0x10ee", false),
            ("0000:01:00.0", "0x10ee", true),
            ("0000:03:00.0", "0x8086", false),
        ] {
            let place = folder.join(name);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("vendor"), format!("{vendor}\n")).unwrap();
            if driven {
                fs::create_dir(place.join("driver")).unwrap();
            }
        }
        let found = without_driver(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, ["0000:02:00.0"]);
        assert!(without_driver(&folder).is_empty());
    }
}
