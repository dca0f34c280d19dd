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
/// A small request is executed within `submit`: at most two (200,9) headers, 32 (144,5) headers, eight signatures, MSMs of at most 384 bytes of
/// points, or a transform of at most 8 KiB, the last two without a progress callback. `submit` then returns after some tens of microseconds
/// (one or two hundred without vector instructions, or for MSMs), and the ticket is complete. Such a request overtakes those that wait for
/// the pool.
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
    use proofmill_op::Argument;

    use super::*;

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
