//! Receives request bodies. They may be witnesses, so they are secrets.
//!
//! A body is received into a [`SecretBody`]: one allocation of the size that the request declares or, without a declared size, of
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

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::header;
use http_body_util::BodyExt as _;
use zeroize::{Zeroize as _, Zeroizing};

use crate::read_buffer::wipe;
use crate::settings::Limits;

/// A received body. It is wiped on drop.
pub struct SecretBody(Zeroizing<Vec<u8>>);

impl SecretBody {
    fn with_capacity(capacity: usize) -> Self {
        Self(Zeroizing::new(Vec::with_capacity(capacity)))
    }

    /// Appends a frame, unless it exceeds the capacity: the buffer never moves.
    fn append(&mut self, frame: &[u8]) -> Result<(), BodyError> {
        if frame.len() > self.0.capacity() - self.0.len() {
            return Err(BodyError::TooLarge);
        }
        self.0.extend_from_slice(frame);
        Ok(())
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Moves the body into memory that can be shared. The body itself is wiped.
    pub fn into_shared(self) -> SharedBody {
        SharedBody(self.as_slice().into())
    }
}

/// A body that is lent to a reader of `Arc<[u8]>`. It is wiped on drop, if the reader has dropped its clones.
pub struct SharedBody(Arc<[u8]>);

impl SharedBody {
    pub fn bytes(&self) -> Arc<[u8]> {
        self.0.clone()
    }
}

impl Drop for SharedBody {
    fn drop(&mut self) {
        if let Some(bytes) = Arc::get_mut(&mut self.0) {
            bytes.zeroize();
        }
    }
}

/// Why a body was not received.
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
) -> Result<SecretBody, BodyError> {
    let declared = declared_size(body).map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    if declared.is_some_and(|size| size > max) {
        return Err(BodyError::TooLarge);
    }
    let mut received = SecretBody::with_capacity(declared.unwrap_or(max));
    let all = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| BodyError::Incomplete)?;
            if let Ok(data) = frame.into_data() {
                let appended = received.append(&data);
                wipe(data);
                appended?;
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

    #[test]
    fn a_body_never_moves_and_never_exceeds_its_capacity() {
        let mut body = SecretBody::with_capacity(8);
        let start = body.0.as_ptr();
        body.append(b"12345").unwrap();
        body.append(b"").unwrap();
        assert_eq!(body.append(b"6789"), Err(BodyError::TooLarge));
        body.append(b"678").unwrap();
        assert_eq!((body.as_slice(), body.0.as_ptr()), (&b"12345678"[..], start));
        assert_eq!(&*body.into_shared().bytes(), b"12345678");
    }

    #[tokio::test]
    async fn a_declared_size_is_refused_before_a_byte_is_read() {
        let body = |text: &'static str| Body::from(text);
        let second = Duration::from_secs(1);
        assert_eq!(declared_size(&body("1234")), Some(4));
        assert_eq!(receive(&mut body("1234"), 3, second).await.err(), Some(BodyError::TooLarge));
        assert_eq!(receive(&mut body("1234"), 4, second).await.unwrap().as_slice(), b"1234");
    }
}
