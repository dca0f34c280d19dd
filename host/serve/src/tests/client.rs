//! A client that controls each byte it sends.

use std::io::{ErrorKind, IoSlice, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::PATIENCE;

/// A connection to the service.
pub struct Client(TcpStream);

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Lower case.
    pub head: String,
    pub body: String,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(stream)
    }

    /// Sends bytes. Returns false once the service has closed the connection.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).is_ok()
    }

    /// Sends the head of a request, with more lines.
    pub fn send_head(&mut self, request: &str, lines: &[&str]) {
        let mut head = format!("{request} HTTP/1.1\r\n");
        if !lines.iter().any(|line| line.starts_with("Host:")) {
            head += "Host: localhost\r\n";
        }
        lines.iter().for_each(|line| head += &format!("{line}\r\n"));
        assert!(self.send(format!("{head}\r\n").as_bytes()));
    }

    /// Sends the head of a request and a body in one piece, without a copy of the body.
    pub fn send_with_head(&mut self, request: &str, length: usize, body: &[u8]) {
        let head =
            format!("{request} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n");
        let slices = [IoSlice::new(head.as_bytes()), IoSlice::new(body)];
        let sent = self.0.write_vectored(&slices).unwrap();
        assert!(self.send(&body[sent.checked_sub(head.len()).unwrap()..]));
    }

    /// Sends the head of a request with a chunked body.
    pub fn send_chunked_head(&mut self, request: &str) {
        self.send_head(request, &["Transfer-Encoding: chunked"]);
    }

    /// Sends one chunk; an empty one ends the body.
    pub fn send_chunk(&mut self, bytes: &[u8]) -> bool {
        let size = format!("{:x}\r\n", bytes.len());
        self.send(size.as_bytes()) && self.send(bytes) && self.send(b"\r\n")
    }

    /// Sends a request with its length and reads the response.
    pub fn request(&mut self, request: &str, body: &[u8]) -> Response {
        self.request_with(request, &[], body)
    }

    pub fn request_with(&mut self, request: &str, lines: &[&str], body: &[u8]) -> Response {
        let length = format!("Content-Length: {}", body.len());
        self.send_head(request, &[lines, &[&length]].concat());
        self.send(body);
        self.response()
    }

    /// Returns whether the service has sent something within the given time.
    pub fn hears_within(&mut self, time: Duration) -> bool {
        self.0.set_read_timeout(Some(time)).unwrap();
        let heard = match self.0.peek(&mut [0]) {
            Ok(_) => true,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        };
        self.0.set_read_timeout(Some(PATIENCE)).unwrap();
        heard
    }

    /// Sends a request whose response has no body, and returns its status.
    pub fn head(&mut self, path: &str) -> u16 {
        self.send_head(&format!("HEAD {path}"), &[]);
        let (received, head_end) = self.read_head();
        assert_eq!(received.len(), head_end + 4, "{received:?}");
        let head = String::from_utf8(received).unwrap();
        head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Returns what was read, and where the head ends in it.
    fn read_head(&mut self) -> (Vec<u8>, usize) {
        let mut received = Vec::new();
        loop {
            if let Some(end) = received.windows(4).position(|it| it == b"\r\n\r\n") {
                return (received, end);
            }
            assert!(self.read(&mut received), "closed: {received:?}");
        }
    }

    /// Reads one response by its length.
    pub fn response(&mut self) -> Response {
        let (mut received, head_end) = self.read_head();
        let head = String::from_utf8(received[..head_end].to_vec()).unwrap().to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let end = head_end + 4 + length.map_or(0, |it| it.parse::<usize>().unwrap());
        while received.len() < end {
            assert!(self.read(&mut received), "closed: {head}");
        }
        let body = String::from_utf8(received[head_end + 4..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head, body }
    }

    /// Returns whether the service closes the connection without another byte.
    pub fn is_closed(&mut self) -> bool {
        !self.read(&mut Vec::new())
    }

    fn read(&mut self, into: &mut Vec<u8>) -> bool {
        let mut part = [0; 4096];
        let count = self.0.read(&mut part).unwrap_or(0);
        into.extend_from_slice(&part[..count]);
        count > 0
    }

    /// Sends no more; responses can still be read.
    pub fn end_sending(&mut self) {
        self.0.shutdown(Shutdown::Write).unwrap();
    }
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the status and the error message.
    #[track_caller]
    pub fn expect_error(&self, status: u16, message: &str) -> &Self {
        assert_eq!((self.status, self.json()["error"].as_str()), (status, Some(message)));
        self
    }

    /// Asserts a line of the head.
    #[track_caller]
    pub fn expect_header(&self, line: &str) -> &Self {
        assert!(self.head.lines().any(|it| it == line), "{line}: {self:?}");
        self
    }
}
