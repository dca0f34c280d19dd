//! The paths of the service and their handlers. `docs/use/service.md` lists them.

use std::any::Any;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tracing::{Instrument as _, debug, error, info, info_span};

use crate::connection::Peer;
use crate::job::{CancelReason, HttpJob, JobState, Operation};
use crate::service::{ProofService, ms_since};
use crate::{access, body, metrics, response, status, upload};

type Service = State<Arc<ProofService>>;

/// Routes a request: logs it, checks its access, calls its handler.
pub fn router(service: Arc<ProofService>) -> Router {
    let no_store = HeaderValue::from_static("no-store");
    let no_sniff = HeaderValue::from_static("nosniff");
    Router::new()
        .route("/", get(status::page))
        .route("/healthz", get(async || response::text(StatusCode::OK, "ok\n")))
        .route("/readyz", get(readiness))
        .route("/metrics", get(metrics))
        .route("/v1/status", get(async |State(service): Service| status::figures(&service)))
        .route("/v1/keys", get(async |State(service): Service| status::keys(&service)))
        .route("/v1/keys/{key}", get(verifying_key))
        .route("/v1/prove/{key}", post(prove))
        .route("/v1/verify/{key}", post(verify))
        .route("/v1/jobs/{id}", get(fetch_job).head(peek_job).delete(cancel_job))
        .fallback(no_such_path)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(middleware::from_fn_with_state(service.clone(), access::authorize))
        .layer(SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, no_store))
        .layer(SetResponseHeaderLayer::overriding(header::X_CONTENT_TYPE_OPTIONS, no_sniff))
        .layer(CatchPanicLayer::custom(internal_error))
        .layer(middleware::from_fn_with_state(service.clone(), log_request))
        .with_state(service)
}

/// Runs a request in its span, and logs its response.
async fn log_request(State(service): Service, request: Request, next: Next) -> Response {
    let number = service.next_request();
    let peer = request.extensions().get().map(|Peer(address)| tracing::field::display(*address));
    let span = info_span!("request", request = number, peer);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let start = Instant::now();
    async {
        let response = next.run(request).await;
        let (status, ms) = (response.status().as_u16(), ms_since(start));
        // An unknown path or method may be a secret in the wrong place.
        let is_unknown = matches!(status, 401 | 403 | 404 | 405);
        let (method, path) = if is_unknown { ("?", "?") } else { (method.as_str(), &path[..]) };
        if method == "GET" {
            debug!(method, path, status, ms, "request");
        } else {
            info!(method, path, status, ms, "request");
        }
        response
    }
    .instrument(span)
    .await
}

/// Responds for a handler that panicked. The panic itself, whose message might hold anything, is not sent.
fn internal_error(_: Box<dyn Any + Send>) -> Response {
    error!("a request handler panicked");
    response::error(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
}

async fn no_such_path(State(service): Service, request: Request) -> Response {
    body::drain_request(request, &service.settings.limits).await;
    response::error(StatusCode::NOT_FOUND, "no such path")
}

/// The router adds the header `Allow`.
async fn method_not_allowed(State(service): Service, request: Request) -> Response {
    body::drain_request(request, &service.settings.limits).await;
    response::error(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
}

async fn readiness(State(service): Service) -> Response {
    if service.is_draining() {
        return response::text(StatusCode::SERVICE_UNAVAILABLE, "draining\n");
    }
    response::text(StatusCode::OK, "ready\n")
}

async fn metrics(State(service): Service) -> Response {
    let text = response::text(StatusCode::OK, service.metrics.text(&service.gauges()));
    response::with(text, header::CONTENT_TYPE, metrics::CONTENT_TYPE)
}

async fn verifying_key(State(service): Service, PathName(key): PathName) -> Response {
    match service.keys.get(&key) {
        Some(key) => response::json_text(StatusCode::OK, key.verifying_key.clone()),
        None => response::no_such_key(),
    }
}

async fn prove(State(service): Service, PathName(key): PathName, request: Request) -> Response {
    upload::submit(&service, Operation::Prove, &key, request).await
}

async fn verify(State(service): Service, PathName(key): PathName, request: Request) -> Response {
    upload::submit(&service, Operation::Verify, &key, request).await
}

/// Returns the state of a job, or its result, once.
async fn fetch_job(State(service): Service, PathName(id): PathName) -> Response {
    let Some(job) = find_job(&service, &id) else { return response::no_such_job() };
    let state = job.state();
    if matches!(state, JobState::Ended(_)) {
        service.remove(job.id);
    }
    job_response(&job, &state)
}

/// Responds to `HEAD` as [`fetch_job`] would; the result is kept.
async fn peek_job(State(service): Service, PathName(id): PathName) -> Response {
    let Some(job) = find_job(&service, &id) else { return response::no_such_job() };
    job_response(&job, &job.state())
}

fn job_response(job: &HttpJob, state: &JobState) -> Response {
    match state {
        JobState::Ended(outcome) => response::outcome(outcome),
        state => response::json(StatusCode::ACCEPTED, response::job(job, state.name())),
    }
}

async fn cancel_job(State(service): Service, PathName(id): PathName) -> Response {
    let Some(job) = find_job(&service, &id) else { return response::no_such_job() };
    job.cancel(CancelReason::Deleted);
    let outcome = job.outcome().await;
    service.remove(job.id);
    response::json(StatusCode::OK, response::job(&job, outcome.name()))
}

fn find_job(service: &ProofService, id: &str) -> Option<Arc<HttpJob>> {
    service.job(id.parse().ok()?)
}

/// The variable part of a path. One that is not UTF-8 names nothing, as the empty one.
struct PathName(String);

impl<S: Send + Sync> FromRequestParts<S> for PathName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let name = Path::<String>::from_request_parts(parts, state).await;
        Ok(Self(name.map(|Path(name)| name).unwrap_or_default()))
    }
}
