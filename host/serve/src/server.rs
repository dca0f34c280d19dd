//! The listener, signals and shutdown.
//!
//! 1. Drain: on SIGTERM or SIGINT no more jobs are accepted and `/readyz` fails. All other requests are answered as before.
//! 2. Finish: accepted jobs run to their end. After the grace period, or on a second signal, the remaining ones are cancelled and
//!    their clients are notified.
//! 3. Fetch: for the rest of the grace period kept results can be fetched.
//! 4. Close: each open connection ends after its current response.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{Instant, sleep, timeout_at};
use tracing::{debug, info, warn};

use crate::connection;
use crate::metrics::Summary;
use crate::routes;
use crate::service::ProofService;
use crate::settings::Settings;

/// The time that clients may take to read their last responses.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause after a failed `accept`, most often for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The name of each signal to end.
pub(crate) type Signals = mpsc::UnboundedReceiver<&'static str>;

/// Serves until a signal ends it. Calls `ready` with the address once it listens.
pub fn run(settings: Settings, ready: impl FnOnce(SocketAddr)) -> anyhow::Result<Summary> {
    let service = Arc::new(ProofService::new(settings)?);
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
    runtime.shutdown_timeout(CLOSE_TIMEOUT);
    Ok(summary)
}

fn signals() -> anyhow::Result<Signals> {
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

/// Serves on a listener until a signal ends it.
pub(crate) async fn serve(
    service: &Arc<ProofService>,
    listener: TcpListener,
    mut signals: Signals,
) -> Summary {
    // Each connection holds a receiver while it is open.
    let shutdown = watch::Sender::new(());
    tokio::select! {
        never = accept_all(service, &listener, &shutdown) => match never {},
        () = finish_jobs(service, &mut signals) => {}
    }
    drop(listener);
    shutdown.send_replace(());
    let closed = tokio::time::timeout(CLOSE_TIMEOUT, shutdown.closed()).await;
    if closed.is_err() {
        warn!("clients have not read their last responses");
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

/// Steps 1 to 3 of the shutdown.
async fn finish_jobs(service: &ProofService, signals: &mut Signals) {
    let signal = signals.recv().await.unwrap_or("signals ended");
    service.stop_accepting();
    let end = Instant::now() + service.settings.grace;
    info!(signal, jobs = service.live_jobs().len(), "draining");
    if !completes_before(end, signals, service.all_ended()).await {
        warn!(jobs = service.live_jobs().len(), "cancelling the remaining jobs");
        service.cancel_all();
        service.all_ended().await;
    }
    if !completes_before(end, signals, service.all_fetched()).await {
        warn!(unfetched = service.unfetched(), "results were not fetched");
    }
}

/// Waits, and returns whether that ended before the given time and before the next signal.
async fn completes_before(
    end: Instant,
    signals: &mut Signals,
    wait: impl Future<Output = ()>,
) -> bool {
    tokio::select! {
        biased;
        done = timeout_at(end, wait) => done.is_ok(),
        _ = signals.recv() => false,
    }
}

/// Accepts connections, up to the limit; further ones wait in the queue of the operating system.
async fn accept_all(
    service: &Arc<ProofService>,
    listener: &TcpListener,
    shutdown: &watch::Sender<()>,
) -> Infallible {
    let router = routes::router(service.clone());
    let permits = Arc::new(Semaphore::new(service.settings.limits.connections));
    loop {
        let permit = permits.clone().acquire_owned().await.expect("is never closed");
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (service, router, shutdown) = (service.clone(), router.clone(), shutdown.subscribe());
        tokio::spawn(async move {
            let _permit = permit;
            let served = connection::serve(&service, router, stream, peer, shutdown).await;
            if let Err(error) = served {
                debug!(%peer, %error, "connection failed");
            }
        });
    }
}
