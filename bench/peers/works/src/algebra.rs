//! Field arithmetic, one element at a time.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// The operation to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Products of `count` pairs of elements.
    Multiply,
    /// Squares of `count` elements.
    Square,
    /// Sums of `count` pairs.
    Add,
    /// Inverses of `count` elements, all at once.
    BatchInvert,
    /// Inverses of `count` elements, one by one.
    Invert,
    /// A product of `count` factors, each multiplication waiting for the one before.
    Chain,
    /// Additions of `count` affine points, by any method of the peer (see its name).
    Points,
}

/// A measurement in one field, or on the curve over it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The field by its name in `spec`.
    pub field: String,
    /// The operation.
    pub task: Task,
    /// The number of operands.
    pub count: usize,
    /// The number of repetitions.
    pub repeat: usize,
}

/// The operations of every library's elements.
pub trait Element: Copy {
    /// Returns an element that uses all bits.
    fn of(word: u64) -> Self;
    /// Computes the product.
    fn mul(&self, other: &Self) -> Self;
    /// Computes the square.
    fn square(&self) -> Self;
    /// Computes the sum.
    fn add(&self, other: &Self) -> Self;
    /// Computes the inverse.
    fn invert(&self) -> Self;
}

/// Returns the seconds of repeated work.
pub fn timed(repeat: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        work();
    }
    start.elapsed().as_secs_f64()
}

/// Returns the seconds of work with a library's elements.
pub fn seconds<T: Element>(work: &Work) -> Result<f64> {
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
    Ok(match work.task {
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
        Task::Points => bail!("no points over {}", work.field),
    })
}

/// Inverts elements with Montgomery's trick.
pub fn batch_invert<T: Element>(elements: &mut [T]) {
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

/// Checks in a library's tests that work in these fields and with points over these is supported, and other work refused.
pub fn examine(seconds: fn(&Work) -> Result<f64>, fields: &[&str], points: &str) {
    let answer =
        |field: &str, task| seconds(&Work { field: field.into(), task, count: 20, repeat: 2 });
    let tasks =
        [Task::Multiply, Task::Square, Task::Add, Task::BatchInvert, Task::Invert, Task::Chain];
    for (field, task) in fields.iter().flat_map(|field| tasks.map(|task| (field, task))) {
        assert!(answer(field, task).unwrap() > 0.0, "{field} {task:?}");
    }
    assert!(answer(points, Task::Points).unwrap() > 0.0);
    assert!(answer("toy_fp", Task::Add).is_err());
}
