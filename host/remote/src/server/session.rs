//! One client: a thread that receives and submits requests, and one that sends.
//!
//! The sending thread also polls tickets: the device wakes it when a response is complete.

use std::collections::{HashMap, HashSet};
use std::future::Future as _;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use proofmill_op::coprocessor::Receiver as Interrupts;
use proofmill_op::{
    AnyRequest, AnyResponse, AnyTicket, Data, Device, Error, Progress, ResidentData, Result,
    SecretBytes,
};
use tracing::{info, info_span, warn};

use super::Shared;
use super::budget::Hold;
use crate::channel::{self, Receiver, Sender, garbage};
use crate::fault::Fault;
use crate::message::{self, ClientMessage, Header, MAX_HEAD, Place, Reply};

/// The time limit of the handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// The shortest interval between two progress reports of a request.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// A message to send.
enum Out {
    Reply(u64, Reply),
    /// The device accepted the request, or its ticket has ended.
    Look(u64),
    /// The response, after all reports before it.
    Response(u64, Result<AnyResponse>, Hold),
    End,
}

struct State {
    tickets: HashMap<u64, (AnyTicket, Hold)>,
    residents: HashMap<u64, (ResidentData, Hold)>,
    next: u64,
}

struct Session<'a> {
    shared: &'a Shared,
    out: mpsc::Sender<Out>,
    state: Arc<Mutex<State>>,
}

/// Serves a client until it leaves or violates the protocol.
pub fn serve(stream: TcpStream, shared: &Shared, has_capacity: bool) {
    let peer = stream.peer_addr().map_or_else(|_| "gone".into(), |peer| peer.to_string());
    let _client = info_span!("client", peer).entered();
    match channel::accept(stream, shared.token.as_ref(), has_capacity, HANDSHAKE) {
        Ok((sender, receiver)) => {
            let end = converse(sender, receiver, shared).err().map(|end| match end.kind() {
                io::ErrorKind::UnexpectedEof => "it closed the connection".into(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    "it was silent for too long".into()
                }
                _ => end.to_string(),
            });
            info!(end, "left");
        }
        Err(refusal) => warn!(why = %refusal, "refused"),
    }
}

fn converse(mut sender: Sender, mut receiver: Receiver, shared: &Shared) -> io::Result<()> {
    receiver.set_timeout(HANDSHAKE)?;
    let ClientMessage::Begin { silence: there } = message::first(&mut receiver)? else {
        return Err(garbage("no beginning"));
    };
    let silence = message::milliseconds(shared.limits.timeout);
    let limit = Duration::from_millis(silence.into());
    sender.set_timeout(limit)?;
    receiver.set_timeout(limit)?;
    let caps = shared.device.caps().clone();
    let welcome = Reply::Welcome { caps, silence, max_bytes: shared.limits.request_bytes };
    reply(&mut sender, 0, &welcome, &[])?;
    shared.served.fetch_add(1, Ordering::Relaxed);
    info!("welcome");

    let (out, queue) = mpsc::channel();
    let state = State { tickets: HashMap::new(), residents: HashMap::new(), next: 1 };
    let state = Arc::new(Mutex::new(state));
    let session = Session { shared, out: out.clone(), state: state.clone() };
    let beat = message::beat(silence, there);
    let stream = sender.stream()?;
    thread::scope(|scope| {
        let writer = thread::Builder::new().name("remote-send".into());
        let state = &state;
        writer.spawn_scoped(scope, move || {
            let _ = write(&mut sender, &queue, &out, state, beat);
            let _ = stream.shutdown(Shutdown::Both);
        })?;
        // Also after a panic: the signs of life of the sending thread would keep the client waiting.
        let _end = EndsSending(&session.out);
        loop {
            session.next(&mut receiver)?;
        }
    })
}

/// Ends the sending thread when the receiving one ends for any reason.
struct EndsSending<'a>(&'a mpsc::Sender<Out>);

