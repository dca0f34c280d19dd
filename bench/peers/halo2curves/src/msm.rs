//! Sums.

use std::hint::black_box;

use anyhow::{Result, bail};
use halo2curves::CurveAffine;
use halo2curves::bn256;
use halo2curves::ff::Field as _;
use halo2curves::group::{Curve, Group};
use halo2curves::msm::msm_best;
use works::msm::Task;

pub fn task(instance: &str, count: usize) -> Result<Task> {
    Ok(match instance {
        "bn254_g1" => sum::<bn256::G1Affine>(count),
        "bn254_g2" => sum::<bn256::G2Affine>(count),
        _ => bail!("halo2curves has no {instance}"),
    })
}

fn sum<C: CurveAffine>(count: usize) -> Task {
    let mut point = C::Curve::generator();
    let points: Vec<_> = std::iter::repeat_with(|| {
        point += C::generator();
        point
    })
    .take(count)
    .collect();
    let mut bases = vec![C::identity(); count];
    C::Curve::batch_normalize(&points, &mut bases);
    let start = C::Scalar::from(0x9e37_79b9_7f4a_7c15).square().square();
    let next = |x: &C::Scalar| Some(x.square() + start);
    let scalars: Vec<_> = std::iter::successors(Some(start), next).take(count).collect();
    Box::new(move |pool| {
        black_box(pool.install(|| msm_best(&scalars, &bases)));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        works::msm::examine(super::task, &["bn254_g1", "bn254_g2"]);
    }
}
