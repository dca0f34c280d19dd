//! The status page and its figures.

use std::time::Instant;

use axum::http::{StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use crate::response::{self, text, with};
use crate::service::ProofService;

/// The page runs its own script, which requests its own service, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Jobs that are listed.
const MAX_LISTED: usize = 50;

/// Returns the page, which contains no figures itself.
pub async fn page() -> Response {
    let page = text(StatusCode::OK, include_str!("page.html"));
    let page = with(page, header::CONTENT_TYPE, "text/html; charset=utf-8");
    with(page, header::CONTENT_SECURITY_POLICY, POLICY)
}

/// Returns the keys by name.
pub fn keys(service: &ProofService) -> Response {
    response::json(StatusCode::OK, key_figures(service))
}

fn key_figures(service: &ProofService) -> Value {
    let keys = service.keys.values().map(|key| {
        json!({
            "name": key.name,
            "protocol": key.protocol().name(),
            "curve": key.curve.name(),
            "variables": key.variables,
            "public_inputs": key.public_inputs,
            "accepts_inputs": key.calculator.is_some(),
            "proofs": key.prover.counts().proofs,
        })
    });
    keys.collect()
}

/// Returns all figures.
pub fn figures(service: &ProofService) -> Response {
    let (gauges, summary, now) = (service.gauges(), service.metrics.summary(), Instant::now());
    let recent = service.metrics.recent();
    let recent = recent.iter().map(|ended| {
        json!({
            "age": now.duration_since(ended.when).as_secs_f64(),
            "operation": ended.operation.name(),
            "outcome": ended.outcome,
            "seconds": ended.duration.as_secs_f64(),
        })
    });
    let live = service.live_jobs();
    let jobs = live.iter().take(MAX_LISTED).map(|job| response::job(job, job.state().name()));
    let devices = service.devices.iter().map(|device| {
        let caps = device.caps();
        json!({
            "uri": caps.uri,
            "kind": caps.kind.name(),
            "description": caps.description,
            "requests": device.metrics().requests,
        })
    });
    let figures = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": service.started.elapsed().as_secs_f64(),
        "draining": gauges.is_draining,
        "queue": {
            "waiting": gauges.queued,
            "running": gauges.running,
            "capacity": service.settings.queue,
            "workers": service.settings.workers,
        },
        "jobs": {
            "accepted": summary.accepted,
            "answered": summary.answered,
            "failed": summary.failed,
            "cancelled": summary.cancelled,
            "rejected": summary.rejected,
            "live": jobs.collect::<Vec<_>>(),
        },
        "devices": devices.collect::<Vec<_>>(),
        "device_failures": gauges.failures,
        "proofs_retried": gauges.retried,
        "keys": key_figures(service),
        "recent": recent.collect::<Vec<_>>(),
    });
    response::json(StatusCode::OK, figures)
}
