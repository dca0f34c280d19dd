//! The server: passes the requests of clients to a device.

mod budget;
#[cfg(test)]
mod hostile;
mod session;

use std::collections::HashMap;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use proofmill_op::{Device, Error, Result, Token};

use budget::Budget;

/// The limits of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Simultaneous connections.
    pub clients: usize,
    /// Outstanding requests of one connection.
    pub requests: usize,
    /// Bytes of data of one request.
    pub request_bytes: u64,
    /// Bytes of the data of all outstanding requests and of all resident data. Working sets and responses are not included.
    pub memory_bytes: u64,
    /// The time after which a silent client is considered lost; 0.1 s to 1 h.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            clients: 64,
            requests: 1024,
            request_bytes: 1 << 30,
            memory_bytes: 4 << 30,
            timeout: Duration::from_secs(10),
        }
    }
}

/// The state that all connections share.
struct Shared {
    device: Arc<dyn Device>,
    token: Option<Token>,
    limits: Limits,
    budget: Arc<Budget>,
    is_over: AtomicBool,
    clients: Mutex<HashMap<u64, TcpStream>>,
    served: AtomicU64,
    requests: AtomicU64,
}

impl Shared {
    fn clients(&self) -> MutexGuard<'_, HashMap<u64, TcpStream>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that listens but does not accept clients yet.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens on an address for a device. An address that is not loopback requires a token.
    pub fn bind(
        listen: SocketAddr,
        device: Arc<dyn Device>,
        token: Option<Token>,
        limits: Limits,
    ) -> Result<Self> {
        if !listen.ip().is_loopback() && token.is_none() {
            let problem =
                format!("{listen} can be reached from other machines, so there must be a token");
            return Err(Error::argument("token", problem));
        }
        let listener = TcpListener::bind(listen).map_err(|error| Error::Io {
            context: format!("listen: {listen}"),
            source: Arc::new(error),
        })?;
        let shared = Shared {
            device,
            token,
            limits,
            budget: Budget::new(limits.memory_bytes),
            is_over: AtomicBool::new(false),
            clients: Mutex::default(),
            served: AtomicU64::new(0),
            requests: AtomicU64::new(0),
        };
        Ok(Self { listener, shared: Arc::new(shared) })
    }

    /// Returns the address on which it listens.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener
            .local_addr()
            .map_err(|error| Error::Io { context: "listen".into(), source: Arc::new(error) })
    }

    /// Serves clients, each in a thread, until it is stopped.
    pub fn start(self) -> Result<Running> {
        let address = self.address()?;
        let (shared, listener) = (self.shared.clone(), self.listener);
        let accepting = thread::Builder::new().name("remote-accept".into());
        let accepting = accepting.spawn(move || accept_all(&listener, &shared));
        let accepting = accepting.map_err(|error| Error::Io {
            context: "a thread for connections".into(),
            source: Arc::new(error),
        })?;
        Ok(Running { address, shared: self.shared, accepting: Some(accepting) })
    }
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    for number in 0.. {
        let accepted = listener.accept();
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            // Too many open files, for example: connections that end free some.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        // Up to twice the limit are accepted, so that the excess clients receive the refusal.
        let open = shared.clients().len();
        if open >= 2 * shared.limits.clients {
            continue;
        }
        let Ok(kept) = stream.try_clone() else { continue };
        shared.clients().insert(number, kept);
        let in_thread = shared.clone();
        let has_capacity = open < shared.limits.clients;
        let started = thread::Builder::new().name("remote-client".into()).spawn(move || {
            let gone = Gone { shared: &in_thread, number };
            session::serve(stream, &in_thread, has_capacity);
            drop(gone);
        });
        if started.is_err() {
            shared.clients().remove(&number);
        }
    }
}

/// Removes a client when its thread ends for any reason.
struct Gone<'a> {
    shared: &'a Shared,
    number: u64,
}

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        let stream = self.shared.clients().remove(&self.number);
        if let Some(stream) = stream {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A running server. Dropping it stops it.
pub struct Running {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Running {
    /// Returns the address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of welcomed clients and of accepted requests.
    pub fn served(&self) -> (u64, u64) {
        (self.shared.served.load(Ordering::Relaxed), self.shared.requests.load(Ordering::Relaxed))
    }

    /// Returns the bytes of outstanding requests and of resident data.
    pub fn held_bytes(&self) -> u64 {
        self.shared.budget.held()
    }

    /// Closes all connections and the listener; outstanding requests are cancelled.
    pub fn stop(&mut self) {
        let Some(accepting) = self.accepting.take() else { return };
        self.shared.is_over.store(true, Ordering::SeqCst);
        // A connection ends the call of `accept`.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(match own {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        if TcpStream::connect_timeout(&own, Duration::from_secs(1)).is_ok() {
            let _ = accepting.join();
        }
        for stream in self.shared.clients().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Running").field(&self.address).finish()
    }
}
