//! Requests and answers. `docs/use/service.md` lists them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use tracing::{debug, info};
use zeroize::Zeroizing;

use crate::job::{Job, Operation, Outcome, State, Why};
use crate::keys::Key;
use crate::metrics::Rejection;
use crate::query::Query;
use crate::service::{Place, Service, Work, ms_since};
use crate::status;

/// How long a body may take.
const BODY: Duration = Duration::from_secs(30);
/// Bytes of a refused body that are taken and forgotten, and for how long.
const DISCARDED: usize = 64 << 20;
const DISCARDING: Duration = Duration::from_secs(2);
/// Seconds after which a request may come again that found the queue full.
const RETRY_AFTER: &str = "1";

type Request = hyper::Request<Incoming>;
type Response = hyper::Response<Full<Bytes>>;

/// Answers a request.
pub async fn answer(service: &Arc<Service>, request: Request) -> Response {
    let start = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let mut response = match refusal(service, request.headers(), &path) {
        Some(refusal) => refusal,
        None => routed(service, request, &method, &path).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let (status, ms) = (response.status().as_u16(), ms_since(start));
    // Only what exists is told: anything else may be a secret in the wrong place.
    let is_unknown = matches!(status, 401 | 403 | 404 | 405);
    let (method, path) = if is_unknown { ("?", "?") } else { (method.as_str(), &path[..]) };
    if method == "GET" {
        debug!(method, path, status, ms, "request");
    } else {
        info!(method, path, status, ms, "request");
    }
    response
}

/// What is said to whoever may not ask. Health and the empty page are everybody's.
fn refusal(service: &Service, headers: &HeaderMap, path: &str) -> Option<Response> {
    let Some(token) = &service.settings.token else {
        // A page of another site, whose name was made to point here, is not this machine's user.
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let is_own = host.is_none_or(is_loopback);
        let is_own = is_own
            && headers.get(header::ORIGIN).is_none_or(|origin| {
                let origin = origin.to_str().ok().and_then(|it| it.strip_prefix("http://"));
                origin.is_some() && origin == host
            });
        return (!is_own).then(|| {
            service.metrics.rejected(Rejection::Unauthorized);
            let problem = "the host: without a token only this machine's own names serve";
            error(StatusCode::FORBIDDEN, problem)
        });
    };
    let shown = headers.get(header::AUTHORIZATION);
    if matches!(path, "/" | "/healthz" | "/readyz")
        || shown.is_some_and(|shown| token.is_shown_by(shown.as_bytes()))
    {
        return None;
    }
    service.metrics.rejected(Rejection::Unauthorized);
    let refusal = error(StatusCode::UNAUTHORIZED, "authorization: no valid bearer token");
    Some(with(refusal, header::WWW_AUTHENTICATE, "Bearer"))
}

/// Does the value of `Host` name this machine, to itself?
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = name.parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback())
}

