//! A card on a serial line, 8N1. Packets are delimited by their length alone; registers are read and written by packets of their own
//! (`spec/wire/shell.toml`, `[register_packets]`).
//!
//! The line has no checksum. A reply with an impossible length loses the card; other damaged bytes are not detected.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proofmill_op::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use rustix::termios::{
    ControlModes, InputModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush,
    tcgetattr, tcsetattr,
};

use super::Transport;
use crate::wire::constants::shell::{commands, register_packets, replies};
use crate::wire::{Header, bare, put, u32_at};

/// The longest that a write or a register access may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest reply of an engine that fits a serial line; a longer one is damaged.
const LONGEST: usize = 1 << 16;
/// Byte times of an idle line that end a packet in the card, and then some; least time for a USB adapter's buffers.
const IDLE_BYTES: u32 = 1100;
const MIN_PAUSE: Duration = Duration::from_millis(20);
/// The time that the first attempt to open waits for a reply; each further attempt waits twice as long.
const FIRST_ATTEMPT: Duration = Duration::from_millis(500);

/// Returns the serial ports of this machine that a board may be connected to, with a description. No card is opened.
pub fn serial_ports() -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir("/dev").into_iter().flatten().flatten();
    let named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("ttyUSB") || name.starts_with("ttyACM")
    };
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(named).collect();
    found.sort();
    let about = |path: &PathBuf| match open_port(path) {
        Ok(_) => "a serial port; `proofmill selftest --device` checks for a card".into(),
        Err(error) => explain(path, &error),
    };
    found.into_iter().map(|path| (path.clone(), about(&path))).collect()
}

/// Opens a port without waiting for a carrier and without becoming its terminal's process.
fn open_port(path: &Path) -> std::io::Result<File> {
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits() as i32;
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)
}

/// A card at the other end of a serial line.
pub struct UartTransport {
    port: File,
    name: String,
    /// Bytes of a reply that is not whole.
    partial: Vec<u8>,
    /// Replies that arrived while the reply of a register was awaited.
    waiting: VecDeque<Vec<u8>>,
}

impl UartTransport {
    /// Opens a port at a rate in bits per second, resets the card and finds the beginning of its replies, within `limit`.
    pub fn open(path: &Path, baud: u32, limit: Duration) -> Result<Self> {
        let name = format!("uart:{}", path.display());
        let failed = |problem: String| Error::Open { device: name.clone(), problem };
        let port = open_port(path).map_err(|error| failed(explain(path, &error)))?;
        flock(&port, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| failed("another program uses this port".into()))?;
        let mut settings = tcgetattr(&port).map_err(|_| failed("not a serial port".into()))?;
        set_raw(&mut settings, baud)
            .and_then(|()| tcsetattr(&port, OptionalActions::Now, &settings))
            .map_err(|error| failed(format!("the port does not take {baud} baud: {error}")))?;
        let mut transport =
            Self { port, name: name.clone(), partial: Vec::new(), waiting: VecDeque::new() };
        let pause = Duration::from_secs_f64(f64::from(IDLE_BYTES * 10) / f64::from(baud));
        transport.synchronise(pause.max(MIN_PAUSE), limit)?;
        Ok(transport)
    }

    /// Finds the start of the replies. A pause ends the partial packet of an earlier host. Then follow RESET and a command that no card implements: its
    /// reply follows all older ones.
    fn synchronise(&mut self, pause: Duration, limit: Duration) -> Result<()> {
        let end = Instant::now() + limit;
        let (mut seen, mut attempt) = (0, FIRST_ATTEMPT);
        while Instant::now() < end {
            thread::sleep(pause);
            tcflush(&self.port, QueueSelector::IFlush).map_err(|error| self.gone(error))?;
            let probe = probe();
            let answer = [
                &Header { len: replies::ignore::LEN, cmd: replies::ignore::NUMBER }.to_bytes()[..],
                &probe,
            ]
            .concat();
            self.write(&[bare(commands::reset::NUMBER), probe].concat())?;
            let mut bytes = Vec::new();
            let until = end.min(Instant::now() + attempt);
            attempt *= 2;
            while Instant::now() < until {
                self.read(&mut bytes, until.saturating_duration_since(Instant::now()))?;
                if let Some(at) = bytes.windows(answer.len()).position(|it| it == answer) {
                    self.partial = bytes.split_off(at + answer.len());
                    return Ok(());
                }
            }
            seen += bytes.len();
        }
        let problem = match seen {
            0 => "nothing answers: is the board programmed, is this its port?".into(),
            _ => format!(
                "{seen} bytes came, but no proofmill card's: another rate, or another device"
            ),
        };
        Err(Error::Open { device: self.name.clone(), problem })
    }

