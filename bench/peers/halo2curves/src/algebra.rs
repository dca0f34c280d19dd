//! Field arithmetic, and additions of points.

use std::hint::black_box;

use anyhow::{Result, bail};
use halo2curves::bn256::{Fq, Fr, G1, G1Affine};
use halo2curves::ff::Field;
use halo2curves::group::{Curve, Group};
use halo2curves::secp256k1::Fp;
use works::algebra::{self, Element, Task, Work, timed};

pub fn seconds(work: &Work) -> Result<f64> {
    match (work.field.as_str(), work.task) {
        ("bn254_fp", Task::Points) => Ok(mixed_additions(work)),
        ("bn254_fp", _) => algebra::seconds::<Of<Fq>>(work),
        ("bn254_fr", _) => algebra::seconds::<Of<Fr>>(work),
        ("secp256k1_fp", _) => algebra::seconds::<Of<Fp>>(work),
        (field, _) => bail!("halo2curves has no {field}"),
    }
}

/// An element of one of halo2curves' fields.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Of<F>(F);

macro_rules! elements {
    ($($type:ident)*) => {$(
        impl Element for Of<$type> {
            fn of(word: u64) -> Self {
                Self($type::from(word).square().square().square())
            }
            #[inline(always)]
            fn mul(&self, other: &Self) -> Self {
                Self($type::mul(&self.0, &other.0))
            }
            #[inline(always)]
            fn square(&self) -> Self {
                Self(Field::square(&self.0))
            }
            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                Self($type::add(&self.0, &other.0))
            }
            #[inline(always)]
            fn invert(&self) -> Self {
                Self(Field::invert(&self.0).unwrap())
            }
        }
    )*};
}

elements!(Fq Fr Fp);

/// halo2curves keeps its batched additions to itself: additions of an affine point to one in Jacobian form.
fn mixed_additions(work: &Work) -> f64 {
    let mut point = G1::generator();
    let points: Vec<G1> = std::iter::repeat_with(|| {
        point += G1Affine::generator();
        point
    })
    .take(work.count)
    .collect();
    let mut affine = vec![G1Affine::default(); points.len()];
    G1::batch_normalize(&points, &mut affine);
    drop(points);
    let mut sums = [G1::generator().double(); 16];
    timed(work.repeat, || {
        for (i, point) in affine.iter().enumerate() {
            sums[i % 16] += point;
        }
        black_box(&mut sums);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_of_a_batch_are_those_of_its_elements() {
        let mut elements: Vec<Of<Fq>> = (1..9).map(Of::of).collect();
        let one_by_one: Vec<Of<Fq>> = elements.iter().map(Element::invert).collect();
        algebra::batch_invert(&mut elements);
        assert_eq!(elements, one_by_one);
    }

    #[test]
    fn computes() {
        algebra::examine(seconds, &["bn254_fp", "bn254_fr", "secp256k1_fp"], "bn254_fp");
    }
}
