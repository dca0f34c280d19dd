//! Tests of the whole service over sockets, in one process.

mod access;
mod client;
mod inputs;
mod metrics;
mod openmetrics;
mod shutdown;
mod upload;
mod wiped;

use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofmill::Token;
use proofmill::groth16::Curve;
use proofmill::groth16::dev::{Circuit, Statement};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::server;
use crate::service::ProofService;
use crate::{Limits, NamedKey, Settings, Summary};

use client::Client;

/// Longer than any step of a test takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A service with the key `chain`, on threads of its own.
struct Running {
    service: Arc<ProofService>,
    address: SocketAddr,
    witness: Vec<u8>,
    signals: mpsc::UnboundedSender<&'static str>,
    served: JoinHandle<Summary>,
    runtime: Runtime,
}

/// What differs from test to test.
struct Options {
    queue: usize,
    workers: usize,
    token: Option<&'static str>,
    limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { queue: 8, workers: 1, token: None, limits: Limits::default() }
    }
}

impl Running {
    fn start(options: Options) -> Self {
        let folder = TempDir::new().unwrap();
        let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 100 }).unwrap();
        let file = folder.path().join("chain.zkey");
        circuit.write_insecure_key(b"serve", &mut File::create(&file).unwrap()).unwrap();
        let mut witness = Vec::new();
        circuit.write_witness(&mut witness).unwrap();
        let keys = vec![format!("chain={}", file.display()).parse().unwrap()];
        Self::with_keys(keys, witness, options)
    }

    fn settings(keys: Vec<NamedKey>, options: Options) -> Settings {
        Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            token: options.token.map(|it| Token::new(it).unwrap()),
            keys,
            device: "cpu:".parse().unwrap(),
            fallback: "cpu:".parse().unwrap(),
            queue: options.queue,
            workers: options.workers,
            grace: Duration::from_secs(3600),
            limits: options.limits,
        }
    }

    /// Starts a service with these keys.
    fn with_keys(keys: Vec<NamedKey>, witness: Vec<u8>, options: Options) -> Self {
        let service = Arc::new(ProofService::new(Self::settings(keys, options)).unwrap());
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (signals, received) = mpsc::unbounded_channel();
        let shared = service.clone();
        let served = runtime.spawn(async move { server::serve(&shared, listener, received).await });
        Self { service, address, witness, signals, served, runtime }
    }

    fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Waits until a condition holds.
    #[track_caller]
    fn wait_until(&self, condition: impl Fn(&ProofService) -> bool) {
        let start = Instant::now();
        while !condition(&self.service) {
            assert!(start.elapsed() < PATIENCE);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Signals the service to end, and waits for its end.
    fn end(self) -> Summary {
        self.signals.send("test").unwrap();
        self.runtime.block_on(self.served).unwrap()
    }
}
