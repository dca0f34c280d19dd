//! The plan of a proof: devices and memory.

use proofmill_op::{Device as _, DeviceKind};

use super::polynomial::EXTRA;
use super::prove::Prover;
use super::report::{Commitments, Plan, Step};
use crate::Result;
use crate::groth16::{OVERHEAD, Planned, Scalar};

impl Prover {
    /// Plans a proof on these devices. The bytes are upper limits of host memory, in a process that
    /// [returns](crate::groth16::return_freed_memory) freed memory.
    pub fn plan(&self) -> Result<Plan> {
        let domain = 1 << self.key.domain_log();
        let list = domain * size_of::<Scalar>();
        let polynomial = (domain + EXTRA) * size_of::<Scalar>();
        let variables = self.key.variables() * size_of::<Scalar>();
        let transforms = Some(self.route.transforms.caps().uri.clone());
        let msm = self.route.plan(self.settings.resident)?;
        let device = self.route.msm.caps();
        let resident = match device.kind {
            DeviceKind::Cpu if self.settings.resident => msm.resident,
            _ => 0,
        };
        // The memory of a GPU is its own.
        let of_msm = if device.kind == DeviceKind::Gpu { 0 } else { msm.memory };
        let commit = |which: Commitments, working| {
            let device = Some(device.uri.clone());
            let working = working + which.count() * of_msm;
            Planned { step: Step::Msm(which), device, working }
        };
        let step = |step, device, working| Planned { step, device, working };
        let steps = vec![
            step(Step::Wires, transforms.clone(), variables + 3 * polynomial + 2 * list),
            commit(Commitments::Wires, variables + 3 * polynomial),
            step(Step::Accumulator, transforms.clone(), variables + 4 * polynomial + 2 * list),
            commit(Commitments::Accumulator, 4 * polynomial),
            // Values of five polynomials on a coset, their sum, the public inputs, and three parts.
            step(Step::Quotient, transforms, 4 * polynomial + 10 * list),
            commit(Commitments::Quotient, 7 * polynomial),
            step(Step::Evaluations, None, 7 * polynomial),
            step(Step::Openings, None, 10 * polynomial),
            commit(Commitments::Openings, 9 * polynomial),
            step(Step::Check, None, 0),
        ];
        let working = steps.iter().map(|step| step.working).max().unwrap_or(0);
        Ok(Plan {
            curve: self.key.curve(),
            variables: self.key.variables(),
            public_inputs: self.key.public_inputs(),
            domain,
            key: self.key.file_bytes(),
            witness: self.key.witness_values() * size_of::<Scalar>(),
            resident,
            steps,
            working: working + OVERHEAD,
        })
    }
}
