//! Whole slices of lanes: element by element, and inversion by Montgomery's trick.

use super::Held;
use crate::lanes::backend::{Backend, Kernel, Vectors, WIDTH, each, run};
use crate::lanes::{Lanes, Prime};

/// The number of vectors that a kernel processes in parallel.
const SIDE_BY_SIDE: usize = 2;

/// An operation on a group of vectors and the group of a second operand.
trait Step<P: Prime<L>, const L: usize>: Copy {
    fn on<B: Backend, const N: usize>(
        self,
        x: [Held<B, P, L>; N],
        y: [Held<B, P, L>; N],
    ) -> [Held<B, P, L>; N];
}

/// Defines public functions of two slices, each the kernel of a step.
macro_rules! slice_functions {
    ($($(#[$doc:meta])* $name:ident $step:ident ($x:ident, $y:ident) $body:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// The slices have the same length; anything else is a bug of the caller.
        pub fn $name<P: Prime<L>, const L: usize>(
            vectors: Vectors,
            x: &[Lanes<P, L>],
            y: &[Lanes<P, L>],
            result: &mut [Lanes<P, L>],
        ) {
            assert!(x.len() == y.len() && x.len() == result.len(), "slices of one length");
            run(vectors, Each { step: $step, x, y, result });
        }

        #[derive(Clone, Copy)]
        struct $step;

        impl<P: Prime<L>, const L: usize> Step<P, L> for $step {
            #[inline(always)]
            fn on<B: Backend, const N: usize>(
                self,
                $x: [Held<B, P, L>; N],
                $y: [Held<B, P, L>; N],
            ) -> [Held<B, P, L>; N] {
                $body
            }
        }
    )*};
}

slice_functions! {
    /// result = x y.
    mul Mul (x, y) Held::mul_each(x, y);
    /// result = x + y.
    add Add (x, y) each!(n < N, x[0] => (x[n] + y[n]).reduced());
    /// result = x - y.
    sub Sub (x, y) each!(n < N, x[0] => (x[n] - y[n]).reduced());
}

/// result = x^2.
///
/// The slices have the same length; anything else is a bug of the caller.
pub fn square<P: Prime<L>, const L: usize>(
    vectors: Vectors,
    x: &[Lanes<P, L>],
    result: &mut [Lanes<P, L>],
) {
    assert_eq!(x.len(), result.len(), "slices of one length");
    run(vectors, Each { step: Square, x, y: x, result });
}

#[derive(Clone, Copy)]
struct Square;

impl<P: Prime<L>, const L: usize> Step<P, L> for Square {
    #[inline(always)]
    fn on<B: Backend, const N: usize>(
        self,
        x: [Held<B, P, L>; N],
        _again: [Held<B, P, L>; N],
    ) -> [Held<B, P, L>; N] {
        Held::square_each(x)
    }
}

struct Each<'a, S, P, const L: usize> {
    step: S,
    x: &'a [Lanes<P, L>],
    y: &'a [Lanes<P, L>],
    result: &'a mut [Lanes<P, L>],
}

impl<S: Step<P, L>, P: Prime<L>, const L: usize> Kernel for Each<'_, S, P, L> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let Self { step, x, y, result } = self;
        let (xs, x) = x.as_chunks::<SIDE_BY_SIDE>();
        let (ys, y) = y.as_chunks::<SIDE_BY_SIDE>();
        let (results, result) = result.as_chunks_mut::<SIDE_BY_SIDE>();
        for ((x, y), result) in xs.iter().zip(ys).zip(results) {
            store(step.on(load(b, x), load(b, y)), result);
        }
        if let ([x], [y], [result]) = (x, y, result) {
            let [z] = step.on([Held::load(b, x)], [Held::load(b, y)]);
            z.store(result);
        }
    }
}

#[inline(always)]
fn load<B: Backend, P: Prime<L>, const L: usize, const N: usize>(
    b: B,
    lanes: &[Lanes<P, L>; N],
) -> [Held<B, P, L>; N] {
    each!(n < N, Held::zero(b) => Held::load(b, &lanes[n]))
}

