//! `msm` on a GPU: kernels/msm.h has the steps.

mod bases;
mod batch;
mod plan;

use proofmill_op::msm::{self, PlanRequest, Request, Response, read};
use proofmill_op::{Capability, ResidentData, Result};

use crate::device::{Source, Work};
use crate::in_group;
use crate::sources::Module;

use bases::Points;

/// Returns the work for MSMs, after the checks that need no GPU.
pub(crate) fn work(request: Request, identity: u64) -> Result<Work<Response>> {
    request.count()?;
    let points = Points::of(&request.bases, identity)?;
    let scalars = request.scalars.iter().map(|list| Source::of(list, identity));
    let scalars: Vec<_> = scalars.collect::<Result<_>>()?;
    Ok(Box::new(move |job| {
        let instance = request.bases.instance;
        job.gpu.load(Module::Msm(instance))?;
        let points = in_group!(instance, batch::all(job, &request, &points, &scalars))?;
        Ok(Response::new(points, None))
    }))
}

/// Returns the work for bases to load, after the checks that need no GPU.
pub(crate) fn load_work(bases: msm::Bases, identity: u64) -> Result<Work<ResidentData>> {
    let count = bases.count()?;
    let source = read::Source::of(&bases.points, identity)?;
    Ok(Box::new(move |job| {
        job.gpu.load(Module::Msm(bases.instance))?;
        let resident = in_group!(bases.instance, bases::load(job, &bases, &source, count))?;
        let len = count * bases.instance.point_bytes();
        Ok(ResidentData::prepared(identity, Capability::Msm(bases.instance), len, resident))
    }))
}

/// Returns the work for a plan.
pub(crate) fn plan_work(request: PlanRequest) -> Work<msm::Plan> {
    Box::new(move |job| in_group!(request.instance, plan::plan(job, &request)))
}

/// Calls a function for the group of an instance that GPUs have.
#[macro_export]
#[doc(hidden)]
macro_rules! in_group {
    ($instance:expr, $($function:ident)::+($($argument:expr),* $(,)?)) => {{
        use proofmill_algebra::{bls12_381, bn254};
        use proofmill_op::msm::{Curve, Group};
        let instance: proofmill_op::msm::Instance = $instance;
        match (instance.curve, instance.group) {
            (Curve::Bn254, Group::G1) => $($function)::+::<bn254::G1>($($argument),*),
            (Curve::Bn254, Group::G2) => $($function)::+::<bn254::G2>($($argument),*),
            (Curve::Bls12_381, Group::G1) => $($function)::+::<bls12_381::G1>($($argument),*),
            (Curve::Bls12_381, Group::G2) => $($function)::+::<bls12_381::G2>($($argument),*),
            #[cfg(feature = "bls12_377")]
            (Curve::Bls12_377, Group::G1) => $($function)::+::<proofmill_algebra::bls12_377::G1>($($argument),*),
            #[cfg(feature = "bls12_377")]
            (Curve::Bls12_377, Group::G2) => $($function)::+::<proofmill_algebra::bls12_377::G2>($($argument),*),
            _ => Err(proofmill_op::Error::argument("instance", format!("there is no kernel for {instance}"))),
        }
    }};
}
