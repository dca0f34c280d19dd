//! Our side: parked points on a device of some threads, and scalars.

use std::time::Instant;

use anyhow::{Result, bail};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, SCALAR_BYTES};
use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{Bases, Instance, Plan, Request, Response, Sums};
use proofmill_op::{Answer, Data, Device};

/// A device that keeps points.
pub(super) struct Ours {
    device: CpuDevice,
    bases: Bases,
}

impl Ours {
    /// With multiples of the points where there is room for them: so many bytes, or 0.
    pub fn new<C: Group<Base: Coordinate>>(
        points: &[u8],
        threads: usize,
        room: usize,
    ) -> Result<Self> {
        let device = CpuDevice::new(Some(threads))?;
        let instance: Instance = C::NAME.parse()?;
        let park = Request::Park(Bases::new(instance, points.to_vec()).precomputed(room));
        let Answer::Msm(Response::Parked(parked)) = ask(&device, park)? else {
            bail!("no handle to parked points")
        };
        Ok(Self { device, bases: Bases::parked(instance, parked) })
    }

    /// What parked points have in such a room.
    pub fn plan<C: Group>(&self, points: usize, room: usize) -> Result<Plan> {
        let instance: Instance = C::NAME.parse()?;
        let plan = Request::Plan { instance, points, parked: true, room };
        match ask(&self.device, plan)? {
            Answer::Msm(Response::Plan(plan)) => Ok(plan),
            other => bail!("no plan: {other:?}"),
        }
    }

    /// A sum with scalars of all bits.
    pub fn uniform<C: Group>(&self, count: usize) -> Sums {
        self.with::<C>(uniform::<C>().take(count))
    }

    /// Sums with scalars that treat buckets badly, or have few bits, with their names.
    pub fn distributions<C: Group>(&self, count: usize) -> [(&'static str, Sums); 6] {
        let (zero, one) = (C::Scalar::ZERO, C::Scalar::ONE);
        let (some, other) = (uniform::<C>(), uniform::<C>().nth(1).unwrap_or(one));
        // Counted to a hundred by steps of 37, so that equal ones are no neighbours.
        let witness = some.enumerate().map(|(i, k)| match 37 * i % 100 {
            0..43 => zero,
            43..71 => one,
            _ => k,
        });
        let sparse = uniform::<C>().enumerate().map(|(i, k)| if i % 100 == 0 { k } else { zero });
        let all = |k| std::iter::repeat_n(k, count);
        [
            ("43 % zero and 28 % one", self.with::<C>(witness.take(count))),
            ("all equal", self.with::<C>(all(other))),
            ("all in one bucket", self.with::<C>(all(C::Scalar::from(3)))),
            ("all r - 1", self.with::<C>(all(-one))),
            ("1 % not zero", self.with::<C>(sparse.take(count))),
            ("equal or opposite", self.with::<C>(all(other).enumerate().map(opposite))),
        ]
    }

    fn with<C: Group>(&self, scalars: impl Iterator<Item = C::Scalar>) -> Sums {
        let mut bytes = Vec::new();
        for scalar in scalars {
            bytes.extend(scalar.to_le_bytes().as_ref());
            bytes.resize(bytes.len().next_multiple_of(SCALAR_BYTES), 0);
        }
        Sums::one(self.bases.clone(), Data::from(bytes))
    }

    pub fn seconds(&self, sums: &Sums) -> Result<f64> {
        let request = Request::Sums(sums.clone());
        let start = Instant::now();
        ask(&self.device, request)?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Scalars without order.
fn uniform<C: Group>() -> impl Iterator<Item = C::Scalar> {
    let start = C::Scalar::from(0x9e37_79b9_7f4a_7c15).square().square();
    std::iter::successors(Some(start), move |x: &C::Scalar| Some(x.square() + start))
}

/// Every second one negated.
fn opposite<S: Field>((i, k): (usize, S)) -> S {
    if i % 2 == 0 { k } else { -k }
}

fn ask(device: &CpuDevice, request: Request) -> Result<Answer> {
    Ok(device.submit(proofmill_op::Request::Msm(request))?.wait()?)
}
