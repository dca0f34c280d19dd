//! The program's side: transforms with arkworks.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Result, bail};
use ark_ff::{BigInteger, PrimeField};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use proofmill_cpu::thread_pool;
use rayon::prelude::*;

use super::Work;

/// A transform that is ready to be done again and again, of bytes or not; gives its seconds.
type Task = Box<dyn FnMut(bool) -> f64 + Send>;

/// Answers works with seconds, a line each, until the input ends. What is transformed is written before the clock starts, into
/// memory that is kept until another field or size is asked for.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut kept: Option<(Work, Task)> = None;
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
        let is_kept = |(other, _): &(Work, Task)| {
            (&other.instance, other.log_size) == (&work.instance, work.log_size)
        };
        if !kept.as_ref().is_some_and(is_kept) {
            kept = Some((work.clone(), task(&work)?));
        }
        let Some((_, task)) = &mut kept else { bail!("no task was made") };
        let pool = thread_pool(Some(work.threads))?;
        writeln!(output, "{:e}", pool.install(|| task(work.bytes)))?;
        output.flush()?;
    }
    Ok(())
}

fn task(work: &Work) -> Result<Task> {
    Ok(match (work.library.as_str(), work.instance.as_str()) {
        ("arkworks", "bn254_fr") => arkworks::<ark_bn254::Fr>(1 << work.log_size),
        ("arkworks", "bls12_381_fr") => arkworks::<ark_bls12_381::Fr>(1 << work.log_size),
        (library, instance) => bail!("no {instance} of {library} here"),
    })
}

fn arkworks<F: PrimeField>(size: usize) -> Task {
    let domain = Radix2EvaluationDomain::<F>::new(size).expect("a power of two that is not large");
    let start = F::from(0x9e37_79b9_7f4a_7c15u64).square().square();
    let next = |x: &F| Some(x.square() + start);
    let elements: Vec<F> = std::iter::successors(Some(start), next).take(size).collect();
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.into_bigint().to_bytes_le()).collect();
    let (mut values, mut read, mut written) = (elements.clone(), bytes.clone(), bytes.clone());
    Box::new(move |of_bytes| {
        if !of_bytes {
            values.clone_from(&elements);
            let start = Instant::now();
            domain.fft_in_place(&mut values);
            let seconds = start.elapsed().as_secs_f64();
            black_box(&values);
            return seconds;
        }
        read.copy_from_slice(&bytes);
        let start = Instant::now();
        read.par_chunks_exact(32).map(element).collect_into_vec(&mut values);
        domain.fft_in_place(&mut values);
        values.par_iter().zip(written.par_chunks_exact_mut(32)).for_each(|(x, bytes)| {
            for (limb, bytes) in x.into_bigint().as_ref().iter().zip(bytes.chunks_exact_mut(8)) {
                bytes.copy_from_slice(&limb.to_le_bytes());
            }
        });
        black_box(&written);
        start.elapsed().as_secs_f64()
    })
}

/// An element of canonical bytes.
fn element<F: PrimeField>(bytes: &[u8]) -> F {
    let mut integer = F::BigInt::default();
    for (limb, bytes) in integer.as_mut().iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*bytes);
    }
    F::from_bigint(integer).expect("a canonical integer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arkworks_answers_with_seconds_and_an_unknown_field_is_refused() {
        let answer = |instance: &str, bytes| {
            let (library, instance) = ("arkworks".into(), instance.into());
            let work = Work { library, instance, log_size: 8, threads: 1, bytes };
            let mut answers = Vec::new();
            serve(serde_json::to_string(&work)?.as_bytes(), &mut answers)?;
            anyhow::Ok(String::from_utf8(answers)?.trim().parse::<f64>()?)
        };
        for field in ["bn254_fr", "bls12_381_fr"] {
            assert!(answer(field, false).unwrap() > 0.0 && answer(field, true).unwrap() > 0.0);
        }
        assert!(answer("goldilocks", false).is_err());
    }

    #[test]
    fn an_element_is_that_of_its_bytes() {
        let x = -ark_bn254::Fr::from(3);
        assert_eq!(element::<ark_bn254::Fr>(&x.into_bigint().to_bytes_le()), x);
    }
}
