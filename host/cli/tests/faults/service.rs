//! Faults of clients of the service: each gets a proof that verifies or an error, and disturbs no other client.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use proofmill_serve::{Limits, Settings};
use proofmill_testkit::boards::Folder;
use proofmill_testkit::random::Random;

use crate::provers::files;
use crate::{Case, DEADLINE, End};

/// What a client does.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// It closes the connection in the middle of the body.
    Cuts,
    /// It sends a whole request and closes the connection without reading the response.
    Vanishes,
    /// It pauses in the middle of the body for longer than the service allows.
    Pauses,
    /// A bit of its witness is flipped.
    FlipsWitness,
    /// It sends random bytes.
    Garbage,
    /// Its deadline is over at once.
    Deadline,
}

const FAULTS: [Fault; 6] = [
    Fault::Cuts,
    Fault::Vanishes,
    Fault::Pauses,
    Fault::FlipsWitness,
    Fault::Garbage,
    Fault::Deadline,
];
/// The longest time of a body.
const BODY: Duration = Duration::from_secs(5);

/// Returns the address of the service, which ends with the process.
fn service() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let (sender, started) = mpsc::channel();
        thread::spawn(move || {
            let folder = Folder::new("faults").unwrap();
            let key = folder.path().join("chain.zkey");
            std::fs::write(&key, &files().0).unwrap();
            let settings = Settings {
                listen: "127.0.0.1:0".parse().unwrap(),
                token: None,
                keys: vec![format!("chain={}", key.display()).parse().unwrap()],
                device: "cpu:?threads=1".parse().unwrap(),
                fallback: "cpu:?threads=1".parse().unwrap(),
                queue: 8,
                workers: 1,
                grace: Duration::from_secs(60),
                limits: Limits { body_timeout: BODY, ..Limits::default() },
            };
            proofmill_serve::run(settings, |address| sender.send(address).unwrap()).unwrap();
        });
        started.recv_timeout(DEADLINE).expect("the service starts")
    })
}

fn connect() -> TcpStream {
    let stream = TcpStream::connect(service()).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

fn head(path: &str, length: usize) -> Vec<u8> {
    let lines = ["Host: localhost", "Connection: close"].join("\r\n");
    format!("POST {path} HTTP/1.1\r\n{lines}\r\nContent-Length: {length}\r\n\r\n").into_bytes()
}

/// Returns status and body of a response; status 0 if the service closed the connection without one.
fn response(mut stream: TcpStream) -> (u16, Vec<u8>) {
    let mut bytes = Vec::new();
    // A reset ends the response as the end of the stream does.
    let _ = stream.read_to_end(&mut bytes);
    let status = bytes.get(9..12).and_then(|text| str::from_utf8(text).ok()?.parse().ok());
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    (status.unwrap_or(0), bytes.split_off(end.map_or(bytes.len(), |end| end + 4)))
}

fn request(path: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = connect();
    // A rejected request may be closed before its end.
    let _ = stream.write_all(&[&head(path, body.len()), body].concat());
    response(stream)
}

/// Judges a response to a request for a proof.
fn judged((status, body): (u16, Vec<u8>)) -> Result<End, String> {
    match status {
        200 => match request("/v1/verify/chain", &body) {
            (200, text) if text.windows(4).any(|it| it == b"true") => Ok(End::Right),
            (status, text) => {
                Err(format!("not a proof: {status} {}", String::from_utf8_lossy(&text)))
            }
        },
        0 | 400..=599 => Ok(End::Refused),
        other => Err(format!("status {other}")),
    }
}

/// A fault of one client; then another client gets a proof.
pub fn client(random: &mut Random) -> Case {
    const PROVE: &str = "/v1/prove/chain";
    let fault = *random.pick(&FAULTS);
    let mut witness = files().1.clone();
    let whole = [&head(PROVE, witness.len())[..], &witness[..]].concat();
    let at = 1 + random.below(whole.len() as u64 - 1) as usize;
    let mut stream = connect();
    let end = match fault {
        Fault::Cuts | Fault::Vanishes => {
            let sent = if matches!(fault, Fault::Cuts) { at } else { whole.len() };
            stream.write_all(&whole[..sent]).unwrap();
            stream.shutdown(Shutdown::Both).unwrap();
            Ok(End::Refused)
        }
        Fault::Pauses => {
            let head = whole.len() - witness.len();
            stream.write_all(&whole[..head + at % witness.len()]).unwrap();
            match judged(response(stream)) {
                Ok(End::Refused) => Ok(End::Refused),
                other => Err(format!("half a witness was answered: {other:?}")),
            }
        }
        Fault::FlipsWitness => {
            let at = at % witness.len();
            witness[at] ^= 1 << random.below(8);
            judged(request(PROVE, &witness))
        }
        Fault::Garbage => {
            let count = 1 + at % 300;
            // It may close the connection before the end.
            let _ = stream.write_all(&random.bytes(count));
            let _ = stream.shutdown(Shutdown::Write);
            judged(response(stream))
        }
        Fault::Deadline => judged(request("/v1/prove/chain?deadline_ms=1", &witness)),
    };
    let end = end.and_then(|end| match judged(request(PROVE, &files().1)) {
        Ok(End::Right) => Ok(end),
        other => Err(format!("then another client got no proof: {other:?}")),
    });
    Case::new("serve", fault, end)
}
