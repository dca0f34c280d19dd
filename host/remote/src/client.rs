//! The client: a device that forwards its requests to a server.

mod link;
mod resident;

use std::fmt;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofmill_op::{
    AnyRequest, AnyTicket, Argument, Bytes, Caps, Data, Device, DeviceKind, Error, Metrics,
    ResidentData, Result, SecretBytes, TOKEN_VARIABLE, Token, coprocessor,
};

use crate::channel::{self, Refusal, VERSION};
use crate::message::{ClientMessage, Message, Place, Reply};
use link::{Job, Link};
use resident::{Resident, Source};

/// The options of a connection to a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The device's URI, for error messages.
    pub uri: String,
    /// Host and port.
    pub address: String,
    /// The token that the client shares with the server.
    pub token: Option<Token>,
    /// The time after which a connection attempt is abandoned, or a silent server is considered lost; 0.1 s to 1 h.
    pub timeout: Duration,
}

impl Options {
    /// Returns options without a token and with a timeout of 10 s.
    pub fn new(uri: impl Into<String>, address: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            address: address.into(),
            token: None,
            timeout: Duration::from_secs(10),
        }
    }
}

/// A device of a remote machine.
///
/// [`Submit::submit`](proofmill_op::Submit::submit) returns when the server's device has accepted the request, so that it reports wrong
/// arguments as other devices do. When the connection ends, all tickets end with [`Error::Lost`] or [`Error::TimedOut`]. The next request opens a new connection and loads
/// the resident data that it uses again; for this, the client keeps a copy of resident data.
pub struct RemoteDevice {
    caps: Caps,
    inside: Arc<Inside>,
}

struct Inside {
    options: Options,
    identity: u64,
    link: Mutex<Arc<Link>>,
    /// The last received counters.
    metrics: Mutex<Metrics>,
}

impl RemoteDevice {
    /// Connects to a server.
    pub fn open(options: Options) -> Result<Self> {
        let identity = ResidentData::fresh_identity();
        let (link, there) = Link::start(&options, connect(&options)?)?;
        let about = format!("{} of {}: {}", there.uri, options.address, there.description);
        let mut caps = Caps::new(options.uri.clone(), DeviceKind::Remote, about);
        caps.capabilities = there.capabilities;
        caps.queue = there.queue.max(1);
        caps.quotients = there.quotients;
        let link = Mutex::new(Arc::new(link));
        let inside = Inside { options, identity, link, metrics: Mutex::default() };
        Ok(Self { caps, inside: Arc::new(inside) })
    }

    /// Measures the round trip of a message.
    pub fn round_trip(&self) -> Result<Duration> {
        let start = std::time::Instant::now();
        self.inside.count().map(|_| start.elapsed())
    }
}

impl Drop for RemoteDevice {
    fn drop(&mut self) {
        self.inside.link().close();
    }
}

impl Inside {
    fn link(&self) -> MutexGuard<'_, Arc<Link>> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the connection; opens a new one if the last has ended.
    fn live(&self) -> Result<Arc<Link>> {
        let mut link = self.link();
        if link.is_over() {
            let lost = |error| match error {
                Error::Open { device, problem } => Error::Lost { device, problem },
                other => other,
            };
            let stream = connect(&self.options).map_err(lost)?;
            *link = Arc::new(Link::start(&self.options, stream).map_err(lost)?.0);
        }
        Ok(link.clone())
    }

    fn message(
        &self,
        link: &Link,
        number: u64,
        ask: &ClientMessage,
        bulk: Vec<Bytes>,
    ) -> Result<Message> {
        let bytes: u64 = bulk.iter().map(|part| part.len() as u64).sum();
        let message = Message::new(number, ask, bulk)
            .map_err(|error| Error::argument("request", error.to_string()))?;
        link.fits(&message, bytes)?;
        Ok(message)
    }

    /// Sends a request on this connection; returns when the server has accepted it.
    fn submit(self: &Arc<Self>, link: &Arc<Link>, mut request: AnyRequest) -> Result<AnyTicket> {
        let source = match &request {
            AnyRequest::LoadBases(bases) => Some(Source::Bases(bases.clone())),
            _ => None,
        };
        link.read_streams(&mut request)?;
        let progress = request.progress_mut().and_then(Option::take);
        let progress_wanted = progress.is_some();
        let buffer = request.take_buffer().unwrap_or_else(SecretBytes::empty);
        let receiver = match &mut request {
            AnyRequest::Coprocessor(request) => request.receiver.take(),
            _ => None,
        };
        let (mut places, mut bulk) = (Vec::new(), Vec::new());
        for data in request.data_mut() {
            places.push(match data {
                Data::Host(bytes) => {
                    bulk.push(bytes.clone());
                    Place::Bulk(bytes.len() as u64)
                }
                Data::Resident(resident) => {
                    Place::Resident(resident.name::<Resident>(self.identity)?.on(self, link)?)
                }
            });
        }
        let number = link.fresh_ticket();
        let (mut job, ticket) = Job::new(link, number, &request, progress, receiver, buffer);
        let ask = ClientMessage::Request {
            request: Box::new(request),
            places,
            progress: progress_wanted,
        };
        let message = self.message(link, number, &ask, bulk)?;
        let loaded = source.map(|source| {
            let (inside, identity) = (Arc::downgrade(self), self.identity);
            Box::new(move |number, len, epoch| {
                ResidentData::remote(identity, len, Resident::new(inside, source, number, epoch))
            }) as link::Loaded
        });
        job.loaded = loaded;
        match link.call(message, Some(job))? {
            Reply::Accepted => Ok(ticket),
            _ => Err(link.protocol_error("no reply to a request")),
        }
    }

