//! Keys and witnesses of small circuits, and devices with wrong results.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{Group, Response};
use proofmill_op::ntt::{self, QuotientResponse};
use proofmill_op::{
    AnyRequest, AnyResponse, AnyTicket, Cancel, Capability, Caps, Data, Device, DeviceKind, Error,
    Metrics, ResidentData, Result, Ticket,
};
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::{Witness, Zkey};

pub mod plonkish;

/// The curves with proofs.
pub const CURVES: [Curve; 2] = [Curve::Bn254, Curve::Bls12_381];

/// Returns a key and the bytes of a witness.
pub fn files(curve: Curve, statement: &Statement) -> (Zkey, Vec<u8>) {
    let circuit = Circuit::new(curve, statement).unwrap();
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"prover", &mut key).unwrap();
    circuit.write_witness(&mut witness).unwrap();
    (Zkey::from_bytes("key", key.into()).unwrap(), witness)
}

/// Reads a witness from bytes.
pub fn witness(bytes: &[u8]) -> Witness {
    Witness::from_bytes("witness", bytes.to_vec()).unwrap()
}

/// Returns key and witness of a chain of this many constraints.
pub fn chain(curve: Curve, constraints: usize) -> (Zkey, Witness) {
    let (key, bytes) = files(curve, &Statement::Chain { constraints });
    (key, witness(&bytes))
}

/// Opens the processor with this many threads.
pub fn cpu(threads: usize) -> Arc<CpuDevice> {
    Arc::new(CpuDevice::new(Some(threads)).unwrap())
}

/// The defect of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// None.
    None,
    /// Its MSMs in this group are 0.
    Zero(Group),
    /// Its MSMs are no points.
    NoPoint,
    /// It returns the points of an MSM twice.
    Twice,
    /// A bit of an element of its transforms is wrong.
    Bit,
    /// An element of its transforms is not below the modulus.
    NotReduced,
    /// It responds to MSMs with transforms and to transforms with MSMs.
    Confused,
    /// It responds with MSMs to requests to load bases and for a plan.
    Hasty,
    /// It dies.
    Dies,
}

/// A device other than the processor, with a defect.
pub struct Liar {
    cpu: CpuDevice,
    caps: Caps,
    lie: Lie,
    loads: AtomicUsize,
}

impl Liar {
    /// Returns a device with this defect.
    pub fn new(lie: Lie) -> Arc<Self> {
        let cpu = CpuDevice::new(Some(1)).unwrap();
        let mut caps = Caps::new("soft:liar", DeviceKind::Sim, "lies");
        caps.capabilities = cpu.caps().capabilities.clone();
        Arc::new(Self { cpu, caps, lie, loads: AtomicUsize::new(0) })
    }

    /// Returns a device that offers only these capabilities.
    pub fn offering(lie: Lie, offers: impl Fn(&Capability) -> bool) -> Arc<Self> {
        let mut liar = Arc::into_inner(Self::new(lie)).unwrap();
        liar.caps.capabilities.retain(offers);
        Arc::new(liar)
    }

    /// Returns the number of requests to load bases.
    pub fn loads(&self) -> usize {
        self.loads.load(Ordering::Relaxed)
    }

    /// Returns a ticket for another operation than the one requested, if the defect is that.
    fn mistaken(&self, request: &AnyRequest) -> Option<AnyTicket> {
        Some(match (self.lie, request) {
            (Lie::Hasty, AnyRequest::LoadBases(_) | AnyRequest::PlanMsm(_))
            | (Lie::Confused, AnyRequest::Ntt(_) | AnyRequest::Quotient(_)) => {
                let (completer, ticket) = Ticket::pair();
                completer.complete(Ok(Response::new(vec![], None)));
                AnyTicket::Msm(ticket)
            }
            (Lie::Confused, AnyRequest::Msm(_)) => {
                let (completer, ticket) = Ticket::pair();
                completer.complete(Ok(ntt::Response { elements: vec![] }));
                AnyTicket::Ntt(ticket)
            }
            _ => return None,
        })
    }

    /// Applies the defect to a response of the processor.
    fn distort(&self, mut response: AnyResponse, group: Option<Group>) -> Result<AnyResponse> {
        match (self.lie, &mut response) {
            (_, AnyResponse::LoadBases(_) | AnyResponse::PlanMsm(_)) => {}
            (Lie::Dies, _) => {
                return Err(Error::Lost { device: self.caps.uri.clone(), problem: "dead".into() });
            }
            (Lie::Zero(zero), AnyResponse::Msm(msm)) if group == Some(zero) => {
                msm.points[0].fill(0);
            }
            (Lie::NoPoint, AnyResponse::Msm(msm)) => msm.points[0][3] ^= 1,
            (Lie::Twice, AnyResponse::Msm(msm)) => msm.points.push(msm.points[0].clone()),
            (Lie::Bit, AnyResponse::Quotient(QuotientResponse::Elements(elements))) => {
                elements[32] ^= 1;
            }
            (Lie::NotReduced, AnyResponse::Quotient(QuotientResponse::Elements(elements))) => {
                elements[32..64].fill(0xff);
            }
            _ => {}
        }
        Ok(response)
    }
}

impl Device for Liar {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        self.cpu.load(bytes)
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        self.caps.require(&request.capability())?;
        let loads = matches!(&request, AnyRequest::LoadBases(_));
        self.loads.fetch_add(usize::from(loads), Ordering::Relaxed);
        if let Some(ticket) = self.mistaken(&request) {
            return Ok(ticket);
        }
        let group = match &request {
            AnyRequest::Msm(request) => Some(request.bases.instance.group),
            _ => None,
        };
        let (completer, ticket) = request.ticket(Cancel::new());
        let response = self.cpu.submit_any(request)?.wait();
        completer.complete(response.and_then(|response| self.distort(response, group)));
        Ok(ticket)
    }

    fn metrics(&self) -> Metrics {
        self.cpu.metrics()
    }
}
