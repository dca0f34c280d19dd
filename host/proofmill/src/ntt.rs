//! Number-theoretic transforms (NTT) over the scalar fields of BN254, BLS12-381, Pallas and Vesta and over
//! Goldilocks.
//!
//! Elements are integers below the modulus, little-endian, 32 bytes each (Goldilocks: 8). Their number is a power of two up
//! to 2^27, and they are in natural order before and after.
//!
//! ```
//! use proofmill::ntt::{self, Field};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = proofmill::open("cpu:?threads=1")?;
//! // 3 + x: at 1, i, -1 and -i, where i is 2^48.
//! let coefficients: Vec<u8> = [3u64, 1, 0, 0].into_iter().flat_map(u64::to_le_bytes).collect();
//! let values = ntt::forward(&device, Field::Goldilocks, &coefficients[..])?;
//! assert_eq!(values[..8], 4u64.to_le_bytes());
//! assert_eq!(values[16..24], 2u64.to_le_bytes());
//! assert_eq!(ntt::inverse(&device, Field::Goldilocks, values)?, coefficients);
//! # Ok(())
//! # }
//! ```
//!
//! [`Request::on_coset`] transforms on a coset; [`Request::with_buffer`] reuses the memory of an earlier result. For progress,
//! or not to wait, submit a [`Request`] to the device. Cancelling or dropping its ticket stops the transform.

pub use proofmill_op::ntt::{
    Buffer, Direction, Field, MAX_LOG_SIZE, Progress, Quotient, QuotientResponse, Request, Response,
};

use crate::{Data, Device, Result, Submit};

/// Returns the values of the polynomial with these coefficients at the powers of the root of unity.
pub fn forward(device: &dyn Device, field: Field, elements: impl Into<Data>) -> Result<Vec<u8>> {
    transform(device, Request::forward(field, elements))
}

/// Returns the coefficients of the polynomial with these values at the powers of the root of unity.
pub fn inverse(device: &dyn Device, field: Field, elements: impl Into<Data>) -> Result<Vec<u8>> {
    transform(device, Request::inverse(field, elements))
}

/// Executes any transform and waits for its result.
pub fn transform(device: &dyn Device, request: Request) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.elements)
}
