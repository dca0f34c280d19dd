//! The reactor: one thread that owns the transport. It knows lanes (an engine's door), jobs (a request cut into
//! commands) and flights (which reply belongs to which command), but no operation.
//!
//! The rules that it keeps:
//! 1. an engine never has more commands outstanding than its own `queue` says, beside what ends those before their time;
//! 2. an engine's registers are written only while it has none outstanding, so jobs with other settings wait;
//! 3. a reply is matched by its index alone: any order is fine, an unknown index is not;
//! 4. the first thing that no healthy card does, and the first command unanswered past the time-out, ends the
//!    device: every job gets the same error, and so does everything submitted later;
//!    (an engine whose commands take long shows in its counters that it is at work, and is given time as long as it is);
//! 5. a cancelled job sends no further command, ends those in the card that can be ended, and their replies are swallowed;
//! 6. a job that speaks with the card by itself has it alone: commands of others are answered before and sent afterwards;
//! 7. transfers to and from the card's memory go on while replies are heard; a job's command is sent when all of its transfers have ended, and what it
//!    fetches is asked for when all of its commands are answered;
//! 8. an engine's jobs go on in the order in which they came. While one that has begun has to wait, what stands alone behind it goes on: a transform's
//!    elements are uploaded while the one before it runs.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use proofmill_op::{Answer, Completer, Error, Metrics, Result};

use super::flights::{Flight, Flights, Sent};
use super::job::{Active, Lane, Settings, Terms, Transfer, Work};
use super::{Options, Shared};
use crate::transport::{Event, Transport};
use crate::wire::constants::shell::replies::ignore;
use crate::wire::{Header, INDEX_OFFSET, u64_at};

/// How long the thread waits for a reply before it looks for new work again.
const SLICE: Duration = Duration::from_millis(1);

/// Transfers that are begun at a time.
const TRANSFERS: usize = 4;

/// What is counted, readable from any thread.
#[derive(Default)]
pub struct Counters {
    requests: AtomicU64,
    /// Cycles plus one; 0 where the transport cannot tell.
    cycles: AtomicU64,
}

impl Counters {
    /// As they stand.
    pub fn read(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.requests = self.requests.load(Ordering::Relaxed);
        metrics.cycles = self.cycles.load(Ordering::Relaxed).checked_sub(1);
        metrics
    }
}

