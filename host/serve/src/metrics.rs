//! Counters and histograms, exported in the OpenMetrics text format, and the last jobs for the status page.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::job::{HttpJob, Operation, Outcome};

/// The content type of [`Metrics::text`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Upper bounds of the histograms' buckets, in seconds.
const BOUNDS: [f64; 13] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];
/// Jobs of which the status page shows the latency.
const MAX_RECENT: usize = 300;

/// A job that has ended.
#[derive(Clone, Copy)]
pub struct EndedJob {
    pub when: Instant,
    pub operation: Operation,
    pub outcome: &'static str,
    /// The time from acceptance to the end.
    pub duration: Duration,
}

/// The reason why a request did not become a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    QueueFull,
    TooLarge,
    Malformed,
    Unauthorized,
    Slow,
    Draining,
}

impl Rejection {
    pub const ALL: [Self; 6] = [
        Self::QueueFull,
        Self::TooLarge,
        Self::Malformed,
        Self::Unauthorized,
        Self::Slow,
        Self::Draining,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
            Self::Unauthorized => "unauthorized",
            Self::Slow => "slow",
            Self::Draining => "draining",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndedLabels {
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RejectedLabels {
    reason: &'static str,
}

impl OperationLabels {
    const fn new(operation: Operation) -> Self {
        Self { operation: operation.name() }
    }
}

type Histograms = Family<OperationLabels, Histogram, fn() -> Histogram>;

/// The metrics of the service.
pub struct Metrics {
    registry: Registry,
    accepted: Family<OperationLabels, Counter>,
    ended: Family<EndedLabels, Counter>,
    rejected: Family<RejectedLabels, Counter>,
    waited: Histograms,
    worked: Histograms,
    calculated: Histogram,
    body_bytes: Counter,
    retried: Counter,
    failures: Counter,
    queued: Gauge,
    running: Gauge,
    connections: Gauge,
    draining: Gauge,
    recent: Mutex<VecDeque<EndedJob>>,
}

/// Values that are read when the metrics are exported.
pub struct Gauges {
    pub queued: usize,
    pub running: usize,
    pub connections: usize,
    pub is_draining: bool,
    /// Proofs that were retried on the fallback device.
    pub retried: u64,
    /// Attempts in which a device failed.
    pub failures: u64,
}

impl Default for Metrics {
    fn default() -> Self {
        let histograms = || Histograms::new_with_constructor(|| Histogram::new(BOUNDS));
        let metrics = Self {
            registry: Registry::with_prefix("proofmill"),
            accepted: Family::default(),
            ended: Family::default(),
            rejected: Family::default(),
            waited: histograms(),
            worked: histograms(),
            calculated: Histogram::new(BOUNDS),
            body_bytes: Counter::default(),
            retried: Counter::default(),
            failures: Counter::default(),
            queued: Gauge::default(),
            running: Gauge::default(),
            connections: Gauge::default(),
            draining: Gauge::default(),
            recent: Mutex::default(),
        };
        metrics.start_at_zero();
        metrics.registered()
    }
}

impl Metrics {
    /// Creates every counter, so that each is exported as 0 before its first event.
    fn start_at_zero(&self) {
        for operation in Operation::ALL {
            drop(self.accepted.get_or_create(&OperationLabels::new(operation)));
            for outcome in Outcome::NAMES {
                let labels = EndedLabels { operation: operation.name(), outcome };
                drop(self.ended.get_or_create(&labels));
            }
        }
        for reason in Rejection::ALL {
            drop(self.rejected.get_or_create(&RejectedLabels { reason: reason.name() }));
        }
    }

    fn registered(mut self) -> Self {
        let registry = &mut self.registry;
        registry.register("jobs_accepted", "Accepted jobs", self.accepted.clone());
        registry.register("jobs_ended", "Ended jobs, by outcome", self.ended.clone());
        let help = "Requests that did not become a job, by reason";
        registry.register("requests_rejected", help, self.rejected.clone());
        let help = "Time from acceptance to the start of a job";
        registry.register_with_unit("job_wait", help, Unit::Seconds, self.waited.clone());
        let help = "Time from the start of a job to its end";
        registry.register_with_unit("job_work", help, Unit::Seconds, self.worked.clone());
        let help = "Time of the calculation of a witness from inputs, which is a part of the work";
        let calculated = self.calculated.clone();
        registry.register_with_unit("witness_calculation", help, Unit::Seconds, calculated);
        registry.register("body_bytes", "Bytes of received bodies", self.body_bytes.clone());
        let help = "Proofs retried on the fallback device";
        registry.register("proofs_retried", help, self.retried.clone());
        let help = "Attempts in which a device failed";
        registry.register("device_failures", help, self.failures.clone());
        registry.register("jobs_queued", "Jobs that wait for a worker", self.queued.clone());
        registry.register("jobs_running", "Jobs that run", self.running.clone());
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register("draining", "1 while the service shuts down", self.draining.clone());
        self
    }

    fn lock_recent(&self) -> MutexGuard<'_, VecDeque<EndedJob>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn accepted(&self, operation: Operation) {
        self.accepted.get_or_create(&OperationLabels::new(operation)).inc();
    }

    pub fn rejected(&self, reason: Rejection) {
        self.rejected.get_or_create(&RejectedLabels { reason: reason.name() }).inc();
    }

    /// Counts the bytes of a received body.
    pub fn received(&self, bytes: usize) {
        self.body_bytes.inc_by(bytes as u64);
    }

    /// Counts a witness that was calculated.
    pub fn calculated(&self, seconds: f64) {
        self.calculated.observe(seconds);
    }

    /// Counts a job that ended. It ran from `started`, if at all.
    pub fn ended(&self, job: &HttpJob, started: Option<Instant>, outcome: &Outcome) {
        let (when, operation, outcome) = (Instant::now(), job.operation, outcome.name());
        let labels = OperationLabels::new(operation);
        self.ended.get_or_create(&EndedLabels { operation: operation.name(), outcome }).inc();
        let waited = started.unwrap_or(when).duration_since(job.accepted);
        self.waited.get_or_create(&labels).observe(waited.as_secs_f64());
        if let Some(started) = started {
            let worked = when.duration_since(started);
            self.worked.get_or_create(&labels).observe(worked.as_secs_f64());
        }
        let mut recent = self.lock_recent();
        if recent.len() == MAX_RECENT {
            recent.pop_front();
        }
        let duration = when.duration_since(job.accepted);
        recent.push_back(EndedJob { when, operation, outcome, duration });
    }

    /// Returns the last jobs that ended, oldest first.
    pub fn recent(&self) -> Vec<EndedJob> {
        self.lock_recent().iter().copied().collect()
    }

    /// Returns the totals.
    pub fn summary(&self) -> Summary {
        let accepted = Operation::ALL.map(OperationLabels::new);
        let rejected = Rejection::ALL.map(|it| RejectedLabels { reason: it.name() });
        let ended = |outcomes: &[&'static str]| {
            let labels = Operation::ALL.iter().flat_map(|it| {
                outcomes.iter().map(|outcome| EndedLabels { operation: it.name(), outcome })
            });
            labels.map(|labels| self.ended.get_or_create(&labels).get()).sum()
        };
        Summary {
            accepted: accepted.iter().map(|it| self.accepted.get_or_create(it).get()).sum(),
            answered: ended(&["answered"]),
            failed: ended(&["refused", "failed"]),
            cancelled: ended(&["expired", "cancelled"]),
            rejected: rejected.iter().map(|it| self.rejected.get_or_create(it).get()).sum(),
        }
    }

    /// Formats all metrics as OpenMetrics text.
    pub fn text(&self, now: &Gauges) -> String {
        let set = |gauge: &Gauge, value: usize| gauge.set(value as i64);
        set(&self.queued, now.queued);
        set(&self.running, now.running);
        set(&self.connections, now.connections);
        set(&self.draining, now.is_draining.into());
        // The provers count these.
        self.retried.inner().store(now.retried, Ordering::Relaxed);
        self.failures.inner().store(now.failures, Ordering::Relaxed);
        let mut text = String::new();
        text::encode(&mut text, &self.registry).expect("a string takes any text");
        text
    }
}

/// The totals of a service. Each accepted job is counted once as answered, failed or cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Accepted jobs.
    pub accepted: u64,
    /// Jobs that ended with a result.
    pub answered: u64,
    /// Jobs that ended with an error.
    pub failed: u64,
    /// Jobs that were cancelled by their clients, their deadlines or the shutdown.
    pub cancelled: u64,
    /// Requests that did not become jobs.
    pub rejected: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { accepted, answered, failed, cancelled, rejected } = self;
        write!(
            f,
            "{accepted} jobs accepted: {answered} answered, {failed} failed, {cancelled} cancelled; {rejected} requests rejected"
        )
    }
}
