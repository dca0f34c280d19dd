//! The program's side: products of pairings with arkworks, blst and halo2curves.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Result, bail};
use ark_ec::pairing::Pairing;
use ark_ec::{CurveGroup, PrimeGroup};
use halo2curves::bn256;
use halo2curves::group::Curve;
use halo2curves::pairing::MillerLoopResult;
use rayon::ThreadPoolBuilder;

use super::Work;

/// A product, ready to be done again and again.
type Task = Box<dyn FnMut() + Send>;

/// Answers works with seconds, a line each, until the input ends. Points are made before the clock starts.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
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
    Ok(match (work.library.as_str(), work.instance.as_str()) {
        ("arkworks", "bn254") => arkworks::<ark_bn254::Bn254>(work.count),
        ("arkworks", "bls12_381") => arkworks::<ark_bls12_381::Bls12_381>(work.count),
        ("arkworks", "bls12_377") => arkworks::<ark_bls12_377::Bls12_377>(work.count),
        ("blst", "bls12_381") => blst(work.count),
        ("halo2curves", "bn254") => halo2curves(work.count),
        (library, instance) => bail!("no {instance} of {library} here"),
    })
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

fn blst(count: usize) -> Task {
    // SAFETY: points of blst's own making.
    let (p, q) = unsafe {
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
    };
    Box::new(move || {
        let (p, q) = (black_box(&p), black_box(&q));
        let (mut f, mut value) = Default::default();
        // SAFETY: the lists have `count` points, one after another.
        unsafe {
            let (q, p) = ([q.as_ptr(), std::ptr::null()], [p.as_ptr(), std::ptr::null()]);
            blst::blst_miller_loop_n(&mut f, q.as_ptr(), p.as_ptr(), count);
            blst::blst_final_exp(&mut value, &f);
        }
        black_box(&mut value);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_answers_with_seconds_and_an_unknown_curve_is_refused() {
        let answer = |library: &str, instance: &str| {
            let (library, instance) = (library.into(), instance.into());
            let work = Work { library, instance, count: 3, repeat: 2 };
            let mut answers = Vec::new();
            serve(serde_json::to_string(&work)?.as_bytes(), &mut answers)?;
            anyhow::Ok(String::from_utf8(answers)?.trim().parse::<f64>()?)
        };
        for curve in ["bn254", "bls12_381", "bls12_377"] {
            assert!(answer("arkworks", curve).unwrap() > 0.0);
        }
        assert!(answer("blst", "bls12_381").unwrap() > 0.0);
        assert!(answer("halo2curves", "bn254").unwrap() > 0.0);
        assert!(answer("blst", "bn254").is_err());
    }
}
