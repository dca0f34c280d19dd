//! The device `cpu:`: a pool of threads behind the door [`Device`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proofmill_algebra::{ISA_VARIABLE, Isa};
use proofmill_op::equihash_verify::Params;
use proofmill_op::msm::Instance;
use proofmill_op::ntt::Field;
use proofmill_op::poseidon::Instance as Poseidon;
use proofmill_op::process::parallel;
use proofmill_op::{
    Answer, Cancel, Capability, Caps, Data, Device, DeviceKind, Error, Metrics, Parked, Request,
    Result, Ticket,
};

use crate::pool::Pool;
use crate::{coprocessor, ecdsa_verify, equihash_verify, msm, ntt, poseidon};

/// Parameter sets offered: those that chains use, and small ones for tests. The code takes any.
const EQUIHASH_SETS: [(u32, u32); 7] =
    [(200, 9), (192, 7), (144, 5), (96, 5), (96, 3), (48, 5), (32, 3)];

/// Most leaves of a request that is answered while it is submitted: two (200,9) headers. To wake a thread of the
/// pool and to be woken by it takes about 5 us, a third of the time of these leaves with AVX-512.
const LEAVES_HERE: usize = 1024;

/// Most signatures of a request that is answered while it is submitted: 25 us of work with AVX-512 IFMA.
const SIGNATURES_HERE: usize = 8;

/// This machine's processor.
///
/// A small request, of at most two (200,9) headers, 32 (144,5) ones or eight signatures, or a transform of at most 8 KiB
/// without a progress function, is answered within `submit`: that returns after some tens of microseconds (one or two hundred where the processor has no vectors), and the ticket
/// is complete. Such a request overtakes those that wait for the pool.
///
/// A larger one is divided into chunks of well below a millisecond for the pool's threads; between two of them
/// a cancelled one stops. These start in the order in which they were submitted.
///
/// Where it has a thread for each processor, each is bound to one. Whatever a progress function starts inherits that: start
/// threads and open devices elsewhere.
///
/// A process that was forked after the device was opened can use the device, and its resident data: it starts threads of its own. Tickets of
/// requests that were submitted before the fork belong to the parent.
pub struct CpuDevice {
    caps: Caps,
    isa: Isa,
    /// Tells parked data of this device from others'.
    identity: u64,
    pool: Pool,
    tally: Arc<Tally>,
}

impl CpuDevice {
    /// With this many threads, or one for each processor that the operating system grants.
    ///
    /// It takes the code path that `PROOFMILL_ISA` names, or the best of this processor; a name of none that it has is an
    /// error.
    pub fn new(threads: Option<usize>) -> Result<Self> {
        let isa = Isa::requested()
            .map_err(|problem| Error::argument(ISA_VARIABLE, problem.to_string()))?;
        Self::with_isa(threads, isa)
    }

