//! `msm` on a GPU: kernels/msm.h has the steps.

mod bases;
mod plan;
mod sums;

use proofmill_op::msm::{Request, Response};
use proofmill_op::{Answer, Capability, Error, Parked, Result};

use crate::device::{Source, Work};
use crate::in_group;
use crate::sources::Module;

use bases::Points;

/// Returns the work for a request, after the checks that need no GPU.
pub(crate) fn work(request: Request, identity: u64) -> Result<Work> {
    Ok(match request {
        Request::Plan { instance, points, parked, room } => Box::new(move |job| {
            let plan = in_group!(instance, plan::answer(job, points, parked, room))?;
            Ok(Answer::Msm(Response::Plan(plan)))
        }),
        Request::Park(asked) => {
            let count = asked.count()?;
            let bytes = proofmill_op::msm::read::Bytes::of(&asked.points, identity)?;
            Box::new(move |job| {
                job.gpu.load(Module::Msm(asked.instance))?;
                let bases = in_group!(asked.instance, bases::load(job, &asked, &bytes, count))?;
                let len = count * asked.instance.point_bytes();
                let form = Capability::Msm(asked.instance);
                let parked = Parked::prepared(identity, form, len, bases);
                Ok(Answer::Msm(Response::Parked(parked)))
            })
        }
        Request::Sums(asked) => {
            asked.count()?;
            let points = Points::of(&asked.bases, identity)?;
            let scalars = asked.scalars.iter().map(|list| Source::of(list, identity));
            let scalars: Vec<_> = scalars.collect::<Result<_>>()?;
            Box::new(move |job| {
                job.gpu.load(Module::Msm(asked.bases.instance))?;
                let points =
                    in_group!(asked.bases.instance, sums::all(job, &asked, &points, &scalars))?;
                Ok(Answer::Msm(Response::Sums { points, cycles: None }))
            })
        }
        other => return Err(Error::argument("request", format!("{other:?} is not known here"))),
    })
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
