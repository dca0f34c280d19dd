//! arkworks, with its assembly and threads.

use anyhow::Result;
use works::Work;
use works::msm::Sums;

mod msm;
mod ntt;
mod pairing;
mod prove;

fn main() -> Result<()> {
    let (mut sums, mut transforms) = (Sums::default(), ntt::Transforms::default());
    let mut proofs = prove::Proofs::default();
    works::serve(|work| match &work {
        Work::Msm(work) => sums.seconds(work, msm::task),
        Work::Ntt(work) => transforms.seconds(work),
        Work::Pairing(work) => works::pairing::seconds(work, pairing::task),
        Work::Prove(work) => proofs.seconds(work),
        _ => work.refused(),
    })
}
