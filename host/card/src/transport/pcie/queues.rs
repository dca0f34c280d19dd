//! The queues of a channel: one thread writes to the card, another reads from it.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use proofmill_op::{Error, Result, SecretBytes};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::transport::bulk::spawn;
use crate::wire::Header;

/// The bytes of a read, and the alignment of its buffer.
const PAGE: usize = 4096;
/// The longest reply of an engine.
const LONGEST: usize = 1 << 20;
/// The driver's error for an abandoned transfer: ERESTARTSYS, which otherwise never leaves the kernel.
const ABANDONED: i32 = 512;
/// The interval at which a thread that waits for a channel checks whether to stop.
pub const SLICE: Duration = Duration::from_millis(20);
/// The time without a reply after which the reading thread waits for the next request, as it does when the driver abandons a read.
const IDLE: Duration = Duration::from_secs(10);

/// The ends of the threads' queues.
pub struct Queues {
    name: String,
    stop: Arc<AtomicBool>,
    commands: SyncSender<SecretBytes>,
    taken: Receiver<Result<()>>,
    wanted: SyncSender<()>,
}

impl Queues {
    /// Starts threads for a channel to the card and one from it. The callback receives each packet; it returns false to end the thread.
    pub fn open(
        writer: Channel,
        reader: Channel,
        threads: &mut Vec<JoinHandle<()>>,
        tell: impl Fn(Result<Vec<u8>>) -> bool + Send + 'static,
    ) -> Result<Self> {
        let (name, stop) = (writer.name.clone(), writer.stop.clone());
        let (commands, command_receiver) = mpsc::sync_channel(1);
        let (taken_sender, taken) = mpsc::channel();
        let (wanted, wanted_receiver) = mpsc::sync_channel(1);
        threads.push(spawn(move || {
            writer.write_all(command_receiver, |done| taken_sender.send(done))
        })?);
        threads.push(spawn(move || reader.read_all(wanted_receiver, tell))?);
        Ok(Self { name, stop, commands, taken, wanted })
    }

    /// Passes bytes to the writing thread and waits until they are written.
    pub fn write(&self, bytes: &[u8], limit: Duration) -> Result<()> {
        // A thread that has ended has dropped the other end of `taken`, too.
        let _ = self.commands.send(bytes.to_vec().into());
        self.wait(&self.taken, limit)?.unwrap_or_else(|| {
            Err(Error::TimedOut { device: self.name.clone(), seconds: limit.as_secs_f64() })
        })
    }

    /// Wakes the reading thread, unless it reads already.
    pub fn ask(&self) {
        // Full: a request is queued already.
        let _ = self.wanted.try_send(());
    }

    /// Waits for a result from a thread; `None` after the limit, and an error once the card is closed.
    pub fn wait<T>(&self, reply: &Receiver<T>, limit: Duration) -> Result<Option<T>> {
        let start = Instant::now();
        loop {
            let left = limit.saturating_sub(start.elapsed());
            match reply.recv_timeout(left.min(SLICE)) {
                Ok(reply) => return Ok(Some(reply)),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.lost("a thread of its channels has ended"));
                }
                Err(RecvTimeoutError::Timeout) if self.stop.load(Ordering::SeqCst) => {
                    return Err(self.lost("it is closed"));
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Returns the queue of the writing thread, for use while the card is closed.
    pub fn farewell(&self) -> SyncSender<SecretBytes> {
        self.commands.clone()
    }

    fn lost(&self, problem: &str) -> Error {
        Error::Lost { device: self.name.clone(), problem: problem.to_owned() }
    }
}

/// The operations of the driver on a channel.
pub trait Driver: Send {
    /// Returns whether it can be read or written.
    fn is_ready(&self, what: PollFlags) -> io::Result<bool>;
    /// Writes bytes and returns their number.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;
    /// Reads bytes and returns their number.
    fn read(&self, room: &mut [u8]) -> io::Result<usize>;
}

impl Driver for File {
    fn is_ready(&self, what: PollFlags) -> io::Result<bool> {
        ready(self, what, Timespec::try_from(SLICE).ok().as_ref())
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(&mut &*self, bytes)
    }

    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        io::Read::read(&mut &*self, room)
    }
}

/// A channel's file, for its thread. The card stays locked while any of them exists.
pub struct Channel<F: Driver = File> {
    /// The file of the driver.
    pub file: F,
    /// The name of the card.
    pub name: String,
    /// Set while the card is closed.
    pub stop: Arc<AtomicBool>,
    /// The lock of the card.
    pub _lock: Arc<File>,
}

impl<F: Driver> Channel<F> {
    /// Writes packets and reports the result of each, until one fails or the queue is closed.
    fn write_all<E>(
        &self,
        commands: Receiver<SecretBytes>,
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
                Err(error) if error.raw_os_error() == Some(ABANDONED) => {
                    let problem = "it takes no packet: the XDMA driver abandoned a transfer (error 512); load the card's image again";
                    return Err(self.lost(problem));
                }
                Err(error) => return Err(self.lost(format!("writing: {error}"))),
            }
        }
    }

    /// On each request, reads packets until none arrives.
    fn read_all(&self, wanted: Receiver<()>, tell: impl Fn(Result<Vec<u8>>) -> bool) {
        let mut page = Aligned::new(PAGE);
        for () in wanted {
            while let Some(packet) = self.packet(page.first(PAGE)).transpose() {
                let failed = packet.is_err();
                if !tell(packet) || failed {
                    return;
                }
            }
        }
    }

    /// Reads one packet; `None` when the driver abandoned the read, or the card is being closed.
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
            // Only a packet that ends at the end of a page does not show its end; the header does. (The length in the header of a coprocessor's interrupt
            // is too small, but the packet is shorter than a page.)
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
                Err(error) if error.raw_os_error() == Some(ABANDONED) => return Ok(None),
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

/// Returns whether the call can be repeated at once.
pub fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Waits until a file can be read or written. The driver's channels are always ready.
pub fn ready(file: &File, what: PollFlags, limit: Option<&Timespec>) -> io::Result<bool> {
    let mut files = [PollFd::new(file, what)];
    match poll(&mut files, limit) {
        // The read or write reports an error of the file.
        Ok(_) => Ok(!files[0].revents().is_empty()),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Page-aligned memory. Packets may contain scalars or elements.
struct Aligned {
    bytes: SecretBytes,
}

impl Aligned {
    fn new(len: usize) -> Self {
        Self { bytes: SecretBytes::filled(len + PAGE, 0) }
    }

    fn first(&mut self, len: usize) -> &mut [u8] {
        if self.bytes.len() < len + PAGE {
            self.bytes = SecretBytes::filled(len + PAGE, 0);
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use super::*;

    /// A driver with prepared results, call by call.
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
        Err(io::Error::from_raw_os_error(ABANDONED))
    }

    fn passing() -> io::Result<usize> {
        Err(ErrorKind::Interrupted.into())
    }

    #[test]
    fn the_error_of_an_abandoned_write_names_the_remedy() {
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
    fn an_abandoned_read_returns_nothing() {
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
}