/// An engine and what is under way in it.
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
    /// Those whose commands may have to be ended.
    long: Vec<u64>,
    flights: Flights,
    /// The jobs of the transfers that were begun, in their order, and the numbers of the commands that they stand for.
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

    /// Works until the device is closed. A lost device lives on as the one who says so.
    pub fn run(mut self) {
        // A panic is a bug, but must not leave anybody waiting.
        let served = catch_unwind(AssertUnwindSafe(|| self.serve()))
            .unwrap_or_else(|panic| Err(Error::panicked(&self.options.uri, "its driver", &*panic)));
        let Err(error) = served else { return };
        let _ = self.shared.dead.set(error.clone());
        let Self { transport, inbox, jobs, shared, .. } = self;
        drop(transport);
        for completer in jobs.into_values().filter_map(|active| active.completer) {
            finish(&shared, completer, Err(error.clone()));
        }
        for work in inbox {
            finish(&shared, work.completer, Err(error.clone()));
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
                // Counts first, so that whoever has the answer finds its cycles counted.
                self.count_cycles();
                match event {
                    Some(Event::Reply(reply)) => self.accept(&reply)?,
                    Some(Event::Written(done)) => self.transferred(done.map(|()| Vec::new()))?,
                    Some(Event::Read(done)) => self.transferred(done)?,
                    None => {}
                }
                self.check_time()?;
            }
        }
    }

    /// Is nothing under way, neither to the card nor in it?
    fn is_quiet(&self) -> bool {
        self.flights.is_empty() && self.transfers.is_empty()
    }

    /// Takes in what was submitted; sleeps here when there is nothing to do.
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
        let engine = &mut self.engines[work.engine];
        engine.waiting.push_back(id);
        if !engine.lane.progress.is_empty() {
            self.long.push(id);
        }
        self.jobs.insert(id, Active::new(work));
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
                // It came to the front just now, behind one that nobody waits for.
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
        if !self.prepare(number, id)? || !self.is_ready(id, position) {
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

    /// May the job behind this one go on, while this one has to wait? Not if it waits for room, which it gets first, or for its own uploads.
    fn lets_pass(&mut self, number: usize, at: usize, position: usize) -> bool {
        let waiting = &self.engines[number].waiting;
        let stands_alone = |id| self.jobs.get(id).is_some_and(|next| next.job.stands_alone());
        if !waiting.get(at + 1).is_some_and(stands_alone) {
            return false;
        }
        let active = self.jobs.get_mut(&waiting[at]);
        active.is_some_and(|it| {
            it.has_begun() && !(it.is_moving() && it.transfer(position).is_none())
        })
    }

    /// Does the engine's next job speak with the card by itself?
    fn talks_next(&self, engine: &Engine) -> bool {
        engine.waiting.front().is_some_and(|&id| self.talks(id))
    }

    fn talks(&self, id: u64) -> bool {
        self.jobs.get(&id).is_some_and(|active| active.job.talks() && !active.is_abandoned())
    }

    /// Lets that job speak.
    fn talk(&mut self, number: usize) -> Result<()> {
        let id = self.engines[number].waiting.pop_front();
        let Some(active) = id.and_then(|id| self.jobs.remove(&id)) else { return Ok(()) };
        let Active { mut job, completer: Some(completer), .. } = active else { return Ok(()) };
        let Options { uri, timeout, .. } = &self.options;
        let terms = Terms { uri, timeout: *timeout, completer: &completer };
        let talked = job.talk(&mut *self.transport, &terms);
        self.count_cycles();
        let answer = talked.clone().and_then(|()| job.answer());
        finish(&self.shared, completer, answer);
        talked
    }

    /// Makes an engine ready for this job's next command; false when it is not yet.
    fn prepare(&mut self, number: usize, id: u64) -> Result<bool> {
        let engine = &mut self.engines[number];
        let wanted = self.jobs[&id].job.settings();
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

    fn is_ready(&mut self, id: u64, position: usize) -> bool {
        self.jobs.get_mut(&id).is_some_and(|active| active.job.is_ready(position))
    }

    /// Begins to write or read the card's memory, while the engines go on and are heard.
    fn transfer(&mut self, id: u64, position: usize) -> Result<()> {
        match self.jobs.get_mut(&id).and_then(Active::begin_transfer) {
            Some(Transfer::Up(place, bytes)) => self.transport.begin_write(place, bytes)?,
            Some(Transfer::Down(place, bytes)) => self.transport.begin_read(place, bytes)?,
            None => return Ok(()),
        }
        self.transfers.push_back((id, position));
        Ok(())
    }

    /// The oldest transfer has ended.
    fn transferred(&mut self, done: Result<Vec<u8>>) -> Result<()> {
        let oldest = self.transfers.pop_front();
        let (id, position) =
            oldest.ok_or_else(|| self.lost("a transfer has ended that was not begun".into()))?;
        let bytes = match done {
            Err(Error::Failed { .. }) => None,
            other => Some(other?),
        };
        let Some(active) = self.jobs.get_mut(&id) else { return Ok(()) };
        active.count_transferred();
        active.job.transferred(position, bytes);
        self.settle(id);
        Ok(())
    }

    fn send(&mut self, id: u64, position: usize) -> Result<()> {
        let Some(active) = self.jobs.get_mut(&id) else { return Ok(()) };
        let packet = active.job.command(position, self.flights.next_index());
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

    /// Ends what an abandoned job has in the card, where it can be ended.
    fn cancel(&mut self) -> Result<()> {
        self.long.retain(|id| self.jobs.contains_key(id));
        let Some(at) = self.long.iter().position(|id| self.jobs[id].is_abandoned()) else {
            return Ok(());
        };
        let id = self.long.swap_remove(at);
        let ended = self.flights.of_job(id);
        let Some(Active { job, .. }) = self.jobs.get_mut(&id) else { return Ok(()) };
        let mut packets = Vec::new();
        for (target, position) in ended {
            let index = self.flights.next_index() + packets.len() as u64;
            packets.extend(job.cancel(position, target, index));
        }
        packets.iter().try_for_each(|packet| self.begin(id, Sent::Cancel, packet))
    }

    /// Takes in one packet from the card.
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
            return Err(self.lost(format!("it answered what was not asked: {packet:02x?}")));
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
            && let Err(problem) = active.job.accept(position, body)
        {
            return Err(self.lost(format!("its reply has {problem}")));
        }
        self.settle(flight.job);
        Ok(())
    }

    /// An IGNORE says only which header it is about. When all outstanding commands with that header belong to one
    /// job, the job ends in an error, and the command shows itself as the last one outstanding; otherwise nobody
    /// can tell whose it was, and guessing is worse than giving up.
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
            if let Some(completer) = active.completer.take() {
                let device = self.options.uri.clone();
                let what = format!("it ignored a command with the header {echo:x?}");
                finish(&self.shared, completer, Err(Error::Unsupported { device, what }));
            }
        }
        self.settle(id);
        Ok(())
    }

    /// Ends a job of which nothing is left to come.
    fn settle(&mut self, id: u64) {
        let Some(active) = self.jobs.get_mut(&id) else { return };
        if let Some(ignored) = active.take_ignored() {
            self.engines[active.engine].outstanding -= ignored;
            self.flights.end_job(id);
        }
        if !active.is_over() {
            return;
        }
        let done = active.is_done();
        let Some(Active { mut job, completer: Some(completer), .. }) = self.jobs.remove(&id) else {
            return;
        };
        if done {
            let answer = job.answer();
            // Whoever has the answer finds free what the job kept.
            drop(job);
            finish(&self.shared, completer, answer);
        }
    }

    /// The oldest command decides: an engine answers a full queue well within the time-out, or its counters move.
    fn check_time(&mut self) -> Result<()> {
        while let Some(id) = self.flights.overdue(self.options.timeout) {
            if !self.is_at_work(id)? {
                let seconds = self.options.timeout.as_secs_f64();
                return Err(Error::TimedOut { device: self.options.uri.clone(), seconds });
            }
            self.flights.postpone();
        }
        Ok(())
    }

    /// Has this job's engine counters of its progress, and have they moved within the time-out?
    fn is_at_work(&mut self, id: u64) -> Result<bool> {
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

/// Counts first, so that whoever has the answer finds it counted.
pub fn finish(shared: &Shared, completer: Completer, answer: Result<Answer>) {
    shared.counters.requests.fetch_add(1, Ordering::Relaxed);
    completer.complete(answer);
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
