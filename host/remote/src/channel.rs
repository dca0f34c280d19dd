//! A connection: hello, handshake, and then bytes in encrypted frames.
//!
//! The client sends a hello (16 characters, version) and a frame with the first message of the handshake. The server sends its hello, a byte with
//! its verdict ([`Verdict`]), and a frame with the second message. Frames in both directions follow. Each is a length of 16 bits,
//! little-endian, and a Noise message of that many bytes, whose counter is implied.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofmill_op::{SecretBytes, Token, wipe};
use sha2::{Digest as _, Sha256};
use snow::{Builder, HandshakeState, StatelessTransportState};
use zeroize::Zeroizing;

/// The version of the protocol.
pub const VERSION: u16 = 3;

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
const MAGIC: [u8; 16] = *b"proofmill-device";
const HELLO: usize = MAGIC.len() + 2;
/// Bytes of either message of the handshake: a public key and a tag.
const HANDSHAKE: usize = 48;
/// Bytes by which a frame exceeds its plain text.
const TAG: usize = 16;
/// The largest plain text of a frame.
const MAX_PLAIN: usize = u16::MAX as usize - TAG;

/// The server's response to a hello, after its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Verdict {
    /// The handshake continues.
    Continue = 0,
    /// The version or the token differs.
    Refused = 1,
    /// The server has its maximum number of clients.
    Full = 2,
}

/// The reason why there is no connection.
#[derive(Debug)]
pub enum Refusal {
    /// The connection failed.
    Io(io::Error),
    /// The peer uses another protocol; these are its first bytes.
    Stranger(Vec<u8>),
    /// The peer uses another version.
    Version(u16),
    /// The tokens differ, or only one side has one.
    Token,
    /// The server has its maximum number of clients.
    Full,
}

/// Formats the refusal for the server's log. The bytes of a stranger are not logged, since they can be anything.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "no hello could be read: {error}"),
            Self::Stranger(_) => f.write_str("it uses another protocol"),
            Self::Version(other) => write!(f, "it uses version {other} of the protocol"),
            Self::Token => f.write_str("it has another token, or none"),
            Self::Full => f.write_str("there are as many clients as there may be"),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn hello(version: u16) -> [u8; HELLO] {
    let mut hello = [0; HELLO];
    hello[..MAGIC.len()].copy_from_slice(&MAGIC);
    hello[MAGIC.len()..].copy_from_slice(&version.to_le_bytes());
    hello
}

/// Returns the version in a hello; `None` for other bytes.
fn version(hello: &[u8; HELLO]) -> Option<u16> {
    let (magic, version) = hello.split_last_chunk()?;
    (magic == MAGIC).then_some(u16::from_le_bytes(*version))
}

/// Reads from a stream until a point in time.
struct Until<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

/// Returns the pre-shared key of a handshake; without a token it is public.
fn pre_shared_key(token: Option<&Token>) -> Zeroizing<[u8; 32]> {
    let text = token.map_or(&b""[..], Token::as_bytes);
    let digest = Sha256::new().chain_update(b"proofmill-device token\0").chain_update(text);
    Zeroizing::new(digest.finalize().into())
}

fn noise(token: Option<&Token>, is_client: bool) -> io::Result<HandshakeState> {
    let key = pre_shared_key(token);
    let prologue = hello(VERSION);
    let builder = Builder::new(PATTERN.parse().map_err(io::Error::other)?);
    let builder = builder.psk(0, &key).and_then(|builder| builder.prologue(&prologue));
    let built = builder.and_then(|builder| match is_client {
        true => builder.build_initiator(),
        false => builder.build_responder(),
    });
    built.map_err(io::Error::other)
}

/// Performs the client's side of the handshake, within `limit`.
pub fn connect(
    stream: TcpStream,
    token: Option<&Token>,
    limit: Duration,
) -> Result<(Sender, Receiver), Refusal> {
    let mut from = Until { stream: &stream, end: Instant::now() + limit };
    let mut noise = noise(token, true)?;
    let mut message = [0; HANDSHAKE];
    noise.write_message(&[], &mut message).map_err(io::Error::other)?;
    stream.set_write_timeout(Some(limit))?;
    (&stream).write_all(&[&hello(VERSION)[..], &frame_length(HANDSHAKE), &message].concat())?;
    let mut there = [0; HELLO];
    let mut got = 0;
    while got < HELLO && there[..got.min(MAGIC.len())] == MAGIC[..got.min(MAGIC.len())] {
        match from.read(&mut there[got..])? {
            0 => break,
            more => got += more,
        }
    }
    match version(&there) {
        _ if got == 0 => return Err(Refusal::Io(io::ErrorKind::UnexpectedEof.into())),
        None => return Err(Refusal::Stranger(there[..got].to_vec())),
        Some(_) if got < HELLO => return Err(Refusal::Stranger(there[..got].to_vec())),
        Some(VERSION) => {}
        Some(other) => return Err(Refusal::Version(other)),
    }
    let mut verdict = [0];
    from.read_exact(&mut verdict)?;
    match verdict[0] {
        verdict if verdict == Verdict::Continue as u8 => {}
        full if full == Verdict::Full as u8 => return Err(Refusal::Full),
        _ => return Err(Refusal::Token),
    }
    read_handshake(&mut from, &mut message)?;
    noise.read_message(&message, &mut []).map_err(|_| Refusal::Token)?;
    Ok(split(stream, noise)?)
}

