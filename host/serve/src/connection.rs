//! One connection: HTTP/1 over a socket, by hyper.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::future::RouteFuture;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tower_service::Service as _;

use crate::read_buffer::{READ_BUFFER, WipingBody, WipingStream, wipe};
use crate::service::ProofService;

/// The address of the client, an extension of each request.
#[derive(Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Serves the requests of a connection, one after another. After `shutdown` changes, the connection ends with its current
/// response. When the client leaves, the future that makes its response is dropped.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    service: &Arc<ProofService>,
    router: Router,
    stream: S,
    peer: SocketAddr,
    mut shutdown: watch::Receiver<()>,
) -> hyper::Result<()> {
    let _count = ConnectionCount::new(service.clone());
    let http = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(service.settings.limits.header_timeout)
        .max_buf_size(READ_BUFFER)
        .serve_connection(TokioIo::new(WipingStream(stream)), HttpService { router, peer });
    let mut connection = Connection(Some(http));
    tokio::select! {
        result = &mut connection => return result,
        _ = shutdown.changed() => connection.end_after_response(),
    }
    connection.await
}

/// The router, as hyper calls it.
struct HttpService {
    router: Router,
    peer: SocketAddr,
}

impl hyper::service::Service<Request<Incoming>> for HttpService {
    type Response = Response;
    type Error = Infallible;
    type Future = RouteFuture<Infallible>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let mut request = request.map(|body| Body::new(WipingBody(body)));
        request.extensions_mut().insert(Peer(self.peer));
        // A router is always ready.
        self.router.clone().call(request)
    }
}

type HttpConnection<S> = http1::Connection<TokioIo<WipingStream<S>>, HttpService>;

/// An HTTP connection that wipes its read buffer on drop.
struct Connection<S: AsyncRead + AsyncWrite + Unpin>(Option<HttpConnection<S>>);

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    fn end_after_response(&mut self) {
        if let Some(connection) = &mut self.0 {
            Pin::new(connection).graceful_shutdown();
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Future for Connection<S> {
    type Output = hyper::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(self.0.as_mut().expect("only drop takes it")).poll(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Drop for Connection<S> {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            // Drops a running handler first: its request may hold a view into the buffer.
            let http1::Parts { io, read_buf, service, .. } = connection.into_parts();
            drop((service, io));
            wipe(read_buf);
        }
    }
}

/// Counts a connection while it is open.
struct ConnectionCount(Arc<ProofService>);

impl ConnectionCount {
    fn new(service: Arc<ProofService>) -> Self {
        service.connections.fetch_add(1, Ordering::Relaxed);
        Self(service)
    }
}

impl Drop for ConnectionCount {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
