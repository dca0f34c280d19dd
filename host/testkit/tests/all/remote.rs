//! Remote devices over loopback: the suite, and faults of the connection.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::conformance::conforms;
use crate::support;
use proofmill_op::Token;
use proofmill_op::msm::{self, Bases, Curve, Group, Instance};
use proofmill_op::{
    AnyCompleter, AnyRequest, AnyTicket, Argument, Cancel, Capability, Caps, Data, Device,
    DeviceKind, Error, Metrics, Progress, ResidentData, Result, Submit, Ticket, ecdsa_verify, ntt,
};
use proofmill_remote::{Limits, Options, RemoteDevice, Running, Server};
use proofmill_testkit::random::Random;

const TOKEN: &str = "correct-horse-battery";

fn token() -> Option<Token> {
    Some(Token::new(TOKEN).unwrap())
}

/// Serves a device at an address.
fn serve_at(address: SocketAddr, device: Box<dyn Device>, limits: Limits) -> Running {
    Server::bind(address, Arc::from(device), token(), limits).unwrap().start().unwrap()
}

fn serve(device: Box<dyn Device>, limits: Limits) -> Running {
    serve_at("127.0.0.1:0".parse().unwrap(), device, limits)
}

fn cpu() -> Box<dyn Device> {
    proofmill_device::open("cpu:?threads=1").unwrap()
}

fn options(address: SocketAddr) -> Options {
    let address = address.to_string();
    Options { token: token(), ..Options::new(format!("tcp://{address}"), address) }
}

fn client(server: &Running) -> RemoteDevice {
    RemoteDevice::open(options(server.address())).unwrap()
}

fn problem(options: Options) -> Error {
    RemoteDevice::open(options).expect_err("it is no device of ours")
}

fn signatures(count: usize) -> ecdsa_verify::Request {
    ecdsa_verify::Request::new(vec![0; count * ecdsa_verify::SIGNATURE_BYTES])
}

/// A limit that only a hung test reaches, on a busy machine, too.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until a condition is true.
fn soon(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A device that holds its requests and never responds.
struct Holds {
    caps: Caps,
    kept: Arc<Mutex<Vec<AnyCompleter>>>,
}

impl Holds {
    fn new() -> (Box<Self>, Arc<Mutex<Vec<AnyCompleter>>>) {
        let mut caps = Caps::new("holds:", DeviceKind::Card, "holds requests");
        caps.capabilities.push(Capability::EcdsaVerify);
        let kept = Arc::new(Mutex::new(Vec::new()));
        (Box::new(Self { caps, kept: kept.clone() }), kept)
    }
}

impl Device for Holds {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, _: Data) -> Result<ResidentData> {
        Err(Error::argument("data", "cannot be resident"))
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        let (completer, ticket) = request.ticket(Cancel::new());
        self.kept.lock().unwrap().push(completer);
        Ok(ticket)
    }

    fn metrics(&self) -> Metrics {
        Metrics::default()
    }
}

#[test]
fn a_remote_processor_conforms() {
    let server = serve(proofmill_device::open("cpu:").unwrap(), Limits::default());
    conforms(&client(&server));
    soon("everything is released", || server.held_bytes() == 0);
}

#[test]
fn a_remote_simulation_conforms() {
    let Some(simulation) = support::simulation("toy") else { return };
    let server = serve(proofmill_device::open(&simulation.uri()).unwrap(), Limits::default());
    conforms(&client(&server));
}

/// Four clients at a time, each with several requests outstanding.
#[test]
fn clients_receive_their_own_responses() {
    let server = serve(cpu(), Limits::default());
    thread::scope(|scope| {
        for number in 0..4 {
            let server = &server;
            scope.spawn(move || {
                let device = client(server);
                let tickets: Vec<_> = (0..40)
                    .map(|turn| (turn, device.submit(signatures(turn + 40 * number)).unwrap()))
                    .collect();
                for (turn, ticket) in tickets {
                    let response = ticket.wait().unwrap();
                    assert_eq!(response.verdicts.len(), turn + 40 * number);
                }
            });
        }
    });
    assert_eq!(server.served(), (4, 160));
}

