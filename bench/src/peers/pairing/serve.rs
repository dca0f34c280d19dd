//! The program's side: products of pairings with arkworks, blst, halo2curves and mcl.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Result, bail};
use ark_ec::pairing::Pairing;
use ark_ec::{CurveGroup, PrimeGroup};
use blst::{blst_fp12, blst_p1_affine, blst_p2_affine};
use halo2curves::bn256;
use halo2curves::group::Curve;
use halo2curves::pairing::MillerLoopResult;
use mcl_rust::CurveType;
use proofmill_cpu::thread_pool;
use rayon::prelude::*;

use super::{Work, mcl};

/// A product, ready to be done again and again.
type Task = Box<dyn FnMut() + Send>;

/// Answers works with seconds, a line each, until the input ends. Points are made before the clock starts.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
        let pool = thread_pool(Some(work.threads))?;
        let mut task = task(&work)?;
        let seconds = pool.install(|| {
            let start = Instant::now();
            for _ in 0..work.repeat {
                task();
            }
            start.elapsed().as_secs_f64()
        });
        writeln!(output, "{seconds:e}")?;
        output.flush()?;
    }
    Ok(())
}

fn task(work: &Work) -> Result<Task> {
    let &Work { count, threads, .. } = work;
    Ok(match (work.library.as_str(), work.instance.as_str()) {
        ("arkworks", "bn254") => arkworks::<ark_bn254::Bn254>(count),
        ("arkworks", "bls12_381") => arkworks::<ark_bls12_381::Bls12_381>(count),
        ("arkworks", "bls12_377") => arkworks::<ark_bls12_377::Bls12_377>(count),
        ("blst", "bls12_381") => blst(count, threads),
        ("halo2curves", "bn254") if threads == 1 => halo2curves(count),
        ("mcl", "bn254") => mcl(CurveType::SNARK, count, threads)?,
        ("mcl", "bls12_381") => mcl(CurveType::BLS12_381, count, threads)?,
        (library, instance) => bail!("no {instance} of {library} with {threads} threads here"),
    })
}

/// The product of the Miller values of shares of the pairs, a thread each.
fn in_shares<P: Sync, Q: Sync, M: Send>(
    threads: usize,
    (p, q): (&[P], &[Q]),
    miller_loop: impl Fn(&[P], &[Q]) -> M + Sync,
    times: impl Fn(M, M) -> M,
) -> Option<M> {
    if threads == 1 {
        return Some(miller_loop(p, q));
    }
    let share = p.len().div_ceil(threads);
    let shares = p.par_chunks(share).zip(q.par_chunks(share));
    let values: Vec<M> = shares.map(|(p, q)| miller_loop(p, q)).collect();
    values.into_iter().reduce(times)
}

fn mcl(curve: CurveType, count: usize, threads: usize) -> Result<Task> {
    let (p, q) = mcl::points(curve, count)?;
    Ok(Box::new(move || {
        let pairs = (black_box(&p[..]), black_box(&q[..]));
        let value = in_shares(threads, pairs, mcl::miller_loop, |mut product, value| {
            product *= &value;
            product
        });
        black_box(value.map(|value| mcl::final_exponentiation(&value)));
    }))
}

/// The first multiples of a generator.
fn multiples<G: Copy + std::ops::Add<Output = G>>(generator: G, count: usize) -> Vec<G> {
    std::iter::successors(Some(generator), |point| Some(*point + generator)).take(count).collect()
}

fn arkworks<E: Pairing>(count: usize) -> Task {
    let p = E::G1::normalize_batch(&multiples(E::G1::generator(), count));
    let q = E::G2::normalize_batch(&multiples(E::G2::generator(), count));
    Box::new(move || {
        let (p, q) = (black_box(&p).iter().copied(), black_box(&q).iter().copied());
        let _ = black_box(E::multi_pairing(p, q));
    })
}

fn halo2curves(count: usize) -> Task {
    let p: Vec<_> = multiples(bn256::G1::generator(), count).iter().map(Curve::to_affine).collect();
    let q: Vec<_> = multiples(bn256::G2::generator(), count).iter().map(Curve::to_affine).collect();
    Box::new(move || {
        let pairs: Vec<_> = p.iter().zip(&q).collect();
        black_box(bn256::multi_miller_loop(black_box(&pairs)).final_exponentiation());
    })
}

fn blst(count: usize, threads: usize) -> Task {
    let (p, q) = blst_points(count);
    Box::new(move || {
        let pairs = (black_box(&p[..]), black_box(&q[..]));
        let product = in_shares(threads, pairs, blst_miller_loop, |a, b| {
            let mut product = blst_fp12::default();
            // SAFETY: values of blst's own making.
            unsafe { blst::blst_fp12_mul(&mut product, &a, &b) };
            product
        });
        let mut value = blst_fp12::default();
        if let Some(product) = product {
            // SAFETY: likewise.
            unsafe { blst::blst_final_exp(&mut value, &product) };
        }
        black_box(&mut value);
    })
}

fn blst_miller_loop(p: &[blst_p1_affine], q: &[blst_p2_affine]) -> blst_fp12 {
    let mut f = blst_fp12::default();
    let count = p.len().min(q.len());
    let (p, q) = ([p.as_ptr(), std::ptr::null()], [q.as_ptr(), std::ptr::null()]);
    // SAFETY: the lists have `count` points, one after another.
    unsafe { blst::blst_miller_loop_n(&mut f, q.as_ptr(), p.as_ptr(), count) };
    f
}

/// The first multiples of the generators.
fn blst_points(count: usize) -> (Vec<blst_p1_affine>, Vec<blst_p2_affine>) {
    // SAFETY: points of blst's own making.
    unsafe {
        let (g1, g2) = (blst::blst_p1_affine_generator(), blst::blst_p2_affine_generator());
        let (mut p, mut q) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut sum1, mut sum2) = (blst::blst_p1::default(), blst::blst_p2::default());
        for _ in 0..count {
            blst::blst_p1_add_or_double_affine(&mut sum1, &sum1, g1);
            blst::blst_p2_add_or_double_affine(&mut sum2, &sum2, g2);
            let (mut p1, mut p2) = Default::default();
            blst::blst_p1_to_affine(&mut p1, &sum1);
            blst::blst_p2_to_affine(&mut p2, &sum2);
            p.push(p1);
            q.push(p2);
        }
        (p, q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_answers_with_seconds_and_an_unknown_curve_is_refused() {
        let answer = |library: &str, instance: &str, threads| {
            let (library, instance) = (library.into(), instance.into());
            let work = Work { library, instance, count: 3, threads, repeat: 2 };
            let mut answers = Vec::new();
            serve(serde_json::to_string(&work)?.as_bytes(), &mut answers)?;
            anyhow::Ok(String::from_utf8(answers)?.trim().parse::<f64>()?)
        };
        for threads in [1, 2] {
            for curve in ["bn254", "bls12_381", "bls12_377"] {
                assert!(answer("arkworks", curve, threads).unwrap() > 0.0);
            }
            assert!(answer("blst", "bls12_381", threads).unwrap() > 0.0);
            assert!(answer("mcl", "bls12_381", threads).unwrap() > 0.0);
            assert!(answer("mcl", "bn254", threads).unwrap() > 0.0);
        }
        assert!(answer("halo2curves", "bn254", 1).unwrap() > 0.0);
        assert!(answer("halo2curves", "bn254", 2).is_err());
        assert!(answer("blst", "bn254", 1).is_err());
    }
}
