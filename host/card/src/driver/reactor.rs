//! The reactor: one thread that owns the transport. It handles lanes (the interface of an engine), jobs (a request divided
//! into commands) and flights (which reply belongs to which command), but depends on no operation.
//!
//! Its rules:
//! 1. An engine never has more outstanding commands than its register `queue` allows, apart from cancellations.
//! 2. An engine's registers are written only while it has no outstanding command: jobs with other settings wait.
//! 3. A reply is matched by its index alone, in any order; an unknown index is an error.
//! 4. The first event that no healthy card causes, and the first command without a reply within the time-out, end the
//!    device: every job fails with the same error, and so does every later request. (An engine whose commands take long
//!    has counters that change while it works; the time-out then begins with the last change.)
//! 5. A cancelled job sends no further command, cancels those in the card where possible, and its replies are discarded.
//! 6. A job that uses the transport by itself has the card alone: other commands are answered before and sent afterwards.
//! 7. Replies are received during transfers to and from the card's memory. A job's command is sent when all of its
//!    transfers have ended, and its reads begin when all of its commands are answered.
//! 8. An engine's jobs proceed in the order of submission. While one that has begun waits, the next one proceeds if it is
//!    independent: the elements of a transform are uploaded while the transform before it runs.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use proofmill_op::{Completer, Error, Metrics, Result, SecretBytes};

use super::flights::{Flight, Flights, Sent};
use super::job::{Active, Lane, Settings, Transfer, Work};
use super::{Options, Shared};
use crate::transport::{Event, Transport};
use crate::wire::constants::shell::replies::ignore;
use crate::wire::{Header, INDEX_OFFSET, u64_at};

/// The interval at which a wait for a reply checks for new work.
const SLICE: Duration = Duration::from_millis(1);

/// Transfers that are begun at a time.
const TRANSFERS: usize = 4;

/// Counters of the device, readable from any thread.
#[derive(Default)]
pub struct Counters {
    requests: AtomicU64,
    /// Cycles plus one; 0 if the transport counts no cycles.
    cycles: AtomicU64,
}

impl Counters {
    /// Counts a request and resolves its ticket, in this order, so that a request is counted once its response is available.
    pub fn complete<T>(&self, completer: Completer<T>, response: Result<T>) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        completer.complete(response);
    }

    /// Returns the current values.
    pub fn read(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.requests = self.requests.load(Ordering::Relaxed);
        metrics.cycles = self.cycles.load(Ordering::Relaxed).checked_sub(1);
        metrics
    }
}

/// An engine and its outstanding commands.
struct Engine {
    lane: Lane,
    settings: Option<Settings>,
    waiting: VecDeque<u64>,
    outstanding: usize,
    /// Counters of its progress as they were last seen, and since when.
    progress: (Vec<u32>, Duration),
}

/// The thread's state.
pub struct Reactor {
    transport: Box<dyn Transport>,
    engines: Vec<Engine>,
    inbox: Receiver<Work>,
    closing: bool,
    jobs: HashMap<u64, Active>,
    /// Jobs whose commands can be cancelled.
    long: Vec<u64>,
    flights: Flights,
    /// The jobs of the transfers that were begun, in order, with the numbers of the commands of the transfers.
    transfers: VecDeque<(u64, usize)>,
    next_job: u64,
    first_cycle: u64,
    shared: Arc<Shared>,
    options: Options,
}

impl Reactor {
    pub fn new(
        transport: Box<dyn Transport>,
        lanes: Vec<Lane>,
        inbox: Receiver<Work>,
        shared: Arc<Shared>,
        options: Options,
    ) -> Self {
        let engine = |lane| Engine {
            lane,
            settings: None,
            waiting: VecDeque::new(),
            outstanding: 0,
            progress: (Vec::new(), Duration::ZERO),
        };
        let mut reactor = Self {
            first_cycle: transport.cycles().unwrap_or(0),
            transport,
            engines: lanes.into_iter().map(engine).collect(),
            inbox,
            closing: false,
            jobs: HashMap::new(),
            transfers: VecDeque::new(),
            long: Vec::new(),
            flights: Flights::default(),
            next_job: 0,
            shared,
            options,
        };
        reactor.count_cycles();
        reactor
    }

    /// Serves jobs until the device is closed. A lost device fails every later request.
    pub fn run(mut self) {
        // A panic is a bug, but tickets must end.
        let served = catch_unwind(AssertUnwindSafe(|| self.serve()))
            .unwrap_or_else(|panic| Err(Error::panicked(&self.options.uri, "its driver", &*panic)));
        let Err(error) = served else { return };
        let _ = self.shared.dead.set(error.clone());
        let Self { transport, inbox, jobs, shared, .. } = self;
        drop(transport);
        for mut active in jobs.into_values() {
            active.fail(&shared.counters, error.clone());
        }
        for work in inbox {
            work.fail(&shared.counters, error.clone());
        }
    }

