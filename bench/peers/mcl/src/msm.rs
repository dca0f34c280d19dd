//! Sums. mcl uses AVX-512 IFMA on BLS12-381 where the processor has it. The crate calls the function for one thread; several
//! threads take a share of the points each, as mcl's own function for threads does.

use std::hint::black_box;
use std::iter::repeat_with;

use anyhow::{Result, bail, ensure};
use mcl_rust::{CurveType, Fr, G1, G2};
use rayon::prelude::*;
use works::msm::Task;

pub fn task(instance: &str, count: usize) -> Result<Task> {
    match instance {
        "bn254_g1" => g1(CurveType::SNARK, count),
        "bn254_g2" => g2(CurveType::SNARK, count),
        "bls12_381_g1" => g1(CurveType::BLS12_381, count),
        "bls12_381_g2" => g2(CurveType::BLS12_381, count),
        _ => bail!("mcl has no {instance}"),
    }
}

/// Defines a task: multiples of a point, and scalars that are drawn.
macro_rules! task {
    ($name:ident $point:ident) => {
        fn $name(curve: CurveType, count: usize) -> Result<Task> {
            ensure!(mcl_rust::init(curve), "this mcl lacks the curve");
            let mut first = $point::zero();
            ensure!(first.set_hash_of(b"proofmill"), "mcl finds no point");
            let mut sum = first.clone();
            let next = || {
                let mut point = $point::zero();
                $point::normalize(&mut point, &sum);
                sum += &first;
                point
            };
            let points: Vec<_> = repeat_with(next).take(count).collect();
            let mut scalars = vec![Fr::zero(); count];
            scalars.iter_mut().for_each(Fr::set_by_csprng);
            Ok(Box::new(move |pool| {
                let share = count.div_ceil(pool.current_num_threads());
                pool.install(|| {
                    let shares = points.par_chunks(share).zip(scalars.par_chunks(share));
                    let sums = shares.map(|(points, scalars)| {
                        let mut sum = $point::zero();
                        $point::mul_vec(&mut sum, points, scalars);
                        sum
                    });
                    black_box(sums.reduce($point::zero, |mut sum, other| {
                        sum += &other;
                        sum
                    }));
                });
                Ok(())
            }))
        }
    };
}

task!(g1 G1);
task!(g2 G2);
