//! Sums.

use std::hint::black_box;

use anyhow::{Context, Result, bail, ensure};
use blst::{MultiPoint, blst_fr, blst_p1, blst_p1_affine, blst_p2, blst_p2_affine, blst_scalar};
use works::msm::Task;

pub fn task(instance: &str, count: usize) -> Result<Task> {
    Ok(match instance {
        "bls12_381_g1" => blst_g1(count),
        "bls12_381_g2" => blst_g2(count),
        _ => bail!("blst has no {instance}"),
    })
}

/// Scalars of all bits, 32 bytes each, lowest first.
fn scalars(count: usize) -> Vec<u8> {
    let (mut start, words) = (blst_fr::default(), [0x9e37_79b9_7f4a_7c15, 0, 0, 0]);
    // SAFETY: an element of four words, and one that becomes its square.
    unsafe {
        blst::blst_fr_from_uint64(&mut start, words.as_ptr());
        blst::blst_fr_sqr(&mut start, &start);
        blst::blst_fr_sqr(&mut start, &start);
    }
    let next = |x: &blst_fr| {
        let mut next = *x;
        // SAFETY: elements.
        unsafe {
            blst::blst_fr_sqr(&mut next, x);
            blst::blst_fr_add(&mut next, &next, &start);
        }
        Some(next)
    };
    let bytes = |x: blst_fr| {
        let mut scalar = blst_scalar::default();
        // SAFETY: an element, and room for its bytes.
        unsafe { blst::blst_scalar_from_fr(&mut scalar, &x) };
        scalar.b
    };
    std::iter::successors(Some(start), next).take(count).flat_map(bytes).collect()
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
            let scalars: Vec<u8> = scalars(count);
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
    #[test]
    fn sums() {
        works::msm::examine(super::task, &["bls12_381_g1", "bls12_381_g2"]);
    }
}
