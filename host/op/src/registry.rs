//! The registry of operations, and the types in which requests and responses of any operation travel.
//!
//! This is the only file that matches on the operation of a response. It reports a device that responds to another operation than the one
//! requested.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::{
    Cancel, Capability, Completer, Data, Error, Operation, Progress, ResidentData, Result,
    SecretBytes, Ticket, coprocessor, ecdsa_verify, equihash_solve, equihash_verify, keccak256,
    msm, ntt, poseidon, vdf,
};

/// Calls the macro `$callback` with a line for each operation: its variant in the erased types and the type that implements [`Operation`].
///
/// To add an operation, add a line.
#[macro_export]
macro_rules! operations {
    ($callback:ident) => {
        $callback! {
            EquihashVerify = equihash_verify::EquihashVerify;
            EcdsaVerify = ecdsa_verify::EcdsaVerify;
            PlanMsm = msm::PlanMsm;
            LoadBases = msm::LoadBases;
            Msm = msm::Msm;
            Ntt = ntt::Ntt;
            Quotient = ntt::ComputeQuotient;
            Poseidon = poseidon::Poseidon;
            PoseidonLayers = poseidon::HashLayers;
            Coprocessor = coprocessor::Coprocessor;
            Keccak256 = keccak256::Keccak256;
            Vdf = vdf::Vdf;
            EquihashSolve = equihash_solve::EquihashSolve;
        }
    };
}

/// A request type. Implemented by the registry.
pub trait RequestOf: Sized {
    /// The operation that it requests.
    type Operation: Operation<Request = Self> + Erased;
}

/// Conversions to and from the erased types. Implemented by the registry.
pub trait Erased: Operation {
    /// Erases a request.
    fn erase_request(request: Self::Request) -> AnyRequest;
    /// Erases a response.
    fn erase_response(response: Self::Response) -> AnyResponse;
    /// Erases a ticket.
    fn erase_ticket(ticket: Ticket<Self::Response>) -> AnyTicket;
    /// Returns the response, if it is of this operation.
    fn response(response: AnyResponse) -> Option<Self::Response>;
    /// Returns the ticket, if it is of this operation.
    fn ticket(ticket: AnyTicket) -> Option<Ticket<Self::Response>>;
}

