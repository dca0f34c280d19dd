//! A GPU that computes all MSMs over the witness receives it once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{CURVES, chain, cpu};
use proofmill_cpu::CpuDevice;
use proofmill_op::msm::Group;
use proofmill_op::{
    AnyRequest, AnyTicket, Capability, Caps, Data, Device, DeviceKind, Error, Metrics,
    ResidentData, Result,
};
use proofmill_proof::groth16::{Devices, Prover, Settings, verify};

/// The result of making bytes resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Free,
    Full,
    Lost,
}

/// A processor that counts the bytes it receives, as a device of any kind.
struct Counted {
    cpu: Arc<CpuDevice>,
    caps: Caps,
    memory: Memory,
    /// Bytes that were made resident, by themselves.
    resident: AtomicUsize,
    /// Bytes of scalars that came with requests.
    sent: AtomicUsize,
}

impl Counted {
    fn new(kind: DeviceKind, memory: Memory, offers: impl Fn(&Capability) -> bool) -> Arc<Self> {
        let cpu = cpu(1);
        let mut caps = Caps::new("soft:counted", kind, "counts");
        caps.capabilities = cpu.caps().capabilities.clone();
        caps.capabilities.retain(offers);
        let [resident, sent] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        Arc::new(Self { cpu, caps, memory, resident, sent })
    }

    /// The bytes made resident, and those sent.
    fn counts(&self) -> (usize, usize) {
        (self.resident.load(Ordering::Relaxed), self.sent.load(Ordering::Relaxed))
    }
}

impl Device for Counted {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        match self.memory {
            Memory::Free => self.resident.fetch_add(bytes.len(), Ordering::Relaxed),
            Memory::Full => return Err(Error::argument("data", "no memory is free")),
            Memory::Lost => {
                return Err(Error::Lost { device: self.caps.uri.clone(), problem: "dead".into() });
            }
        };
        self.cpu.load(bytes)
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        self.caps.require(&request.capability())?;
        if let AnyRequest::Msm(request) = &request {
            let sent = request.scalars.iter().filter(|list| matches!(list, Data::Host(_)));
            self.sent.fetch_add(sent.map(Data::len).sum(), Ordering::Relaxed);
        }
        self.cpu.submit_any(request)
    }

    fn metrics(&self) -> Metrics {
        self.cpu.metrics()
    }
}

fn everything(_: &Capability) -> bool {
    true
}

#[test]
fn a_witness_is_sent_to_a_gpu_once() {
    for curve in CURVES {
        let (key, witness) = chain(curve, 40);
        let vk = key.verifying_key().unwrap();
        let (bytes, h) = (32 * key.variables(), 32 << key.domain_log());
        let in_g1 = |it: &Capability| !matches!(it, Capability::Msm(it) if it.group == Group::G2);
        for (device, expected) in [
            (Counted::new(DeviceKind::Gpu, Memory::Free, everything), (bytes, h)),
            (Counted::new(DeviceKind::Gpu, Memory::Full, everything), (0, 4 * bytes + h)),
            (Counted::new(DeviceKind::Card, Memory::Free, everything), (0, 4 * bytes + h)),
            // The fallback computes B2.
            (Counted::new(DeviceKind::Gpu, Memory::Free, in_g1), (0, 3 * bytes + h)),
        ] {
            let devices = Devices { device: device.clone(), fallback: Some(cpu(1)) };
            let prover = Prover::new(&key, devices, Settings::default()).unwrap();
            let proved = prover.prove(&witness).unwrap();
            assert!(verify(&vk, &proved.public_inputs, &proved.proof).unwrap());
            assert_eq!(proved.report.retried, None);
            assert_eq!(device.counts(), expected, "{:?} {:?}", device.caps.kind, device.memory);
        }
    }
}

#[test]
fn a_gpu_that_is_lost_before_it_has_the_witness_is_replaced() {
    let (key, witness) = chain(CURVES[0], 40);
    let device = Counted::new(DeviceKind::Gpu, Memory::Lost, everything);
    let devices = Devices { device, fallback: Some(cpu(1)) };
    let prover = Prover::new(&key, devices, Settings::default()).unwrap();
    let proved = prover.prove(&witness).unwrap();
    assert!(verify(&key.verifying_key().unwrap(), &proved.public_inputs, &proved.proof).unwrap());
    assert_eq!(proved.report.retried.unwrap().devices, ["soft:counted"]);
}
