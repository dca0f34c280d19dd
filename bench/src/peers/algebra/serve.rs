//! The program's side: work with blst and halo2curves.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Result, bail};
use blst::{blst_fp, blst_fr, blst_p1, blst_p1_affine};
use halo2curves::bn256::{Fq, Fr, G1, G1Affine};
use halo2curves::ff::Field;
use halo2curves::group::{Curve, Group};
use halo2curves::secp256k1::Fp;

use super::{Task, Work};

/// What both crates' elements can do.
trait Element: Copy {
    fn of(word: u64) -> Self;
    fn mul(&self, other: &Self) -> Self;
    fn square(&self) -> Self;
    fn add(&self, other: &Self) -> Self;
    fn invert(&self) -> Self;
}

macro_rules! blst_element {
    ($type:ident $of:path, $mul:path, $square:path, $add:path, $invert:path) => {
        impl Element for $type {
            fn of(word: u64) -> Self {
                let (words, mut element) = ([word; 6], Self::default());
                // SAFETY: both have all the words that are read and written.
                unsafe { $of(&mut element, words.as_ptr()) };
                element
            }
            #[inline(always)]
            fn mul(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: three elements.
                unsafe { $mul(&mut result, self, other) };
                result
            }
            #[inline(always)]
            fn square(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: two elements.
                unsafe { $square(&mut result, self) };
                result
            }
            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                let mut result = Self::default();
                // SAFETY: three elements.
                unsafe { $add(&mut result, self, other) };
                result
            }
            #[inline(always)]
            fn invert(&self) -> Self {
                let mut result = Self::default();
                // SAFETY: two elements.
                unsafe { $invert(&mut result, self) };
                result
            }
        }
    };
}

blst_element!(blst_fp blst::blst_fp_from_uint64, blst::blst_fp_mul, blst::blst_fp_sqr, blst::blst_fp_add, blst::blst_fp_inverse);
blst_element!(blst_fr blst::blst_fr_from_uint64, blst::blst_fr_mul, blst::blst_fr_sqr, blst::blst_fr_add, blst::blst_fr_inverse);

macro_rules! halo2curves_elements {
    ($($type:ident)*) => {$(
        impl Element for $type {
            fn of(word: u64) -> Self {
                Self::from(word).square().square().square()
            }
            #[inline(always)]
            fn mul(&self, other: &Self) -> Self {
                $type::mul(self, other)
            }
            #[inline(always)]
            fn square(&self) -> Self {
                Field::square(self)
            }
            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                $type::add(self, other)
            }
            #[inline(always)]
            fn invert(&self) -> Self {
                Field::invert(self).unwrap()
            }
        }
    )*};
}

halo2curves_elements!(Fq Fr Fp);

/// Answers works with seconds, a line each, until the input ends.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    for line in input.lines() {
        let work: Work = serde_json::from_str(&line?)?;
        let seconds = match (work.field.as_str(), work.task) {
            ("bls12_381_fp", Task::Points) => sum_of_points(&work),
            ("bn254_fp", Task::Points) => mixed_additions(&work),
            ("bls12_381_fp", _) => seconds::<blst_fp>(&work),
            ("bls12_381_fr", _) => seconds::<blst_fr>(&work),
            ("bn254_fp", _) => seconds::<Fq>(&work),
            ("bn254_fr", _) => seconds::<Fr>(&work),
            ("secp256k1_fp", _) => seconds::<Fp>(&work),
            (field, _) => bail!("no {field} here"),
        };
        writeln!(output, "{seconds:e}")?;
        output.flush()?;
    }
    Ok(())
}

fn timed(repeat: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        work();
    }
    start.elapsed().as_secs_f64()
}

fn seconds<T: Element>(work: &Work) -> f64 {
    let draw = |salt: u64| -> Vec<T> {
        (0..work.count as u64)
            .map(|i| T::of((i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect()
    };
    let (a, b) = (draw(1), draw(1 << 32));
    let mut results = a.clone();
    let pairs = |results: &mut [T], f: fn(&T, &T) -> T| {
        for ((result, a), b) in results.iter_mut().zip(&a).zip(&b) {
            *result = f(a, b);
        }
        black_box(results);
    };
    match work.task {
        Task::Multiply => timed(work.repeat, || pairs(&mut results, |a, b| a.mul(b))),
        Task::Square => timed(work.repeat, || pairs(&mut results, |a, _| a.square())),
        Task::Add => timed(work.repeat, || pairs(&mut results, |a, b| a.add(b))),
        Task::Invert => timed(work.repeat, || pairs(&mut results, |a, _| a.invert())),
        Task::BatchInvert => timed(work.repeat, || batch_invert(black_box(&mut results))),
        Task::Chain => {
            let mut product = a[0];
            timed(work.repeat, || {
                product = a.iter().fold(product, |product, a| product.mul(a));
                black_box(&mut product);
            })
        }
        Task::Points => unreachable!("curves have functions of their own"),
    }
}

/// Montgomery's trick.
fn batch_invert<T: Element>(elements: &mut [T]) {
    let mut product = elements[0];
    let mut before = Vec::with_capacity(elements.len());
    for element in &elements[1..] {
        before.push(product);
        product = product.mul(element);
    }
    let mut inverse = product.invert();
    for (element, before) in elements[1..].iter_mut().zip(before).rev() {
        let this = inverse.mul(&before);
        inverse = inverse.mul(element);
        *element = this;
    }
    elements[0] = inverse;
}

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
        let mut elements: Vec<Fq> = (1..9).map(Fq::of).collect();
        let one_by_one: Vec<Fq> = elements.iter().map(Element::invert).collect();
        batch_invert(&mut elements);
        assert_eq!(elements, one_by_one);
    }

    #[test]
    fn work_is_answered_with_seconds_and_an_unknown_field_is_refused() {
        let answer = |field: &str, task| {
            let work = Work { field: field.into(), task, count: 20, repeat: 2 };
            let mut answers = Vec::new();
            serve(serde_json::to_string(&work)?.as_bytes(), &mut answers)?;
            anyhow::Ok(String::from_utf8(answers)?.trim().parse::<f64>()?)
        };
        let fields = ["bls12_381_fp", "bls12_381_fr", "bn254_fp", "bn254_fr", "secp256k1_fp"];
        let tasks =
            [Task::Multiply, Task::Square, Task::Add, Task::BatchInvert, Task::Invert, Task::Chain];
        for (field, task) in fields.iter().flat_map(|field| tasks.map(|task| (field, task))) {
            assert!(answer(field, task).unwrap() > 0.0, "{field} {task:?}");
        }
        assert!(answer("bls12_381_fp", Task::Points).unwrap() > 0.0);
        assert!(answer("bn254_fp", Task::Points).unwrap() > 0.0);
        assert!(answer("toy_fp", Task::Add).is_err());
    }
}
