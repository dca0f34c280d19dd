//! Multiples of many points, sixteen at a time: doublings in Jacobian coordinates, and additions of entries of tables.
//!
//! The formulas are `jacobian_dbl` and `jacobian_madd` of `spec/formulas`, except for squares in place of products where they cost less. They fail for the
//! identity, and where an addition meets equal or opposite points: from then on Z is 0, and the point is reported.

#![allow(non_snake_case)]

use std::marker::PhantomData;

use super::Invert;
use super::coordinate::{Coordinate, Residue};
use super::point::Point;
use crate::lanes::backend::{Mask, WIDTH, both};
use crate::lanes::machine::{AnyMachine, Machine, Task, perform};

/// Points under way at a time.
const STEP: usize = 2 * WIDTH;

/// One addition, and what goes before it.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Doublings before it; none count before the first.
    pub doublings: u32,
    /// True if the image (beta x, y) of the entry is added.
    pub image: bool,
}

/// Multiples of points, each the sum of entries of its own tables times powers of 2.
#[derive(Clone, Copy, Debug)]
pub struct Ladder<'a, F: Coordinate> {
    /// Lists of points: of the digit d, list |d| / 2 has what is added, or for a negative one subtracted. They have one length.
    pub tables: &'a [Vec<Point<F>>],
    /// The factor of x in images.
    pub beta: F::Element,
    /// The additions.
    pub rungs: &'a [Rung],
    /// Doublings after the last.
    pub last: u32,
    /// Odd digits, one a rung: of each point, or the same for all.
    pub digits: &'a [Vec<i8>],
}

impl<F: Coordinate> Ladder<'_, F> {
    /// Computes the multiples. Returns also the indices of the points for which the formulas failed; they have the identity.
    pub fn climb(&self, machine: AnyMachine) -> (Vec<Point<F>>, Vec<usize>) {
        let count = self.tables[0].len();
        assert!(self.tables.iter().all(|table| table.len() == count), "tables of one length");
        assert!(self.digits.len() == 1 || self.digits.len() == count, "digits of each");
        let mut multiples = vec![Point::IDENTITY; count];
        let failed = perform(machine, Climb { ladder: self, multiples: &mut multiples });
        (multiples, failed)
    }

    #[inline(always)]
    fn digit(&self, point: usize, rung: usize) -> i8 {
        let of = if self.digits.len() == 1 { 0 } else { point };
        self.digits[of][rung]
    }
}

struct Climb<'a, F: Coordinate> {
    ladder: &'a Ladder<'a, F>,
    multiples: &'a mut [Point<F>],
}

/// A residue of two vectors.
type Two<R> = [R; 2];

impl<F: Coordinate> Task for Climb<'_, F> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<M: Machine>(self, m: M) -> Vec<usize> {
        let Self { ladder, multiples } = self;
        let steps = multiples.len().div_ceil(STEP);
        let beta = F::Held::from_elements(m, &[ladder.beta; WIDTH]);
        let mut failed = vec![];
        // 1. X, Y and Z of each, and the products of all Z before it.
        let mut jacobian = Vec::with_capacity(steps);
        let mut product = [F::Held::one(m); 2];
        for step in 0..steps {
            let [X, Y, mut Z] = multiple::<M, F>(m, ladder, step * STEP, &beta);
            for (n, Z) in Z.iter_mut().enumerate() {
                let zero = Z.is_zero();
                *Z = Z.select(zero, &F::Held::one(m));
                note(&mut failed, zero, step * STEP + n * WIDTH, multiples.len());
            }
            jacobian.push([at_rest(&X), at_rest(&Y), at_rest(&Z), at_rest(&product)]);
            product = F::Held::products(product.each_ref(), Z.each_ref());
        }
        // 2. The inverse of them all.
        let [all, _] = F::Held::products([&product[0]; 2], [&product[1]; 2]);
        let inverse = m.outline(Invert(all, PhantomData::<M>));
        let mut inverse = F::Held::products([&inverse; 2], [&product[1], &product[0]]);
        // 3. From the last to the first, 1 / Z, x = X / Z^2 and y = Y / Z^3.
        for (step, rows) in jacobian.iter().enumerate().rev() {
            let [X, Y, Z, before] =
                [load(m, &rows[0]), load(m, &rows[1]), load(m, &rows[2]), load(m, &rows[3])];
            let inv = times(m, &inverse, &before);
            inverse = times(m, &inverse, &Z);
            let inv2 = square(m, &inv);
            let x: Two<F::Held<M>> = times(m, &X, &inv2);
            let y = times(m, &times(m, &Y, &inv2), &inv);
            for n in 0..2 {
                let first = (step * STEP + n * WIDTH).min(multiples.len());
                let last = (first + WIDTH).min(multiples.len());
                let places = [0, 1, 2, 3, 4, 5, 6, 7];
                let some = &mut multiples[first..last];
                let count = some.len();
                F::scatter(m, &[x[n], y[n]], some, &places[..count]);
            }
        }
        for &place in &failed {
            multiples[place] = Point::IDENTITY;
        }
        failed
    }
}

