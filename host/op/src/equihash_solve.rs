//! `equihash_solve`: finds the solutions of block headers, for miners and test networks.
//!
//! A header is its 140 bytes before the solution, nonce included (Zcash protocol specification, 7.7.1). On average a header has about two
//! solutions; some have none.

pub use crate::equihash_verify::{HEADER_BYTES, Params, Personalisation};

use crate::{Argument, Capability, Data, Error, Operation, Progress, Result};

/// Headers to solve.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// Parameter set of all headers.
    pub params: Params,
    /// Personalisation of all headers.
    pub personalisation: Personalisation,
    /// Headers one after the other, [`HEADER_BYTES`] each.
    pub headers: Data,
    /// The limit of a solver's memory in bytes: less memory takes more time. For `cpu:`; a card's memory is its own.
    pub max_bytes: Option<u64>,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// Returns a request with Zcash's personalisation.
    pub fn new(params: Params, headers: impl Into<Data>) -> Self {
        let personalisation = Personalisation::default();
        Self { params, personalisation, headers: headers.into(), max_bytes: None, progress: None }
    }

    /// Returns the number of headers; an error if the bytes are not a whole number of them.
    pub fn count(&self) -> Result<usize> {
        let bytes = self.headers.len();
        if !bytes.is_multiple_of(HEADER_BYTES) {
            let problem = format!(
                "{bytes} bytes are not a whole number of headers of {HEADER_BYTES} bytes without a solution"
            );
            return Err(Error::argument(Argument::Headers, problem));
        }
        Ok(bytes / HEADER_BYTES)
    }
}

/// The solutions in the order of the headers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// Every solution of each header, packed as in a block, [`Params::solution_bytes`] each, in ascending order of their indices.
    pub solutions: Vec<Vec<Vec<u8>>>,
}

/// Equihash solving.
pub struct EquihashSolve;

impl Operation for EquihashSolve {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "equihash_solve";

    fn capability(request: &Request) -> Capability {
        Capability::EquihashSolve(request.params)
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.headers]
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
        Response { solutions: parts.into_iter().flat_map(|part| part.solutions).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_headers_are_counted() {
        let request = |bytes| Request::new(Params::N48_K5, vec![0; bytes]);
        assert_eq!(request(0).count().unwrap(), 0);
        assert_eq!(request(280).count().unwrap(), 2);
        let problem = request(141).count().unwrap_err().to_string();
        assert!(problem.contains("141 bytes are not a whole number of headers"), "{problem}");
    }
}