#[test]
fn a_server_that_is_killed_fails_every_ticket_and_the_next_request_connects_again() {
    let (device, kept) = Holds::new();
    let mut server = serve(device, Limits::default());
    let device = client(&server);
    let tickets: Vec<_> = (0..8).map(|_| device.submit(signatures(1)).unwrap()).collect();
    assert_eq!(kept.lock().unwrap().len(), 8);
    server.stop();
    for ticket in tickets {
        let error = ticket.wait().unwrap_err();
        assert!(matches!(&error, Error::Lost { device, .. } if device.starts_with("tcp://")));
    }
    soon("the requests are cancelled on the device", || {
        kept.lock().unwrap().iter().all(AnyCompleter::is_cancelled)
    });
    let error = device.submit(signatures(1)).unwrap_err();
    assert!(matches!(error, Error::Lost { .. }), "{error}");
    let _again = serve_at(server.address(), cpu(), Limits::default());
    device.submit(signatures(1)).unwrap().wait().unwrap();
}

/// Resident data are loaded again after a new connection.
#[test]
fn resident_bytes_and_bases_survive_the_server() {
    let instance = Instance::new(Curve::Bn254, Group::G1);
    // (1, 2) is the generator.
    let point: Vec<u8> = (0..64).map(|i| u8::from(i == 0) + 2 * u8::from(i == 32)).collect();
    let mut server = serve(cpu(), Limits::default());
    let device = client(&server);
    let bytes = device.load(vec![0; ecdsa_verify::SIGNATURE_BYTES].into()).unwrap();
    let bases = Bases::new(instance, point.clone());
    let resident = device.submit(bases).unwrap().wait().unwrap();
    let held = server.held_bytes();
    assert!(held >= 64 + 160, "{held}");
    let uses_both = || {
        let one: Vec<u8> = (0..32).map(|i| u8::from(i == 0)).collect();
        let request = msm::Request::new(Bases::resident(instance, resident.clone()), one);
        let response = device.submit(request).unwrap().wait().unwrap();
        assert_eq!(response.points, std::slice::from_ref(&point));
        let request = ecdsa_verify::Request { signatures: Data::Resident(bytes.clone()) };
        device.submit(request).unwrap().wait().unwrap();
    };
    uses_both();
    server.stop();
    let server = serve_at(server.address(), cpu(), Limits::default());
    soon("the client sees the end", || device.round_trip().is_ok());
    uses_both();
    uses_both();
    soon("it is resident once", || server.held_bytes() == held);
    drop((resident, bytes));
    soon("it is released", || server.held_bytes() == 0);
}

/// Returns the address of a proxy of a server, and a switch that stops it.
fn between(server: SocketAddr) -> (SocketAddr, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let is_mute = Arc::new(AtomicBool::new(false));
    let mute = is_mute.clone();
    thread::spawn(move || {
        for from in listener.incoming().flatten() {
            let to = TcpStream::connect(server).unwrap();
            let pairs = [(&from, &to), (&to, &from)].map(|(from, to)| {
                (from.try_clone().unwrap(), to.try_clone().unwrap(), mute.clone())
            });
            for (mut from, mut to, mute) in pairs {
                thread::spawn(move || {
                    let mut buffer = [0; 4096];
                    while let Ok(count @ 1..) = from.read(&mut buffer) {
                        while mute.load(Ordering::SeqCst) {
                            thread::sleep(Duration::from_millis(20));
                        }
                        if to.write_all(&buffer[..count]).is_err() {
                            break;
                        }
                    }
                });
            }
        }
    });
    (address, is_mute)
}

/// Returns a client of a server that holds requests, and tickets that have waited for twice as long as its time-out. A busy machine may delay
/// signs of life for longer than a short time-out, so that longer ones follow.
fn waits(address: SocketAddr) -> (RemoteDevice, Vec<Ticket<ecdsa_verify::Response>>) {
    for timeout in [2, 10, 60].map(Duration::from_secs) {
        let Ok(device) = RemoteDevice::open(Options { timeout, ..options(address) }) else {
            continue;
        };
        let submitted: Result<Vec<_>> = (0..3).map(|_| device.submit(signatures(1))).collect();
        let Ok(mut tickets) = submitted else { continue };
        thread::sleep(2 * timeout);
        if tickets.iter_mut().all(|ticket| ticket.poll().is_none()) {
            return (device, tickets);
        }
    }
    panic!("the time-out passes although the server is alive");
}

