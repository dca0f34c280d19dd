//! The device `cpu:`: this machine's processor.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proofmill_algebra::{ISA_VARIABLE, Isa};
use proofmill_op::process::parallel;
use proofmill_op::{
    AnyRequest, AnyResponse, AnyTicket, Bytes, Cancel, Caps, Data, Device, DeviceKind, Error,
    Metrics, ResidentData, Result, StackWipe, Ticket, operations, wipe_stack,
};

use crate::pool::Pool;
use crate::run::{Context, Exec, Job, Run};

/// This machine's processor.
///
/// A small request is executed within `submit`: at most two (200,9) headers, 32 (144,5) headers, eight signatures, or a transform of at most
/// 8 KiB without a progress callback. `submit` then returns after some tens of microseconds (one or two hundred without vector
/// instructions), and the ticket is complete. Such a request overtakes those that wait for the pool.
///
/// A larger request is divided into chunks of well below a millisecond for the threads of the pool. Cancellation takes effect between two
/// chunks. Requests start in the order of submission.
///
/// If there is a thread for each processor, each thread is bound to one. A progress callback runs on such a thread; threads that it starts
/// inherit the binding.
///
/// A process that was forked after the device was opened can use the device and its resident data: it starts threads of its own. Tickets of
/// requests that were submitted before the fork belong to the parent.
pub struct CpuDevice {
    caps: Caps,
    isa: Isa,
    /// Distinguishes resident data of this device from those of others.
    identity: u64,
    pool: Pool,
    tally: Arc<Tally>,
}

impl CpuDevice {
    /// Returns a device with this many threads, or one for each processor that the operating system grants.
    ///
    /// The code path is the one that `PROOFMILL_ISA` names, or the best of this processor. A code path that the processor lacks is an error.
    pub fn new(threads: Option<usize>) -> Result<Self> {
        let isa = Isa::requested()
            .map_err(|problem| Error::argument(ISA_VARIABLE, problem.to_string()))?;
        Self::with_isa(threads, isa)
    }

    /// Returns a device with the code path of this instruction set.
    pub fn with_isa(threads: Option<usize>, isa: Isa) -> Result<Self> {
        if threads == Some(0) {
            return Err(Error::argument("threads", "is 0; expected at least 1"));
        }
        let threads_option = threads.map(|threads| format!("threads={threads}"));
        let isa_option = (isa != Isa::best()).then(|| format!("isa={isa}"));
        let options: Vec<_> = threads_option.into_iter().chain(isa_option).collect();
        let mark = if options.is_empty() { "" } else { "?" };
        let uri = format!("cpu:{mark}{}", options.join("&"));
        let pool = Pool::new(threads)
            .map_err(|problem| Error::Open { device: uri.clone(), problem: problem.to_string() })?;
        let count = pool.threads();
        let plural = if count == 1 { "" } else { "s" };
        let mut caps =
            Caps::new(uri, DeviceKind::Cpu, format!("{count} thread{plural}, {isa} code path"));
        caps.capabilities = operations!(capabilities);
        caps.queue = 2 * count;
        caps.isa = Some(isa);
        caps.threads = Some(count);
        let identity = ResidentData::fresh_identity();
        let tally = Arc::new(Tally { uri: caps.uri.clone(), completed: AtomicU64::new(0) });
        Ok(Self { caps, isa, identity, pool, tally })
    }

