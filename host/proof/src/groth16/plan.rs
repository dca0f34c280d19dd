//! Which device does what, and in how much memory.

use proofmill_op::msm::{Curve, Request, Response};
use proofmill_op::{Answer, DeviceKind};

use super::Scalar;
use super::prove::Prover;
use super::report::Step;
use crate::Result;
use crate::snarkjs::Section;

/// What a proof will take. All bytes are those of this machine's memory, at most, in a process that
/// [gives back](super::return_freed_memory) what it freed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The curve.
    pub curve: Curve,
    /// Variables of the circuit, with the 1.
    pub variables: usize,
    /// Public ones.
    pub publics: usize,
    /// The size of the domain: constraints and public variables fit into it.
    pub domain: usize,
    /// Bytes of the key's file, which is mapped.
    pub key: usize,
    /// Bytes of the witness's values.
    pub witness: usize,
    /// Bytes that are kept between proofs: the matrices, and parked points.
    pub kept: usize,
    /// The steps in their order.
    pub steps: Vec<Planned>,
    /// Bytes of the working set: the largest sum of what is there at a time while a proof is made, besides the rest.
    pub working: usize,
}

impl Plan {
    /// All of it.
    pub fn memory(&self) -> usize {
        self.memory_of_batch(1)
    }

    /// All of a batch with so many lanes: each has a witness and a working set.
    pub fn memory_of_batch(&self, lanes: usize) -> usize {
        self.key + self.kept + lanes * (self.witness + self.working)
    }
}

/// A step to come.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Planned {
    /// Which.
    pub step: Step,
    /// The device that will do it; none for what the prover does itself.
    pub device: Option<String>,
    /// Bytes of the working set in this step.
    pub working: usize,
}

/// Bytes for the rest: the program, the verifying key, tables, threads.
const ROOM: usize = 8 << 20;

impl Prover {
    /// What a proof will take on these devices.
    pub fn plan(&self) -> Result<Plan> {
        let (variables, domain) = (self.key.variables(), self.rows.count());
        let [witness, list] = [variables, domain].map(|count| count * size_of::<Scalar>());
        let (mut kept, mut elsewhere, mut steps) = (self.rows.bytes(), 0, Vec::new());
        for section in Section::ALL {
            let points = if section == Section::H { domain } else { variables };
            let mut sum = self.sum(section, points)?;
            let device = self.route.device(section).caps();
            if device.kind == DeviceKind::Gpu {
                // It works in memory of its own.
                sum.memory = 0;
            }
            if self.settings.park && device.kind == DeviceKind::Cpu {
                kept += sum.parked;
            }
            // Sums of other machines are under way while this one goes on.
            if device.kind != DeviceKind::Cpu {
                elsewhere += sum.memory;
            }
            let scalars = if section == Section::H { 2 * list } else { 0 };
            let (step, device) = (Step::Sum(section), Some(device.uri.clone()));
            steps.push(Planned { step, device, working: witness + scalars + sum.memory });
        }
        let own = |step, working| Planned { step, device: None, working };
        let transforms = Some(self.route.transforms.caps().uri.clone());
        // Two lists wait, and one is transformed from a list to another; the lines between its passes are in the room for the rest.
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
            publics: self.key.publics(),
            domain,
            key: self.key.file_bytes(),
            witness,
            kept,
            steps,
            working: working + elsewhere + ROOM,
        })
    }

    fn sum(&self, section: Section, points: usize) -> Result<proofmill_op::msm::Plan> {
        let (device, bases) = &self.route.sums[section as usize];
        let (instance, parked) = (bases.instance, self.settings.park);
        let request = Request::Plan { instance, points, parked, room: bases.room };
        match device.submit(proofmill_op::Request::Msm(request))?.wait()? {
            Answer::Msm(Response::Plan(plan)) => Ok(plan),
            _ => Err(super::route::another(&**device).into()),
        }
    }
}
