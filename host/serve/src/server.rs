//! Connections, signals, the orderly end.
//!
//! 1. A signal (SIGTERM, SIGINT): no job is accepted any more, `/readyz` says so; everything else is answered as before.
//! 2. Accepted jobs go on until they have ended. After the grace time, or at a second signal, those that are left are given up, and
//!    their clients are told.
//! 3. Answers that are kept can be fetched for the rest of the grace time.
//! 4. Open connections end after their last answer.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{Instrument as _, debug, info, info_span, warn};

use crate::metrics::Summary;
use crate::routes;
use crate::service::Service;
use crate::settings::Settings;

/// Open connections; further ones wait in the system's queue.
const CONNECTIONS: usize = 1024;
/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);
/// Bytes of a connection's buffer, and so of the head of a request.
const BUFFER: usize = 1 << 16;
/// How long the last answers may take to their clients.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long to wait after the system refused a connection: most often there are too many files.
const BREATH: Duration = Duration::from_millis(50);

/// Serves until a signal ends it; `ready` is told the address.
pub fn run(settings: Settings, ready: impl FnOnce(SocketAddr)) -> anyhow::Result<Summary> {
    let service = Arc::new(Service::new(settings)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("proofmill-serve")
        .enable_all()
        .build()
        .context("threads")?;
    let summary = runtime.block_on(async {
        let listen = service.settings.listen;
        let listener = TcpListener::bind(listen).await;
        let listener = listener.with_context(|| format!("--listen: {listen}"))?;
        let signals = signals()?;
        let address = listener.local_addr().context("--listen")?;
        info!(%address, keys = service.keys.len(), "serving");
        ready(address);
        Ok::<_, anyhow::Error>(serve(&service, listener, signals).await)
    })?;
    runtime.shutdown_timeout(LAST_WORDS);
    Ok(summary)
}

/// A word for each signal to end.
fn signals() -> anyhow::Result<mpsc::UnboundedReceiver<&'static str>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    #[cfg(unix)]
    for (kind, name) in [
        (tokio::signal::unix::SignalKind::terminate(), "SIGTERM"),
        (tokio::signal::unix::SignalKind::interrupt(), "SIGINT"),
    ] {
        let mut signal = tokio::signal::unix::signal(kind).context(name)?;
        let sender = sender.clone();
        tokio::spawn(
            async move { while signal.recv().await.is_some() && sender.send(name).is_ok() {} },
        );
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send("ctrl-c").is_ok() {}
    });
    Ok(receiver)
}

async fn serve(
    service: &Arc<Service>,
    listener: TcpListener,
    mut signals: mpsc::UnboundedReceiver<&'static str>,
) -> Summary {
    let connections = GracefulShutdown::new();
    tokio::select! {
        never = accept_all(service, &listener, &connections) => match never {},
        () = until_the_end(service, &mut signals) => {}
    }
    drop(listener);
    let last = tokio::time::timeout(LAST_WORDS, connections.shutdown()).await;
    if last.is_err() {
        warn!("clients have not read their last answers");
    }
    let summary = service.metrics.summary();
    info!(
        accepted = summary.accepted,
        answered = summary.answered,
        failed = summary.failed,
        cancelled = summary.cancelled,
        rejected = summary.rejected,
        unfetched = service.unfetched(),
        "ended"
    );
    summary
}

/// Points 1 to 3 above.
async fn until_the_end(service: &Service, signals: &mut mpsc::UnboundedReceiver<&'static str>) {
    let name = signals.recv().await.unwrap_or("signals ended");
    service.drain();
    let end = Instant::now() + service.settings.grace;
    info!(signal = name, jobs = service.live().len(), "draining");
    if !before(end, signals, service.all_ended()).await {
        warn!(jobs = service.live().len(), "jobs are given up");
        service.give_up_all();
        service.all_ended().await;
    }
    if !before(end, signals, service.all_fetched()).await {
        warn!(unfetched = service.unfetched(), "answers were not fetched");
    }
}

/// Does it end before the time, and before the next signal?
async fn before(
    end: Instant,
    signals: &mut mpsc::UnboundedReceiver<&'static str>,
    wait: impl Future<Output = ()>,
) -> bool {
    tokio::select! {
        biased;
        done = timeout_at(end, wait) => done.is_ok(),
        _ = signals.recv() => false,
    }
}

async fn accept_all(
    service: &Arc<Service>,
    listener: &TcpListener,
    connections: &GracefulShutdown,
) -> Infallible {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = places.clone().acquire_owned().await.expect("is never closed");
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                warn!(%error, "a connection was refused");
                sleep(BREATH).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let served = connections.watch(connection(service.clone(), stream, peer));
        let open = Open::new(service.clone());
        tokio::spawn(async move {
            let _held = (place, open);
            if let Err(error) = served.await {
                debug!(%peer, %error, "a connection broke");
            }
        });
    }
}

/// Requests of a connection, one after another. When the client goes away, the future of its answer is dropped.
fn connection(
    service: Arc<Service>,
    stream: TcpStream,
    peer: SocketAddr,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    let answer = move |request| {
        let service = service.clone();
        async move {
            let number = service.next_request();
            let span = info_span!("request", request = number, %peer);
            Ok::<_, Infallible>(routes::answer(&service, request).instrument(span).await)
        }
    };
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service_fn(answer))
}

/// Counts a connection while it is open.
struct Open(Arc<Service>);

impl Open {
    fn new(service: Arc<Service>) -> Self {
        service.connections.fetch_add(1, Ordering::Relaxed);
        Self(service)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