    /// Loads bytes into the server and returns their number.
    fn load_bytes(&self, link: &Link, bytes: Bytes) -> Result<u64> {
        let message = self.message(link, link.fresh_ticket(), &ClientMessage::Load, vec![bytes])?;
        match link.call(message, None)? {
            Reply::Resident { number, .. } => Ok(number),
            _ => Err(link.protocol_error("no reply to a load")),
        }
    }

    fn count(&self) -> Result<Metrics> {
        let link = self.live()?;
        let message = self.message(&link, link.fresh_ticket(), &ClientMessage::Metrics, vec![])?;
        match link.call(message, None)? {
            Reply::Metrics(metrics) => Ok(metrics),
            _ => Err(link.protocol_error("no counters")),
        }
    }
}

impl Device for RemoteDevice {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        let bytes = match bytes {
            Data::Host(bytes) => bytes,
            Data::Resident(resident) => {
                resident.name::<Resident>(self.inside.identity)?;
                return Ok(resident);
            }
        };
        let link = self.inside.live()?;
        let number = self.inside.load_bytes(&link, bytes.clone())?;
        let (inside, len) = (Arc::downgrade(&self.inside), bytes.len());
        let resident = Resident::new(inside, Source::Bytes(bytes), number, link.epoch());
        Ok(ResidentData::remote(self.inside.identity, len, resident))
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        self.caps.require(&request.capability())?;
        if matches!(&request, AnyRequest::Quotient(request) if request.resident_for.is_some()) {
            return Err(Error::argument(Argument::ResidentFor, "not on another machine"));
        }
        self.inside.submit(&self.inside.live()?, request)
    }

    /// Returns the counters of the server, or the last ones received.
    fn metrics(&self) -> Metrics {
        let counted = self.inside.count();
        let mut last = self.inside.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(metrics) = counted {
            *last = metrics;
        }
        *last
    }
}

impl fmt::Debug for RemoteDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteDevice").field(&self.caps.uri).finish()
    }
}

/// Connects to the first of the host's addresses that accepts a connection.
fn connect(options: &Options) -> Result<(channel::Sender, channel::Receiver)> {
    let (uri, address) = (&options.uri, &options.address);
    let open = |problem: String| Error::Open { device: uri.clone(), problem };
    let wrong = |problem: &str| {
        Error::argument("device", format!("'{uri}': {problem}; expected tcp://HOST:PORT"))
    };
    let (host, port) = address.rsplit_once(':').ok_or_else(|| wrong("no port"))?;
    match port.parse::<u16>() {
        Ok(0) | Err(_) => return Err(wrong(&format!("port '{port}' is not from 1 to 65535"))),
        Ok(_) if host.is_empty() => return Err(wrong("no host")),
        Ok(_) => {}
    }
    let found = address.to_socket_addrs();
    let found = found.map_err(|error| open(format!("host '{host}' has no address: {error}")))?;
    let mut problem = format!("host '{host}' has no address");
    for address in found {
        let stream = match TcpStream::connect_timeout(&address, options.timeout) {
            Ok(stream) => stream,
            Err(error) => {
                problem = format!("nothing answers at {address}: {error}");
                continue;
            }
        };
        let connected = channel::connect(stream, options.token.as_ref(), options.timeout);
        return connected.map_err(|refusal| match refusal {
            Refusal::Io(error) if is_silence(&error) => Error::TimedOut {
                device: uri.clone(),
                seconds: options.timeout.as_secs_f64(),
            },
            Refusal::Io(error) => {
                open(format!("{address} ended the connection before it began: {error}"))
            }
            Refusal::Stranger(bytes) if bytes.starts_with(b"HTTP/") => {
                open(format!("{address} speaks HTTP; port {port} is not that of a device"))
            }
            Refusal::Stranger(bytes) => open(format!(
                "{address} uses another protocol (it sent '{}'); port {port} is not that of a device",
                bytes.escape_ascii()
            )),
            Refusal::Version(other) => open(format!(
                "{address} uses version {other} of the protocol, and this program version {VERSION}"
            )),
            Refusal::Full => open(format!("{address} has as many clients as it may have")),
            Refusal::Token => Error::argument(
                "token",
                match &options.token {
                    Some(_) => format!(
                        "is not that of the server at {address}, which has another one, or none"
                    ),
                    None => format!(
                        "the server at {address} wants one: give ?token_file=FILE or set {TOKEN_VARIABLE}"
                    ),
                },
            ),
        });
    }
    Err(open(problem))
}

/// Returns whether reading or writing timed out.
fn is_silence(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

/// Passes an interrupt of a program to its receiver.
fn report(receiver: &coprocessor::Receiver, sent: &coprocessor::Interrupt) {
    (receiver.0)(sent);
}