impl Drop for EndsSending<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Out::End);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session<'_> {
    fn enqueue(&self, ticket: u64, reply: Reply) {
        let _ = self.out.send(Out::Reply(ticket, reply));
    }

    fn next(&self, receiver: &mut Receiver) -> io::Result<()> {
        let header = Header::read(receiver)?;
        let head = header.read_head(MAX_HEAD, receiver)?;
        let ticket = header.ticket;
        let ask = match message::decode(&head) {
            Ok(ask) => ask,
            Err(error) => {
                message::skip(header.bulk, receiver)?;
                self.enqueue(ticket, Reply::Refused(Fault::Failed(format!("it got {error}"))));
                return Ok(());
            }
        };
        match ask {
            ClientMessage::Request { request, places, progress } => {
                let taken = self.request(header, *request, &places, progress, receiver)?;
                match taken {
                    Ok(()) => self.out.send(Out::Look(ticket)).map_err(io::Error::other)?,
                    Err(error) => self.enqueue(ticket, Reply::Refused(Fault::from(&error))),
                }
            }
            ClientMessage::Load => match self.load(header.bulk, receiver)? {
                Ok(resident) => self.enqueue(ticket, resident),
                Err(error) => self.enqueue(ticket, Reply::Refused(Fault::from(&error))),
            },
            _ if header.bulk > 0 => return Err(garbage("bytes where there are none")),
            ClientMessage::Cancel => drop(self.state().tickets.remove(&ticket)),
            ClientMessage::Release(number) => drop(self.state().residents.remove(&number)),
            ClientMessage::Metrics => match self.on_device(|device| Ok(device.metrics())) {
                Ok(metrics) => self.enqueue(ticket, Reply::Metrics(metrics)),
                Err(error) => self.enqueue(ticket, Reply::Refused(Fault::from(&error))),
            },
            ClientMessage::Begin { .. } => return Err(garbage("a second beginning")),
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Calls the device. Its panic is an error of this call.
    fn on_device<T>(&self, call: impl FnOnce(&dyn Device) -> Result<T>) -> Result<T> {
        let device = &*self.shared.device;
        catch_unwind(AssertUnwindSafe(|| call(device)))
            .unwrap_or_else(|panic| Err(Error::panicked(&*device.caps().uri, "it", &*panic)))
    }

    fn failed(&self, problem: String) -> Error {
        Error::Failed { device: self.shared.device.caps().uri.clone(), problem }
    }

    /// Reserves `bulk` bytes that arrive and `more`. Returns an error if they exceed a limit.
    fn reserve(&self, bulk: u64, more: u64) -> Result<Hold> {
        let most = self.shared.limits.request_bytes;
        if bulk > most {
            let problem = format!("{bulk} bytes of data; at most {most}");
            return Err(Error::argument("request", problem));
        }
        let room = self.shared.budget.take(bulk.saturating_add(more));
        room.map_err(|problem| self.failed(format!("no memory for this request: {problem}")))
    }

    /// Reads a request's bytes and submits it. The inner error is the reply to the client, the outer one ends the connection.
    fn request(
        &self,
        header: Header,
        mut request: AnyRequest,
        places: &[Place],
        progress: bool,
        receiver: &mut Receiver,
    ) -> io::Result<Result<()>> {
        let ticket = header.ticket;
        let bulk = places.iter().try_fold(0u64, |sum, place| match place {
            Place::Bulk(bytes) => sum.checked_add(*bytes),
            Place::Resident(_) => Some(sum),
        });
        if bulk != Some(header.bulk) || places.len() != request.data_mut().len() {
            return Err(garbage("a request whose bytes differ from its head"));
        }
        let more = request.reserved_bytes();
        let hold = match self.check(ticket).and_then(|()| self.reserve(header.bulk, more)) {
            Ok(hold) => hold,
            Err(error) => {
                message::skip(header.bulk, receiver)?;
                return Ok(Err(error));
            }
        };
        let mut missing = None;
        for (data, place) in request.data_mut().into_iter().zip(places) {
            match *place {
                Place::Bulk(bytes) => *data = read(bytes, receiver)?,
                Place::Resident(number) => match self.state().residents.get(&number) {
                    Some((resident, _)) => *data = resident.clone().into(),
                    None => missing = Some(number),
                },
            }
        }
        if let Some(number) = missing {
            let problem = format!("nothing is resident under number {number}");
            return Ok(Err(Error::argument("data", problem)));
        }
        self.listen(ticket, &mut request, progress);
        Ok(self.on_device(|device| device.submit_any(request)).map(|taken| {
            self.shared.requests.fetch_add(1, Ordering::Relaxed);
            self.state().tickets.insert(ticket, (taken, hold));
        }))
    }

    /// Returns an error if no further request of this number is allowed.
    fn check(&self, ticket: u64) -> Result<()> {
        let state = self.state();
        let most = self.shared.limits.requests;
        if state.tickets.len() >= most {
            return Err(self.failed(format!("{most} requests of this client are under way")));
        }
        if state.tickets.contains_key(&ticket) {
            return Err(Error::argument("ticket", format!("{ticket} is under way")));
        }
        Ok(())
    }

    /// Forwards progress and interrupts of a request to the client.
    fn listen(&self, ticket: u64, request: &mut AnyRequest, reports: bool) {
        if reports && let Some(progress) = request.progress_mut() {
            let last = Mutex::new(None);
            let out = self.out.clone();
            *progress = Some(Progress(Arc::new(move |done| {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if done >= 1.0
                    || last.is_none_or(|last: Instant| last.elapsed() >= PROGRESS_INTERVAL)
                {
                    *last = Some(Instant::now());
                    let _ = out.send(Out::Reply(ticket, Reply::Progress(done)));
                }
            })));
        }
        if let AnyRequest::Coprocessor(request) = request {
            let out = self.out.clone();
            request.receiver = Some(Interrupts(Arc::new(move |sent| {
                let _ = out.send(Out::Reply(ticket, Reply::Sent(sent.clone().into())));
            })));
        }
    }

    fn load(&self, bulk: u64, receiver: &mut Receiver) -> io::Result<Result<Reply>> {
        let hold = match self.reserve(bulk, 0) {
            Ok(hold) => hold,
            Err(error) => {
                message::skip(bulk, receiver)?;
                return Ok(Err(error));
            }
        };
        let bytes = read(bulk, receiver)?;
        let loaded = self.on_device(|device| device.load(bytes));
        Ok(loaded.map(|resident| keep(&mut self.state(), resident, hold)))
    }
}

fn keep(state: &mut State, resident: ResidentData, hold: Hold) -> Reply {
    let (number, len) = (state.next, resident.len() as u64);
    state.next += 1;
    state.residents.insert(number, (resident, hold));
    Reply::Resident { number, len }
}

/// Reads `count` bytes, for which memory was reserved. They may be secret.
fn read(count: u64, receiver: &mut Receiver) -> io::Result<Data> {
    SecretBytes::read(receiver, count, SecretBytes::empty()).map(Data::from)
}

/// Wakes the sending thread for a ticket.
struct Woken {
    ticket: u64,
    out: mpsc::Sender<Out>,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        let _ = self.out.send(Out::Look(self.ticket));
    }
}