    /// Returns the number of threads that execute requests.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Returns the instruction set of its code path.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Starts `work` on the calling thread or on the pool.
    fn start<T: Send + 'static>(
        &self,
        exec: Exec,
        is_secret: bool,
        work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<T> + Send + 'static,
    ) -> Ticket<T> {
        let (completer, ticket) = Ticket::pair();
        let tally = self.tally.clone();
        let job = move || {
            let response = tally.count(|| work(&|| completer.is_cancelled()));
            match exec {
                _ if !is_secret => {}
                Exec::Inline => wipe_stack(),
                Exec::Pool => drop(StackWipe),
            }
            completer.complete(response);
        };
        match exec {
            Exec::Inline => job(),
            Exec::Pool => self.pool.spawn(job),
        }
        ticket
    }

    /// Checks a request of an operation and returns its work.
    fn prepare<O: Run>(&self, request: O::Request) -> Result<Job<O::Response>> {
        self.caps.require(&O::capability(&request))?;
        let context = Context { isa: self.isa, identity: self.identity, threads: self.threads() };
        O::prepare(request, context)
    }

    /// Returns whether any data of a request is secret.
    fn has_secrets<O: Run>(&self, request: &mut O::Request) -> bool {
        let is_secret = |data: &Data| data.on(self.identity).is_ok_and(Bytes::is_secret);
        O::data_mut(request).iter().any(|data| is_secret(data))
    }

    fn submit_to<O: Run>(&self, mut request: O::Request) -> Result<AnyTicket> {
        let is_secret = self.has_secrets::<O>(&mut request);
        let Job { exec, work } = self.prepare::<O>(request)?;
        Ok(O::erase_ticket(self.start(exec, is_secret, move |cancelled| work(exec, cancelled))))
    }

    fn execute_on_caller<O: Run>(
        &self,
        mut request: O::Request,
        cancel: &Cancel,
    ) -> Result<AnyResponse> {
        let _wipe = self.has_secrets::<O>(&mut request).then_some(StackWipe);
        let Job { work, .. } = self.prepare::<O>(request)?;
        let cancelled = || cancel.is_cancelled();
        parallel(|| self.tally.count(|| work(Exec::Pool, &cancelled))).map(O::erase_response)
    }
}

macro_rules! capabilities {
    ($($variant:ident = $module:ident::$operation:ident;)*) => {
        [$(<proofmill_op::$module::$operation as Run>::capabilities()),*].concat()
    };
}
use capabilities;

/// Counts the requests of a device.
struct Tally {
    uri: String,
    completed: AtomicU64,
}

impl Tally {
    /// Executes and counts `work`. A panic becomes an error.
    fn count<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let response = catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|panic| Err(Error::panicked(&self.uri, "a worker", &*panic)));
        self.completed.fetch_add(1, Ordering::Relaxed);
        response
    }
}

macro_rules! device {
    ($($variant:ident = $module:ident::$operation:ident;)*) => {
        impl Device for CpuDevice {
            fn caps(&self) -> &Caps {
                &self.caps
            }

            fn load(&self, bytes: Data) -> Result<ResidentData> {
                Ok(ResidentData::new(self.identity, bytes.on(self.identity)?.clone()))
            }

            fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
                match request {
                    $(AnyRequest::$variant(request) => {
                        self.submit_to::<proofmill_op::$module::$operation>(request)
                    })*
                    other => Err(self.unsupported(&other)),
                }
            }

            fn execute_any(&self, request: AnyRequest, cancel: &Cancel) -> Result<AnyResponse> {
                match request {
                    $(AnyRequest::$variant(request) => {
                        self.execute_on_caller::<proofmill_op::$module::$operation>(request, cancel)
                    })*
                    other => Err(self.unsupported(&other)),
                }
            }

            fn metrics(&self) -> Metrics {
                let mut metrics = Metrics::default();
                metrics.requests = self.tally.completed.load(Ordering::Relaxed);
                metrics
            }
        }
    };
}

operations!(device);

impl CpuDevice {
    fn unsupported(&self, request: &AnyRequest) -> Error {
        let what = request.capability().to_string();
        Error::Unsupported { device: self.caps.uri.clone(), what }
    }
}

#[cfg(test)]
mod tests {
    use proofmill_op::equihash_verify::{self, Network, Params};
    use proofmill_op::{Argument, Progress, Submit, ecdsa_verify, ntt};

    use super::*;
    use crate::ecdsa_verify::INLINE_SIGNATURES;

    #[test]
    fn a_panic_fails_its_ticket_and_no_other() {
        let device = CpuDevice::new(Some(1)).unwrap();
        for (exec, completed) in [(Exec::Inline, 2), (Exec::Pool, 4)] {
            let broken = device.start::<()>(exec, false, |_| panic!("on purpose"));
            let next = device.start::<()>(exec, false, |_| Err(Error::argument("test", "reached")));
            let Err(Error::Lost { problem, .. }) = broken.wait() else {
                panic!("{exec:?}: the panic was not reported")
            };
            assert!(problem.contains("on purpose"), "{exec:?}: {problem}");
            assert!(matches!(next.wait(), Err(Error::Argument { .. })), "{exec:?}");
            assert_eq!(device.metrics().requests, completed);
        }
    }

