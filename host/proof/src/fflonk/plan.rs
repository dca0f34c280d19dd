//! The plan of a proof: devices and memory.

use proofmill_op::{Device as _, DeviceKind};

use super::prove::Prover;
use super::report::{Commitment, Plan, Step};
use crate::Result;
use crate::groth16::{OVERHEAD, Planned, Scalar};

impl Prover {
    /// Plans a proof on these devices. The bytes are upper limits of host memory, in a process that
    /// [returns](crate::groth16::return_freed_memory) freed memory.
    pub fn plan(&self) -> Result<Plan> {
        let domain = 1 << self.key.domain_log();
        let list = domain * size_of::<Scalar>();
        let combined = self.key.points().count() * size_of::<Scalar>();
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
        let commit = |which: Commitment, working| {
            let device = Some(device.uri.clone());
            Planned { step: Step::Msm(which), device, working: working + of_msm }
        };
        let step = |step, device, working| Planned { step, device, working };
        let steps = vec![
            step(Step::Wires, transforms.clone(), variables + 5 * list),
            // The wires and the public inputs, two halves and T0; or their values on a coset.
            step(Step::Gates, transforms.clone(), variables + combined + 9 * list),
            commit(Commitment::C1, variables + combined),
            step(Step::Accumulator, transforms.clone(), variables + combined + 4 * list),
            // z, T1, three parts and T2; or values on a coset.
            step(Step::Permutation, transforms, 2 * combined + 9 * list),
            commit(Commitment::C2, 2 * combined),
            step(Step::Evaluations, None, 2 * combined),
            step(Step::Quotient, None, 4 * combined),
            commit(Commitment::W1, 3 * combined),
            step(Step::Opening, None, 5 * combined),
            commit(Commitment::W2, combined),
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