/// The lanes of the mask as places from `first` on, of which there are `count`.
#[inline(always)]
fn note(failed: &mut Vec<usize>, lanes: Mask, first: usize, count: usize) {
    for lane in 0..WIDTH {
        if lanes >> lane & 1 == 1 && first + lane < count {
            failed.push(first + lane);
        }
    }
}

#[inline(always)]
fn at_rest<M: Machine, R: Residue<M>>(two: &Two<R>) -> [R::AtRest; 2] {
    let mut rest = [R::BLANK; 2];
    two[0].store(&mut rest[0]);
    two[1].store(&mut rest[1]);
    rest
}

#[inline(always)]
fn load<M: Machine, R: Residue<M>>(m: M, rest: &[R::AtRest; 2]) -> Two<R> {
    both!(n => R::load(m, &rest[n]))
}

/// X, Y and Z of the multiples of sixteen points.
#[inline(always)]
fn multiple<M: Machine, F: Coordinate>(
    m: M,
    ladder: &Ladder<'_, F>,
    first: usize,
    beta: &F::Held<M>,
) -> [Two<F::Held<M>>; 3] {
    let one = [F::Held::one(m); 2];
    let mut sum = [one; 3];
    for (number, rung) in ladder.rungs.iter().enumerate() {
        let [x, y] = entries::<M, F>(m, ladder, first, number);
        let x = if rung.image { times(m, &x, &[*beta; 2]) } else { x };
        if number == 0 {
            sum = [x, y, one];
            continue;
        }
        for _ in 0..rung.doublings {
            sum = double(m, &sum);
        }
        sum = add(m, &sum, &[x, y]);
    }
    for _ in 0..ladder.last {
        sum = double(m, &sum);
    }
    sum
}

/// Returns the entries to add to sixteen points; the last point replaces missing ones.
#[inline(always)]
fn entries<M: Machine, F: Coordinate>(
    m: M,
    ladder: &Ladder<'_, F>,
    first: usize,
    rung: usize,
) -> [Two<F::Held<M>>; 2] {
    let last = ladder.tables[0].len() - 1;
    let (mut x, mut y) = ([F::Held::zero(m); 2], [F::Held::zero(m); 2]);
    for n in 0..2 {
        let mut rows = [&ladder.tables[0][last].rows; WIDTH];
        let mut negated = 0;
        for (lane, row) in rows.iter_mut().enumerate() {
            let point = (first + n * WIDTH + lane).min(last);
            let digit = ladder.digit(point, rung);
            *row = &ladder.tables[usize::from(digit.unsigned_abs() / 2)][point].rows;
            negated |= Mask::from(digit < 0) << lane;
        }
        F::gather(m, rows, [&mut x[n], &mut y[n]]);
        y[n] = y[n].select(negated, &y[n].negative());
    }
    [x, y]
}