#[test]
fn silence_fails_every_ticket_in_time_and_signs_of_life_do_not() {
    let (device, kept) = Holds::new();
    let server = serve(device, Limits::default());
    let (address, is_mute) = between(server.address());
    let (device, tickets) = waits(address);
    is_mute.store(true, Ordering::SeqCst);
    for ticket in tickets {
        let response = ticket.wait_timeout(PATIENCE).expect("in time");
        assert!(matches!(response, Err(Error::TimedOut { .. })), "{response:?}");
    }
    is_mute.store(false, Ordering::SeqCst);
    drop(device);
    soon("they are cancelled on the server", || {
        kept.lock().unwrap().iter().all(AnyCompleter::is_cancelled)
    });
}

#[test]
fn a_cancelled_ticket_is_cancelled_on_the_server() {
    let (device, kept) = Holds::new();
    let server = serve(device, Limits::default());
    let device = client(&server);
    let [one, two] = [1, 2].map(|count| device.submit(signatures(count)).unwrap());
    assert_eq!(server.held_bytes(), 3 * ecdsa_verify::SIGNATURE_BYTES as u64);
    one.cancel();
    soon("it is cancelled on the device", || kept.lock().unwrap()[0].is_cancelled());
    assert!(!kept.lock().unwrap()[1].is_cancelled());
    soon("its bytes are free", || server.held_bytes() == 2 * ecdsa_verify::SIGNATURE_BYTES as u64);
    assert!(matches!(one.wait(), Err(Error::Cancelled)));
    drop(two);
    soon("a dropped one, too", || server.held_bytes() == 0);
}

#[test]
fn progress_is_transmitted_and_memory_is_reused() {
    let server = serve(cpu(), Limits::default());
    let device = client(&server);
    let reports = Arc::new(AtomicUsize::new(0));
    let count = reports.clone();
    let elements = vec![0; 8 << 12];
    let memory = Vec::with_capacity(8 << 13);
    let place = memory.as_ptr();
    let request = ntt::Request {
        progress: Some(Progress(Arc::new(move |done| {
            assert!((0.0..=1.0).contains(&done));
            count.fetch_add(1, Ordering::SeqCst);
        }))),
        ..ntt::Request::forward(ntt::Field::Goldilocks, elements).with_buffer(memory)
    };
    let response = device.submit(request).unwrap().wait().unwrap();
    assert_eq!((response.elements.len(), response.elements.as_ptr()), (8 << 12, place));
    assert!(reports.load(Ordering::SeqCst) > 0);
}

#[test]
fn a_wrong_token_is_named() {
    let server = serve(cpu(), Limits::default());
    let other = Some(Token::new("another-horse-battery").unwrap());
    let found = problem(Options { token: other, ..options(server.address()) }).to_string();
    assert!(
        found.starts_with("token: is not that of the server at 127.0.0.1:")
            && found.ends_with("has another one, or none"),
        "{found}"
    );
    let found = problem(Options { token: None, ..options(server.address()) }).to_string();
    assert!(found.starts_with("token: ") && found.contains("token_file"), "{found}");

    let open =
        Server::bind("127.0.0.1:0".parse().unwrap(), Arc::from(cpu()), None, Limits::default());
    let open = open.unwrap().start().unwrap();
    let found = problem(options(open.address())).to_string();
    assert!(found.ends_with("has another one, or none"), "{found}");
    RemoteDevice::open(Options { token: None, ..options(open.address()) }).unwrap();

    for beyond in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let server =
            Server::bind(beyond.parse().unwrap(), Arc::from(cpu()), None, Limits::default());
        let found = server.err().expect("no server listens there without a token").to_string();
        assert!(found.starts_with("token: ") && found.contains(beyond), "{found}");
    }
}

