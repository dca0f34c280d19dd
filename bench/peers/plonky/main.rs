//! Plonky3's and plonky2's transforms over Goldilocks.

use std::any::type_name;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use p3_dft::{Radix2DFTSmallBatch, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::PrimeField64 as _;
use p3_field::integers::QuotientMap;
use p3_goldilocks::Goldilocks;
use plonky2_field::fft::{FftRootTable, fft_root_table, fft_with_options};
use plonky2_field::goldilocks_field::GoldilocksField;
use plonky2_field::polynomial::PolynomialCoeffs;
use plonky2_field::types::{Field as _, PrimeField64 as _};
use rayon::prelude::*;
use works::ntt::Work;
use works::thread_pool;

/// A transform of canonical words, or of the library's own elements, converted before the clock starts. Returns its seconds.
/// It reuses the memory of the previous run, as ours does.
type Task = Box<dyn FnMut(&[u64], bool) -> Result<f64> + Send>;

fn main() -> Result<()> {
    if cfg!(target_feature = "avx512f") {
        let packed = type_name::<<Goldilocks as p3_field::Field>::Packing>();
        ensure!(packed.contains("AVX512"), "Plonky3 is not packed for AVX-512: {packed}");
    }
    let (mut words, mut tasks) = (Vec::new(), HashMap::new());
    works::serve(|work| {
        let works::Work::Ntt(work) = work else { return work.refused() };
        ensure!(work.instance == "goldilocks", "no {}", work.instance);
        if words.len() != 1 << work.log_size {
            let count = 1u64 << work.log_size;
            words = (1..=count).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1).collect();
            tasks.clear();
        }
        let task = match tasks.entry(work.transform.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(task(&work)?),
        };
        thread_pool(work.threads)?.install(|| task(&words, work.bytes))
    })
}

fn task(work: &Work) -> Result<Task> {
    Ok(match work.transform.as_str() {
        "Radix2DFTSmallBatch" => plonky3(Radix2DFTSmallBatch::default()),
        "Radix2DitParallel" => plonky3(Radix2DitParallel::default()),
        "plonky2_field" => plonky2(work.log_size as usize),
        other => bail!("no {other}"),
    })
}

fn plonky3(dft: impl TwoAdicSubgroupDft<Goldilocks> + Send + 'static) -> Task {
    let (mut elements, mut written) = (Vec::new(), Vec::new());
    Box::new(move |words, bytes| {
        let read = |elements: &mut Vec<Goldilocks>| {
            words.par_iter().map(|&word| Goldilocks::from_int(word)).collect_into_vec(elements);
        };
        read(&mut elements);
        let start = Instant::now();
        if bytes {
            read(&mut elements);
        }
        elements = dft.dft(std::mem::take(&mut elements));
        if bytes {
            elements.par_iter().map(|x| x.as_canonical_u64()).collect_into_vec(&mut written);
            black_box(&written);
        }
        black_box(&elements);
        Ok(start.elapsed().as_secs_f64())
    })
}

fn plonky2(log: usize) -> Task {
    let table: FftRootTable<GoldilocksField> = fft_root_table(1 << log);
    let (mut elements, mut written) = (Vec::new(), Vec::new());
    Box::new(move |words, bytes| {
        let read = |elements: &mut Vec<GoldilocksField>| {
            let read = words.par_iter().map(|&word| GoldilocksField::from_canonical_u64(word));
            read.collect_into_vec(elements);
        };
        read(&mut elements);
        let start = Instant::now();
        if bytes {
            read(&mut elements);
        }
        let coefficients = PolynomialCoeffs::new(std::mem::take(&mut elements));
        elements = fft_with_options(coefficients, None, Some(&table)).values;
        if bytes {
            elements.par_iter().map(|x| x.to_canonical_u64()).collect_into_vec(&mut written);
            black_box(&written);
        }
        black_box(&elements);
        Ok(start.elapsed().as_secs_f64())
    })
}
