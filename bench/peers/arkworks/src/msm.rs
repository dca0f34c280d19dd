//! MSMs.

use std::hint::black_box;

use anyhow::{Result, bail, ensure};
use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::PrimeField;
use works::msm::Task;

pub fn task(instance: &str, count: usize) -> Result<Task> {
    Ok(match instance {
        "bn254_g1" => sum::<ark_bn254::G1Projective>(count),
        "bn254_g2" => sum::<ark_bn254::G2Projective>(count),
        "bls12_381_g1" => sum::<ark_bls12_381::G1Projective>(count),
        "bls12_381_g2" => sum::<ark_bls12_381::G2Projective>(count),
        "bls12_377_g1" => sum::<ark_bls12_377::G1Projective>(count),
        "bls12_377_g2" => sum::<ark_bls12_377::G2Projective>(count),
        _ => bail!("arkworks has no {instance}"),
    })
}

fn sum<G: VariableBaseMSM + CurveGroup + PrimeGroup>(count: usize) -> Task {
    let next = |sum: &G| Some(*sum + G::generator());
    let points: Vec<G> = std::iter::successors(Some(G::generator()), next).take(count).collect();
    let bases = G::normalize_batch(&points);
    let scalars = scalars::<G::ScalarField>(count);
    Box::new(move |pool| {
        let sum = pool.install(|| <G as VariableBaseMSM>::msm(&bases, &scalars));
        ensure!(black_box(sum).is_ok(), "not as many scalars as points");
        Ok(())
    })
}

fn scalars<F: PrimeField>(count: usize) -> Vec<F> {
    let start = F::from(0x9e37_79b9_7f4a_7c15u64).square().square();
    std::iter::successors(Some(start), |x| Some(x.square() + start)).take(count).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        let curves = ["bn254", "bls12_381", "bls12_377"];
        for group in ["g1", "g2"] {
            let groups = curves.map(|curve| format!("{curve}_{group}"));
            works::msm::examine(super::task, &groups.each_ref().map(String::as_str));
        }
    }
}
