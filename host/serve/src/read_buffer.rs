//! hyper's read buffer, wiped. Request bodies, which may be witnesses, arrive in it.
//!
//! hyper reads into one buffer per connection. A frame of a body is a view into it, with no allocation of its own. The buffer is
//! reused and freed without being wiped. Three types wipe it:
//!
//! 1. [`WipingStream`], the socket, wipes the unfilled part of the buffer before each read. hyper reads again once a frame was
//!    taken, and while a job runs, to notice that its client leaves.
//! 2. [`WipingBody`], the body of a request, wipes frames that no handler took. [`wipe`] does the same for a frame that was taken. Both
//!    matter after the last frame of a body: hyper then reads on into a new buffer, so that the frame alone keeps the old one.
//! 3. [`Connection`](crate::connection) wipes the buffer when it ends, whatever the reason.
//!
//! The buffer has hyper's smallest size, [`READ_BUFFER`], which is its largest, too: enlarging it would free the old one. One case
//! remains: a client that sends the start of its next request together with the end of a body (pipelining) can make hyper move to
//! a larger buffer; then at most [`READ_BUFFER`] bytes of that body are freed without being wiped.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use zeroize::Zeroize as _;

/// Bytes of the read buffer, and so of the head of a request.
pub const READ_BUFFER: usize = 8192;

/// Wipes the allocation behind a view, if there is no other view into it: the bytes read, the bytes not read, and the part that was never filled.
pub fn wipe(view: Bytes) {
    let Ok(mut buffer) = view.try_into_mut() else { return };
    buffer.clear();
    buffer.spare_capacity_mut().zeroize();
    // The part before the view counts as capacity again, if there is one.
    if buffer.try_reclaim(buffer.capacity() + 1) {
        buffer.spare_capacity_mut().zeroize();
    }
}

/// A socket that wipes the buffer of its reader before each read.
pub struct WipingStream<S>(pub S);

impl<S: AsyncRead + Unpin> AsyncRead for WipingStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        buffer.initialize_unfilled().zeroize();
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WipingStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// The body of a request. On drop, frames that are queued in it are wiped.
pub struct WipingBody(pub Incoming);

impl HttpBody for WipingBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.0).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl Drop for WipingBody {
    fn drop(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut self.0).poll_frame(&mut context) {
            if let Ok(data) = frame.into_data() {
                wipe(data);
            }
        }
    }
}
