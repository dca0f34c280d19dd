//! Messages: 20 bytes of header, a head of serde's values in postcard's form, and bytes in bulk.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | number of the ticket, little-endian; 0 for messages without a ticket |
//! | 4 | bytes of the head |
//! | 8 | bytes of the bulk, which follow it |
//!
//! A header of zeros alone is a sign of life. Messages are independent of the boundaries of frames.

use std::io::{self, Read};
use std::time::Duration;

use proofmill_op::forms::InterruptForm;
use proofmill_op::{AnyRequest, AnyResponse, Bytes, Caps, Metrics};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::channel::{Receiver, Sender, garbage};
use crate::fault::Fault;

/// A message of a client.
#[derive(Serialize, Deserialize)]
pub enum ClientMessage {
    /// The first message: the client considers the server lost after this many milliseconds of silence.
    Begin { silence: u32 },
    /// A request. Its bytes are in the bulk, or resident.
    Request {
        request: Box<AnyRequest>,
        places: Vec<Place>,
        /// True if the client requests progress reports.
        progress: bool,
    },
    /// The request was cancelled.
    Cancel,
    /// Load the bulk.
    Load,
    /// Drop the data that are resident under this number.
    Release(u64),
    /// Requests the counters.
    Metrics,
}

/// The location of a request's bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Place {
    /// The next bytes of the bulk, in this number.
    Bulk(u64),
    /// Resident on the server.
    Resident(u64),
}

/// A message of a server.
#[derive(Serialize, Deserialize)]
pub enum Reply {
    /// The first message.
    Welcome { caps: Caps, silence: u32, max_bytes: u64 },
    /// The device accepted the request.
    Accepted,
    /// The device refused the request.
    Refused(Fault),
    /// The response. Its bytes are the bulk.
    Response(AnyResponse),
    /// The request failed.
    Failed(Fault),
    /// The response is data of `len` bytes that are resident under this number.
    Resident { number: u64, len: u64 },
    /// The fraction of the work that is done.
    Progress(f64),
    /// An interrupt of a program.
    Sent(InterruptForm),
    /// The counters.
    Metrics(Metrics),
}

/// The largest head of a request: numbers and names.
pub const MAX_HEAD: u32 = 1 << 20;
/// The largest head of a response: verdicts and points.
pub const MAX_RESPONSE_HEAD: u32 = 1 << 28;

const HEADER: usize = 20;

/// The header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub ticket: u64,
    pub head: u32,
    pub bulk: u64,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&self.ticket.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.head.to_le_bytes());
        bytes[12..].copy_from_slice(&self.bulk.to_le_bytes());
        bytes
    }

    /// Reads the next header that is not a sign of life.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        loop {
            let mut bytes = [0; HEADER];
            from.read_exact(&mut bytes)?;
            let [ticket, head, bulk] = [&bytes[..8], &bytes[8..12], &bytes[12..]].map(|part| {
                let mut wide = [0; 8];
                wide[..part.len()].copy_from_slice(part);
                u64::from_le_bytes(wide)
            });
            if bytes != [0; HEADER] {
                return Ok(Self { ticket, head: head as u32, bulk });
            }
        }
    }

    /// Reads the head, of at most `most` bytes.
    pub fn read_head(self, most: u32, from: &mut impl Read) -> io::Result<Vec<u8>> {
        if self.head > most {
            return Err(garbage("a head that is too long"));
        }
        let mut head = Vec::new();
        from.take(self.head.into()).read_to_end(&mut head)?;
        if head.len() < self.head as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(head)
    }
}

/// Decodes a head. Any bytes give a value or an error.
pub fn decode<T: DeserializeOwned>(head: &[u8]) -> io::Result<T> {
    match postcard::take_from_bytes(head) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(garbage("a head with more bytes than its content")),
        Err(error) => Err(garbage(&format!("a malformed head: {error}"))),
    }
}

/// Reads and discards bytes.
pub fn skip(count: u64, from: &mut impl Read) -> io::Result<()> {
    match io::copy(&mut from.take(count), &mut io::sink())? {
        taken if taken == count => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// A message to be sent.
pub struct Message {
    pub ticket: u64,
    head: Vec<u8>,
    bulk: Vec<Bytes>,
}

impl Message {
    /// Returns a message with these bytes in bulk.
    pub fn new(ticket: u64, head: &impl Serialize, bulk: Vec<Bytes>) -> io::Result<Self> {
        let head = postcard::to_stdvec(head).map_err(io::Error::other)?;
        Ok(Self { ticket, head, bulk })
    }

    /// Returns the bytes of the head.
    pub fn head_bytes(&self) -> usize {
        self.head.len()
    }

    /// Sends the message.
    pub fn send(&self, to: &mut Sender) -> io::Result<()> {
        send(to, self.ticket, &self.head, self.bulk.iter().map(|part| &part[..]))
    }
}

/// Sends a message whose bulk is not shared.
pub fn send<'a>(
    to: &mut Sender,
    ticket: u64,
    head: &[u8],
    bulk: impl Iterator<Item = &'a [u8]> + Clone,
) -> io::Result<()> {
    let bytes = bulk.clone().map(|part| part.len() as u64).sum();
    let head_bytes = u32::try_from(head.len()).map_err(io::Error::other)?;
    let header = Header { ticket, head: head_bytes, bulk: bytes };
    to.send(&[&header.to_bytes()[..], head].concat())?;
    bulk.into_iter().try_for_each(|part| to.send(part))
}

/// Sends a sign of life.
pub fn sign_of_life(to: &mut Sender) -> io::Result<()> {
    to.send(&[0; HEADER])
}

/// Reads the first message of the peer: no other message may precede it.
pub fn first<T: DeserializeOwned>(from: &mut Receiver) -> io::Result<T> {
    let header = Header::read(from)?;
    if header.bulk > 0 {
        return Err(garbage("a first message with bytes in bulk"));
    }
    decode(&header.read_head(MAX_HEAD, from)?)
}

/// Converts a time to the milliseconds of a message, at least a tenth of a second and at most an hour.
pub fn milliseconds(time: Duration) -> u32 {
    time.as_millis().clamp(100, 3_600_000) as u32
}

/// Returns the interval of signs of life with which neither of two sides with these limits considers the other lost.
pub fn beat(one: u32, other: u32) -> Duration {
    Duration::from_millis(u64::from(one.min(other).clamp(100, 3_600_000)) / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let header = Header { ticket: 1 << 60, head: 7, bulk: u64::MAX };
        let bytes = [[0; HEADER], header.to_bytes()].concat();
        assert_eq!(Header::read(&mut &bytes[..]).unwrap(), header);
        assert!(Header::read(&mut &bytes[..30]).is_err());
        assert!(header.read_head(6, &mut &[0; 7][..]).is_err());
        assert!(header.read_head(7, &mut &[0; 6][..]).is_err());
        assert_eq!(header.read_head(7, &mut &[0; 7][..]).unwrap(), [0; 7]);
    }
}
