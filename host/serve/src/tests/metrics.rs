//! The exported metrics.

use super::openmetrics::parse;
use super::{Options, Running};

#[test]
fn metrics_are_valid_and_count_events() {
    let running = Running::start(Options::default());
    let before = running.connect().request("GET /metrics", b"");
    before
        .expect_header("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8");
    let before = parse(&before.body);
    // Counters are there before their first event.
    for name in [
        "jobs_accepted_total{operation=\"prove\"}",
        "jobs_ended_total{operation=\"verify\",outcome=\"expired\"}",
        "requests_rejected_total{reason=\"queue_full\"}",
        "proofs_retried_total",
        "device_failures_total",
        "jobs_queued",
        "jobs_running",
        "draining",
    ] {
        assert_eq!(before[&format!("proofmill_{name}")], 0.0, "{name}");
    }
    let proved = running.connect().request("POST /v1/prove/chain", &running.witness);
    assert_eq!(proved.status, 200);
    assert_eq!(running.connect().request("POST /v1/prove/chain", b"x").status, 400);
    running.connect().request("POST /v1/verify/chain", proved.body.as_bytes());
    let after = parse(&running.connect().request("GET /metrics", b"").body);
    let received = (running.witness.len() + 1 + proved.body.len()) as f64;
    for (name, value) in [
        ("jobs_accepted_total{operation=\"prove\"}", 1.0),
        ("jobs_ended_total{operation=\"prove\",outcome=\"answered\"}", 1.0),
        ("jobs_ended_total{operation=\"verify\",outcome=\"answered\"}", 1.0),
        ("requests_rejected_total{reason=\"malformed\"}", 1.0),
        ("body_bytes_total", received),
        ("job_wait_seconds_count{operation=\"prove\"}", 1.0),
        ("job_work_seconds_bucket{le=\"+Inf\",operation=\"prove\"}", 1.0),
    ] {
        assert_eq!(after[&format!("proofmill_{name}")], value, "{name}");
    }
    assert!(after["proofmill_job_work_seconds_sum{operation=\"prove\"}"] > 0.0);
    assert!(after["proofmill_connections"] >= 1.0);
}
