//! blst.

use anyhow::Result;
use works::Work;
use works::msm::Sums;

mod algebra;
mod bls;
mod factors;
mod groth16;
mod msm;
mod pairing;

fn main() -> Result<()> {
    let mut sums = Sums::default();
    let mut signatures = bls::Signatures::default();
    let mut proofs = groth16::Proofs::default();
    works::serve(|work| match &work {
        Work::Algebra(work) => algebra::seconds(work),
        Work::Bls(work) => signatures.seconds(work),
        Work::Groth16(work) => proofs.seconds(work),
        Work::Msm(work) => sums.seconds(work, msm::task),
        Work::Pairing(work) => works::pairing::seconds(work, pairing::task),
        _ => work.refused(),
    })
}