    /// Waits for bytes for at most `limit` and appends them.
    fn read(&self, bytes: &mut Vec<u8>, limit: Duration) -> Result<()> {
        if !self.wait(PollFlags::IN, limit)? {
            return Ok(());
        }
        let mut room = [0; 4096];
        match rustix::io::read(&self.port, &mut room) {
            Ok(0) => Err(self.gone("it ended")),
            Ok(count) => {
                bytes.extend_from_slice(&room[..count]);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(error) => Err(self.gone(error)),
        }
    }

    fn write(&self, mut bytes: &[u8]) -> Result<()> {
        let end = Instant::now() + LIMIT;
        while !bytes.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.timed_out());
            }
            if !self.wait(PollFlags::OUT, left)? {
                continue;
            }
            match rustix::io::write(&self.port, bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(self.gone(error)),
            }
        }
        Ok(())
    }

    /// Waits until the port can be read or written; false when it could not within `limit`, or a signal came.
    fn wait(&self, what: PollFlags, limit: Duration) -> Result<bool> {
        let mut ports = [PollFd::new(&self.port, what)];
        let limit = Timespec::try_from(limit).ok();
        match poll(&mut ports, limit.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(false),
            Err(error) => return Err(self.gone(error)),
        }
        let found = ports[0].revents();
        if found.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
            && !found.contains(PollFlags::IN)
        {
            return Err(self.gone("the port hung up"));
        }
        Ok(found.intersects(what))
    }

    /// Returns the oldest reply on the line.
    fn next(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let end = Instant::now() + limit;
        loop {
            if let Some(header) = Header::of(&self.partial) {
                let len = header.len as usize;
                if !(Header::BYTES..=LONGEST).contains(&len) {
                    let problem = format!("its line is damaged: a reply claims to be {len} bytes");
                    return Err(Error::Lost { device: self.name.clone(), problem });
                }
                // The length in an interrupt of the coprocessor is too small, but no such card has a serial line.
                if self.partial.len() >= len {
                    let rest = self.partial.split_off(len);
                    return Ok(Some(std::mem::replace(&mut self.partial, rest)));
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            let mut bytes = std::mem::take(&mut self.partial);
            let before = bytes.len();
            let done = self.read(&mut bytes, left);
            self.partial = bytes;
            done?;
            if left.is_zero() && self.partial.len() == before {
                return Ok(None);
            }
        }
    }

    /// Sends one register packet and returns the value of its reply.
    fn register(&mut self, number: u32, reply: u32, address: u32, value: u32) -> Result<u32> {
        let mut packet = [0; register_packets::LEN as usize];
        put(&mut packet, 0, &Header { len: register_packets::LEN, cmd: number }.to_bytes());
        put(&mut packet, register_packets::address::OFFSET, &address.to_le_bytes());
        put(&mut packet, register_packets::value::OFFSET, &value.to_le_bytes());
        self.write(&packet)?;
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some(found) = self.next(left)? else { return Err(self.timed_out()) };
            let header = Header::of(&found);
            if header == Some(Header { len: register_packets::LEN, cmd: reply })
                && u32_at(&found, register_packets::address::OFFSET) == Some(address)
                && let Some(value) = u32_at(&found, register_packets::value::OFFSET)
            {
                return Ok(value);
            }
            if header.is_some_and(|it| it.cmd == replies::ignore::NUMBER)
                && found.get(Header::BYTES..) == Some(&packet[..Header::BYTES])
            {
                let problem = format!("it ignored an access to register {address:#06x}");
                return Err(Error::Lost { device: self.name.clone(), problem });
            }
            self.waiting.push_back(found);
        }
    }

    fn gone(&self, problem: impl std::fmt::Display) -> Error {
        Error::Lost { device: self.name.clone(), problem: format!("its line has gone: {problem}") }
    }

    fn timed_out(&self) -> Error {
        Error::TimedOut { device: self.name.clone(), seconds: LIMIT.as_secs_f64() }
    }
}

impl Transport for UartTransport {
    fn name(&self) -> &str {
        &self.name
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        if packet.is_empty() {
            return Err(Error::argument("packet", "has no bytes"));
        }
        self.write(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        match self.waiting.pop_front() {
            Some(packet) => Ok(Some(packet)),
            None => self.next(limit),
        }
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        use register_packets::read::{NUMBER, REPLY};
        self.register(NUMBER, REPLY, address, 0)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        use register_packets::write::{NUMBER, REPLY};
        self.register(NUMBER, REPLY, address, value).map(drop)
    }
}

/// Sets raw mode: 8N1, no flow control, and at least one byte for each read.
fn set_raw(settings: &mut Termios, baud: u32) -> rustix::io::Result<()> {
    settings.make_raw();
    settings.input_modes.remove(InputModes::IXOFF | InputModes::IXANY);
    settings
        .control_modes
        .remove(ControlModes::CSTOPB | ControlModes::PARENB | ControlModes::CRTSCTS);
    settings.control_modes.insert(ControlModes::CLOCAL | ControlModes::CREAD);
    settings.special_codes[SpecialCodeIndex::VMIN] = 1;
    settings.special_codes[SpecialCodeIndex::VTIME] = 0;
    settings.set_speed(baud)
}

/// Returns a command that no card implements, another one each time.
fn probe() -> [u8; Header::BYTES] {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    bare(now.as_nanos() as u32 & 0x7fff_0000 | 0x00fe)
}

/// Returns the reason why a port cannot be opened, and the remedy.
fn explain(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!(
            "there is no {}: is the board connected and its driver loaded? `proofmill devices` lists the ports",
            path.display()
        ),
        std::io::ErrorKind::PermissionDenied => {
            "no permission for this port: add yourself to its group, often `dialout`, and log in again".into()
        }
        _ => error.to_string(),
    }
}
