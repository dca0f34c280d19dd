//! The program's side: sums with arkworks, blst, halo2curves and mcl.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::{BigInteger, PrimeField};
use blst::{MultiPoint, blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};
use halo2curves::CurveAffine;
use halo2curves::bn256;
use halo2curves::ff::Field as _;
use halo2curves::group::{Curve, Group};
use halo2curves::msm::msm_best;
use mcl_rust::CurveType;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Work, mcl};

/// A sum with the threads of a pool, ready to be done again and again.
pub(super) type Task = Box<dyn FnMut(&ThreadPool) -> Result<()>>;

/// Answers works with seconds, a line each, until the input ends. Threads and points are made before the clock starts; points
/// are kept until another group or number is asked for.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut tasks = HashMap::new();
    let mut kept = None;
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
        let sizes = (work.instance.clone(), work.count);
        if kept.replace(sizes.clone()) != Some(sizes) {
            tasks.clear();
        }
        let task = match tasks.entry(work.library.clone()) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(task(&work)?),
        };
        // Not bound: arkworks starts pools of its own, which inherit the processor of the thread that starts them.
        let pool = ThreadPoolBuilder::new().num_threads(work.threads).build()?;
        let start = Instant::now();
        task(&pool)?;
        writeln!(output, "{:e}", start.elapsed().as_secs_f64())?;
        output.flush()?;
    }
    Ok(())
}

fn task(work: &Work) -> Result<Task> {
    let count = work.count;
    Ok(match (work.library.as_str(), work.instance.as_str()) {
        ("arkworks", "bn254_g1") => arkworks::<ark_bn254::G1Projective>(count),
        ("arkworks", "bn254_g2") => arkworks::<ark_bn254::G2Projective>(count),
        ("arkworks", "bls12_381_g1") => arkworks::<ark_bls12_381::G1Projective>(count),
        ("arkworks", "bls12_381_g2") => arkworks::<ark_bls12_381::G2Projective>(count),
        ("arkworks", "bls12_377_g1") => arkworks::<ark_bls12_377::G1Projective>(count),
        ("arkworks", "bls12_377_g2") => arkworks::<ark_bls12_377::G2Projective>(count),
        ("halo2curves", "bn254_g1") => halo2curves::<bn256::G1Affine>(count),
        ("halo2curves", "bn254_g2") => halo2curves::<bn256::G2Affine>(count),
        ("blst", "bls12_381_g1") => blst_g1(count),
        ("blst", "bls12_381_g2") => blst_g2(count),
        ("mcl", "bn254_g1") => mcl::g1(CurveType::SNARK, count)?,
        ("mcl", "bn254_g2") => mcl::g2(CurveType::SNARK, count)?,
        ("mcl", "bls12_381_g1") => mcl::g1(CurveType::BLS12_381, count)?,
        ("mcl", "bls12_381_g2") => mcl::g2(CurveType::BLS12_381, count)?,
        (library, instance) => bail!("no {instance} of {library} here"),
    })
}

fn arkworks<G: VariableBaseMSM + CurveGroup + PrimeGroup>(count: usize) -> Task {
    let next = |sum: &G| Some(*sum + G::generator());
    let points: Vec<G> = std::iter::successors(Some(G::generator()), next).take(count).collect();
    let bases = G::normalize_batch(&points);
    let scalars = ark_scalars::<G::ScalarField>(count);
    Box::new(move |pool| {
        let sum = pool.install(|| <G as VariableBaseMSM>::msm(&bases, &scalars));
        ensure!(black_box(sum).is_ok(), "not as many scalars as points");
        Ok(())
    })
}

fn ark_scalars<F: PrimeField>(count: usize) -> Vec<F> {
    let start = F::from(0x9e37_79b9_7f4a_7c15u64).square().square();
    std::iter::successors(Some(start), |x| Some(x.square() + start)).take(count).collect()
}

fn halo2curves<C: CurveAffine>(count: usize) -> Task {
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

/// Defines a task of blst: its own pool has a thread for every processor, and for one thread there is the function of C.
macro_rules! blst_task {
    ($name:ident $point:ident $affine:ident $generator:ident $add:ident $to_affine:ident $scratch:ident $mult:ident) => {
        fn $name(count: usize) -> Task {
            let mut points = vec![$point::default(); count];
            let mut affine = vec![$affine::default(); count];
            // SAFETY: points of blst's own making, in buffers of the given lengths.
            unsafe {
                let mut point = *blst::$generator();
                for to in &mut points {
                    blst::$add(&mut point, &point, blst::$generator());
                    *to = point;
                }
                let list = [points.as_ptr(), std::ptr::null()];
                blst::$to_affine(affine.as_mut_ptr(), list.as_ptr(), count);
            }
            let scalars: Vec<u8> = ark_scalars::<ark_bls12_381::Fr>(count)
                .into_iter()
                .flat_map(|k| k.into_bigint().to_bytes_le())
                .collect();
            Box::new(move |pool| {
                if pool.current_num_threads() > 1 {
                    let all = std::thread::available_parallelism().context("no processors")?;
                    ensure!(pool.current_num_threads() == all.get(), "blst uses {all} threads");
                    black_box(affine.as_slice().mult(&scalars, 255));
                    return Ok(());
                }
                let mut sum = $point::default();
                // SAFETY: the buffers have the lengths that are given, and blst says how much room it wants.
                unsafe {
                    let mut scratch = vec![0; blst::$scratch(count) / 8];
                    let points = [affine.as_ptr(), std::ptr::null()];
                    let scalars = [scalars.as_ptr(), std::ptr::null()];
                    blst::$mult(
                        &mut sum,
                        points.as_ptr(),
                        count,
                        scalars.as_ptr(),
                        255,
                        scratch.as_mut_ptr(),
                    );
                }
                black_box(&mut sum);
                Ok(())
            })
        }
    };
}

blst_task!(blst_g1 blst_p1 blst_p1_affine blst_p1_generator blst_p1_add_or_double
    blst_p1s_to_affine blst_p1s_mult_pippenger_scratch_sizeof blst_p1s_mult_pippenger);
blst_task!(blst_g2 blst_p2 blst_p2_affine blst_p2_generator blst_p2_add_or_double
    blst_p2s_to_affine blst_p2s_mult_pippenger_scratch_sizeof blst_p2s_mult_pippenger);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_answers_with_seconds_and_an_unknown_group_is_refused() {
        let answer = |library: &str, instance: &str| {
            let (library, instance) = (library.into(), instance.into());
            let work = Work { library, instance, count: 200, threads: 1 };
            let mut answers = Vec::new();
            serve(serde_json::to_string(&work)?.as_bytes(), &mut answers)?;
            anyhow::Ok(String::from_utf8(answers)?.trim().parse::<f64>()?)
        };
        for group in ["g1", "g2"] {
            for curve in ["bn254", "bls12_381", "bls12_377"] {
                assert!(answer("arkworks", &format!("{curve}_{group}")).unwrap() > 0.0);
            }
            assert!(answer("blst", &format!("bls12_381_{group}")).unwrap() > 0.0);
            assert!(answer("halo2curves", &format!("bn254_{group}")).unwrap() > 0.0);
            assert!(answer("mcl", &format!("bn254_{group}")).unwrap() > 0.0);
            assert!(answer("mcl", &format!("bls12_381_{group}")).unwrap() > 0.0);
        }
        assert!(answer("blst", "bn254_g1").is_err());
    }
}