macro_rules! erased {
    ($($variant:ident = $module:ident::$operation:ident;)*) => {
        /// A request of any operation.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum AnyRequest {
            $(#[doc = concat!("A request of [`", stringify!($operation), "`](crate::", stringify!($module), "::", stringify!($operation), ").")]
            $variant(<$module::$operation as Operation>::Request),)*
        }

        /// A response of any operation.
        #[derive(Debug)]
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum AnyResponse {
            $(#[doc = concat!("A response of [`", stringify!($operation), "`](crate::", stringify!($module), "::", stringify!($operation), ").")]
            $variant(<$module::$operation as Operation>::Response),)*
        }

        /// A ticket of any operation. It is a future of an [`AnyResponse`].
        #[must_use = "a dropped ticket cancels its request"]
        #[non_exhaustive]
        pub enum AnyTicket {
            $(#[doc = concat!("A ticket of [`", stringify!($operation), "`](crate::", stringify!($module), "::", stringify!($operation), ").")]
            $variant(Ticket<<$module::$operation as Operation>::Response>),)*
        }

        /// A completer of any operation.
        pub struct AnyCompleter(Completers);

        enum Completers {
            $($variant(Completer<<$module::$operation as Operation>::Response>),)*
        }

        impl AnyRequest {
            /// Returns the operation's name.
            pub const fn operation(&self) -> &'static str {
                match self { $(Self::$variant(_) => $module::$operation::NAME,)* }
            }

            /// Returns the capability that a device needs.
            pub fn capability(&self) -> Capability {
                match self { $(Self::$variant(request) => $module::$operation::capability(request),)* }
            }

            /// Returns the input bytes: [`Operation::data_mut`].
            pub fn data_mut(&mut self) -> Vec<&mut Data> {
                match self { $(Self::$variant(request) => $module::$operation::data_mut(request),)* }
            }

            /// Returns the progress callback: [`Operation::progress_mut`].
            pub fn progress_mut(&mut self) -> Option<&mut Option<Progress>> {
                match self { $(Self::$variant(request) => $module::$operation::progress_mut(request),)* }
            }

            /// Returns the points that may be streamed: [`Operation::points_mut`].
            pub fn points_mut(&mut self) -> Option<&mut msm::Points> {
                match self { $(Self::$variant(request) => $module::$operation::points_mut(request),)* }
            }

            /// Returns the bytes to reserve: [`Operation::reserved_bytes`].
            pub fn reserved_bytes(&self) -> u64 {
                match self { $(Self::$variant(request) => $module::$operation::reserved_bytes(request),)* }
            }

            /// Returns the number of items of a divisible request: [`Operation::items`].
            pub fn items(&self) -> Result<Option<usize>> {
                match self { $(Self::$variant(request) => $module::$operation::items(request),)* }
            }

            /// Joins the responses to its parts: [`Operation::join`].
            pub fn join(&self, parts: Vec<AnyResponse>) -> Result<AnyResponse> {
                match self {
                    $(Self::$variant(request) => {
                        let parts = parts.into_iter().map($module::$operation::response);
                        let parts = parts.collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty());
                        let parts = parts.ok_or_else(|| mismatch(self.operation()))?;
                        Ok(AnyResponse::$variant($module::$operation::join(request, parts)))
                    })*
                }
            }

            /// Returns lent memory for the response's bytes: [`Operation::take_buffer`].
            pub fn take_buffer(&mut self) -> Option<SecretBytes> {
                match self { $(Self::$variant(request) => $module::$operation::take_buffer(request),)* }
            }

            /// Returns a ticket for the response to this request, and its completer. Cancelling the ticket sets `work`.
            pub fn ticket(&self, work: Cancel) -> (AnyCompleter, AnyTicket) {
                match self {
                    $(Self::$variant(_) => {
                        let (completer, ticket) = Ticket::with_cancel(work);
                        (AnyCompleter(Completers::$variant(completer)), AnyTicket::$variant(ticket))
                    })*
                }
            }
        }

        impl AnyResponse {
            /// Returns whether this and another response are the same result: [`Operation::same_result`]. Responses of two operations are not.
            pub fn same_result(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$variant(response), Self::$variant(other)) => $module::$operation::same_result(response, other),)*
                    _ => false,
                }
            }

            /// Takes the response's bytes: [`Operation::take_bytes`].
            pub fn take_bytes(&mut self) -> Option<SecretBytes> {
                match self { $(Self::$variant(response) => $module::$operation::take_bytes(response),)* }
            }

            /// Puts them back: [`Operation::put_bytes`].
            pub fn put_bytes(&mut self, bytes: SecretBytes) {
                match self { $(Self::$variant(response) => $module::$operation::put_bytes(response, bytes),)* }
            }

            /// Returns the handle, if the response is one: [`Operation::resident`].
            pub fn resident(&self) -> Option<&ResidentData> {
                match self { $(Self::$variant(response) => $module::$operation::resident(response),)* }
            }
        }

        impl AnyTicket {
            /// Waits for the response.
            pub fn wait(self) -> Result<AnyResponse> {
                match self { $(Self::$variant(ticket) => ticket.wait().map(AnyResponse::$variant),)* }
            }

            /// Returns the response if it has arrived.
            pub fn poll(&mut self) -> Option<Result<AnyResponse>> {
                match self {
                    $(Self::$variant(ticket) => {
                        ticket.poll().map(|response| response.map(AnyResponse::$variant))
                    })*
                }
            }

            /// Cancels the request.
            pub fn cancel(&self) {
                match self { $(Self::$variant(ticket) => ticket.cancel(),)* }
            }

            /// Cancels the ticket when `cancel` is set.
            pub fn linked_to(self, cancel: &Cancel) -> Self {
                match self { $(Self::$variant(ticket) => Self::$variant(ticket.linked_to(cancel)),)* }
            }

            /// Logs the end of the ticket in this span: [`Ticket::logged_in`].
            pub fn logged_in(self, span: tracing::Span, start: std::time::Instant) -> Self {
                match self { $(Self::$variant(ticket) => Self::$variant(ticket.logged_in(span, start)),)* }
            }
        }

        impl Future for AnyTicket {
            type Output = Result<AnyResponse>;

            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
                match self.get_mut() {
                    $(Self::$variant(ticket) => {
                        Pin::new(ticket).poll(context).map(|response| response.map(AnyResponse::$variant))
                    })*
                }
            }
        }

        impl AnyCompleter {
            /// Resolves the ticket. A response of another operation resolves it with [`Error::Failed`].
            pub fn complete(self, response: Result<AnyResponse>) {
                match self.0 {
                    $(Completers::$variant(completer) => {
                        completer.complete(response.and_then(|response| {
                            $module::$operation::response(response).ok_or_else(|| mismatch($module::$operation::NAME))
                        }));
                    })*
                }
            }

            /// Resolves the ticket with a handle to resident data, if its operation has such responses.
            pub fn complete_resident(self, resident: ResidentData) {
                match self.0 {
                    $(Completers::$variant(completer) => {
                        let response = $module::$operation::from_resident(resident);
                        completer.complete(response.ok_or_else(|| mismatch($module::$operation::NAME)));
                    })*
                }
            }

            /// Returns whether the ticket has ended: the work may be dropped.
            pub fn is_cancelled(&self) -> bool {
                match &self.0 { $(Completers::$variant(completer) => completer.is_cancelled(),)* }
            }
        }

        $(impl RequestOf for <$module::$operation as Operation>::Request {
            type Operation = $module::$operation;
        }

        impl From<<$module::$operation as Operation>::Request> for AnyRequest {
            fn from(request: <$module::$operation as Operation>::Request) -> Self {
                Self::$variant(request)
            }
        }

        impl Erased for $module::$operation {
            fn erase_request(request: Self::Request) -> AnyRequest {
                AnyRequest::$variant(request)
            }

            fn erase_response(response: Self::Response) -> AnyResponse {
                AnyResponse::$variant(response)
            }

            fn erase_ticket(ticket: Ticket<Self::Response>) -> AnyTicket {
                AnyTicket::$variant(ticket)
            }

            fn response(response: AnyResponse) -> Option<Self::Response> {
                match response {
                    AnyResponse::$variant(response) => Some(response),
                    _ => None,
                }
            }

            fn ticket(ticket: AnyTicket) -> Option<Ticket<Self::Response>> {
                match ticket {
                    AnyTicket::$variant(ticket) => Some(ticket),
                    _ => None,
                }
            }
        })*
    };
}

