//! From a request to a job: check the head, reserve a slot, receive the body, check it, accept the job, await its outcome.
//!
//! Memory is bounded because a body is received only into a slot, and only up to the size that the key needs.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, StatusCode, header, request};
use axum::response::Response;

use proofmill::SecretBytes;
use proofmill::snark::Inputs;

use crate::body::{self, BodyError};
use crate::job::{CancelReason, HttpJob, Operation};
use crate::keys::ServedKey;
use crate::metrics::Rejection;
use crate::options::JobOptions;
use crate::response::{self, error, with};
use crate::service::{JobInput, ProofService, UploadSlot, ms_since};

/// Seconds after which a client may retry when the queue was full.
const RETRY_AFTER: &str = "1";
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const PROOFMILL_JOB: HeaderName = HeaderName::from_static("proofmill-job");

/// A request that did not become a job.
struct Rejected {
    reason: Rejection,
    response: Response,
}

/// Boxed, since a response is large.
type Checked<T> = Result<T, Box<Rejected>>;

fn reject<T>(reason: Rejection, response: Response) -> Checked<T> {
    Err(Box::new(Rejected { reason, response }))
}

fn malformed<T>(message: impl AsRef<str>) -> Checked<T> {
    reject(Rejection::Malformed, error(StatusCode::BAD_REQUEST, message))
}

fn too_large<T>(max: usize) -> Checked<T> {
    let message = format!("body too large: at most {max} bytes for this key");
    reject(Rejection::TooLarge, error(StatusCode::PAYLOAD_TOO_LARGE, message))
}

fn shutting_down<T>() -> Checked<T> {
    let response = error(StatusCode::SERVICE_UNAVAILABLE, "the service is shutting down");
    reject(Rejection::Draining, with(response, header::CONNECTION, "close"))
}

/// A request whose head was checked, with the slot for its body.
struct Upload {
    operation: Operation,
    key: Arc<ServedKey>,
    options: JobOptions,
    max_bytes: usize,
    slot: UploadSlot,
}

/// Makes a job of a request and returns its outcome, or the path where the outcome can be fetched.
pub async fn submit(
    service: &Arc<ProofService>,
    operation: Operation,
    key: &str,
    request: Request,
) -> Response {
    let (head, mut body) = request.into_parts();
    let is_withheld = head.headers.contains_key(header::EXPECT);
    let upload = check_head(service, operation, key, &head, &body);
    // It shares hyper's read buffer with the body; see `body`.
    drop(head);
    let (accepted, is_drained) = match upload {
        Ok(upload) => {
            let accepted = accept(service, upload, &mut body).await;
            (accepted, true)
        }
        Err(rejected) => (Err(rejected), !is_withheld),
    };
    match accepted {
        Ok(job) if job.keeps_result => {
            let response = response::json(StatusCode::ACCEPTED, response::job(&job, "queued"));
            with(response, header::LOCATION, &format!("/v1/jobs/{}", job.id))
        }
        Ok(job) => await_outcome(&job).await,
        Err(rejected) => {
            let Rejected { reason, response } = *rejected;
            service.metrics.rejected(reason);
            if is_drained && reason != Rejection::Slow {
                body::drain(&mut body, &service.settings.limits).await;
            }
            response
        }
    }
}

/// Checks the head of a request and reserves a slot for its body.
fn check_head(
    service: &ProofService,
    operation: Operation,
    key: &str,
    head: &request::Parts,
    body: &Body,
) -> Checked<Upload> {
    let Some(key) = service.keys.get(key).cloned() else {
        return reject(Rejection::Malformed, response::no_such_key());
    };
    let options = JobOptions::parse(head.uri.query().unwrap_or_default()).or_else(malformed)?;
    check_encoding(&head.headers)?;
    let operation = match operation {
        Operation::Prove if is_json(&head.headers) => Operation::FullProve,
        other => other,
    };
    let max_bytes = match operation {
        Operation::Prove => key.max_witness_bytes(),
        Operation::FullProve => match key.max_inputs_bytes() {
            Some(max) => max,
            None => return malformed(no_generator(&key.name)),
        },
        Operation::Verify => key.max_claim_bytes(),
    };
    if body::declared_size(body).is_some_and(|size| size > max_bytes as u64) {
        return too_large(max_bytes);
    }
    if service.is_draining() {
        return shutting_down();
    }
    let Some(slot) = service.try_reserve_slot() else {
        let response = error(StatusCode::TOO_MANY_REQUESTS, "the queue is full");
        return reject(Rejection::QueueFull, with(response, header::RETRY_AFTER, RETRY_AFTER));
    };
    Ok(Upload { operation, key, options, max_bytes, slot })
}

