//! Products of pairings.

use std::hint::black_box;

use anyhow::{Result, bail};
use ark_ec::pairing::Pairing;
use ark_ec::{CurveGroup, PrimeGroup};
use works::pairing::{Task, Work, multiples};

pub fn task(work: &Work) -> Result<Task> {
    Ok(match &*work.instance {
        "bn254" => product::<ark_bn254::Bn254>(work.count),
        "bls12_381" => product::<ark_bls12_381::Bls12_381>(work.count),
        "bls12_377" => product::<ark_bls12_377::Bls12_377>(work.count),
        other => bail!("arkworks has no {other}"),
    })
}

fn product<E: Pairing>(count: usize) -> Task {
    let p = E::G1::normalize_batch(&multiples(E::G1::generator(), count));
    let q = E::G2::normalize_batch(&multiples(E::G2::generator(), count));
    Box::new(move || {
        let (p, q) = (black_box(&p).iter().copied(), black_box(&q).iter().copied());
        let _ = black_box(E::multi_pairing(p, q));
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn multiplies_pairings() {
        works::pairing::examine(super::task, &["bn254", "bls12_381", "bls12_377"], 2);
    }
}
