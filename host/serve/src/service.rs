//! Keys, and the life of a job: accepted, waiting, worked on, ended.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use proofmill::Device;
use proofmill::groth16::snarkjs::{Witness, proof, public};
use proofmill::groth16::{Control, Error, Proved, Result, devices_beside};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tracing::{Instrument as _, Span, debug, info, info_span};

use crate::job::{Job, Operation, Outcome, State, Why};
use crate::keys::{Claim, Key};
use crate::metrics::{Gauges, Metrics};
use crate::query::Query;
use crate::settings::Settings;
use crate::turns::{Turn, Turns};

/// Answers that are kept until they are fetched; of more the oldest ones go.
const KEPT: usize = 1024;

/// A place among the jobs that wait or are worked on, and among the bodies in memory.
pub type Place = OwnedSemaphorePermit;

/// What a job is about.
pub enum Work {
    Prove(Witness),
    Verify(Claim),
}

impl Work {
    const fn operation(&self) -> Operation {
        match self {
            Self::Prove(_) => Operation::Prove,
            Self::Verify(_) => Operation::Verify,
        }
    }
}

#[derive(Default)]
struct Jobs {
    last: u64,
    all: BTreeMap<u64, Arc<Job>>,
    /// No more are accepted.
    is_draining: bool,
}

/// Everything that requests share.
pub struct Service {
    pub settings: Settings,
    pub keys: BTreeMap<String, Arc<Key>>,
    pub devices: Vec<Arc<dyn Device>>,
    pub metrics: Metrics,
    pub started: Instant,
    pub connections: AtomicUsize,
    requests: AtomicU64,
    jobs: Mutex<Jobs>,
    /// Jobs that have not ended, and jobs whose answers nobody has fetched.
    open: watch::Sender<[usize; 2]>,
    places: Arc<Semaphore>,
    turns: Turns,
}