    /// As [`CpuDevice::new`], but with the code path of this instruction set.
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
        let sets = EQUIHASH_SETS.map(|(n, k)| Params::new(n, k).map(Capability::EquihashVerify));
        caps.capabilities = sets.into_iter().collect::<Result<_>>()?;
        caps.capabilities.push(Capability::EcdsaVerify);
        caps.capabilities.extend(Instance::ALL.map(Capability::Msm));
        caps.capabilities.extend(Field::ALL.map(Capability::Ntt));
        caps.capabilities.extend(Poseidon::ALL.map(Capability::Poseidon));
        caps.capabilities.push(Capability::Coprocessor);
        caps.queue = 2 * count;
        caps.isa = Some(isa);
        caps.threads = Some(count);
        let identity = Parked::fresh_identity();
        let tally = Arc::new(Tally { uri: caps.uri.clone(), answered: AtomicU64::new(0) });
        Ok(Self { caps, isa, identity, pool, tally })
    }

    /// Threads that work on requests.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// The instruction set whose code path it takes.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Starts `work`, here or in the pool.
    fn start(
        &self,
        place: Place,
        work: impl FnOnce(Cancelled<'_>) -> Result<Answer> + Send + 'static,
    ) -> Ticket {
        let (completer, ticket) = Ticket::pair();
        let tally = self.tally.clone();
        let job = move || {
            let answer = tally.guarded(|| work(&|| completer.is_cancelled()));
            completer.complete(answer);
        };
        match place {
            Place::Here => job(),
            Place::Pool => self.pool.spawn(job),
        }
        ticket
    }

    /// What there is to do for a request, on the threads of whoever does it, and where it is done if nobody says otherwise. What
    /// is wrong with the request is said here.
    fn work(&self, request: Request) -> Result<(Place, Work)> {
        let asked = request.capability();
        self.caps.demand(&asked)?;
        let isa = self.isa;
        Ok(match request {
            Request::EquihashVerify(request) => {
                let leaves = request.count()? * request.params.indices();
                let headers = request.headers.on(self.identity)?.clone();
                let place = Place::here_if(leaves <= LEAVES_HERE);
                let work: Work = Box::new(move |cancelled| {
                    let response = match place {
                        Place::Here => equihash_verify::verify_here(isa, &request, &headers),
                        Place::Pool => equihash_verify::verify(isa, &request, &headers, cancelled)?,
                    };
                    Ok(Answer::EquihashVerify(response))
                });
                (place, work)
            }
            Request::EcdsaVerify(request) => {
                let count = request.count()?;
                let signatures = request.signatures.on(self.identity)?.clone();
                let place = Place::here_if(count <= SIGNATURES_HERE);
                let work: Work = Box::new(move |cancelled| {
                    let response = match place {
                        Place::Here => ecdsa_verify::verify_here(isa, &signatures),
                        Place::Pool => ecdsa_verify::verify(isa, &signatures, cancelled)?,
                    };
                    Ok(Answer::EcdsaVerify(response))
                });
                (place, work)
            }
            Request::Msm(request) => {
                let threads = self.threads();
                let asker = msm::Asker { isa, identity: self.identity, threads };
                asker.demand(&request)?;
                let work: Work = Box::new(move |cancelled| {
                    let asker = msm::Asker { threads: rayon::current_num_threads(), ..asker };
                    asker.answer(&request, cancelled).map(Answer::Msm)
                });
                (Place::Pool, work)
            }
            Request::Ntt(request) => {
                let work = ntt::Work::new(request, self.identity)?;
                let place = Place::here_if(work.is_for_here());
                let work: Work = Box::new(move |cancelled| {
                    let response = match place {
                        Place::Here => work.answer_here(isa)?,
                        Place::Pool => work.answer(isa, cancelled)?,
                    };
                    Ok(Answer::Ntt(response))
                });
                (place, work)
            }
            Request::Quotient(request) => {
                let chain = ntt::Chain::new(*request, self.identity)?;
                let work: Work =
                    Box::new(move |cancelled| chain.answer(isa, cancelled).map(Answer::Ntt));
                (Place::Pool, work)
            }
            Request::Poseidon(request) => {
                let work = poseidon::Work::new(request, self.identity)?;
                let work: Work =
                    Box::new(move |cancelled| work.answer(isa, cancelled).map(Answer::Poseidon));
                (Place::Pool, work)
            }
            Request::PoseidonLayers(request) => {
                let trees = poseidon::Trees::new(request, self.identity)?;
                let work: Work =
                    Box::new(move |cancelled| trees.answer(isa, cancelled).map(Answer::Poseidon));
                (Place::Pool, work)
            }
            Request::Coprocessor(request) => {
                let work = coprocessor::Work::new(request, self.identity)?;
                let work: Work =
                    Box::new(move |cancelled| work.answer(isa, cancelled).map(Answer::Coprocessor));
                (Place::Pool, work)
            }
            _ => {
                let (device, what) = (self.caps.uri.clone(), asked.to_string());
                return Err(Error::Unsupported { device, what });
            }
        })
    }
}