/// 2 (X : Y : Z).
#[inline(always)]
fn double<M: Machine, R: Residue<M>>(m: M, [X, Y, Z]: &[Two<R>; 3]) -> [Two<R>; 3] {
    let A = square(m, X);
    let B = square(m, Y);
    let C = square(m, &B);
    let D = small::<4, M, R>(m, &times(m, X, &B));
    let E = small::<3, M, R>(m, &A);
    let X3 = less_both(m, &square(m, &E), &D, &D);
    let Y3 = less(m, &times_difference(m, &E, &D, &X3), &small::<8, M, R>(m, &C));
    [X3, Y3, small::<2, M, R>(m, &times(m, Y, Z))]
}

/// (X : Y : Z) + (x, y).
#[inline(always)]
fn add<M: Machine, R: Residue<M>>(
    m: M,
    [X, Y, Z]: &[Two<R>; 3],
    [x, y]: &[Two<R>; 2],
) -> [Two<R>; 3] {
    let ZZ = square(m, Z);
    let H = less(m, &times(m, x, &ZZ), X);
    let r = less(m, &times(m, y, &times(m, Z, &ZZ)), Y);
    let HH = square(m, &H);
    let HHH = times(m, &H, &HH);
    let V = times(m, X, &HH);
    let X3 = less_both(m, &less(m, &square(m, &r), &HHH), &V, &V);
    let Y3 = less(m, &times_difference(m, &r, &V, &X3), &times(m, Y, &HHH));
    [X3, Y3, times(m, Z, &H)]
}

/// Defines operations that are functions of their own: with the code of each in its place, a doubling would leave the first-level cache.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $task:ident ($($x:ident: $type:ty),*) $([const $n:ident])? = $body:expr;)*) => {$(
        struct $task<'a, M, R $(, const $n: usize)?>($(&'a $type,)* PhantomData<(M, R)>);

        impl<M: Machine, R: Residue<M> $(, const $n: usize)?> Task for $task<'_, M, R $(, $n)?> {
            type Output = Two<R>;

            #[inline(always)]
            fn run<Same: Machine>(self, _: Same) -> Two<R> {
                let Self($($x,)* _) = self;
                $body
            }
        }

        $(#[$doc])*
        #[inline(always)]
        fn $name<$(const $n: usize,)? M: Machine, R: Residue<M>>(m: M, $($x: &$type),*) -> Two<R> {
            m.outline($task::<M, R $(, $n)?>($($x,)* PhantomData))
        }
    )*};
}

operations! {
    times Times(x: Two<R>, y: Two<R>) = R::products(x.each_ref(), y.each_ref());
    square Square(x: Two<R>) = R::squares(x.each_ref());
    less Less(x: Two<R>, y: Two<R>) = both!(n => R::reduced(&x[n].less(&y[n])));
    less_both LessBoth(x: Two<R>, y: Two<R>, z: Two<R>) = both!(n => x[n].less_both(&y[n], &z[n]));
    /// x (y - z).
    times_difference TimesDifference(x: Two<R>, y: Two<R>, z: Two<R>) = {
        let differences = both!(n => y[n].less(&z[n]));
        R::products_with(x.each_ref(), differences.each_ref())
    };
    /// N x, for N of 2, 3, 4, 8.
    small Small(x: Two<R>) [const N] = {
        let twice = both!(n => R::reduced(&x[n].plus(&x[n])));
        match N {
            2 => twice,
            3 => both!(n => R::reduced(&twice[n].plus(&x[n]))),
            _ => {
                let four = both!(n => R::reduced(&twice[n].plus(&twice[n])));
                if N == 4 { four } else { both!(n => R::reduced(&four[n].plus(&four[n]))) }
            }
        }
    };
}