async fn routed(service: &Arc<Service>, request: Request, method: &Method, path: &str) -> Response {
    let parts: Vec<_> = path.split('/').skip(1).collect();
    match (method, &parts[..]) {
        (&Method::GET, [""]) => status::page(),
        (&Method::GET, ["healthz"]) => text(StatusCode::OK, "ok\n"),
        (&Method::GET, ["readyz"]) if service.is_draining() => {
            text(StatusCode::SERVICE_UNAVAILABLE, "draining\n")
        }
        (&Method::GET, ["readyz"]) => text(StatusCode::OK, "ready\n"),
        (&Method::GET, ["metrics"]) => {
            let text = text(StatusCode::OK, service.metrics.text(&service.gauges()));
            with(text, header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
        }
        (&Method::GET, ["v1", "status"]) => json(StatusCode::OK, status::figures(service)),
        (&Method::GET, ["v1", "keys"]) => json(StatusCode::OK, status::keys(service)),
        (&Method::GET, ["v1", "keys", name]) => match service.keys.get(*name) {
            Some(key) => json_text(StatusCode::OK, key.verifying.clone()),
            None => no_key(),
        },
        (&Method::POST, ["v1", "prove", name]) => {
            work(service, request, Operation::Prove, name).await
        }
        (&Method::POST, ["v1", "verify", name]) => {
            work(service, request, Operation::Verify, name).await
        }
        (&Method::GET, ["v1", "jobs", id]) => match job(service, id) {
            Some(job) => fetched(service, &job),
            None => no_job(),
        },
        (&Method::DELETE, ["v1", "jobs", id]) => match job(service, id) {
            Some(job) => {
                job.give_up(Why::Deleted);
                let outcome = job.outcome().await;
                service.forget(job.id);
                json(StatusCode::OK, described(&job, outcome.name()))
            }
            None => no_job(),
        },
        (
            _,
            [""]
            | ["healthz" | "readyz" | "metrics"]
            | ["v1", "status" | "keys"]
            | ["v1", "keys" | "prove" | "verify" | "jobs", _],
        ) => error(StatusCode::METHOD_NOT_ALLOWED, "the method: not one of this path"),
        _ => error(StatusCode::NOT_FOUND, "the path: there is nothing"),
    }
}

fn job(service: &Service, id: &str) -> Option<Arc<Job>> {
    service.job(id.parse().ok()?)
}

/// Why a request for work is not accepted, and what its client is told.
type Refused = Box<(Rejection, Response)>;

fn refused(why: Rejection, told: Response) -> Refused {
    Box::new((why, told))
}

fn malformed(problem: String) -> Refused {
    refused(Rejection::Malformed, error(StatusCode::BAD_REQUEST, problem))
}

fn draining() -> Refused {
    let told = error(StatusCode::SERVICE_UNAVAILABLE, "the service is shutting down");
    refused(Rejection::Draining, with(told, header::CONNECTION, "close"))
}

/// What is known of work before its body is read.
struct Asked {
    key: Arc<Key>,
    query: Query,
    length: u64,
    place: Place,
}

/// Looks at the head of a request for work and takes a place for it.
fn asked(
    service: &Service,
    request: &Request,
    operation: Operation,
    name: &str,
) -> Result<Asked, Refused> {
    let key =
        service.keys.get(name).cloned().ok_or_else(|| refused(Rejection::Malformed, no_key()))?;
    let query = Query::parse(request.uri().query().unwrap_or_default()).map_err(malformed)?;
    let most = match operation {
        Operation::Prove => key.witness_most(),
        Operation::Verify => key.claim_most(),
    };
    let Some(length) = request.body().size_hint().exact() else {
        let told = error(StatusCode::LENGTH_REQUIRED, "content-length: is missing");
        return Err(refused(Rejection::Malformed, told));
    };
    if length > most as u64 {
        let told = format!("the body: {length} bytes, at most {most} for this key");
        return Err(refused(Rejection::TooLarge, error(StatusCode::PAYLOAD_TOO_LARGE, told)));
    }
    if service.is_draining() {
        return Err(draining());
    }
    let Some(place) = service.place() else {
        let told = error(StatusCode::TOO_MANY_REQUESTS, "the queue is full");
        let told = with(told, header::RETRY_AFTER, RETRY_AFTER);
        return Err(refused(Rejection::QueueFull, told));
    };
    Ok(Asked { key, query, length, place })
}

/// The body of a request whose place is taken, and the job that it becomes.
async fn accepted(
    service: &Arc<Service>,
    request: Request,
    operation: Operation,
    asked: Asked,
) -> Result<Arc<Job>, Refused> {
    let Asked { key, query, length, place } = asked;
    let body = match tokio::time::timeout(BODY, read(request.into_body(), length as usize)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return Err(malformed("the body: ended too early".into())),
        Err(_) => {
            let told = error(StatusCode::REQUEST_TIMEOUT, "the body: took too long");
            return Err(refused(Rejection::Slow, told));
        }
    };
    service.metrics.bytes.fetch_add(length, Ordering::Relaxed);
    let work = read_work(operation, key.clone(), body).await.map_err(malformed)?;
    service.accept(work, key, query, place).ok_or_else(draining)
}

/// A proof or a verification: the place, the body, the job, its answer.
async fn work(
    service: &Arc<Service>,
    request: Request,
    operation: Operation,
    name: &str,
) -> Response {
    let reject = |refused: Refused| {
        let (why, told) = *refused;
        service.metrics.rejected(why);
        told
    };
    let asked = match asked(service, &request, operation, name) {
        Ok(asked) => asked,
        Err(refused) => {
            let told = reject(refused);
            discard(request).await;
            return told;
        }
    };
    let is_awaited = asked.query.wait;
    let job = match accepted(service, request, operation, asked).await {
        Ok(job) => job,
        Err(refused) => return reject(refused),
    };
    if !is_awaited {
        let response = json(StatusCode::ACCEPTED, described(&job, "queued"));
        return with(response, header::LOCATION, &format!("/v1/jobs/{}", job.id));
    }
    let waiting = Waiting(&job);
    let outcome = job.outcome().await;
    drop(waiting);
    let ms = ms_since(job.accepted);
    let response =
        with(told(&outcome), HeaderName::from_static("server-timing"), &format!("job;dur={ms:.1}"));
    with(response, HeaderName::from_static("proofmill-job"), &job.id.to_string())
}

/// A body of that many bytes at most, which is overwritten in the end. It never moves, so no copy is left behind.
async fn read(mut body: Incoming, length: usize) -> Result<Zeroizing<Vec<u8>>, hyper::Error> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}

