//! Receives request bodies. They may be witnesses, so they are secrets.
//!
//! A body is received into [`SecretBytes`]: one allocation of the size that the request declares or, without a declared size, of
//! the size that the key needs at most. It never moves while it is filled and is wiped when it is dropped, whatever the reason.
//!
//! Copies that exist on the way:
//!
//! - The kernel's socket buffer, which no process can wipe.
//! - hyper's read buffer of the connection. Frames are views into it; they are copied, wiped and dropped one at a time, before the
//!   next one is requested. The head of the request shares that buffer, so it is dropped before the first frame is requested.
//!   [`read_buffer`](crate::read_buffer) describes how the buffer is wiped.
//!
//! axum and tower-http pass frames on without copying them.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::header;
use http_body_util::BodyExt as _;
use proofmill::SecretBytes;

use crate::read_buffer::wipe;
use crate::settings::Limits;

/// The reason why a body was not received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It has more bytes than the key needs.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
    /// It ended early, or its chunks are malformed.
    Incomplete,
}

/// Returns the size of a body if the client declared it; a chunked body declares none.
pub fn declared_size(body: &Body) -> Option<u64> {
    body.size_hint().exact()
}

/// Receives a body of at most `max` bytes within the given time.
pub async fn receive(
    body: &mut Body,
    max: usize,
    timeout: Duration,
) -> Result<SecretBytes, BodyError> {
    let declared = declared_size(body).map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    if declared.is_some_and(|size| size > max) {
        return Err(BodyError::TooLarge);
    }
    let mut received = SecretBytes::with_capacity(declared.unwrap_or(max));
    let all = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| BodyError::Incomplete)?;
            if let Ok(data) = frame.into_data() {
                let appended = received.extend_from_slice(&data);
                wipe(data);
                appended.map_err(|_| BodyError::TooLarge)?;
            }
        }
        Ok(received)
    };
    tokio::time::timeout(timeout, all).await.unwrap_or(Err(BodyError::TimedOut))
}

/// Drains the body of a request that is rejected before its body was read. A client that waits for `100 Continue` sends none.
pub async fn drain_request(request: Request, limits: &Limits) {
    let (head, mut body) = request.into_parts();
    let is_withheld = head.headers.contains_key(header::EXPECT);
    drop(head);
    if !is_withheld {
        drain(&mut body, limits).await;
    }
}

/// Receives and discards the rest of a body, within limits. A client that still sends when its connection is closed would see a
/// reset instead of the response.
pub async fn drain(body: &mut Body, limits: &Limits) {
    let all = async {
        let mut left = limits.drain_bytes;
        while left > 0
            && let Some(Ok(frame)) = body.frame().await
        {
            if let Ok(data) = frame.into_data() {
                left = left.saturating_sub(data.len());
                wipe(data);
            }
        }
    };
    let _ = tokio::time::timeout(limits.drain_timeout, all).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_declared_size_is_refused_before_a_byte_is_read() {
        let body = |text: &'static str| Body::from(text);
        let second = Duration::from_secs(1);
        assert_eq!(declared_size(&body("1234")), Some(4));
        assert_eq!(receive(&mut body("1234"), 3, second).await.err(), Some(BodyError::TooLarge));
        assert_eq!(receive(&mut body("1234"), 4, second).await.unwrap()[..], b"1234"[..]);
    }
}
