//! [`Operation`]: the types, the name and the properties of an operation. [`Submit`]: typed requests to any device.
//!
//! An operation is a type that implements [`Operation`] and a line of the registry (`registry.rs`), which makes its requests and responses
//! variants of the erased types that trait objects and remote devices need.

use std::fmt::Debug;

use crate::registry::{Erased, RequestOf};
use crate::{Cancel, Capability, Data, Device, Error, Progress, ResidentData, Result, Ticket};
use crate::{SecretBytes, msm};

/// An operation of devices.
///
/// Only the types, the name, the capability, the data and the comparison of results are required. The other functions describe properties that pools and remote devices use; each
/// has a default for operations without that property.
pub trait Operation: Sized + 'static {
    /// The request.
    type Request: Clone + Debug + Send + 'static;
    /// The response.
    type Response: Debug + Send + 'static;
    /// The name in `spec/wire`, on the command line and in messages.
    const NAME: &'static str;

    /// Returns the capability that a device needs.
    fn capability(request: &Self::Request) -> Capability;

    /// Returns the input bytes, resident ones included, in an order that depends on nothing but the kind of request. Streamed points are not
    /// among them.
    fn data_mut(request: &mut Self::Request) -> Vec<&mut Data>;

    /// Returns whether two responses to a request are the same result. Measurements of a device, such as its cycles, do not count; a handle
    /// or a plan of a device is never the result of another device.
    fn same_result(response: &Self::Response, other: &Self::Response) -> bool;

    /// Returns the progress callback, if the operation reports progress.
    fn progress_mut(_request: &mut Self::Request) -> Option<&mut Option<Progress>> {
        None
    }

    /// Returns the points that may be streamed.
    fn points_mut(_request: &mut Self::Request) -> Option<&mut msm::Points> {
        None
    }

    /// Returns the number of bytes that the device keeps in addition to the request's data.
    fn reserved_bytes(_request: &Self::Request) -> u64 {
        0
    }

    /// Returns the number of items that can be computed one by one, if the request can be divided. Its data are one list, and each item takes
    /// as many bytes of it.
    fn items(_request: &Self::Request) -> Result<Option<usize>> {
        Ok(None)
    }

    /// Joins the responses to consecutive parts of a divided request. `parts` is not empty.
    fn join(_request: &Self::Request, parts: Vec<Self::Response>) -> Self::Response {
        parts.into_iter().next().expect("a request has a part at least")
    }

    /// Takes the bytes out of a response that has many, for transport beside the other fields.
    fn take_bytes(_response: &mut Self::Response) -> Option<SecretBytes> {
        None
    }

    /// Puts these bytes back.
    fn put_bytes(_response: &mut Self::Response, _bytes: SecretBytes) {}

    /// Returns memory that the caller lends for the response's bytes.
    fn take_buffer(_request: &mut Self::Request) -> Option<SecretBytes> {
        None
    }

    /// Returns the handle, if the response is one.
    fn resident(_response: &Self::Response) -> Option<&ResidentData> {
        None
    }

    /// Returns a response that is this handle, if the response can be one.
    fn from_resident(_resident: ResidentData) -> Option<Self::Response> {
        None
    }
}

/// The response to a request of type `R`.
pub type ResponseOf<R> = <<R as RequestOf>::Operation as Operation>::Response;

/// Typed requests. Implemented for every [`Device`].
///
/// ```
/// use proofmill_op::{Device, Result, Submit, ntt};
///
/// fn values(device: &dyn Device, coefficients: Vec<u8>) -> Result<Vec<u8>> {
///     let request = ntt::Request::forward(ntt::Field::Goldilocks, coefficients);
///     let response: ntt::Response = device.submit(request)?.wait()?;
///     Ok(response.elements)
/// }
/// ```
pub trait Submit: Device {
    /// Submits a request and returns at once. A wrong argument or a missing capability is an error now; later errors arrive through the
    /// ticket.
    fn submit<R: RequestOf>(&self, request: R) -> Result<Ticket<ResponseOf<R>>> {
        let ticket = self.submit_any(R::Operation::erase_request(request))?;
        R::Operation::ticket(ticket).ok_or_else(|| self.mismatch::<R>())
    }

    /// Executes a request and returns its response. `cpu:` works on the threads of the caller's rayon pool instead of its own, so that
    /// several callers with a pool each share the processor; other devices behave as for [`Submit::submit`]. Setting `cancel` ends it early.
    fn execute<R: RequestOf>(&self, request: R, cancel: &Cancel) -> Result<ResponseOf<R>> {
        let response = self.execute_any(R::Operation::erase_request(request), cancel)?;
        R::Operation::response(response).ok_or_else(|| self.mismatch::<R>())
    }

    /// Returns the error of a device that responds to another operation than the one requested.
    #[doc(hidden)]
    fn mismatch<R: RequestOf>(&self) -> Error {
        let problem = format!("it did not respond to {}", R::Operation::NAME);
        Error::Failed { device: self.caps().uri.clone(), problem }
    }
}

impl<D: Device + ?Sized> Submit for D {}
