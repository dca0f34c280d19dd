//! Products of pairings, on one thread.

use std::hint::black_box;

use anyhow::{Result, ensure};
use halo2curves::bn256;
use halo2curves::group::Curve;
use halo2curves::pairing::MillerLoopResult;
use works::pairing::{Task, Work, multiples};

pub fn task(work: &Work) -> Result<Task> {
    ensure!(work.instance == "bn254", "halo2curves has no {}", work.instance);
    ensure!(work.threads == 1, "halo2curves has one thread");
    Ok(product(work.count))
}

fn product(count: usize) -> Task {
    let p: Vec<_> = multiples(bn256::G1::generator(), count).iter().map(Curve::to_affine).collect();
    let q: Vec<_> = multiples(bn256::G2::generator(), count).iter().map(Curve::to_affine).collect();
    Box::new(move || {
        let pairs: Vec<_> = p.iter().zip(&q).collect();
        black_box(bn256::multi_miller_loop(black_box(&pairs)).final_exponentiation());
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn multiplies_pairings() {
        works::pairing::examine(super::task, &["bn254"], 1);
    }
}