/// Rejects bodies that are not the plain bytes of a file.
fn check_encoding(headers: &HeaderMap) -> Checked<()> {
    let starts = |name: HeaderName, part: &str| {
        let value = headers.get(name).map_or(&[][..], |value| value.as_bytes());
        value.get(..part.len()).is_some_and(|it| it.eq_ignore_ascii_case(part.as_bytes()))
    };
    let message = if starts(header::CONTENT_TYPE, "multipart/") {
        "forms are not supported: send the file as the body"
    } else if headers.contains_key(header::CONTENT_ENCODING)
        && !starts(header::CONTENT_ENCODING, "identity")
    {
        "content encodings are not supported: send the file uncompressed"
    } else {
        return Ok(());
    };
    reject(Rejection::Malformed, error(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
}

/// Returns whether the body is JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

fn no_generator(key: &str) -> String {
    format!("key '{key}' has no witness generator: send a witness (.wtns), not JSON inputs")
}

/// Receives and checks the body of a request, and makes it a job. On an error its slot is free again.
async fn accept(
    service: &Arc<ProofService>,
    upload: Upload,
    body: &mut Body,
) -> Checked<Arc<HttpJob>> {
    let Upload { operation, key, options, max_bytes, slot } = upload;
    let timeout = service.settings.limits.body_timeout;
    let body = match body::receive(body, max_bytes, timeout).await {
        Ok(body) => body,
        Err(BodyError::TooLarge) => return too_large(max_bytes),
        Err(BodyError::TimedOut) => {
            let message =
                format!("body timed out: it must arrive within {} s", timeout.as_secs_f64());
            return reject(Rejection::Slow, error(StatusCode::REQUEST_TIMEOUT, message));
        }
        Err(BodyError::Incomplete) => {
            return malformed("body incomplete: it ended early or its chunks are malformed");
        }
    };
    service.metrics.received(body.len());
    let input = parse(operation, key.clone(), body).await.or_else(malformed)?;
    service.accept(input, key, options, slot).map_or_else(shutting_down, Ok)
}

/// Parses a body on a thread of its own kind: the others answer all clients.
async fn parse(
    operation: Operation,
    key: Arc<ServedKey>,
    body: SecretBytes,
) -> Result<JobInput, String> {
    let parsed = tokio::task::spawn_blocking(move || match operation {
        Operation::Prove => {
            key.witness(body).map(JobInput::Prove).map_err(|error| error.to_string())
        }
        // They are parsed by the job.
        Operation::FullProve => Inputs::from_json("body", body)
            .map(JobInput::FullProve)
            .map_err(|error| error.to_string()),
        Operation::Verify => key.claim(&body).map(JobInput::Verify),
    });
    parsed.await.unwrap_or_else(|_| Err("body: cannot be parsed".into()))
}

/// Waits for a job. When the client leaves, this future is dropped and the job is cancelled.
async fn await_outcome(job: &HttpJob) -> Response {
    let client = WaitingClient(job);
    let outcome = job.outcome().await;
    drop(client);
    let duration = format!("job;dur={:.1}", ms_since(job.accepted));
    let response = with(response::outcome(&outcome), SERVER_TIMING, &duration);
    with(response, PROOFMILL_JOB, &job.id.to_string())
}

/// A client that waits for a job. Dropping it cancels the job, which has no effect on one that has ended.
struct WaitingClient<'a>(&'a HttpJob);

impl Drop for WaitingClient<'_> {
    fn drop(&mut self) {
        self.0.cancel(CancelReason::Disconnected);
    }
}