/// Performs the server's side of the handshake. A peer that is no client receives a hello, which identifies the server.
pub fn accept(
    stream: TcpStream,
    token: Option<&Token>,
    has_capacity: bool,
    limit: Duration,
) -> Result<(Sender, Receiver), Refusal> {
    let mut from = Until { stream: &stream, end: Instant::now() + limit };
    stream.set_write_timeout(Some(limit))?;
    let answer = |verdict: Verdict, rest: &[u8]| {
        (&stream).write_all(&[&hello(VERSION)[..], &[verdict as u8], rest].concat())
    };
    let mut there = [0; HELLO];
    from.read_exact(&mut there)?;
    let refusal = match version(&there) {
        Some(VERSION) if has_capacity => None,
        Some(VERSION) => Some((Verdict::Full, Refusal::Full)),
        Some(other) => Some((Verdict::Refused, Refusal::Version(other))),
        None => Some((Verdict::Refused, Refusal::Stranger(there.to_vec()))),
    };
    if let Some((verdict, refusal)) = refusal {
        answer(verdict, &[])?;
        drain(&mut from);
        return Err(refusal);
    }
    let mut message = [0; HANDSHAKE];
    read_handshake(&mut from, &mut message)?;
    let mut noise = noise(token, false)?;
    if noise.read_message(&message, &mut []).is_err() {
        answer(Verdict::Refused, &[])?;
        return Err(Refusal::Token);
    }
    noise.write_message(&[], &mut message).map_err(io::Error::other)?;
    answer(Verdict::Continue, &[&frame_length(HANDSHAKE)[..], &message].concat())?;
    Ok(split(stream, noise)?)
}

/// Reads the remaining bytes of a stranger: closing a connection with unread bytes would discard the response.
fn drain(from: &mut Until<'_>) {
    from.end = from.end.min(Instant::now() + Duration::from_millis(100));
    let mut rest = [0; 4096];
    for _ in 0..16 {
        if !matches!(from.read(&mut rest), Ok(1..)) {
            return;
        }
    }
}

fn frame_length(bytes: usize) -> [u8; 2] {
    (bytes as u16).to_le_bytes()
}

fn read_handshake(from: &mut impl Read, message: &mut [u8; HANDSHAKE]) -> io::Result<()> {
    let mut length = [0; 2];
    from.read_exact(&mut length)?;
    if length != frame_length(HANDSHAKE) {
        return Err(garbage("a handshake of another length"));
    }
    from.read_exact(message)
}

/// Returns the error for data that no correct peer sends.
pub fn garbage(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn split(stream: TcpStream, noise: HandshakeState) -> io::Result<(Sender, Receiver)> {
    let noise = Arc::new(noise.into_stateless_transport_mode().map_err(io::Error::other)?);
    stream.set_nodelay(true)?;
    let receiver = Receiver {
        stream: stream.try_clone()?,
        noise: noise.clone(),
        nonce: 0,
        frame: vec![0; MAX_PLAIN + TAG],
        plain: SecretBytes::zeroed(MAX_PLAIN),
        left: 0..0,
    };
    let sender = Sender { stream, noise, nonce: 0, frame: vec![0; 2 + MAX_PLAIN + TAG] };
    Ok((sender, receiver))
}

/// The sending half of a connection.
pub struct Sender {
    stream: TcpStream,
    noise: Arc<StatelessTransportState>,
    nonce: u64,
    frame: Vec<u8>,
}

impl Sender {
    /// Sets the time for which the peer may leave bytes unread.
    pub fn set_timeout(&self, limit: Duration) -> io::Result<()> {
        self.stream.set_write_timeout(Some(limit))
    }

    /// Returns the stream, for closing it from another thread.
    pub fn stream(&self) -> io::Result<TcpStream> {
        self.stream.try_clone()
    }

    /// Sends bytes in as many frames as needed.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for plain in bytes.chunks(MAX_PLAIN) {
            let written = self.noise.write_message(self.nonce, plain, &mut self.frame[2..]);
            let written = written.map_err(io::Error::other)?;
            self.nonce += 1;
            self.frame[..2].copy_from_slice(&frame_length(written));
            self.stream.write_all(&self.frame[..2 + written])?;
        }
        Ok(())
    }
}

/// The receiving half of a connection: the bytes of the frames.
pub struct Receiver {
    stream: TcpStream,
    noise: Arc<StatelessTransportState>,
    nonce: u64,
    frame: Vec<u8>,
    /// The plain text of the last frame; wiped when all of it was read.
    plain: SecretBytes,
    /// The range of the plain text that was not read yet.
    left: std::ops::Range<usize>,
}

impl Receiver {
    /// Sets the time for which the peer may be silent.
    pub fn set_timeout(&self, limit: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(limit))
    }

    fn next_frame(&mut self) -> io::Result<()> {
        let mut length = [0; 2];
        self.stream.read_exact(&mut length)?;
        let length = usize::from(u16::from_le_bytes(length));
        if length <= TAG {
            return Err(garbage("a frame of nothing"));
        }
        let frame = &mut self.frame[..length];
        self.stream.read_exact(frame)?;
        let read = self.noise.read_message(self.nonce, frame, &mut self.plain);
        self.nonce += 1;
        self.left = 0..read.map_err(|_| garbage("a frame that was changed on its way"))?;
        Ok(())
    }
}

impl Read for Receiver {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left.is_empty() {
            self.next_frame()?;
        }
        let count = self.left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.plain[self.left.start..][..count]);
        self.left.start += count;
        if self.left.is_empty() {
            wipe(&mut self.plain);
        }
        Ok(count)
    }
}
