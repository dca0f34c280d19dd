//! What the page shows, and the page.

use std::time::Instant;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Response, StatusCode, header};
use serde_json::{Value, json};

use crate::job::State;
use crate::routes::{described, text, with};
use crate::service::Service;

/// The page runs its own script and asks its own service, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Jobs that are listed.
const LISTED: usize = 50;

/// The page, which holds no figures itself.
pub fn page() -> Response<Full<Bytes>> {
    let page = text(StatusCode::OK, include_str!("page.html"));
    let page = with(page, header::CONTENT_TYPE, "text/html; charset=utf-8");
    with(page, header::CONTENT_SECURITY_POLICY, POLICY)
}

/// The keys, by name.
pub fn keys(service: &Service) -> Value {
    let keys = service.keys.values().map(|key| {
        json!({
            "name": key.name,
            "curve": key.curve.name(),
            "variables": key.variables,
            "publics": key.publics,
            "proofs": key.prover.counts().proofs,
        })
    });
    keys.collect()
}

/// All figures.
pub fn figures(service: &Service) -> Value {
    let (gauges, summary, now) = (service.gauges(), service.metrics.summary(), Instant::now());
    let recent = service.metrics.recent();
    let recent = recent.iter().map(|ended| {
        json!({
            "age": now.duration_since(ended.when).as_secs_f64(),
            "operation": ended.operation.name(),
            "outcome": ended.outcome,
            "seconds": ended.whole.as_secs_f64(),
        })
    });
    let live = service.live();
    let jobs = live.iter().take(LISTED).map(|job| {
        let state = if matches!(job.state(), State::Queued) { "queued" } else { "running" };
        described(job, state)
    });
    let devices = service.devices.iter().map(|device| {
        let caps = device.caps();
        json!({
            "uri": caps.uri,
            "kind": caps.kind.name(),
            "description": caps.description,
            "requests": device.metrics().requests,
        })
    });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": service.started.elapsed().as_secs_f64(),
        "draining": gauges.is_draining,
        "queue": {
            "waiting": gauges.queued,
            "running": gauges.running,
            "room": service.settings.queue,
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
        "proofs_redone": gauges.redone,
        "keys": keys(service),
        "recent": recent.collect::<Vec<_>>(),
    })
}
