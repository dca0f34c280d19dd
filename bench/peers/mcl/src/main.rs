//! mcl, whose crate carries its source and wants cmake. The curve is one for the whole program.

use anyhow::Result;
use works::Work;
use works::msm::Sums;

mod msm;
mod pairing;

fn main() -> Result<()> {
    let mut sums = Sums::default();
    works::serve(|work| match &work {
        Work::Msm(work) => sums.seconds(work, msm::task),
        Work::Pairing(work) => works::pairing::seconds(work, pairing::task),
        _ => work.refused(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_of_pairings() {
        let groups = ["bn254_g1", "bn254_g2", "bls12_381_g1", "bls12_381_g2"];
        works::msm::examine(msm::task, &groups);
        works::pairing::examine(pairing::task, &["bn254", "bls12_381"], 2);
    }
}
