//! One connection: a thread that sends, a thread that receives, and the pending requests.

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use proofmill_op::coprocessor::Receiver as Interrupts;
use proofmill_op::msm::Points;
use proofmill_op::{
    AnyCompleter, AnyRequest, AnyResponse, AnyTicket, Cancel, Caps, Error, Progress, ResidentData,
    Result, SecretBytes,
};

use super::{Options, is_silence, report};
use crate::channel::{Receiver, Sender, garbage};
use crate::message::{self, ClientMessage, Header, MAX_HEAD, MAX_RESPONSE_HEAD, Message, Reply};

/// Creates the handle of resident data from the connection's epoch, their number of bytes, and the number under which they are resident.
pub type Loaded = Box<dyn FnOnce(u64, usize, u64) -> ResidentData + Send>;

/// A connection.
pub struct Link {
    epoch: u64,
    next: AtomicU64,
    max_bytes: u64,
    shared: Arc<Shared>,
}

struct Shared {
    uri: String,
    silence: f64,
    stream: TcpStream,
    out: mpsc::Sender<Out>,
    state: Mutex<State>,
}

struct State {
    /// The reason why it ended.
    end: Option<Error>,
    waiting: HashMap<u64, Waiting>,
}

/// The pending parts of a ticket number.
#[derive(Default)]
struct Waiting {
    /// Receives the first reply.
    word: Option<mpsc::SyncSender<Result<Reply>>>,
    /// Receives the response.
    job: Option<Job>,
}

/// A message to send.
enum Out {
    Message(Message),
    /// The request of this ticket was cancelled.
    Cancelled(u64),
    Release(u64),
    End,
}

/// A request that was sent.
pub struct Job {
    completer: AnyCompleter,
    progress: Option<Progress>,
    receiver: Option<Interrupts>,
    /// Memory for the bytes of the response.
    buffer: SecretBytes,
    /// Creates the handle, if the response is one.
    pub loaded: Option<Loaded>,
}

impl Job {
    pub fn new(
        link: &Link,
        number: u64,
        request: &AnyRequest,
        progress: Option<Progress>,
        receiver: Option<Interrupts>,
        buffer: SecretBytes,
    ) -> (Self, AnyTicket) {
        let cancel = Cancel::new();
        let (completer, ticket) = request.ticket(cancel.clone());
        let out = link.shared.out.clone();
        // Without a sending thread, all tickets have ended.
        cancel.on_cancel(move || drop(out.send(Out::Cancelled(number))));
        (Self { completer, progress, receiver, buffer, loaded: None }, ticket)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection for this reason, unless it has ended: every ticket and every caller that waits for a reply receives the error.
    fn end(&self, why: Error) {
        let mut state = self.state();
        let why = state.end.get_or_insert(why).clone();
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        let _ = self.stream.shutdown(Shutdown::Both);
        let _ = self.out.send(Out::End);
        for waiting in waiting.into_values() {
            if let Some(word) = waiting.word {
                let _ = word.try_send(Err(why.clone()));
            }
            if let Some(job) = waiting.job {
                job.completer.complete(Err(why.clone()));
            }
        }
    }

    fn lost(&self, problem: impl Into<String>) -> Error {
        Error::Lost { device: self.uri.clone(), problem: problem.into() }
    }

    /// Converts an error of reading or writing.
    fn of(&self, error: &io::Error) -> Error {
        if is_silence(error) {
            return Error::TimedOut { device: self.uri.clone(), seconds: self.silence };
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.lost("the server closed the connection"),
            io::ErrorKind::InvalidData => self.lost(format!("the server sent {error}")),
            _ => self.lost(format!("the connection broke: {error}")),
        }
    }
}

impl Link {
    /// Performs the handshake and starts the threads. Returns the description of the server's device as well.
    pub fn start(
        options: &Options,
        (mut sender, mut receiver): (Sender, Receiver),
    ) -> Result<(Self, Caps)> {
        static EPOCHS: AtomicU64 = AtomicU64::new(1);
        let broken = |error: io::Error| Error::Open {
            device: options.uri.clone(),
            problem: format!("the server ended the connection before it began: {error}"),
        };
        let silence = message::milliseconds(options.timeout);
        let limit = Duration::from_millis(silence.into());
        sender.set_timeout(limit).and_then(|()| receiver.set_timeout(limit)).map_err(broken)?;
        let begin = Message::new(0, &ClientMessage::Begin { silence }, vec![]);
        begin.and_then(|begin| begin.send(&mut sender)).map_err(broken)?;
        let welcome = message::first(&mut receiver).map_err(broken)?;
        let Reply::Welcome { caps, silence: there, max_bytes } = welcome else {
            return Err(broken(garbage("no welcome")));
        };
        let (out, queue) = mpsc::channel();
        let state = Mutex::new(State { end: None, waiting: HashMap::new() });
        let shared = Arc::new(Shared {
            uri: options.uri.clone(),
            silence: limit.as_secs_f64(),
            stream: sender.stream().map_err(broken)?,
            out,
            state,
        });
        let epoch = EPOCHS.fetch_add(1, Ordering::Relaxed);
        let beat = message::beat(silence, there);
        let (writer, reader) = (shared.clone(), shared.clone());
        spawn("remote-send", broken, move || {
            if let Err(error) = write(&writer, &mut sender, &queue, beat) {
                writer.end(writer.of(&error));
            }
        })?;
        spawn("remote-receive", broken, move || {
            let error = read(&reader, &mut receiver, epoch);
            reader.end(reader.of(&error));
        })?;
        Ok((Self { epoch, next: AtomicU64::new(1), max_bytes, shared }, caps))
    }