/// Returns the address of a program that sends these bytes to every client.
fn sends(words: &[u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let words = words.to_vec();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut first = [0; 18];
            let _ = stream.read_exact(&mut first).and_then(|()| stream.write_all(&words));
            // The client reads to the end of it before the connection is reset.
            let _ = stream.shutdown(Shutdown::Write);
            while let Ok(1..) = stream.read(&mut first) {}
        }
    });
    address
}

#[test]
fn another_protocol_at_the_port_is_named() {
    let hello = b"proofmill-device";
    for (words, part) in [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "speaks HTTP"),
        (b"SSH-2.0-OpenSSH\r\n".to_vec(), "uses another protocol (it sent 'SSH-2.0-OpenSSH"),
        (b"".to_vec(), "ended the connection before it began"),
        (hello.to_vec(), "another protocol"),
        ([&hello[..], &[7, 0]].concat(), "uses version 7 of the protocol"),
        ([&hello[..], &[3, 0, 2]].concat(), "as many clients as it may have"),
        ([&hello[..], &[3, 0, 1]].concat(), "token: "),
        ([&hello[..], &[3, 0, 0, 48, 0], &[9; 48]].concat(), "token: "),
        ([&hello[..], &[3, 0, 0, 255, 255], &[9; 48]].concat(), "a handshake of another length"),
    ] {
        let found = problem(options(sends(&words))).to_string();
        assert!(found.contains(part), "{}: {found}", words.escape_ascii());
    }
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_millis(300);
    let found = problem(Options { timeout, ..options(silent.local_addr().unwrap()) });
    assert!(matches!(found, Error::TimedOut { .. }), "{found}");
}

#[test]
fn limits_are_named_and_the_connection_continues() {
    let (device, _kept) = Holds::new();
    let limits = Limits {
        clients: 1,
        requests: 3,
        request_bytes: 4 * 160,
        memory_bytes: 6 * 160,
        ..Limits::default()
    };
    let server = serve(device, limits);
    let device = client(&server);
    let found = problem(options(server.address())).to_string();
    assert!(found.contains("as many clients as it may have"), "{found}");

    let found = device.submit(signatures(5)).unwrap_err();
    assert!(found.is_about(Argument::Named("request")), "{found}");
    assert!(found.to_string().ends_with("takes at most 640"), "{found}");
    let four = device.submit(signatures(4)).unwrap();
    let found = device.submit(signatures(3)).unwrap_err();
    assert!(matches!(found, Error::Failed { .. }), "{found}");
    assert!(found.to_string().contains("no memory for this request"), "{found}");
    let rest = [1, 1].map(|count| device.submit(signatures(count)).unwrap());
    let found = device.submit(signatures(0)).unwrap_err().to_string();
    assert!(found.contains("3 requests of this client are under way"), "{found}");
    drop((four, rest));
    soon("memory is free again", || server.held_bytes() == 0);
    drop(device.submit(signatures(4)).unwrap());
    drop(device);
    soon("another client may connect", || RemoteDevice::open(options(server.address())).is_ok());
}

/// Random bytes disturb no other client, and the server holds none of them.
#[test]
fn a_server_survives_random_bytes() {
    let server = serve(cpu(), Limits::default());
    let good = client(&server);
    let mut random = Random::new(29);
    let mut hello = b"proofmill-device".to_vec();
    hello.extend([1, 0, 48, 0]);
    for turn in 0..300 {
        let Ok(mut stream) = TcpStream::connect(server.address()) else { continue };
        let count = random.below(if turn % 10 == 0 { 100_000 } else { 100 }) as usize;
        let mut bytes = random.bytes(count);
        let whole = random.below(hello.len() as u64 + 1) as usize;
        if turn % 3 > 0 {
            bytes.splice(0..0, hello[..whole].iter().copied());
        } else if turn % 2 == 0 {
            bytes.splice(0..0, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".iter().copied());
        }
        let _ = stream.write_all(&bytes);
    }
    good.submit(signatures(3)).unwrap().wait().unwrap();
    soon("the other clients are gone", || RemoteDevice::open(options(server.address())).is_ok());
    assert_eq!(server.held_bytes(), 0);
}