/// Is asked between two chunks of work.
type Cancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// The answer to a request, on the threads of the caller's pool.
type Work = Box<dyn FnOnce(Cancelled<'_>) -> Result<Answer> + Send>;

/// What is counted, and on which device.
struct Tally {
    uri: String,
    answered: AtomicU64,
}

impl Tally {
    /// Counts what is answered; a panic is an answer, too.
    fn guarded(&self, work: impl FnOnce() -> Result<Answer>) -> Result<Answer> {
        let answer = catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|panic| Err(Error::panicked(&self.uri, "a worker", &*panic)));
        self.answered.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

/// Where a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// By the thread that submits it.
    Here,
    /// By the pool's threads.
    Pool,
}

impl Place {
    fn here_if(is_small: bool) -> Self {
        if is_small { Self::Here } else { Self::Pool }
    }
}

impl Device for CpuDevice {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn park(&self, bytes: Data) -> Result<Parked> {
        Ok(Parked::new(self.identity, bytes.on(self.identity)?.clone()))
    }

    fn submit(&self, request: Request) -> Result<Ticket> {
        let (place, work) = self.work(request)?;
        Ok(self.start(place, work))
    }

    fn answer(&self, request: Request, cancel: &Cancel) -> Result<Answer> {
        let (_, work) = self.work(request)?;
        let cancelled = || cancel.is_cancelled();
        parallel(|| self.tally.guarded(|| work(&cancelled)))
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.requests = self.tally.answered.load(Ordering::Relaxed);
        metrics
    }
}

#[cfg(test)]
mod tests {
    use proofmill_op::ecdsa_verify;
    use proofmill_op::equihash_verify::{self, Network};
    use proofmill_op::ntt;

    use super::*;

    #[test]
    fn a_panic_fails_its_ticket_and_no_other() {
        let device = CpuDevice::new(Some(1)).unwrap();
        for (place, answered) in [(Place::Here, 2), (Place::Pool, 4)] {
            let broken = device.start(place, |_| panic!("on purpose"));
            let next = device.start(place, |_| Err(Error::argument("test", "reached")));
            let Err(Error::Lost { problem, .. }) = broken.wait() else {
                panic!("{place:?}: the panic was not reported")
            };
            assert!(problem.contains("on purpose"), "{place:?}: {problem}");
            assert!(matches!(next.wait(), Err(Error::Argument { .. })), "{place:?}");
            assert_eq!(device.metrics().requests, answered);
        }
    }

    /// The pool's only thread is kept busy, so whatever is answered is answered here.
    #[test]
    fn a_small_request_is_answered_while_it_is_submitted() {
        let device = CpuDevice::new(Some(1)).unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let busy = device.start(Place::Pool, move |_| {
            held.recv().expect("the test lets it go");
            Err(Error::argument("test", "over"))
        });
        for (params, most) in [(Params::N200_K9, 2), (Params::N144_K5, 32), (Params::N48_K5, 32)] {
            let submit = |count: usize| {
                let headers = vec![0; count * params.header_bytes()];
                let request = equihash_verify::Request::new(params, Network::None, headers);
                device.submit(Request::EquihashVerify(request)).unwrap()
            };
            for count in [0, 1, most] {
                let Some(Ok(Answer::EquihashVerify(response))) = submit(count).poll() else {
                    panic!("({params}) {count}: no answer yet")
                };
                assert_eq!(response.verdicts.len(), count);
            }
            assert!(submit(most + 1).poll().is_none(), "({params}): a larger one is for the pool");
        }
        let submit = |count: usize| {
            let signatures = vec![0; count * ecdsa_verify::SIGNATURE_BYTES];
            let request = ecdsa_verify::Request::new(signatures);
            device.submit(Request::EcdsaVerify(request)).unwrap()
        };
        for count in [0, 1, SIGNATURES_HERE] {
            let Some(Ok(Answer::EcdsaVerify(response))) = submit(count).poll() else {
                panic!("{count} signatures: no answer yet")
            };
            assert_eq!(response.verdicts.len(), count);
        }
        assert!(submit(SIGNATURES_HERE + 1).poll().is_none(), "a larger one is for the pool");
        let submit = |count: usize, request: fn(ntt::Request) -> ntt::Request| {
            let elements = vec![0; count * ntt::Field::Goldilocks.bytes()];
            let request = request(ntt::Request::forward(ntt::Field::Goldilocks, elements));
            device.submit(Request::Ntt(request)).unwrap()
        };
        for log in [0, 7, 8, 10] {
            let Some(Ok(Answer::Ntt(response))) = submit(1 << log, |request| request).poll() else {
                panic!("a transform of 2^{log}: no answer yet")
            };
            assert_eq!(response.elements.len(), 8 << log);
        }
        assert!(
            submit(1 << 11, |request| request).poll().is_none(),
            "a larger one is for the pool"
        );
        let told = |request: ntt::Request| ntt::Request {
            progress: Some(ntt::Progress(Arc::new(|_| ()))),
            ..request
        };
        assert!(submit(1, told).poll().is_none(), "so is one that tells of its progress");
        release.send(()).unwrap();
        assert!(matches!(busy.wait(), Err(Error::Argument { .. })));
    }

    /// The device's only thread is kept busy.
    #[test]
    fn an_answer_on_the_callers_threads_needs_none_of_the_devices() {
        let device = CpuDevice::new(Some(1)).unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let busy = device.start(Place::Pool, move |_| {
            held.recv().expect("the test lets it go");
            Err(Error::argument("test", "over"))
        });
        let request = || {
            let elements: Vec<_> = (0..1u64 << 12).flat_map(u64::to_le_bytes).collect();
            Request::Ntt(ntt::Request::forward(ntt::Field::Goldilocks, elements))
        };
        let callers = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let cancel = Cancel::new();
        let Answer::Ntt(here) = callers.install(|| device.answer(request(), &cancel)).unwrap()
        else {
            panic!("another answer")
        };
        cancel.cancel();
        let given_up = callers.install(|| device.answer(request(), &cancel));
        assert!(matches!(given_up, Err(Error::Cancelled)));
        let ticket = device.submit(request()).unwrap();
        release.send(()).unwrap();
        let Answer::Ntt(there) = ticket.wait().unwrap() else { panic!("another answer") };
        assert_eq!(here.elements, there.elements);
        assert!(matches!(busy.wait(), Err(Error::Argument { .. })));
        assert_eq!(device.metrics().requests, 4);
    }

    #[test]
    fn parked_data_stays_on_its_device() {
        let (here, there) = (CpuDevice::new(Some(1)).unwrap(), CpuDevice::new(Some(1)).unwrap());
        let parked = Data::Parked(here.park(vec![1, 2, 3].into()).unwrap());
        assert_eq!(here.park(parked.clone()).unwrap().len(), 3);
        assert!(there.park(parked).is_err());
    }

    #[test]
    fn no_threads_is_an_error() {
        assert!(matches!(
            CpuDevice::new(Some(0)),
            Err(Error::Argument { argument: "threads", .. })
        ));
    }
}
