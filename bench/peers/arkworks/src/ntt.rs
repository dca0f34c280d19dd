//! Transforms.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, bail};
use ark_ff::{BigInteger, PrimeField};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use rayon::prelude::*;
use works::ntt::Work;
use works::{Kept, thread_pool};

/// A prepared transform that can be repeated, of bytes or of elements. Returns its seconds.
type Task = Box<dyn FnMut(bool) -> f64 + Send>;

/// Transforms. The input is written before the clock starts, into memory that is kept until another field or size is requested.
#[derive(Default)]
pub struct Transforms(Kept<(String, u32), Task>);

impl Transforms {
    pub fn seconds(&mut self, work: &Work) -> Result<f64> {
        let wanted = (work.instance.clone(), work.log_size);
        let task = self.0.get(wanted, |(instance, log_size)| task(instance, *log_size))?;
        Ok(thread_pool(work.threads)?.install(|| task(work.bytes)))
    }
}

fn task(instance: &str, log_size: u32) -> Result<Task> {
    Ok(match instance {
        "bn254_fr" => transform::<ark_bn254::Fr>(1 << log_size),
        "bls12_381_fr" => transform::<ark_bls12_381::Fr>(1 << log_size),
        "pasta_fp" => transform::<ark_vesta::Fr>(1 << log_size),
        "pasta_fq" => transform::<ark_pallas::Fr>(1 << log_size),
        _ => bail!("arkworks has no {instance}"),
    })
}

fn transform<F: PrimeField>(size: usize) -> Task {
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

/// Reads an element from canonical bytes.
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
    fn transforms_are_answered_with_seconds_and_an_unknown_field_is_refused() {
        let mut transforms = Transforms::default();
        let mut answer = |instance: &str, bytes| {
            let (transform, instance) = (String::new(), instance.into());
            transforms.seconds(&Work { transform, instance, log_size: 8, threads: 1, bytes })
        };
        for field in ["bn254_fr", "bls12_381_fr", "pasta_fp", "pasta_fq"] {
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
