//! Response bodies. Errors are `{"error": "…"}`.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use crate::job::{CancelReason, HttpJob, Outcome};

pub fn text(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    with(response, header::CONTENT_TYPE, "text/plain; charset=utf-8")
}

pub fn json(status: StatusCode, value: Value) -> Response {
    json_text(status, format!("{value}\n"))
}

pub fn json_text(status: StatusCode, body: impl Into<Body>) -> Response {
    with(text(status, body), header::CONTENT_TYPE, "application/json")
}

pub fn error(status: StatusCode, message: impl AsRef<str>) -> Response {
    json(status, json!({ "error": message.as_ref() }))
}

/// Sets a header, whose value must be visible ASCII.
pub fn with(mut response: Response, name: HeaderName, value: &str) -> Response {
    let value = HeaderValue::from_str(value).expect("header values are visible ASCII");
    response.headers_mut().insert(name, value);
    response
}

pub fn no_such_key() -> Response {
    error(StatusCode::NOT_FOUND, "no such key")
}

pub fn no_such_job() -> Response {
    error(StatusCode::NOT_FOUND, "no such job, or its result was already fetched")
}

/// Formats the outcome of a job for its client.
pub fn outcome(outcome: &Outcome) -> Response {
    match outcome {
        Outcome::Answered(answer) => json_text(StatusCode::OK, answer.to_string()),
        Outcome::WrongInputs(message) => error(StatusCode::BAD_REQUEST, message),
        Outcome::Refused(message) => error(StatusCode::UNPROCESSABLE_ENTITY, message),
        Outcome::Failed(message) => error(StatusCode::INTERNAL_SERVER_ERROR, message),
        Outcome::Cancelled(reason) => {
            let status = match reason {
                CancelReason::Deadline => StatusCode::GATEWAY_TIMEOUT,
                CancelReason::Shutdown => StatusCode::SERVICE_UNAVAILABLE,
                CancelReason::Disconnected | CancelReason::Deleted => StatusCode::CONFLICT,
            };
            error(status, reason.message())
        }
    }
}

/// Describes a job in the given state.
pub fn job(job: &HttpJob, state: &str) -> Value {
    json!({
        "job": job.id,
        "operation": job.operation.name(),
        "key": job.key.name,
        "priority": job.priority.name(),
        "state": state,
        "seconds": job.accepted.elapsed().as_secs_f64(),
    })
}
