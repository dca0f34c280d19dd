//! The keys, and the life of a job: accepted, queued, running, ended.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use proofmill::Device;
use proofmill::groth16::devices_with_fallback;
use proofmill::groth16::snarkjs::public;
use proofmill::snark::{Control, Error, Inputs, Proved, Result, Step, Witness};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tracing::{Instrument as _, Span, debug, info, info_span};

use crate::job::{CancelReason, HttpJob, JobState, Operation, Outcome};
use crate::keys::{Claim, ServedKey};
use crate::metrics::{Gauges, Metrics};
use crate::options::JobOptions;
use crate::queue::{JobQueue, WorkerPermit};
use crate::settings::Settings;

/// Results that are kept until they are fetched; beyond that the oldest are dropped.
const MAX_KEPT_RESULTS: usize = 1024;

/// A slot for a job, reserved before its body is received. It is held until nothing of the job is left in memory.
pub type UploadSlot = OwnedSemaphorePermit;

/// The input of a job.
#[expect(clippy::large_enum_variant, reason = "a job has one input")]
pub enum JobInput {
    Prove(Witness),
    FullProve(Inputs),
    Verify(Claim),
}

impl JobInput {
    const fn operation(&self) -> Operation {
        match self {
            Self::Prove(_) => Operation::Prove,
            Self::FullProve(_) => Operation::FullProve,
            Self::Verify(_) => Operation::Verify,
        }
    }
}

#[derive(Default)]
struct Jobs {
    last_id: u64,
    by_id: BTreeMap<u64, Arc<HttpJob>>,
    is_draining: bool,
}

/// The numbers of jobs that shutdown waits for.
#[derive(Clone, Copy, Default)]
struct OpenJobs {
    live: usize,
    unfetched: usize,
}

/// Everything that requests share.
pub struct ProofService {
    pub settings: Settings,
    pub keys: BTreeMap<String, Arc<ServedKey>>,
    pub devices: Vec<Arc<dyn Device>>,
    pub metrics: Metrics,
    pub started: Instant,
    pub connections: AtomicUsize,
    requests: AtomicU64,
    jobs: Mutex<Jobs>,
    open: watch::Sender<OpenJobs>,
    slots: Arc<Semaphore>,
    queue: JobQueue,
}

