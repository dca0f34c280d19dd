//! `keccak256`: Keccak-256 of messages, as Ethereum uses it (the original padding of Keccak, not that of FIPS 202).
//!
//! The messages of a request have the same length and follow each other; digests are [`DIGEST_BYTES`] bytes each.

pub use proofmill_algebra::keccak256::DIGEST_BYTES;

use crate::{Argument, Capability, Data, Error, Operation, Progress, Result, SecretBytes};

/// Messages to hash.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The bytes of a message, at least 1.
    pub message_bytes: usize,
    /// The messages one after the other.
    pub messages: Data,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// Returns the request for messages of `message_bytes` bytes each.
    pub fn new(message_bytes: usize, messages: impl Into<Data>) -> Self {
        Self { message_bytes, messages: messages.into(), progress: None }
    }

    /// Returns the number of messages; an error if the bytes are not a whole number of them.
    pub fn count(&self) -> Result<usize> {
        let (bytes, each) = (self.messages.len(), self.message_bytes);
        if each == 0 {
            return Err(Error::argument("message_bytes", "is 0; expected at least 1"));
        }
        if !bytes.is_multiple_of(each) {
            let problem = format!("{bytes} bytes are not a whole number of {each}-byte messages");
            return Err(Error::argument(Argument::Named("messages"), problem));
        }
        Ok(bytes / each)
    }
}

/// The digests.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// A digest of [`DIGEST_BYTES`] bytes for each message.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub digests: Vec<u8>,
}

/// Shows the length only: messages may be secret.
impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Response({} bytes)", self.digests.len())
    }
}

/// Keccak-256 hashes.
pub struct Keccak256;

impl Operation for Keccak256 {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "keccak256";

    fn capability(_: &Request) -> Capability {
        Capability::Keccak256
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.messages]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response == other
    }

    fn progress_mut(request: &mut Request) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    fn items(request: &Request) -> Result<Option<usize>> {
        request.count().map(Some)
    }

    fn join(_: &Request, parts: Vec<Response>) -> Response {
        Response { digests: parts.into_iter().flat_map(|part| part.digests).collect() }
    }

    fn take_bytes(response: &mut Response) -> Option<SecretBytes> {
        Some(std::mem::take(&mut response.digests).into())
    }

    fn put_bytes(response: &mut Response, bytes: SecretBytes) {
        response.digests = bytes.into_plain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_named() {
        assert_eq!(Request::new(3, vec![0; 6]).count().unwrap(), 2);
        assert_eq!(Request::new(3, vec![]).count().unwrap(), 0);
        let problem =
            |each, bytes| Request::new(each, vec![0; bytes]).count().unwrap_err().to_string();
        assert_eq!(problem(0, 6), "message_bytes: is 0; expected at least 1");
        assert_eq!(problem(4, 6), "messages: 6 bytes are not a whole number of 4-byte messages");
    }
}
