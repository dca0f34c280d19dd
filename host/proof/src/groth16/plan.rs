//! The plan of a proof: devices and memory.

use proofmill_op::msm::{Curve, PlanRequest};
use proofmill_op::{Device as _, DeviceKind, Submit};

use super::Scalar;
use super::prove::Prover;
use super::report::Step;
use crate::Result;
use crate::snarkjs::Section;

/// The plan of a proof. All bytes are upper limits of host memory, in a process that [returns](super::return_freed_memory) freed memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan<S = Step> {
    /// The curve.
    pub curve: Curve,
    /// The variables of the circuit, including the 1.
    pub variables: usize,
    /// The public inputs.
    pub public_inputs: usize,
    /// The size of the domain: constraints and public variables fit into it.
    pub domain: usize,
    /// Bytes of the key's file, which is mapped.
    pub key: usize,
    /// Bytes of the witness's values.
    pub witness: usize,
    /// The bytes kept between proofs: the matrices and resident points.
    pub resident: usize,
    /// The steps in their order.
    pub steps: Vec<Planned<S>>,
    /// Bytes of the working set: the maximum over the steps of the memory in use at a time, besides the rest.
    pub working: usize,
}

impl<S> Plan<S> {
    /// Returns the total bytes.
    pub fn memory(&self) -> usize {
        self.memory_of_batch(1)
    }

    /// Returns the total bytes of a batch with so many lanes, each with a witness and a working set.
    pub fn memory_of_batch(&self, lanes: usize) -> usize {
        self.key + self.resident + lanes * (self.witness + self.working)
    }
}

/// A planned step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Planned<S = Step> {
    /// The step.
    pub step: S,
    /// The device; `None` for work of the prover itself.
    pub device: Option<String>,
    /// Bytes of the working set in this step.
    pub working: usize,
}

/// Bytes for the rest: the program, the verifying key, tables, threads.
pub(crate) const OVERHEAD: usize = 8 << 20;

impl Prover {
    /// Plans a proof on these devices.
    pub fn plan(&self) -> Result<Plan> {
        let (variables, domain) = (self.key.variables(), self.rows.count());
        let [witness, list] = [variables, domain].map(|count| count * size_of::<Scalar>());
        let (mut resident, mut offloaded, mut steps) = (self.rows.bytes(), 0, Vec::new());
        for section in Section::ALL {
            let points = if section == Section::H { domain } else { variables };
            let mut msm = self.plan_msm(section, points)?;
            let device = self.route.device(section).caps();
            if device.kind == DeviceKind::Gpu {
                // It uses GPU memory.
                msm.memory = 0;
            }
            if self.settings.resident && device.kind == DeviceKind::Cpu {
                resident += msm.resident;
            }
            // MSMs of other devices run while this machine computes.
            if device.kind != DeviceKind::Cpu {
                offloaded += msm.memory;
            }
            let scalars = if section == Section::H { 2 * list } else { 0 };
            let (step, device) = (Step::Msm(section), Some(device.uri.clone()));
            steps.push(Planned { step, device, working: witness + scalars + msm.memory });
        }
        let own = |step, working| Planned { step, device: None, working };
        let transforms = Some(self.route.transforms.caps().uri.clone());
        // Two lists wait, and one is transformed from a list to another; the lines between its passes are in the overhead.
        let quotient = witness + 4 * list;
        let before_h = [
            own(Step::Rows, 2 * witness + 3 * list + self.rows.elements()),
            Planned { step: Step::Quotient, device: transforms, working: quotient },
        ];
        steps.splice(4..4, before_h);
        steps.extend([own(Step::Assembly, 0), own(Step::Check, 0)]);
        let working = steps.iter().map(|step| step.working).max().unwrap_or(0);
        Ok(Plan {
            curve: self.key.curve(),
            variables,
            public_inputs: self.key.public_inputs(),
            domain,
            key: self.key.file_bytes(),
            witness,
            resident,
            steps,
            working: working + offloaded + OVERHEAD,
        })
    }

    fn plan_msm(&self, section: Section, points: usize) -> Result<proofmill_op::msm::Plan> {
        let (device, bases) = &self.route.sections[section as usize];
        let (instance, resident) = (bases.instance, self.settings.resident);
        let request = PlanRequest { instance, points, resident, max_bytes: bases.max_bytes };
        Ok(device.submit(request)?.wait()?)
    }
}