    fn serve(&mut self) -> Result<()> {
        loop {
            self.take_work();
            self.cancel()?;
            self.launch()?;
            if self.closing && self.jobs.values().all(Active::is_abandoned) {
                return Ok(());
            }
            if !self.is_quiet() {
                let event = self.transport.event(SLICE)?;
                // Counts first: when a response arrives, its cycles are counted.
                self.count_cycles();
                match event {
                    // A reply may contain elements.
                    Some(Event::Reply(reply)) => self.accept(&SecretBytes::from(reply))?,
                    Some(Event::Written(done)) => {
                        self.transferred(done.map(|()| SecretBytes::empty()))?;
                    }
                    Some(Event::Read(done)) => self.transferred(done)?,
                    None => {}
                }
                self.check_time()?;
            }
        }
    }

    /// Returns whether there are no outstanding commands and transfers.
    fn is_quiet(&self) -> bool {
        self.flights.is_empty() && self.transfers.is_empty()
    }

    /// Accepts submitted work; sleeps while there is nothing to do.
    fn take_work(&mut self) {
        while !self.closing {
            let idle = self.jobs.is_empty();
            let work = match idle {
                true => self.inbox.recv().map_err(|_| TryRecvError::Disconnected),
                false => self.inbox.try_recv(),
            };
            match work {
                Ok(work) => self.enter(work),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.closing = true,
            }
        }
    }

    fn enter(&mut self, work: Work) {
        let id = self.next_job;
        self.next_job += 1;
        let active = Active::new(work);
        let engine = &mut self.engines[active.engine];
        engine.waiting.push_back(id);
        if !engine.lane.progress.is_empty() {
            self.long.push(id);
        }
        self.jobs.insert(id, active);
    }

    /// Sends as many commands as the engines take.
    fn launch(&mut self) -> Result<()> {
        if let Some(number) = self.engines.iter().position(|engine| self.talks_next(engine)) {
            return if self.is_quiet() { self.talk(number) } else { Ok(()) };
        }
        for number in 0..self.engines.len() {
            // The job's place among those that wait.
            let mut at = 0;
            while let Some(&id) = self.engines[number].waiting.get(at) {
                // It came to the front just now, behind an abandoned one.
                if self.talks(id) {
                    break;
                }
                let Some(position) = self.jobs.get(&id).and_then(Active::next) else {
                    self.engines[number].waiting.remove(at);
                    self.settle(id);
                    continue;
                };
                if self.advance(number, id, position)? {
                    continue;
                }
                if !self.lets_pass(number, at, position) {
                    break;
                }
                at += 1;
            }
        }
        Ok(())
    }

    /// Sends a job's next command, or begins its transfer; false when it has to wait.
    fn advance(&mut self, number: usize, id: u64, position: usize) -> Result<bool> {
        if !self.prepare(number, id)? || !self.acquire(id, position) {
            return Ok(false);
        }
        let Some(active) = self.jobs.get_mut(&id) else { return Ok(false) };
        let (moving, in_card) = (active.is_moving(), active.is_in_card());
        match active.transfer(position) {
            Some(_) if self.transfers.len() == TRANSFERS => return Ok(false),
            Some(Transfer::Down(..)) if in_card => return Ok(false),
            Some(_) => self.transfer(id, position)?,
            None if moving => return Ok(false),
            None => self.send(id, position)?,
        }
        Ok(true)
    }

    /// Returns whether the job behind this one may proceed while this one waits: not if it waits for memory, which it gets first, or for its own
    /// uploads.
    fn lets_pass(&mut self, number: usize, at: usize, position: usize) -> bool {
        let waiting = &self.engines[number].waiting;
        let is_independent = |id| self.jobs.get(id).is_some_and(|it| it.job().is_independent());
        if !waiting.get(at + 1).is_some_and(is_independent) {
            return false;
        }
        let active = self.jobs.get_mut(&waiting[at]);
        active.is_some_and(|it| {
            it.has_begun() && !(it.is_moving() && it.transfer(position).is_none())
        })
    }

    /// Returns whether the engine's next job uses the transport by itself.
    fn talks_next(&self, engine: &Engine) -> bool {
        engine.waiting.front().is_some_and(|&id| self.talks(id))
    }

    fn talks(&self, id: u64) -> bool {
        self.jobs.get(&id).is_some_and(|active| active.job().talks() && !active.is_abandoned())
    }

