//! Keys and witnesses of small circuits, and devices that lie.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{self, Group, Response};
use proofmill_op::{
    Answer, Caps, Data, Device, DeviceKind, Error, Metrics, Request, ResidentData, Result, Ticket,
};
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::{Witness, Zkey};

/// The curves with proofs.
pub const CURVES: [Curve; 2] = [Curve::Bn254, Curve::Bls12_381];

/// A key and the bytes of a witness.
pub fn files(curve: Curve, statement: &Statement) -> (Zkey, Vec<u8>) {
    let circuit = Circuit::new(curve, statement).unwrap();
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"prover", &mut key).unwrap();
    circuit.write_witness(&mut witness).unwrap();
    (Zkey::from_bytes("key", key.into()).unwrap(), witness)
}

/// A witness of bytes.
pub fn witness(bytes: &[u8]) -> Witness {
    Witness::from_bytes("witness", bytes).unwrap()
}

/// Of a chain of so many steps.
pub fn chain(curve: Curve, constraints: usize) -> (Zkey, Witness) {
    let (key, bytes) = files(curve, &Statement::Chain { constraints });
    (key, witness(&bytes))
}

/// The processor, with so many threads.
pub fn cpu(threads: usize) -> Arc<CpuDevice> {
    Arc::new(CpuDevice::new(Some(threads)).unwrap())
}

/// What a device does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Nothing.
    None,
    /// Its sums in this group are 0.
    Zero(Group),
    /// Its sums are no points.
    NoPoint,
    /// Its sums come twice.
    Twice,
    /// A bit of an element of its transforms is another.
    Bit,
    /// An element of its transforms is not below the modulus.
    NotReduced,
    /// It answers sums with transforms and the other way round.
    Confused,
    /// It answers with sums who parks points or asks for a plan.
    Hasty,
    /// It dies.
    Dies,
}

/// A device that is no processor, as it says.
pub struct Liar {
    cpu: CpuDevice,
    caps: Caps,
    lie: Lie,
    parks: AtomicUsize,
}

impl Liar {
    /// It lies thus.
    pub fn new(lie: Lie) -> Arc<Self> {
        let cpu = CpuDevice::new(Some(1)).unwrap();
        let mut caps = Caps::new("soft:liar", DeviceKind::Sim, "lies");
        caps.capabilities = cpu.caps().capabilities.clone();
        Arc::new(Self { cpu, caps, lie, parks: AtomicUsize::new(0) })
    }

    /// It offers nothing but this.
    pub fn offering(lie: Lie, offers: impl Fn(&proofmill_op::Capability) -> bool) -> Arc<Self> {
        let mut liar = Arc::into_inner(Self::new(lie)).unwrap();
        liar.caps.capabilities.retain(offers);
        Arc::new(liar)
    }

    /// How often points were to be parked.
    pub fn parks(&self) -> usize {
        self.parks.load(Ordering::Relaxed)
    }

    fn changed(&self, answer: Answer, group: Option<Group>) -> Result<Answer> {
        Ok(match (self.lie, answer) {
            (Lie::Dies, _) => {
                return Err(Error::Lost { device: self.caps.uri.clone(), problem: "dead".into() });
            }
            (Lie::Confused, Answer::Ntt(_)) => {
                Answer::Msm(Response::Sums { points: Vec::new(), cycles: None })
            }
            (Lie::Confused, Answer::Msm(Response::Sums { .. })) => {
                Answer::Ntt(proofmill_op::ntt::Response { elements: Vec::new() })
            }
            (lie, Answer::Msm(Response::Sums { mut points, cycles })) => {
                match lie {
                    Lie::Zero(zero) if group == Some(zero) => points[0].fill(0),
                    Lie::NoPoint => points[0][3] ^= 1,
                    Lie::Twice => points.push(points[0].clone()),
                    _ => {}
                }
                Answer::Msm(Response::Sums { points, cycles })
            }
            (Lie::Bit, Answer::Ntt(mut response)) => {
                response.elements[32] ^= 1;
                Answer::Ntt(response)
            }
            (Lie::NotReduced, Answer::Ntt(mut response)) => {
                response.elements[32..64].fill(0xff);
                Answer::Ntt(response)
            }
            (_, other) => other,
        })
    }
}

impl Device for Liar {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        self.cpu.load(bytes)
    }

    fn submit(&self, request: Request) -> Result<Ticket> {
        self.caps.demand(&request.capability())?;
        let group = match &request {
            AnyRequest::Msm(request) => Some(request.instance().group),
            _ => None,
        };
        let parks = matches!(&request, AnyRequest::from((_)));
        self.parks.fetch_add(usize::from(parks), Ordering::Relaxed);
        let prepares = parks || matches!(&request, AnyRequest::from(msm::Request::Plan { .. }));
        let answer = self.cpu.submit(request)?.wait();
        let (completer, ticket) = Ticket::pair();
        completer.complete(match answer {
            Ok(_) if prepares && self.lie == Lie::Hasty => {
                Ok(Answer::Msm(Response::Sums { points: Vec::new(), cycles: None }))
            }
            Ok(answer) if !prepares => self.changed(answer, group),
            other => other,
        });
        Ok(ticket)
    }

    fn metrics(&self) -> Metrics {
        self.cpu.metrics()
    }
}