operations!(erased);

impl AnyResponse {
    /// Returns the response of this operation; [`Error::Failed`] if it is of another.
    pub fn of<O: Erased>(self) -> Result<O::Response> {
        O::response(self).ok_or_else(|| mismatch(O::NAME))
    }
}

/// The error of a device that did not respond to the operation requested. It does not show the response, which may be secret.
fn mismatch(operation: &str) -> Error {
    let problem = format!("it did not respond to {operation}");
    Error::Failed { device: "the device".into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ecdsa_verify::Verdict;

    fn response() -> AnyResponse {
        let verdicts = vec![Verdict::default()];
        AnyResponse::EcdsaVerify(ecdsa_verify::Response { verdicts, cycles: None })
    }

    #[test]
    fn names_are_unique() {
        macro_rules! names {
            ($($variant:ident = $module:ident::$operation:ident;)*) => { [$($module::$operation::NAME),*] };
        }
        let names = operations!(names);
        let unique: std::collections::BTreeSet<_> = names.into_iter().collect();
        assert_eq!(unique.len(), names.len());
    }

    #[test]
    fn a_response_of_another_operation_is_an_error() {
        let request = AnyRequest::from(ntt::Request::forward(ntt::Field::Goldilocks, vec![0; 8]));
        let (completer, ticket) = request.ticket(Cancel::new());
        completer.complete(Ok(response()));
        let problem = ticket.wait().unwrap_err().to_string();
        assert_eq!(problem, "the device failed: it did not respond to ntt");
        assert!(
            response().of::<ntt::Ntt>().is_err()
                && response().of::<ecdsa_verify::EcdsaVerify>().is_ok()
        );
        assert!(request.join(vec![response()]).is_err() && request.join(vec![]).is_err());
    }

    #[test]
    fn cycles_are_no_part_of_a_result() {
        let counted = |cycles| {
            let verdicts = vec![Verdict::default()];
            AnyResponse::EcdsaVerify(ecdsa_verify::Response { verdicts, cycles })
        };
        assert!(counted(None).same_result(&counted(Some(vec![7]))));
        let none = ecdsa_verify::Response { verdicts: vec![], cycles: None };
        assert!(!response().same_result(&AnyResponse::EcdsaVerify(none)));
        let hashes = AnyResponse::Keccak256(keccak256::Response { digests: vec![] });
        assert!(!response().same_result(&hashes));
    }

    #[test]
    fn a_completer_ends_its_ticket() {
        let request = AnyRequest::from(ecdsa_verify::Request::new(vec![]));
        let work = Cancel::new();
        let (completer, mut ticket) = request.ticket(work.clone());
        assert!(ticket.poll().is_none() && !completer.is_cancelled());
        completer.complete(Ok(response()));
        assert!(matches!(ticket.poll(), Some(Ok(AnyResponse::EcdsaVerify(_)))));
        let (completer, ticket) = request.ticket(work.clone());
        ticket.cancel();
        assert!(completer.is_cancelled() && work.is_cancelled());
    }
}