    /// Returns the number that distinguishes this connection from all others.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    pub fn is_over(&self) -> bool {
        self.shared.state().end.is_some()
    }

    pub fn close(&self) {
        self.shared.end(self.shared.lost("the client closed the connection"));
    }

    pub fn fresh_ticket(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns an error if the message exceeds the server's limits.
    pub fn fits(&self, message: &Message, bulk: u64) -> Result<()> {
        if message.head_bytes() > MAX_HEAD as usize {
            let problem =
                format!("{} bytes besides data; at most {MAX_HEAD}", message.head_bytes());
            return Err(Error::argument("request", problem));
        }
        self.takes(bulk)
    }

    fn takes(&self, bulk: u64) -> Result<()> {
        if bulk > self.max_bytes {
            let problem = format!(
                "{bytes} bytes of data; {uri} takes at most {most}",
                bytes = bulk,
                uri = self.shared.uri,
                most = self.max_bytes
            );
            return Err(Error::argument("request", problem));
        }
        Ok(())
    }

    /// Reads streamed points, up to the server's limit.
    pub fn read_streams(&self, request: &mut AnyRequest) -> Result<()> {
        let Some(points) = request.points_mut() else { return Ok(()) };
        let Points::Stream(stream) = &*points else { return Ok(()) };
        let io = |source| Error::Io { context: "bases".into(), source: Arc::new(source) };
        let length = stream.bytes().map_err(io)?;
        self.takes(length)?;
        let mut bytes = vec![0; length as usize];
        stream.read_at(0, &mut bytes).map_err(io)?;
        *points = Points::Data(bytes.into());
        Ok(())
    }

    /// Ends the connection: the server violated the protocol.
    pub fn protocol_error(&self, what: &str) -> Error {
        let error = self.shared.lost(format!("it violated the protocol: {what}"));
        self.shared.end(error.clone());
        error
    }

    /// Sends a message and waits for the first reply to it.
    pub fn call(&self, message: Message, job: Option<Job>) -> Result<Reply> {
        let (word, first) = mpsc::sync_channel(1);
        let mut state = self.shared.state();
        if let Some(end) = &state.end {
            return Err(end.clone());
        }
        state.waiting.insert(message.ticket, Waiting { word: Some(word), job });
        drop(state);
        // Without a sender the connection has ended, and the waiting caller receives that error.
        let _ = self.shared.out.send(Out::Message(message));
        first.recv().unwrap_or_else(|_| Err(self.shared.lost("the connection is over")))
    }

    pub fn release(&self, number: u64) {
        let _ = self.shared.out.send(Out::Release(number));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close();
    }
}

fn spawn(
    name: &str,
    broken: impl Fn(io::Error) -> Error,
    body: impl FnOnce() + Send + 'static,
) -> Result<()> {
    thread::Builder::new().name(name.into()).spawn(body).map(|_| ()).map_err(broken)
}

/// Sends queued messages and signs of life, until the connection ends.
fn write(
    shared: &Shared,
    sender: &mut Sender,
    queue: &mpsc::Receiver<Out>,
    beat: Duration,
) -> io::Result<()> {
    let plain = |ticket, ask: &ClientMessage| Message::new(ticket, ask, vec![]);
    loop {
        match queue.recv_timeout(beat) {
            Ok(Out::Message(message)) => message.send(sender)?,
            Ok(Out::Cancelled(number)) => {
                let waiting = shared.state().waiting.remove(&number);
                if waiting.is_some() {
                    plain(number, &ClientMessage::Cancel)?.send(sender)?;
                }
            }
            Ok(Out::Release(number)) => plain(0, &ClientMessage::Release(number))?.send(sender)?,
            Err(RecvTimeoutError::Timeout) => message::sign_of_life(sender)?,
            Ok(Out::End) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Receives messages until the connection ends. Returns the reason for the end.
fn read(shared: &Shared, receiver: &mut Receiver, epoch: u64) -> io::Error {
    loop {
        if let Err(error) = next(shared, receiver, epoch) {
            return error;
        }
    }
}

fn next(shared: &Shared, receiver: &mut Receiver, epoch: u64) -> io::Result<()> {
    let header = Header::read(receiver)?;
    let head = header.read_head(MAX_RESPONSE_HEAD, receiver)?;
    let reply: Reply = message::decode(&head)?;
    let number = header.ticket;
    if header.bulk > 0 && !matches!(reply, Reply::Response(_)) {
        return Err(garbage("bytes where there are none"));
    }
    match reply {
        Reply::Accepted | Reply::Metrics(_) => {
            let mut state = shared.state();
            if let Some(waiting) = state.waiting.get_mut(&number) {
                if let Some(word) = waiting.word.take() {
                    let _ = word.try_send(Ok(reply));
                }
                if waiting.job.is_none() {
                    state.waiting.remove(&number);
                }
            }
        }
        Reply::Refused(fault) => {
            let waiting = shared.state().waiting.remove(&number);
            if let Some(word) = waiting.and_then(|waiting| waiting.word) {
                let _ = word.try_send(Err(fault.of(&shared.uri)));
            }
        }
        Reply::Resident { number: place, len } => {
            let waiting = shared.state().waiting.remove(&number).unwrap_or_default();
            match (waiting.word, waiting.job) {
                (Some(word), None) => {
                    let _ = word.try_send(Ok(Reply::Resident { number: place, len }));
                }
                (_, Some(Job { completer, loaded: Some(loaded), .. })) => {
                    completer.complete_resident(loaded(place, len as usize, epoch));
                }
                // The request was cancelled.
                _ => {
                    let _ = shared.out.send(Out::Release(place));
                }
            }
        }
        Reply::Progress(done) => {
            let state = shared.state();
            let job = state.waiting.get(&number).and_then(|waiting| waiting.job.as_ref());
            let progress = job.and_then(|job| job.progress.clone());
            drop(state);
            if let Some(progress) = progress {
                progress.report(done.clamp(0.0, 1.0));
            }
        }
        Reply::Sent(sent) => {
            let sent = sent.try_into().map_err(garbage)?;
            let state = shared.state();
            let job = state.waiting.get(&number).and_then(|waiting| waiting.job.as_ref());
            let receiver = job.and_then(|job| job.receiver.clone());
            drop(state);
            if let Some(receiver) = receiver {
                report(&receiver, &sent);
            }
        }
        Reply::Response(response) => return respond(shared, receiver, header, response),
        Reply::Failed(fault) => {
            let waiting = shared.state().waiting.remove(&number);
            if let Some(job) = waiting.and_then(|waiting| waiting.job) {
                job.completer.complete(Err(fault.of(&shared.uri)));
            }
        }
        Reply::Welcome { .. } => return Err(garbage("a second welcome")),
    }
    Ok(())
}

/// Reads the bytes of a response and completes its request.
fn respond(
    shared: &Shared,
    receiver: &mut Receiver,
    header: Header,
    mut response: AnyResponse,
) -> io::Result<()> {
    let lent = |waiting: &mut Waiting| {
        let job = waiting.job.as_mut();
        job.map(|job| std::mem::replace(&mut job.buffer, SecretBytes::empty()))
    };
    let buffer = shared.state().waiting.get_mut(&header.ticket).and_then(lent);
    let Some(buffer) = buffer else { return message::skip(header.bulk, receiver) };
    match response.take_bytes() {
        Some(_) => response.put_bytes(SecretBytes::read(receiver, header.bulk, buffer)?),
        None if header.bulk > 0 => return Err(garbage("bytes of a response that has none")),
        None => {}
    }
    let waiting = shared.state().waiting.remove(&header.ticket);
    if let Some(job) = waiting.and_then(|waiting| waiting.job) {
        job.completer.complete(Ok(response));
    }
    Ok(())
}
