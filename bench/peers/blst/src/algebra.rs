//! Field arithmetic, a call for each operation, and sums of points.

use std::hint::black_box;

use anyhow::{Result, bail};
use blst::{blst_fp, blst_fr, blst_p1, blst_p1_affine};
use works::algebra::{self, Element, Task, Work, timed};

pub fn seconds(work: &Work) -> Result<f64> {
    match (work.field.as_str(), work.task) {
        ("bls12_381_fp", Task::Points) => Ok(sum_of_points(work)),
        ("bls12_381_fp", _) => algebra::seconds::<Fp>(work),
        ("bls12_381_fr", _) => algebra::seconds::<Fr>(work),
        (field, _) => bail!("blst has no {field}"),
    }
}

/// Defines an element of one of blst's fields.
macro_rules! element {
    ($name:ident $type:ident $of:ident, $mul:ident, $square:ident, $add:ident, $invert:ident) => {
        #[derive(Clone, Copy, Default)]
        struct $name($type);

        impl Element for $name {
            fn of(word: u64) -> Self {
                let (words, mut element) = ([word; 6], Self::default());
                // SAFETY: both have all the words that are read and written.
                unsafe { blst::$of(&mut element.0, words.as_ptr()) };
                element
            }
            #[inline(always)]
            fn mul(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: three elements.
                unsafe { blst::$mul(&mut result.0, &self.0, &other.0) };
                result
            }
            #[inline(always)]
            fn square(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: two elements.
                unsafe { blst::$square(&mut result.0, &self.0) };
                result
            }
            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: three elements.
                unsafe { blst::$add(&mut result.0, &self.0, &other.0) };
                result
            }
            #[inline(always)]
            fn invert(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: two elements.
                unsafe { blst::$invert(&mut result.0, &self.0) };
                result
            }
        }
    };
}

element!(Fp blst_fp blst_fp_from_uint64, blst_fp_mul, blst_fp_sqr, blst_fp_add, blst_fp_inverse);
element!(Fr blst_fr blst_fr_from_uint64, blst_fr_mul, blst_fr_sqr, blst_fr_add, blst_fr_inverse);

/// blst adds affine points up with batched inversions of its own.
fn sum_of_points(work: &Work) -> f64 {
    // SAFETY: points of blst's own making, in buffers of the given lengths.
    unsafe {
        let generator = blst::blst_p1_affine_generator();
        let mut point = blst_p1::default();
        blst::blst_p1_from_affine(&mut point, generator);
        let points: Vec<blst_p1> = (0..work.count)
            .map(|_| {
                blst::blst_p1_add_or_double_affine(&mut point, &point, generator);
                point
            })
            .collect();
        let mut affine = vec![blst_p1_affine::default(); points.len()];
        let list = [points.as_ptr(), std::ptr::null()];
        blst::blst_p1s_to_affine(affine.as_mut_ptr(), list.as_ptr(), points.len());
        drop(points);
        let mut sum = blst_p1::default();
        timed(work.repeat, || {
            let list = [affine.as_ptr(), std::ptr::null()];
            blst::blst_p1s_add(&mut sum, list.as_ptr(), affine.len());
            black_box(&mut sum);
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn computes() {
        works::algebra::examine(super::seconds, &["bls12_381_fp", "bls12_381_fr"], "bls12_381_fp");
    }
}