fn reply(to: &mut Sender, ticket: u64, reply: &Reply, bulk: &[u8]) -> io::Result<()> {
    let head = postcard::to_stdvec(reply).map_err(io::Error::other)?;
    message::send(to, ticket, &head, std::iter::once(bulk))
}

/// Sends queued messages and signs of life, until the connection ends.
fn write(
    sender: &mut Sender,
    queue: &mpsc::Receiver<Out>,
    out: &mpsc::Sender<Out>,
    state: &Mutex<State>,
    beat: Duration,
) -> io::Result<()> {
    // Requests whose acceptance was sent to the client.
    let mut accepted = HashSet::new();
    loop {
        match queue.recv_timeout(beat) {
            Ok(Out::Reply(ticket, what)) => reply(sender, ticket, &what, &[])?,
            Ok(Out::Look(ticket)) => {
                if accepted.insert(ticket) {
                    reply(sender, ticket, &Reply::Accepted, &[])?;
                }
                if look(ticket, out, state) {
                    accepted.remove(&ticket);
                }
            }
            Ok(Out::Response(ticket, response, hold)) => {
                respond(sender, ticket, response, hold, state)?;
            }
            Err(RecvTimeoutError::Timeout) => message::sign_of_life(sender)?,
            Ok(Out::End) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Returns whether the ticket has ended. Its response is queued after all reports before it.
fn look(number: u64, out: &mpsc::Sender<Out>, state: &Mutex<State>) -> bool {
    let mut all = lock(state);
    let Some((ticket, _)) = all.tickets.get_mut(&number) else { return true };
    let waker = Waker::from(Arc::new(Woken { ticket: number, out: out.clone() }));
    let Poll::Ready(response) = Pin::new(ticket).poll(&mut Context::from_waker(&waker)) else {
        return false;
    };
    if let Some((_, hold)) = all.tickets.remove(&number) {
        let _ = out.send(Out::Response(number, response, hold));
    }
    true
}

fn respond(
    sender: &mut Sender,
    ticket: u64,
    response: Result<AnyResponse>,
    hold: Hold,
    state: &Mutex<State>,
) -> io::Result<()> {
    let mut bulk = SecretBytes::empty();
    let what = match response {
        Ok(mut response) => match response.resident().cloned() {
            Some(resident) => keep(&mut lock(state), resident, hold),
            None => {
                bulk = response.take_bytes().unwrap_or(bulk);
                Reply::Response(response)
            }
        },
        Err(error) => Reply::Failed(Fault::from(&error)),
    };
    reply(sender, ticket, &what, &bulk)
}
