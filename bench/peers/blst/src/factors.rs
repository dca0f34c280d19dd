//! Random factors, and sums of multiples with them on one thread: blst's own pool has a thread for every processor.

use std::fs::File;
use std::io::Read;

use anyhow::Result;
use blst::{blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};

/// Returns `count` numbers of `bytes` bytes from the system.
pub fn random(count: usize, bytes: usize) -> Result<Vec<u8>> {
    let mut factors = vec![0; count * bytes];
    File::open("/dev/urandom")?.read_exact(&mut factors)?;
    Ok(factors)
}

/// Defines the sum of multiples of points by numbers of a given length.
macro_rules! sum {
    ($name:ident $affine:ident $point:ident $scratch:ident $mult:ident $to_affine:ident) => {
        pub fn $name(points: &[$affine], factors: &[u8], bytes: usize) -> $affine {
            let count = points.len();
            assert_eq!(factors.len(), count * bytes);
            let (mut sum, mut affine) = ($point::default(), $affine::default());
            // SAFETY: the lists have `count` consecutive entries, and the scratch memory has the size that blst requires.
            unsafe {
                let mut scratch = vec![0; blst::$scratch(count) / 8];
                let points = [points.as_ptr(), std::ptr::null()];
                let factors = [factors.as_ptr(), std::ptr::null()];
                blst::$mult(
                    &mut sum,
                    points.as_ptr(),
                    count,
                    factors.as_ptr(),
                    8 * bytes,
                    scratch.as_mut_ptr(),
                );
                blst::$to_affine(&mut affine, &sum);
            }
            affine
        }
    };
}

sum!(sum_g1 blst_p1_affine blst_p1 blst_p1s_mult_pippenger_scratch_sizeof blst_p1s_mult_pippenger blst_p1_to_affine);
sum!(sum_g2 blst_p2_affine blst_p2 blst_p2s_mult_pippenger_scratch_sizeof blst_p2s_mult_pippenger blst_p2_to_affine);
