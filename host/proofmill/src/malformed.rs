//! The error for a malformed response.

use crate::{Device, Error};

/// Returns the error of a device whose response does not fit the request.
pub fn malformed(device: &dyn Device, problem: impl Into<String>) -> Error {
    Error::Failed { device: device.caps().uri.clone(), problem: problem.into() }
}