/// Takes the body of a request that is refused, for a while: a client that still sends when the connection is closed does not hear why. One that
/// waits for a word before it sends is not given it.
async fn discard(request: Request) {
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut body = request.into_body();
    let taken = async {
        let mut left = DISCARDED;
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DISCARDING, taken).await;
}

/// Reads what is asked, beside the threads that answer everybody else.
async fn read_work(
    operation: Operation,
    key: Arc<Key>,
    body: Zeroizing<Vec<u8>>,
) -> Result<Work, String> {
    let read = tokio::task::spawn_blocking(move || match operation {
        Operation::Prove => key.witness(body).map(Work::Prove).map_err(|error| error.to_string()),
        Operation::Verify => key.claim(&body).map(Work::Verify),
    });
    read.await.unwrap_or_else(|_| Err("the body: cannot be read".into()))
}

/// Somebody waits for the answer. If they go away, nobody wants it any more.
struct Waiting<'a>(&'a Job);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.give_up(Why::Gone);
    }
}

/// What a job came to, to its client.
fn told(outcome: &Outcome) -> Response {
    match outcome {
        Outcome::Answered(answer) => json_text(StatusCode::OK, answer.to_string()),
        Outcome::Refused(problem) => error(StatusCode::UNPROCESSABLE_ENTITY, problem),
        Outcome::Failed(problem) => error(StatusCode::INTERNAL_SERVER_ERROR, problem),
        Outcome::GivenUp(Why::Deadline) => error(StatusCode::GATEWAY_TIMEOUT, Why::Deadline.told()),
        Outcome::GivenUp(Why::Shutdown) => {
            error(StatusCode::SERVICE_UNAVAILABLE, Why::Shutdown.told())
        }
        Outcome::GivenUp(why) => error(StatusCode::CONFLICT, why.told()),
    }
}

/// Where a job is; its answer once, when it is there.
fn fetched(service: &Service, job: &Job) -> Response {
    match job.state() {
        State::Ended(outcome) => {
            service.forget(job.id);
            told(&outcome)
        }
        state => json(StatusCode::ACCEPTED, described(job, state.name())),
    }
}

pub fn described(job: &Job, state: &str) -> Value {
    json!({
        "job": job.id,
        "operation": job.operation.name(),
        "key": job.key.name,
        "priority": job.priority.name(),
        "state": state,
        "seconds": job.accepted.elapsed().as_secs_f64(),
    })
}

fn no_key() -> Response {
    error(StatusCode::NOT_FOUND, "the key: there is none of this name")
}

fn no_job() -> Response {
    error(StatusCode::NOT_FOUND, "the job: there is none of this number, or its answer was fetched")
}

fn error(status: StatusCode, problem: impl AsRef<str>) -> Response {
    json(status, json!({ "error": problem.as_ref() }))
}

fn json(status: StatusCode, value: Value) -> Response {
    json_text(status, format!("{value}\n"))
}

fn json_text(status: StatusCode, body: String) -> Response {
    with(text(status, body), header::CONTENT_TYPE, "application/json")
}

pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    with(response, header::CONTENT_TYPE, "text/plain; charset=utf-8")
}

pub fn with(mut response: Response, name: HeaderName, value: &str) -> Response {
    let value = HeaderValue::from_str(value).expect("values here are plain text");
    response.headers_mut().insert(name, value);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:80", "[::1]"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "example.org:80",
            "192.0.2.1",
            "[2001:db8::1]:80",
            "127.0.0.1.example.org",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
