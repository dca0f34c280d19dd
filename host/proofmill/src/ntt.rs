//! Number-theoretic transforms over the scalar fields of BN254 and BLS12-381 and over Goldilocks.
//!
//! Elements are canonical integers below the modulus, little-endian, 32 bytes or 8 in Goldilocks; any power of two of them, up
//! to 2^27. They are in natural order before and after.
//!
//! ```
//! use proofmill::ntt::{self, Field};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = proofmill::open("cpu:?threads=1")?;
//! // 3 + x: at 1, i, -1 and -i, where i is 2^48.
//! let coefficients: Vec<u8> = [3u64, 1, 0, 0].into_iter().flat_map(u64::to_le_bytes).collect();
//! let values = ntt::forward(&*device, Field::Goldilocks, &coefficients[..])?;
//! assert_eq!(values[..8], 4u64.to_le_bytes());
//! assert_eq!(values[16..24], 2u64.to_le_bytes());
//! assert_eq!(ntt::inverse(&*device, Field::Goldilocks, values)?, coefficients);
//! # Ok(())
//! # }
//! ```
//!
//! Values on a coset are asked for by [`Request::on_coset`], and many transforms reuse the memory of an earlier answer with
//! [`Request::answered_in`]. To be told how far a transform is, or not to wait for it, submit
//! a [`Request`] to the device; a ticket that is cancelled or dropped stops it.

pub use proofmill_op::ntt::{Direction, Field, MOST_LOG_SIZE, Memory, Progress, Request, Response};

use crate::{Answer, Data, Device, Error, Result};

/// The values of the polynomial with these coefficients at the powers of the root of unity.
pub fn forward(device: &dyn Device, field: Field, elements: impl Into<Data>) -> Result<Vec<u8>> {
    transform(device, Request::forward(field, elements))
}

/// The coefficients of the polynomial with these values at the powers of the root of unity.
pub fn inverse(device: &dyn Device, field: Field, elements: impl Into<Data>) -> Result<Vec<u8>> {
    transform(device, Request::inverse(field, elements))
}

/// Any transform, for which it waits.
pub fn transform(device: &dyn Device, request: Request) -> Result<Vec<u8>> {
    match device.submit(crate::Request::Ntt(request))?.wait()? {
        Answer::Ntt(response) => Ok(response.elements),
        other => {
            let problem = format!("an answer to another question: {other:?}");
            Err(Error::Lost { device: device.caps().uri.clone(), problem })
        }
    }
}