    /// The only thread of the pool is busy: a response that arrives was computed inline.
    #[test]
    fn a_small_request_is_executed_inline() {
        let device = CpuDevice::new(Some(1)).unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let busy = device.start::<()>(Exec::Pool, false, move |_| {
            held.recv().expect("the test lets it go");
            Err(Error::argument("test", "over"))
        });
        for (params, most) in [(Params::N200_K9, 2), (Params::N144_K5, 32), (Params::N48_K5, 32)] {
            let submit = |count: usize| {
                let headers = vec![0; count * params.header_bytes()];
                let request = equihash_verify::Request::new(params, Network::None, headers);
                device.submit(request).unwrap()
            };
            for count in [0, 1, most] {
                let Some(Ok(response)) = submit(count).poll() else {
                    panic!("({params}) {count}: no response yet")
                };
                assert_eq!(response.verdicts.len(), count);
            }
            assert!(submit(most + 1).poll().is_none(), "({params}): a larger one is for the pool");
        }
        let submit = |count: usize| {
            let signatures = vec![0; count * ecdsa_verify::SIGNATURE_BYTES];
            let request = ecdsa_verify::Request::new(signatures);
            device.submit(request).unwrap()
        };
        for count in [0, 1, INLINE_SIGNATURES] {
            let Some(Ok(response)) = submit(count).poll() else {
                panic!("{count} signatures: no response yet")
            };
            assert_eq!(response.verdicts.len(), count);
        }
        assert!(submit(INLINE_SIGNATURES + 1).poll().is_none(), "a larger one is for the pool");
        let submit = |count: usize, request: fn(ntt::Request) -> ntt::Request| {
            let elements = vec![0; count * ntt::Field::Goldilocks.bytes()];
            let request = request(ntt::Request::forward(ntt::Field::Goldilocks, elements));
            device.submit(request).unwrap()
        };
        for log in [0, 7, 8, 10] {
            let Some(Ok(response)) = submit(1 << log, |request| request).poll() else {
                panic!("a transform of 2^{log}: no response yet")
            };
            assert_eq!(response.elements.len(), 8 << log);
        }
        assert!(
            submit(1 << 11, |request| request).poll().is_none(),
            "a larger one is for the pool"
        );
        let reported = |request: ntt::Request| ntt::Request {
            progress: Some(Progress(Arc::new(|_| ()))),
            ..request
        };
        assert!(submit(1, reported).poll().is_none(), "so is one that reports progress");
        release.send(()).unwrap();
        assert!(matches!(busy.wait(), Err(Error::Argument { .. })));
    }

    /// The device's only thread is kept busy.
    #[test]
    fn execution_on_the_callers_threads_needs_none_of_the_devices() {
        let device = CpuDevice::new(Some(1)).unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let busy = device.start::<()>(Exec::Pool, false, move |_| {
            held.recv().expect("the test lets it go");
            Err(Error::argument("test", "over"))
        });
        let request = || {
            let elements: Vec<_> = (0..1u64 << 12).flat_map(u64::to_le_bytes).collect();
            ntt::Request::forward(ntt::Field::Goldilocks, elements)
        };
        let callers = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let cancel = Cancel::new();
        let executed = callers.install(|| device.execute(request(), &cancel)).unwrap();
        cancel.cancel();
        let cancelled = callers.install(|| device.execute(request(), &cancel));
        assert!(matches!(cancelled, Err(Error::Cancelled)));
        let ticket = device.submit(request()).unwrap();
        release.send(()).unwrap();
        assert_eq!(executed.elements, ticket.wait().unwrap().elements);
        assert!(matches!(busy.wait(), Err(Error::Argument { .. })));
        assert_eq!(device.metrics().requests, 4);
    }

    #[test]
    fn resident_data_stays_on_its_device() {
        let [device, other] = [(); 2].map(|()| CpuDevice::new(Some(1)).unwrap());
        let resident = Data::Resident(device.load(vec![1, 2, 3].into()).unwrap());
        assert_eq!(device.load(resident.clone()).unwrap().len(), 3);
        assert!(other.load(resident).is_err());
    }

    #[test]
    fn no_threads_is_an_error() {
        assert!(matches!(
            CpuDevice::new(Some(0)),
            Err(Error::Argument { argument: Argument::Named("threads"), .. })
        ));
    }
}
