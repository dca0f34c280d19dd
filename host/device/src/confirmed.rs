//! A device whose results are confirmed on a second one.

use std::str::FromStr;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use proofmill_op::{
    AnyCompleter, AnyRequest, AnyResponse, AnyTicket, Cancel, Caps, Data, Device, Error, Metrics,
    ResidentData, Result,
};

/// The share of requests whose results are confirmed: more than 0, and at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

impl Share {
    /// Every request.
    pub const ALL: Self = Self(1.0);

    /// Returns a share; [`Error::Argument`] about `confirm` for a number that is none.
    pub fn new(share: f64) -> Result<Self> {
        if share > 0.0 && share <= 1.0 {
            return Ok(Self(share));
        }
        Err(Error::argument("confirm", format!("{share} is not above 0 and at most 1")))
    }

    /// Decides on one request, with a random number from the operating system, which the device cannot predict.
    fn includes_next(self) -> Result<bool> {
        if self == Self::ALL {
            return Ok(true);
        }
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|problem| Error::Io {
            context: "random bytes of the system".into(),
            source: Arc::new(std::io::Error::other(problem)),
        })?;
        Ok((u64::from_le_bytes(bytes) as f64) < self.0 * u64::MAX as f64)
    }
}

/// A device whose results are compared with those of a reference device before they are returned.
///
/// A share of the requests, chosen at random, is computed twice. A result that differs is not returned: the device is lost
/// ([`Error::Lost`]), this request and all later ones end with an error that names it, and a pool assigns them to another device. The
/// reference is trusted.
///
/// Not confirmed are plans, handles of resident bases, and requests over data that are resident on the device, which the reference does not
/// have. Interrupts of the coprocessor reach their receiver before the result is confirmed.
pub struct Confirmed {
    device: Box<dyn Device>,
    reference: Arc<dyn Device>,
    share: Share,
    lost: Arc<OnceLock<Error>>,
    /// `None` only while the value is dropped.
    queue: Option<Sender<Pending>>,
    thread: Option<JoinHandle<()>>,
}

/// A result to confirm.
struct Pending {
    ticket: AnyTicket,
    request: AnyRequest,
    completer: AnyCompleter,
    cancel: Cancel,
}

impl FromStr for Share {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let share = text.parse().ok().and_then(|share| Self::new(share).ok());
        share.ok_or_else(|| {
            let problem = format!("'{text}' is not a share above 0 and at most 1, such as 0.01");
            Error::argument("confirm", problem)
        })
    }
}

impl Confirmed {
    /// Returns a device that confirms this share of the results of `device` on `reference`.
    pub fn new(
        device: Box<dyn Device>,
        reference: impl Device + 'static,
        share: Share,
    ) -> Result<Self> {
        let reference: Arc<dyn Device> = Arc::new(reference);
        let lost = Arc::<OnceLock<Error>>::default();
        let (queue, pending) = mpsc::channel::<Pending>();
        let uri = device.caps().uri.clone();
        let (confirming, found) = (reference.clone(), lost.clone());
        let thread = thread::Builder::new()
            .name("proofmill-confirm".into())
            .spawn(move || {
                for Pending { ticket, request, completer, cancel } in pending {
                    let response = ticket.linked_to(&cancel).wait();
                    let confirmed = response.and_then(|response| match found.get() {
                        Some(error) => Err(error.clone()),
                        None => confirm(&uri, &*confirming, response, request, &cancel),
                    });
                    if let Err(error @ Error::Lost { .. }) = &confirmed {
                        let _ = found.set(error.clone());
                    }
                    completer.complete(confirmed);
                }
            })
            .map_err(|source| Error::Io {
                context: "starting a thread".into(),
                source: source.into(),
            })?;
        let (queue, thread) = (Some(queue), Some(thread));
        Ok(Self { device, reference, share, lost, queue, thread })
    }
}

/// The option for the share of requests whose results are confirmed.
#[cfg(any(all(feature = "card", unix), feature = "cuda", feature = "remote"))]
pub const CONFIRM: &str = "confirm";

/// The value of the option [`CONFIRM`], and the processor that confirms.
#[cfg(any(all(feature = "card", unix), feature = "cuda", feature = "remote"))]
pub struct Confirmation(Option<(Share, Arc<proofmill_cpu::CpuDevice>)>);

#[cfg(any(all(feature = "card", unix), feature = "cuda", feature = "remote"))]
impl Confirmation {
    /// Returns what a URI demands.
    pub fn of(uri: &crate::Uri) -> Result<Self> {
        let share = uri.option(CONFIRM).map(str::parse::<Share>).transpose()?;
        let cpu = |share| Ok((share, Arc::new(proofmill_cpu::CpuDevice::new(None)?)));
        share.map(cpu).transpose().map(Self)
    }

    /// Returns a device whose results are confirmed, if this is demanded.
    pub fn wrap(&self, device: Box<dyn Device>) -> Result<Box<dyn Device>> {
        match &self.0 {
            Some((share, cpu)) => Ok(Box::new(Confirmed::new(device, cpu.clone(), *share)?)),
            None => Ok(device),
        }
    }
}

/// Returns the response if the reference has the same result.
fn confirm(
    uri: &str,
    reference: &dyn Device,
    response: AnyResponse,
    request: AnyRequest,
    cancel: &Cancel,
) -> Result<AnyResponse> {
    let operation = request.operation();
    let problem = match reference.execute_any(request, cancel) {
        Ok(expected) if response.same_result(&expected) => return Ok(response),
        Ok(_) => format!("a wrong result of {operation}: {} has another", reference.caps().uri),
        Err(error @ Error::Argument { .. }) => {
            format!("a result of {operation} for a request that is wrong: {error}")
        }
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(error) => {
            let problem = format!("a result of {operation} could not be confirmed: {error}");
            return Err(Error::Failed { device: uri.to_owned(), problem });
        }
    };
    Err(Error::Lost { device: uri.to_owned(), problem: format!("it returned {problem}") })
}

/// Returns a copy of a request for the reference, without callbacks; `None` if its result cannot be compared.
fn comparable(request: &AnyRequest) -> Option<AnyRequest> {
    let mut copy = request.clone();
    match &mut copy {
        AnyRequest::PlanMsm(_) | AnyRequest::LoadBases(_) => return None,
        AnyRequest::Quotient(request) if request.resident_for.is_some() => return None,
        AnyRequest::Coprocessor(request) => request.receiver = None,
        _ => {}
    }
    if let Some(progress) = copy.progress_mut() {
        *progress = None;
    }
    copy.data_mut().iter().all(|data| matches!(data, Data::Host(_))).then_some(copy)
}

impl Device for Confirmed {
    fn caps(&self) -> &Caps {
        self.device.caps()
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        self.device.load(bytes)
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        if let Some(error) = self.lost.get() {
            return Err(error.clone());
        }
        let copy = match comparable(&request) {
            Some(copy) if self.share.includes_next()? => copy,
            _ => return self.device.submit_any(request),
        };
        self.reference.caps().require(&copy.capability())?;
        let cancel = Cancel::new();
        let (completer, returned) = copy.ticket(cancel.clone());
        let ticket = self.device.submit_any(request)?;
        let pending = Pending { ticket, request: copy, completer, cancel };
        if let Some(queue) = &self.queue {
            // If the thread has ended, its completer ends the ticket with an error.
            let _ = queue.send(pending);
        }
        Ok(returned)
    }

    fn metrics(&self) -> Metrics {
        self.device.metrics()
    }
}

impl Drop for Confirmed {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic was already reported, and ended its tickets.
            let _ = thread.join();
        }
    }
}