    /// Executes that job.
    fn talk(&mut self, number: usize) -> Result<()> {
        let id = self.engines[number].waiting.pop_front();
        let Some(mut active) = id.and_then(|id| self.jobs.remove(&id)) else { return Ok(()) };
        let Options { uri, timeout, .. } = &self.options;
        let talked = active.talk(&mut *self.transport, uri, *timeout);
        self.count_cycles();
        let counters = &self.shared.counters;
        match &talked {
            Ok(()) => active.complete(counters),
            Err(error) => active.fail(counters, error.clone()),
        }
        talked
    }

    /// Makes an engine ready for this job's next command; false when it is not yet.
    fn prepare(&mut self, number: usize, id: u64) -> Result<bool> {
        let engine = &mut self.engines[number];
        let wanted = self.jobs[&id].job().settings();
        if engine.settings.as_ref() == Some(wanted) {
            return Ok(engine.outstanding < engine.lane.queue);
        }
        if engine.outstanding > 0 {
            return Ok(false);
        }
        configure(&mut *self.transport, engine.lane.block, wanted, &self.options.uri)?;
        engine.settings = Some(wanted.clone());
        Ok(true)
    }

    fn acquire(&mut self, id: u64, position: usize) -> bool {
        self.jobs.get_mut(&id).is_some_and(|active| active.job_mut().acquire(position))
    }

    /// Begins to write or read the card's memory. Engines continue, and their replies are received.
    fn transfer(&mut self, id: u64, position: usize) -> Result<()> {
        match self.jobs.get_mut(&id).and_then(Active::begin_transfer) {
            Some(Transfer::Up(place, bytes)) => self.transport.begin_write(place, bytes)?,
            Some(Transfer::Down(place, bytes)) => self.transport.begin_read(place, bytes)?,
            None => return Ok(()),
        }
        self.transfers.push_back((id, position));
        Ok(())
    }

    /// Handles the end of the oldest transfer.
    fn transferred(&mut self, done: Result<SecretBytes>) -> Result<()> {
        let oldest = self.transfers.pop_front();
        let (id, position) =
            oldest.ok_or_else(|| self.lost("a transfer has ended that was not begun".into()))?;
        let bytes = match done {
            Err(Error::Failed { .. }) => None,
            other => Some(other?),
        };
        let Some(active) = self.jobs.get_mut(&id) else { return Ok(()) };
        active.count_transferred();
        active.job_mut().transferred(position, bytes);
        self.settle(id);
        Ok(())
    }

    fn send(&mut self, id: u64, position: usize) -> Result<()> {
        let Some(active) = self.jobs.get_mut(&id) else { return Ok(()) };
        let packet = active.job_mut().command(position, self.flights.next_index());
        self.begin(id, Sent::Command(position), &packet)
    }

    fn begin(&mut self, job: u64, sent: Sent, packet: &[u8]) -> Result<()> {
        let Some(active) = self.jobs.get_mut(&job) else { return Ok(()) };
        let engine = &mut self.engines[active.engine];
        let command = Header::of(packet).expect("a command has a header");
        let reply = engine.lane.reply_to(command).expect("a job sends commands of its lane");
        self.transport.send(packet)?;
        active.count_sent(sent);
        engine.outstanding += 1;
        self.flights.begin(Flight { job, sent, command, reply });
        Ok(())
    }

    /// Cancels the commands of an abandoned job in the card, where possible.
    fn cancel(&mut self) -> Result<()> {
        self.long.retain(|id| self.jobs.contains_key(id));
        let Some(at) = self.long.iter().position(|id| self.jobs[id].is_abandoned()) else {
            return Ok(());
        };
        let id = self.long.swap_remove(at);
        let ended = self.flights.of_job(id);
        let Some(active) = self.jobs.get_mut(&id) else { return Ok(()) };
        let mut packets = Vec::new();
        for (target, position) in ended {
            let index = self.flights.next_index() + packets.len() as u64;
            packets.extend(active.job_mut().cancel(position, target, index));
        }
        packets.iter().try_for_each(|packet| self.begin(id, Sent::Cancel, packet))
    }