impl Service {
    pub fn new(settings: Settings) -> anyhow::Result<Self> {
        settings.check()?;
        let devices = devices_beside(&settings.device, &settings.processor)?;
        let keys = settings.keys.iter().map(|named| {
            let key = Key::open(named, devices.clone())?;
            info!(
                key = key.name,
                curve = key.curve.name(),
                variables = key.variables,
                "key is resident"
            );
            Ok((key.name.clone(), Arc::new(key)))
        });
        Ok(Self {
            keys: keys.collect::<anyhow::Result<_>>()?,
            devices: [Some(devices.device), devices.helper].into_iter().flatten().collect(),
            metrics: Metrics::default(),
            started: Instant::now(),
            connections: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
            jobs: Mutex::default(),
            open: watch::Sender::default(),
            places: Arc::new(Semaphore::new(settings.queue + settings.workers)),
            turns: Turns::new(settings.workers),
            settings,
        })
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a request.
    pub fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A place, if one is free.
    pub fn place(&self) -> Option<Place> {
        self.places.clone().try_acquire_owned().ok()
    }

    /// Makes a job of what was read, unless the service is about to end.
    pub fn accept(
        self: &Arc<Self>,
        work: Work,
        key: Arc<Key>,
        query: Query,
        place: Place,
    ) -> Option<Arc<Job>> {
        let operation = work.operation();
        let (job, turn) = {
            let mut jobs = self.jobs();
            if jobs.is_draining {
                return None;
            }
            jobs.last += 1;
            let Query { priority, deadline, wait } = query;
            let job = Arc::new(Job::new(jobs.last, operation, key, priority, deadline, !wait));
            jobs.all.insert(job.id, job.clone());
            self.open.send_modify(|[live, _]| *live += 1);
            // In the order of acceptance, whichever task runs first.
            let turn = self.turns.take(priority);
            (job, turn)
        };
        self.metrics.accepted(operation);
        let span =
            info_span!("job", job = job.id, operation = operation.name(), key = job.key.name);
        tokio::spawn(self.clone().carry_out(job.clone(), work, (turn, place)).instrument(span));
        Some(job)
    }

    /// From acceptance to the end.
    async fn carry_out(
        self: Arc<Self>,
        job: Arc<Job>,
        work: Work,
        (turn, place): (impl Future<Output = Turn>, Place),
    ) {
        debug!(priority = job.priority.name(), "accepted");
        let mut started = None;
        let work = async {
            let turn = turn.await;
            started = Some(Instant::now());
            job.is_now(State::Running);
            carry_out_now(&job.key, work, (turn, place)).await
        };
        // Whoever gives up drops the work: it leaves the queue, or its ticket gives up the proof.
        let outcome = tokio::select! {
            biased;
            why = job.is_given_up() => Outcome::GivenUp(why),
            outcome = work => outcome,
        };
        self.metrics.ended(&job, started, &outcome);
        let (whole, worked) = (ms_since(job.accepted), started.map_or(0.0, ms_since));
        match &outcome {
            Outcome::Failed(problem) | Outcome::Refused(problem) => {
                info!(outcome = outcome.name(), problem, ms = whole, work_ms = worked, "ended");
            }
            _ => info!(outcome = outcome.name(), ms = whole, work_ms = worked, "ended"),
        }
        let forgotten = self.is_over(&job, outcome);
        if forgotten > 0 {
            info!(forgotten, "answers that nobody fetched make room");
        }
    }

    /// A job has ended: it is forgotten, or kept until somebody fetches its answer. How many older ones made room for it.
    fn is_over(&self, job: &Job, outcome: Outcome) -> usize {
        let mut jobs = self.jobs();
        job.is_now(State::Ended(outcome));
        let mut forgotten = 0;
        if job.is_kept {
            let kept: Vec<_> = jobs.all.values().filter(|it| is_kept(it)).map(|it| it.id).collect();
            forgotten = kept.len().saturating_sub(KEPT);
            kept.iter().take(forgotten).for_each(|id| drop(jobs.all.remove(id)));
        } else {
            jobs.all.remove(&job.id);
        }
        self.open.send_modify(|[live, kept]| {
            *live -= 1;
            *kept = *kept + usize::from(job.is_kept) - forgotten;
        });
        forgotten
    }

    /// A job that has not ended, or whose answer is kept.
    pub fn job(&self, id: u64) -> Option<Arc<Job>> {
        self.jobs().all.get(&id).cloned()
    }

    /// Forgets a job whose answer was fetched.
    pub fn forget(&self, id: u64) {
        let mut jobs = self.jobs();
        if jobs.all.get(&id).is_some_and(|job| is_kept(job)) {
            jobs.all.remove(&id);
            self.open.send_modify(|[_, kept]| *kept -= 1);
        }
    }

    /// The jobs that have not ended, oldest first.
    pub fn live(&self) -> Vec<Arc<Job>> {
        let jobs = self.jobs();
        let live = jobs.all.values().filter(|job| !matches!(job.state(), State::Ended(_)));
        live.cloned().collect()
    }

    pub fn is_draining(&self) -> bool {
        self.jobs().is_draining
    }

    /// From now on no job is accepted.
    pub fn drain(&self) {
        self.jobs().is_draining = true;
    }

    /// Gives up all that has not ended.
    pub fn give_up_all(&self) {
        self.live().iter().for_each(|job| job.give_up(Why::Shutdown));
    }

    /// Waits until every job has ended.
    pub async fn all_ended(&self) {
        let _ = self.open.subscribe().wait_for(|[live, _]| *live == 0).await;
    }

    /// Waits until every answer that is kept was fetched.
    pub async fn all_fetched(&self) {
        let _ = self.open.subscribe().wait_for(|[_, kept]| *kept == 0).await;
    }

    /// Answers that nobody has fetched.
    pub fn unfetched(&self) -> usize {
        self.open.borrow()[1]
    }

    pub fn gauges(&self) -> Gauges {
        let queued = self.turns.waiting();
        let live = self.open.borrow()[0];
        let counts = self.keys.values().map(|key| key.prover.counts());
        let (redone, failures) =
            counts.fold((0, 0), |sum, it| (sum.0 + it.redone, sum.1 + it.failures));
        Gauges {
            queued,
            running: live.saturating_sub(queued),
            connections: self.connections.load(Ordering::Relaxed),
            is_draining: self.is_draining(),
            redone,
            failures,
        }
    }
}

/// Milliseconds, to the microsecond.
pub fn ms_since(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// Has it ended, and is its answer there for somebody who fetches it?
fn is_kept(job: &Job) -> bool {
    job.is_kept && matches!(job.state(), State::Ended(_))
}

/// Does the work. Its turn and its place are free again when nothing of it is left, even if nobody wants it any more.
async fn carry_out_now(key: &Arc<Key>, work: Work, held: (Turn, Place)) -> Outcome {
    match work {
        Work::Prove(witness) => {
            let watch = Arc::new(move |_, _| {
                let _held = &held;
            });
            let control = Control::none().watched_by(watch);
            let proved = match key.prover.submit(witness, control) {
                Ok(ticket) => ticket.await,
                Err(error) => Err(error),
            };
            ended(proved.and_then(|proved| told(&proved)))
        }
        Work::Verify((public, proof)) => {
            let (key, span) = (key.clone(), Span::current());
            let verified = tokio::task::spawn_blocking(move || {
                let _held = held;
                span.in_scope(|| key.prover.verifying().verify(&public, &proof))
            });
            match verified.await {
                Ok(valid) => ended(valid.map(|valid| format!("{{\"valid\":{valid}}}\n"))),
                Err(_) => Outcome::Failed("verification panicked".into()),
            }
        }
    }
}

fn ended(answer: Result<String>) -> Outcome {
    match answer {
        Ok(text) => Outcome::Answered(text.into()),
        Err(error @ (Error::File(_) | Error::Argument { .. } | Error::DoesNotVerify)) => {
            Outcome::Refused(error.to_string())
        }
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// A proof as it is answered: both files of snarkjs in one object.
fn told(proved: &Proved) -> Result<String> {
    let (proof, public) = (proof::text(&proved.proof)?, public::text(&proved.public));
    Ok(format!("{{\"proof\":{},\n\"public\":{}}}\n", proof.trim_end(), public.trim_end()))
}
