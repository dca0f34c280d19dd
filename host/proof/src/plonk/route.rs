//! Assigns the steps of a proof to devices.

use std::sync::Arc;

use proofmill_op::msm::{
    Bases, Check, Group, Instance, Plan, PlanRequest, Request, Response, read,
};
use proofmill_op::{Argument, Capability, Data, Device, DeviceKind, Error, Progress, Submit};

use crate::Result;
use crate::groth16::Devices;
use crate::groth16::quotient::root;
use crate::groth16::suite::Suite;
use crate::snarkjs::PlonkishKey;

/// The devices of the MSMs and of the transforms, and the powers of tau.
pub struct Route {
    pub msm: Arc<dyn Device>,
    pub bases: Bases,
    pub transforms: Arc<dyn Device>,
    /// The number of powers of tau.
    powers: usize,
}

impl Route {
    /// Assigns the steps to these devices. If `resident`, waits until the powers of tau are loaded. Points are checked to be on the curve when
    /// they are read; the subgroup is not checked: the key is trusted, and its `check` checks it.
    pub fn new<E: Suite, H>(
        key: &PlonkishKey<H>,
        devices: &Devices,
        resident: bool,
    ) -> Result<Self> {
        let instance = Instance::new(E::CURVE, Group::G1);
        let msm = devices.offering(&Capability::Msm(instance))?;
        let log = key.domain_log();
        let transforms = devices.for_transforms::<E>(log, root(log))?;
        let mut bases = Bases::streamed(instance, key.points()).unchecked();
        if resident {
            let loaded = msm.submit(bases)?.wait().map_err(of_key)?;
            bases = Bases::resident(instance, loaded);
        }
        Ok(Self { msm, bases, transforms, powers: key.points().count() })
    }

    /// Returns the request for commitments to polynomials of as many coefficients as there are powers of tau.
    pub fn request(
        &self,
        lists: impl IntoIterator<Item = Data>,
        progress: Option<Progress>,
    ) -> Request {
        Request { progress, ..Request::batch(self.bases.clone(), lists) }
    }

    /// Plans an MSM over all powers of tau, for a prover with or without resident points.
    pub fn plan(&self, resident: bool) -> Result<Plan> {
        let &Bases { instance, max_bytes, .. } = &self.bases;
        let points = self.powers;
        let request = PlanRequest { instance, points, resident, max_bytes };
        Ok(self.msm.submit(request)?.wait()?)
    }

    /// Returns the points that the device computed. A malformed result is an error of the device.
    pub fn points<E: Suite>(&self, response: Response, count: usize) -> Result<Vec<Vec<u8>>> {
        let failed = |problem: String| {
            crate::Error::from(Error::Failed { device: self.msm.caps().uri.clone(), problem })
        };
        if response.points.len() != count {
            let problem = format!("{} points for {count} lists", response.points.len());
            return Err(failed(problem));
        }
        for (number, point) in response.points.iter().enumerate() {
            if point.len() != self.bases.instance.point_bytes() {
                return Err(failed("a point of another length".into()));
            }
            read::point::<E::G1>(number, point, Check::Curve)
                .map_err(|problem| failed(format!("its commitment: {problem}")))?;
        }
        Ok(response.points)
    }

    /// Returns the URIs of the devices other than this machine's processor.
    pub fn offload_uris(&self) -> Vec<String> {
        let caps = [&self.msm, &self.transforms].map(|device| device.caps());
        let offloaded = caps.into_iter().filter(|caps| caps.kind != DeviceKind::Cpu);
        let mut uris: Vec<_> = offloaded.map(|caps| caps.uri.clone()).collect();
        uris.dedup();
        uris
    }
}

/// Attributes an error about bases to the key.
pub fn of_key(error: Error) -> crate::Error {
    match error {
        Error::Argument { argument: Argument::Bases, problem } => {
            crate::Error::argument("key", format!("powers of tau: {problem}"))
        }
        other => other.into(),
    }
}