    /// Accepts a packet from the card.
    fn accept(&mut self, packet: &[u8]) -> Result<()> {
        let Some(header) = Header::of(packet) else {
            return Err(self.lost(format!("it sent {} bytes, less than a header", packet.len())));
        };
        // A transport may round a packet up to whole words.
        let len = header.len as usize;
        if packet.len() < len || packet.len() >= len.saturating_add(Header::BYTES) {
            return Err(self.lost(format!("it sent {} bytes that claim to be {len}", packet.len())));
        }
        let body = &packet[..len];
        if header.cmd == ignore::NUMBER {
            return match body.get(Header::BYTES..).and_then(Header::of) {
                Some(echo) if header.len == ignore::LEN => self.ignored(echo),
                _ => Err(self.lost(format!("it sent an ignore of {len} bytes"))),
            };
        }
        let Some(flight) = u64_at(body, INDEX_OFFSET).and_then(|index| self.flights.end(index))
        else {
            // The rest of the packet may be secret.
            let start = &body[..body.len().min(2 * Header::BYTES)];
            return Err(self.lost(format!("it answered a command that was not sent: {start:02x?}")));
        };
        let Some(active) = self.jobs.get_mut(&flight.job) else {
            return Err(self.lost("a command without its job".into()));
        };
        self.engines[active.engine].outstanding -= 1;
        active.count_answered(flight.sent);
        if header != flight.reply {
            return Err(self.lost(format!("its reply has the header {header:x?}")));
        }
        if let Sent::Command(position) = flight.sent
            && let Err(problem) = active.job_mut().accept(position, body)
        {
            return Err(self.lost(format!("its reply has {problem}")));
        }
        self.settle(flight.job);
        Ok(())
    }

    /// An IGNORE contains only the header of the ignored command. When all outstanding commands with that header belong to one
    /// job, the job ends in an error, and the ignored command is the last one outstanding; otherwise its
    /// owner is unknown, and the device is lost.
    fn ignored(&mut self, echo: Header) -> Result<()> {
        let owners = self.flights.jobs(echo);
        let &[id] = &owners[..] else {
            let whose = if owners.is_empty() { "nobody's" } else { "one of several requests'" };
            return Err(
                self.lost(format!("it ignored a command, {whose}, with the header {echo:x?}"))
            );
        };
        if let Some(active) = self.jobs.get_mut(&id) {
            active.count_ignored();
            let device = self.options.uri.clone();
            let what = format!("it ignored a command with the header {echo:x?}");
            active.fail(&self.shared.counters, Error::Unsupported { device, what });
        }
        self.settle(id);
        Ok(())
    }

    /// Ends a job without outstanding commands and transfers.
    fn settle(&mut self, id: u64) {
        let Some(active) = self.jobs.get_mut(&id) else { return };
        if let Some(ignored) = active.take_ignored() {
            self.engines[active.engine].outstanding -= ignored;
            self.flights.end_job(id);
        }
        if !active.is_over() {
            return;
        }
        if let Some(active) = self.jobs.remove(&id)
            && active.is_done()
        {
            active.complete(&self.shared.counters);
        }
    }

    /// Checks the time-out of the oldest command: an engine answers a full queue well within it, or its counters change.
    fn check_time(&mut self) -> Result<()> {
        while let Some(id) = self.flights.overdue(self.options.timeout) {
            if !self.refresh_progress(id)? {
                let seconds = self.options.timeout.as_secs_f64();
                return Err(Error::TimedOut { device: self.options.uri.clone(), seconds });
            }
            self.flights.postpone();
        }
        Ok(())
    }

    /// Reads the progress counters of this job's engine. Returns whether they have changed within the time-out.
    fn refresh_progress(&mut self, id: u64) -> Result<bool> {
        let Some(active) = self.jobs.get(&id) else { return Ok(false) };
        let Engine { lane, progress, .. } = &mut self.engines[active.engine];
        let now = self.flights.now();
        let read = |&offset| self.transport.read_register(lane.block + offset);
        let counters: Vec<u32> = lane.progress.iter().map(read).collect::<Result<_>>()?;
        if counters != progress.0 {
            *progress = (counters, now);
        }
        Ok(!lane.progress.is_empty() && now - progress.1 < self.options.timeout)
    }

    fn count_cycles(&mut self) {
        if let Some(cycles) = self.transport.cycles() {
            let since = cycles.saturating_sub(self.first_cycle);
            self.shared.counters.cycles.store(since + 1, Ordering::Relaxed);
        }
    }

    fn lost(&self, problem: String) -> Error {
        Error::Lost { device: self.options.uri.clone(), problem }
    }
}

/// Writes an engine's registers and reads them back: the way of the registers and the way of the stream are two,
/// and a value that was read back has arrived before the next command.
fn configure(
    transport: &mut dyn Transport,
    block: u32,
    settings: &Settings,
    uri: &str,
) -> Result<()> {
    for &(offset, value) in settings {
        transport.write_register(block + offset, value)?;
    }
    for &(offset, value) in settings {
        let found = transport.read_register(block + offset)?;
        if found != value {
            let problem = format!(
                "its register {:#06x} reads {found:#x} after writing {value:#x}",
                block + offset
            );
            return Err(Error::Lost { device: uri.to_owned(), problem });
        }
    }
    Ok(())
}
