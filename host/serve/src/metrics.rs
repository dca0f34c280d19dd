//! What is counted, in the text format of Prometheus.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::job::{Job, Operation, Outcome};

/// Upper bounds of the histograms' buckets, in seconds.
const BOUNDS: [f64; 13] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];
/// Jobs of which the page shows the latency.
const RECENT: usize = 300;
/// How jobs end.
const OUTCOMES: [&str; 5] = ["answered", "refused", "failed", "expired", "cancelled"];

/// Labels in their braces, with what comes before them of the name; the value.
type Row = (String, String);

/// A time of waiting or working.
#[derive(Clone, Copy, Default)]
struct Histogram {
    /// Of each bucket alone; the last one has what is above all bounds.
    counts: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

impl Histogram {
    fn add(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        self.counts[BOUNDS.partition_point(|&bound| bound < seconds)] += 1;
        self.seconds += seconds;
    }
}

/// A job that has ended.
#[derive(Clone, Copy)]
pub struct Ended {
    pub when: Instant,
    pub operation: Operation,
    pub outcome: &'static str,
    /// From its acceptance to its end.
    pub whole: Duration,
}

/// Why a request did not become a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

#[derive(Default)]
struct Inner {
    accepted: BTreeMap<Operation, u64>,
    ended: BTreeMap<(Operation, &'static str), u64>,
    rejected: BTreeMap<Rejection, u64>,
    waited: BTreeMap<Operation, Histogram>,
    worked: BTreeMap<Operation, Histogram>,
    recent: VecDeque<Ended>,
}

/// The counters.
#[derive(Default)]
pub struct Metrics {
    inner: Mutex<Inner>,
    /// Bytes of bodies that were read.
    pub bytes: AtomicU64,
}

/// What is there at this moment.
pub struct Gauges {
    pub queued: usize,
    pub running: usize,
    pub connections: usize,
    pub is_draining: bool,
    /// Proofs that a helper had to make again, and attempts in which a device failed.
    pub redone: u64,
    pub failures: u64,
}

impl Metrics {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn accepted(&self, operation: Operation) {
        *self.lock().accepted.entry(operation).or_default() += 1;
    }

    pub fn rejected(&self, why: Rejection) {
        *self.lock().rejected.entry(why).or_default() += 1;
    }

    /// A job ended; it was worked on from `started`, if at all.
    pub fn ended(&self, job: &Job, started: Option<Instant>, outcome: &Outcome) {
        let (when, operation, outcome) = (Instant::now(), job.operation, outcome.name());
        let mut inner = self.lock();
        *inner.ended.entry((operation, outcome)).or_default() += 1;
        let waited = started.unwrap_or(when).duration_since(job.accepted);
        inner.waited.entry(operation).or_default().add(waited);
        if let Some(started) = started {
            inner.worked.entry(operation).or_default().add(when.duration_since(started));
        }
        if inner.recent.len() == RECENT {
            inner.recent.pop_front();
        }
        let whole = when.duration_since(job.accepted);
        inner.recent.push_back(Ended { when, operation, outcome, whole });
    }

    /// The last jobs that ended, oldest first.
    pub fn recent(&self) -> Vec<Ended> {
        self.lock().recent.iter().copied().collect()
    }

    /// What there was.
    pub fn summary(&self) -> Summary {
        let inner = self.lock();
        let of = |wanted: &[&str]| {
            let ended = inner.ended.iter().filter(|((_, outcome), _)| wanted.contains(outcome));
            ended.map(|(_, count)| count).sum()
        };
        Summary {
            accepted: inner.accepted.values().sum(),
            answered: of(&["answered"]),
            failed: of(&["refused", "failed"]),
            cancelled: of(&["expired", "cancelled"]),
            rejected: inner.rejected.values().sum(),
        }
    }

    /// All of it as text.
    pub fn text(&self, now: &Gauges) -> String {
        let inner = self.lock();
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, rows: &[Row]| {
            let _ =
                writeln!(text, "# HELP proofmill_{name} {help}\n# TYPE proofmill_{name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(text, "proofmill_{name}{labels} {value}");
            }
        };
        let one = |value: u64| vec![(String::new(), value.to_string())];
        let of = |operation: Operation| format!("operation=\"{}\"", operation.name());
        let rows = Operation::ALL.map(|operation| {
            let count = inner.accepted.get(&operation).copied().unwrap_or(0);
            (format!("{{{}}}", of(operation)), count.to_string())
        });
        family("jobs_accepted_total", "counter", "Jobs that were accepted.", &rows);
        let rows = Operation::ALL.iter().flat_map(|&operation| {
            OUTCOMES.map(|outcome| {
                let count = inner.ended.get(&(operation, outcome)).copied().unwrap_or(0);
                (format!("{{{},outcome=\"{outcome}\"}}", of(operation)), count.to_string())
            })
        });
        let rows: Vec<_> = rows.collect();
        family("jobs_ended_total", "counter", "Jobs that ended, by outcome.", &rows);
        let rows = Rejection::ALL.map(|why| {
            let count = inner.rejected.get(&why).copied().unwrap_or(0);
            (format!("{{reason=\"{}\"}}", why.name()), count.to_string())
        });
        family("requests_rejected_total", "counter", "Requests that became no job.", &rows);
        for (name, help, of_each) in [
            ("job_wait_seconds", "From acceptance to a turn.", &inner.waited),
            ("job_work_seconds", "From a turn to the end.", &inner.worked),
        ] {
            let rows: Vec<_> = of_each.iter().flat_map(|(&it, h)| histogram(&of(it), h)).collect();
            family(name, "histogram", help, &rows);
        }
        let bytes = self.bytes.load(Ordering::Relaxed);
        family("body_bytes_total", "counter", "Bytes of bodies that were read.", &one(bytes));
        family("proofs_redone_total", "counter", "Proofs made again on cpu:.", &one(now.redone));
        let help = "Attempts in which a device failed.";
        family("device_failures_total", "counter", help, &one(now.failures));
        family("jobs_queued", "gauge", "Jobs that wait for a turn.", &one(now.queued as u64));
        family("jobs_running", "gauge", "Jobs that are worked on.", &one(now.running as u64));
        family("connections", "gauge", "Open connections.", &one(now.connections as u64));
        let help = "1 from the signal to end.";
        family("draining", "gauge", help, &one(now.is_draining.into()));
        text
    }
}

fn histogram(label: &str, histogram: &Histogram) -> Vec<Row> {
    let mut below = 0;
    let mut rows = Vec::new();
    let bounds = BOUNDS.iter().map(f64::to_string).chain(["+Inf".into()]);
    for (bound, count) in bounds.zip(histogram.counts) {
        below += count;
        rows.push((format!("_bucket{{{label},le=\"{bound}\"}}"), below.to_string()));
    }
    rows.push((format!("_sum{{{label}}}"), histogram.seconds.to_string()));
    rows.push((format!("_count{{{label}}}"), below.to_string()));
    rows
}

/// What a service did in its life. Each accepted job ended in one of three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs.
    pub accepted: u64,
    /// With what was asked for.
    pub answered: u64,
    /// With an error.
    pub failed: u64,
    /// By their clients, their deadlines or the end of the service.
    pub cancelled: u64,
    /// Requests that never became jobs.
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
