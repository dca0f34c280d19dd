//! `vdf`: repeated squaring modulo an odd number, the delay function of Rivest, Shamir, Wagner ("Time-lock puzzles and timed-release
//! crypto", 1996), of Wesolowski (ePrint 2018/623) and of Pietrzak (ePrint 2018/627).
//!
//! A request is sequential: more threads do not make it faster. `proofmill_proof::vdf` makes and verifies the proofs.

pub use proofmill_algebra::modulus::MAX_BYTES;

use crate::{Argument, Capability, Data, Error, Operation, Progress, Result, SecretBytes};

/// The largest number of bytes of the states of one response.
pub const MAX_STATE_BYTES: u64 = 1 << 30;

/// Squarings to make.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The modulus N in little-endian bytes, at most [`MAX_BYTES`]: odd and at least 3. The last byte is not 0.
    pub modulus: Vec<u8>,
    /// The input x in little-endian bytes, below N.
    pub input: Vec<u8>,
    /// The number t of squarings, at least 1.
    pub squarings: u64,
    /// The squarings after which a state is returned, at least 1. The last state is always returned.
    pub stride: u64,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// Returns the request for x^(2^squarings) modulo N, without states in between.
    pub fn new(modulus: impl Into<Vec<u8>>, input: impl Into<Vec<u8>>, squarings: u64) -> Self {
        let (modulus, input) = (modulus.into(), input.into());
        Self { modulus, input, squarings, stride: squarings.max(1), progress: None }
    }

    /// Returns the number of states of the response; an error names the wrong argument.
    pub fn state_count(&self) -> Result<u64> {
        let wrong = |name: &'static str, problem: String| {
            Err(Error::argument(Argument::Named(name), problem))
        };
        match *self.modulus {
            [] => return wrong("modulus", "is empty; expected an odd number".into()),
            [1] => return wrong("modulus", "is 1; expected at least 3".into()),
            [low, ..] if low % 2 == 0 => {
                return wrong("modulus", "is even; expected an odd number".into());
            }
            [.., 0] => return wrong("modulus", "ends with a byte 0; expected none".into()),
            _ if self.modulus.len() > MAX_BYTES => {
                let problem = format!("{} bytes; expected at most {MAX_BYTES}", self.modulus.len());
                return wrong("modulus", problem);
            }
            _ => {}
        }
        if !is_below(&self.input, &self.modulus) {
            return wrong("input", "is not below the modulus".into());
        }
        if self.squarings == 0 {
            return wrong("squarings", "is 0; expected at least 1".into());
        }
        if self.stride == 0 {
            return wrong("stride", "is 0; expected at least 1".into());
        }
        let count = self.squarings.div_ceil(self.stride);
        if count.saturating_mul(self.modulus.len() as u64) > MAX_STATE_BYTES {
            let problem = format!(
                "{} makes {count} states of {} bytes; expected at most {MAX_STATE_BYTES} bytes",
                self.stride,
                self.modulus.len()
            );
            return wrong("stride", problem);
        }
        Ok(count)
    }
}

/// Compares numbers in little-endian bytes.
fn is_below(a: &[u8], b: &[u8]) -> bool {
    let length = a.len().max(b.len());
    let byte = |bytes: &[u8], i: usize| bytes.get(i).copied().unwrap_or(0);
    (0..length).rev().map(|i| byte(a, i)).lt((0..length).rev().map(|i| byte(b, i)))
}

/// The states.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// Bytes of a state: as many as the modulus has.
    pub state_bytes: usize,
    /// x^(2^i) modulo N for each multiple i of the stride below t and for i = t, in little-endian bytes.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub states: Vec<u8>,
}

impl Response {
    /// Returns x^(2^t) modulo N in little-endian bytes.
    pub fn output(&self) -> &[u8] {
        &self.states[self.states.len().saturating_sub(self.state_bytes)..]
    }
}

/// Repeated squaring.
pub struct Vdf;

impl Operation for Vdf {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "vdf";

    fn capability(_: &Request) -> Capability {
        Capability::Vdf
    }

    fn data_mut(_: &mut Request) -> Vec<&mut Data> {
        vec![]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response == other
    }

    fn progress_mut(request: &mut Request) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    fn take_bytes(response: &mut Response) -> Option<SecretBytes> {
        Some(std::mem::take(&mut response.states).into())
    }

    fn put_bytes(response: &mut Response, bytes: SecretBytes) {
        response.states = bytes.into_plain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_named() {
        let request = Request::new([35], [3], 10);
        assert_eq!(request.state_count().unwrap(), 1);
        assert_eq!(Request { stride: 3, ..request.clone() }.state_count().unwrap(), 4);
        let problem = |request: Request| request.state_count().unwrap_err().to_string();
        let of_modulus = |modulus: &[u8]| problem(Request::new(modulus, [0], 1));
        assert_eq!(of_modulus(&[]), "modulus: is empty; expected an odd number");
        assert_eq!(of_modulus(&[34]), "modulus: is even; expected an odd number");
        assert_eq!(of_modulus(&[1]), "modulus: is 1; expected at least 3");
        assert_eq!(of_modulus(&[3, 0]), "modulus: ends with a byte 0; expected none");
        assert_eq!(of_modulus(&[3; 513]), "modulus: 513 bytes; expected at most 512");
        assert_eq!(problem(Request::new([35], [35], 1)), "input: is not below the modulus");
        assert_eq!(problem(Request::new([35], [1, 1], 1)), "input: is not below the modulus");
        assert!(Request::new([35], [34, 0], 1).state_count().is_ok());
        assert_eq!(problem(Request::new([35], [3], 0)), "squarings: is 0; expected at least 1");
        let none = Request { stride: 0, ..request.clone() };
        assert_eq!(problem(none), "stride: is 0; expected at least 1");
        let many = Request { stride: 1, squarings: u64::MAX, ..request };
        assert!(
            problem(many).starts_with("stride: 1 makes 18446744073709551615 states of 1 bytes")
        );
    }
}
