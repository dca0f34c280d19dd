//! halo2curves, with its assembly.

use anyhow::Result;
use works::Work;
use works::msm::Sums;

mod algebra;
mod msm;
mod pairing;

fn main() -> Result<()> {
    let mut sums = Sums::default();
    works::serve(|work| match &work {
        Work::Algebra(work) => algebra::seconds(work),
        Work::Msm(work) => sums.seconds(work, msm::task),
        Work::Pairing(work) => works::pairing::seconds(work, pairing::task),
        _ => work.refused(),
    })
}