impl ProofService {
    pub fn new(settings: Settings) -> anyhow::Result<Self> {
        settings.check()?;
        let devices = devices_with_fallback(&settings.device, &settings.fallback)?;
        let keys = settings.keys.iter().map(|named| {
            let key = ServedKey::open(named, devices.clone(), settings.limits.generator)?;
            key.log();
            Ok((key.name.clone(), Arc::new(key)))
        });
        let keys = keys.collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        let bytes = max_memory(&settings, keys.values());
        info!(bytes, workers = settings.workers, queue = settings.queue, "planned memory");
        Ok(Self {
            keys,
            devices: [Some(devices.device), devices.fallback].into_iter().flatten().collect(),
            metrics: Metrics::default(),
            started: Instant::now(),
            connections: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
            jobs: Mutex::default(),
            open: watch::Sender::default(),
            slots: Arc::new(Semaphore::new(settings.queue + settings.workers)),
            queue: JobQueue::new(settings.workers),
            settings,
        })
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a number for the next request.
    pub fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Reserves a slot, if one is free.
    pub fn try_reserve_slot(&self) -> Option<UploadSlot> {
        self.slots.clone().try_acquire_owned().ok()
    }

    /// Returns the number of free slots.
    #[cfg(test)]
    pub fn free_slots(&self) -> usize {
        self.slots.available_permits()
    }

    /// Accepts a job, unless the service is shutting down.
    pub fn accept(
        self: &Arc<Self>,
        input: JobInput,
        key: Arc<ServedKey>,
        options: JobOptions,
        slot: UploadSlot,
    ) -> Option<Arc<HttpJob>> {
        let operation = input.operation();
        let (job, worker) = {
            let mut jobs = self.jobs();
            if jobs.is_draining {
                return None;
            }
            jobs.last_id += 1;
            let job = Arc::new(HttpJob::new(jobs.last_id, operation, key, options));
            jobs.by_id.insert(job.id, job.clone());
            self.open.send_modify(|open| open.live += 1);
            // Joined under the lock: in the order of acceptance, whichever task is polled first.
            let worker = self.queue.join(job.priority);
            (job, worker)
        };
        self.metrics.accepted(operation);
        let span =
            info_span!("job", job = job.id, operation = operation.name(), key = job.key.name);
        tokio::spawn(self.clone().run_job(job.clone(), input, worker, slot).instrument(span));
        Some(job)
    }

    /// Runs a job from acceptance to its end.
    async fn run_job(
        self: Arc<Self>,
        job: Arc<HttpJob>,
        input: JobInput,
        worker: impl Future<Output = WorkerPermit>,
        slot: UploadSlot,
    ) {
        debug!(priority = job.priority.name(), "accepted");
        let mut started = None;
        let work = async {
            let worker = worker.await;
            started = Some(Instant::now());
            job.set_state(JobState::Running);
            execute(&self.metrics, &job.key, input, (worker, slot)).await
        };
        // Cancelling drops `work`: it leaves the queue, or its ticket cancels the proof.
        let outcome = tokio::select! {
            biased;
            reason = job.cancelled() => Outcome::Cancelled(reason),
            outcome = work => outcome,
        };
        self.metrics.ended(&job, started, &outcome);
        let (ms, work_ms) = (ms_since(job.accepted), started.map_or(0.0, ms_since));
        match &outcome {
            Outcome::Failed(error) | Outcome::Refused(error) => {
                info!(outcome = outcome.name(), error, ms, work_ms, "ended");
            }
            _ => info!(outcome = outcome.name(), ms, work_ms, "ended"),
        }
        let evicted = self.finish(&job, outcome);
        if evicted > 0 {
            info!(evicted, "dropped the oldest results that were not fetched");
        }
    }

    /// Ends a job: removes it, or keeps its result until it is fetched. Returns the number of older results evicted for it.
    fn finish(&self, job: &HttpJob, outcome: Outcome) -> usize {
        let mut jobs = self.jobs();
        job.set_state(JobState::Ended(outcome));
        let mut evicted = 0;
        if job.keeps_result {
            let kept: Vec<_> =
                jobs.by_id.values().filter(|it| has_result(it)).map(|it| it.id).collect();
            evicted = kept.len().saturating_sub(MAX_KEPT_RESULTS);
            kept.iter().take(evicted).for_each(|id| drop(jobs.by_id.remove(id)));
        } else {
            jobs.by_id.remove(&job.id);
        }
        self.open.send_modify(|open| {
            open.live -= 1;
            open.unfetched = open.unfetched + usize::from(job.keeps_result) - evicted;
        });
        evicted
    }

    /// Returns a job that has not ended, or whose result is kept.
    pub fn job(&self, id: u64) -> Option<Arc<HttpJob>> {
        self.jobs().by_id.get(&id).cloned()
    }

    /// Removes a job whose result was fetched.
    pub fn remove(&self, id: u64) {
        let mut jobs = self.jobs();
        if jobs.by_id.get(&id).is_some_and(|job| has_result(job)) {
            jobs.by_id.remove(&id);
            self.open.send_modify(|open| open.unfetched -= 1);
        }
    }

    /// Returns the jobs that have not ended, oldest first.
    pub fn live_jobs(&self) -> Vec<Arc<HttpJob>> {
        self.jobs().by_id.values().filter(|job| !job.has_ended()).cloned().collect()
    }

    pub fn is_draining(&self) -> bool {
        self.jobs().is_draining
    }

    /// Stops accepting jobs.
    pub fn stop_accepting(&self) {
        self.jobs().is_draining = true;
    }

    /// Cancels the jobs that have not ended.
    pub fn cancel_all(&self) {
        self.live_jobs().iter().for_each(|job| job.cancel(CancelReason::Shutdown));
    }

    /// Waits until every job has ended.
    pub async fn all_ended(&self) {
        let _ = self.open.subscribe().wait_for(|open| open.live == 0).await;
    }

    /// Waits until every kept result was fetched.
    pub async fn all_fetched(&self) {
        let _ = self.open.subscribe().wait_for(|open| open.unfetched == 0).await;
    }

    /// Returns the number of results that were not fetched.
    pub fn unfetched(&self) -> usize {
        self.open.borrow().unfetched
    }

    pub fn gauges(&self) -> Gauges {
        let queued = self.queue.waiting();
        let live = self.open.borrow().live;
        let counts = self.keys.values().map(|key| key.prover.counts());
        let (retried, failures) =
            counts.fold((0, 0), |sum, it| (sum.0 + it.retried, sum.1 + it.failures));
        Gauges {
            queued,
            running: live.saturating_sub(queued),
            connections: self.connections.load(Ordering::Relaxed),
            is_draining: self.is_draining(),
            retried,
            failures,
        }
    }
}

/// Returns the milliseconds since `start`, to the microsecond.
pub fn ms_since(start: Instant) -> f64 {
    (start.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// Returns whether the job has ended and keeps its result.
fn has_result(job: &HttpJob) -> bool {
    job.keeps_result && job.has_ended()
}

/// Returns an upper limit of the memory of all keys and jobs: a working set, and a calculation, for each worker, and a body for each
/// slot.
fn max_memory<'a>(settings: &Settings, keys: impl Iterator<Item = &'a Arc<ServedKey>>) -> usize {
    let (mut kept, mut working, mut body) = (0, 0, 0);
    for key in keys {
        kept += key.plan.key + key.plan.resident;
        let generator = key.calculator.as_ref().map_or(0, |it| it.limits().max_bytes);
        working = working.max(key.plan.working + key.plan.witness + generator);
        let inputs = key.max_inputs_bytes().unwrap_or(0);
        body = body.max(key.max_witness_bytes()).max(key.max_claim_bytes()).max(inputs);
    }
    let Settings { workers, queue, .. } = settings;
    kept.saturating_add(working.saturating_mul(*workers))
        .saturating_add(body.saturating_mul(workers + queue))
}

/// Executes a job. The worker and the slot are free again when nothing of it is left, which after a cancellation can be later than
/// the end of this future.
async fn execute(
    metrics: &Metrics,
    key: &Arc<ServedKey>,
    input: JobInput,
    held: (WorkerPermit, UploadSlot),
) -> Outcome {
    match input {
        JobInput::Prove(witness) => {
            let proved = match key.prover.submit(witness, holding(held)) {
                Ok(ticket) => ticket.await,
                Err(error) => Err(error),
            };
            outcome(proved.and_then(|proved| proof_json(&proved)))
        }
        JobInput::FullProve(inputs) => {
            let calculator = key.calculator.as_ref().expect("checked before the upload");
            let proved = match calculator.submit(&key.prover, inputs, holding(held)) {
                Ok(ticket) => ticket.await,
                Err(error) => Err(error),
            };
            match proved {
                Ok(proved) => {
                    let steps = proved.report.steps.iter();
                    let calculation = steps.filter(|timed| timed.step == Step::Witness);
                    calculation.for_each(|timed| metrics.calculated(timed.seconds));
                    outcome(proof_json(&proved))
                }
                Err(error) if is_of_inputs(&error) => Outcome::WrongInputs(error.to_string()),
                Err(error) => outcome(Err(error)),
            }
        }
        JobInput::Verify(Claim { public_inputs, proof }) => {
            let (key, span) = (key.clone(), Span::current());
            let verified = tokio::task::spawn_blocking(move || {
                let _held = held;
                span.in_scope(|| key.prover.verifying().verify(&public_inputs, &proof))
            });
            match verified.await {
                Ok(valid) => outcome(valid.map(|valid| format!("{{\"valid\":{valid}}}\n"))),
                Err(_) => Outcome::Failed("verification panicked".into()),
            }
        }
    }
}

/// Returns a control that keeps this until the prover drops it with the rest of the proof.
fn holding(held: (WorkerPermit, UploadSlot)) -> Control {
    Control::none().with_progress(Arc::new(move |_, _| {
        let _held = &held;
    }))
}

/// Returns whether the inputs of the circuit are wrong: malformed, other signals than the circuit has, or a failed assertion.
fn is_of_inputs(error: &Error) -> bool {
    match error {
        Error::File(_) => true,
        Error::Argument { argument, .. } => matches!(*argument, "inputs" | "witness generator"),
        _ => false,
    }
}

fn outcome(result: Result<String>) -> Outcome {
    match result {
        Ok(json) => Outcome::Answered(json.into()),
        Err(error @ (Error::File(_) | Error::Argument { .. } | Error::DoesNotVerify)) => {
            Outcome::Refused(error.to_string())
        }
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

/// Formats a proof: both files of snarkjs in one object.
fn proof_json(proved: &Proved) -> Result<String> {
    let (proof, public) = (proved.proof.text()?, public::text(&proved.public_inputs));
    Ok(format!("{{\"proof\":{},\n\"public\":{}}}\n", proof.trim_end(), public.trim_end()))
}