#[inline(always)]
fn store<B: Backend, P: Prime<L>, const L: usize, const N: usize>(
    held: [Held<B, P, L>; N],
    lanes: &mut [Lanes<P, L>; N],
) {
    for (n, lanes) in lanes.iter_mut().enumerate() {
        held[n].store(lanes);
    }
}

/// Elements in lanes, eight after eight; zeros fill the last ones.
pub fn from_elements<P: Prime<L>, const L: usize>(
    vectors: Vectors,
    elements: &[P],
) -> Vec<Lanes<P, L>> {
    let mut lanes = vec![Lanes::ZERO; elements.len().div_ceil(WIDTH)];
    run(vectors, FromElements(elements, &mut lanes));
    lanes
}

struct FromElements<'a, P, const L: usize>(&'a [P], &'a mut [Lanes<P, L>]);

impl<P: Prime<L>, const L: usize> Kernel for FromElements<'_, P, L> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        for (eight, lanes) in self.0.chunks(WIDTH).zip(self.1) {
            Held::from_elements(b, eight).store(lanes);
        }
    }
}

/// The elements in lanes, as many as there are places for.
pub fn to_elements<P: Prime<L>, const L: usize>(
    vectors: Vectors,
    lanes: &[Lanes<P, L>],
    elements: &mut [P],
) {
    run(vectors, ToElements(lanes, elements));
}

struct ToElements<'a, P, const L: usize>(&'a [Lanes<P, L>], &'a mut [P]);

impl<P: Prime<L>, const L: usize> Kernel for ToElements<'_, P, L> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        for (lanes, eight) in self.0.iter().zip(self.1.chunks_mut(WIDTH)) {
            eight.copy_from_slice(&Held::load(b, lanes).to_elements()[..eight.len()]);
        }
    }
}

/// Each element becomes its inverse, and 0 stays 0: three multiplications an element and one scalar inversion.
pub fn invert<P: Prime<L>, const L: usize>(vectors: Vectors, elements: &mut [Lanes<P, L>]) {
    run(vectors, Invert(elements));
}

struct Invert<'a, P, const L: usize>(&'a mut [Lanes<P, L>]);

impl<P: Prime<L>, const L: usize> Kernel for Invert<'_, P, L> {
    type Output = ();

    /// Montgomery's trick (Speeding the Pollard and elliptic curve methods of factorization, 1987, 10.3.1), in
    /// two chains of vectors, the even ones and the odd ones.
    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let (pairs, last) = self.0.as_chunks_mut::<SIDE_BY_SIDE>();
        if let [last] = last {
            Held::load(b, last).inverse().store(last);
        }
        let mut product = [Held::one(b); SIDE_BY_SIDE];
        let mut products = Vec::with_capacity(pairs.len());
        for pair in pairs.iter() {
            let mut before = [Lanes::ZERO; SIDE_BY_SIDE];
            store(product, &mut before);
            products.push(before);
            product = Held::mul_each(product, without_zeros(b, load(b, pair)));
        }
        let both = (product[0] * product[1]).inverse();
        let mut inverse = Held::mul_each([both; SIDE_BY_SIDE], [product[1], product[0]]);
        for (pair, before) in pairs.iter_mut().zip(&products).rev() {
            let x = load(b, pair);
            let inverses = Held::mul_each(inverse, load(b, before));
            inverse = Held::mul_each(inverse, without_zeros(b, x));
            let zero = Held::zero(b);
            store(each!(n < SIDE_BY_SIDE, zero => inverses[n].select(x[n].is_zero(), zero)), pair);
        }
    }
}

/// Ones in place of zeros.
#[inline(always)]
fn without_zeros<B: Backend, P: Prime<L>, const L: usize, const N: usize>(
    b: B,
    x: [Held<B, P, L>; N],
) -> [Held<B, P, L>; N] {
    each!(n < N, x[0] => x[n].select(x[n].is_zero(), Held::one(b)))
}
