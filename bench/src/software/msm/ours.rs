//! Our side: resident points on a device of some threads, and scalars.

use std::time::Instant;

use anyhow::Result;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, SCALAR_BYTES};
use proofmill_cpu::CpuDevice;
use proofmill_op::Submit;
use proofmill_op::msm::{Bases, Instance, Plan, PlanRequest, Request};

/// A device with resident points.
pub(super) struct Ours {
    device: CpuDevice,
    bases: Bases,
}

impl Ours {
    /// Loads points with their multiples, if these fit into `max_bytes` bytes; 0 for none.
    pub fn new<C: Group<Base: Coordinate>>(
        points: &[u8],
        threads: usize,
        max_bytes: usize,
    ) -> Result<Self> {
        let device = CpuDevice::new(Some(threads))?;
        let instance: Instance = C::NAME.parse()?;
        let bases = Bases::new(instance, points.to_vec()).unchecked().precomputed(max_bytes);
        let resident = device.submit(bases)?.wait()?;
        Ok(Self { device, bases: Bases::resident(instance, resident) })
    }

    /// Returns the plan for resident points with this memory limit.
    pub fn plan<C: Group>(&self, points: usize, max_bytes: usize) -> Result<Plan> {
        let instance: Instance = C::NAME.parse()?;
        let plan = PlanRequest { instance, points, resident: true, max_bytes };
        Ok(self.device.submit(plan)?.wait()?)
    }

    /// Returns an MSM with scalars of all bits.
    pub fn uniform<C: Group>(&self, count: usize) -> Request {
        self.with::<C>(uniform::<C>().take(count))
    }

    /// Returns MSMs with scalars that fill buckets unevenly, or have few bits, with their names.
    pub fn distributions<C: Group>(&self, count: usize) -> [(&'static str, Request); 6] {
        let (zero, one) = (C::Scalar::ZERO, C::Scalar::ONE);
        let (some, other) = (uniform::<C>(), uniform::<C>().nth(1).unwrap_or(one));
        // Counted to a hundred by steps of 37, so that equal ones are not adjacent.
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

    fn with<C: Group>(&self, scalars: impl Iterator<Item = C::Scalar>) -> Request {
        let mut bytes = Vec::new();
        for scalar in scalars {
            bytes.extend(scalar.to_le_bytes().as_ref());
            bytes.resize(bytes.len().next_multiple_of(SCALAR_BYTES), 0);
        }
        Request::new(self.bases.clone(), bytes)
    }

    pub fn seconds(&self, request: &Request) -> Result<f64> {
        let request = request.clone();
        let start = Instant::now();
        self.device.submit(request)?.wait()?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Returns random scalars.
fn uniform<C: Group>() -> impl Iterator<Item = C::Scalar> {
    let start = C::Scalar::from(0x9e37_79b9_7f4a_7c15).square().square();
    std::iter::successors(Some(start), move |x: &C::Scalar| Some(x.square() + start))
}

/// Negates every second scalar.
fn opposite<S: Field>((i, k): (usize, S)) -> S {
    if i % 2 == 0 { k } else { -k }
}
