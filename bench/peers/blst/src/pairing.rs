//! Products of pairings.

use std::hint::black_box;

use anyhow::{Result, ensure};
use blst::{blst_fp12, blst_p1_affine, blst_p2_affine};
use works::pairing::{Task, Work, in_shares};

pub fn task(work: &Work) -> Result<Task> {
    ensure!(work.instance == "bls12_381", "blst has no {}", work.instance);
    Ok(product(work.count, work.threads))
}

fn product(count: usize, threads: usize) -> Task {
    let (p, q) = points(count);
    Box::new(move || {
        let pairs = (black_box(&p[..]), black_box(&q[..]));
        let product = in_shares(threads, pairs, miller_loop, |a, b| {
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

fn miller_loop(p: &[blst_p1_affine], q: &[blst_p2_affine]) -> blst_fp12 {
    let mut f = blst_fp12::default();
    let count = p.len().min(q.len());
    let (p, q) = ([p.as_ptr(), std::ptr::null()], [q.as_ptr(), std::ptr::null()]);
    // SAFETY: the lists have `count` points, one after another.
    unsafe { blst::blst_miller_loop_n(&mut f, q.as_ptr(), p.as_ptr(), count) };
    f
}

/// The first multiples of the generators.
fn points(count: usize) -> (Vec<blst_p1_affine>, Vec<blst_p2_affine>) {
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
    #[test]
    fn multiplies_pairings() {
        works::pairing::examine(super::task, &["bls12_381"], 2);
    }
}
