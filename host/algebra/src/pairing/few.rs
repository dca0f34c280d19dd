//! The Miller loop of few pairs, with the products of all that goes on side by side.
//!
//! Two kinds of chains go on: f, which is squared and multiplied with lines, and the [`Lines`] of each pair. In either, some
//! [`Products`] do not wait for each other, and what is made of them wants the next ones. Eight are made at a time, of
//! all chains: those of f alone would leave a quarter of the lanes without work, and those of lines half of them.

mod lines;
mod products;
mod walk;

use lines::Lines;
use products::Products;

use super::across::Across;
use super::formula::{
    Twelve, fp12_mul_014_factors, fp12_mul_014_sums, fp12_mul_034_factors, fp12_mul_034_sums,
    fp12_sqr_factors, fp12_sqr_sums,
};
use super::limbs::LaneTower;
use super::walk::placed;
use super::{Kind, Pair, Pairing, PreparedPair, Step, miller};
use crate::lanes::{Backend, Kernel, Vectors, WIDTH, run};
use crate::tower::{Fp2, Fp12};

/// The product of the Miller values of all pairs, of numbers with L limbs.
pub fn miller_loop<E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    vectors: Vectors,
    fresh: &[Pair<E>],
    prepared: &[PreparedPair<'_, E>],
) -> Fp12<E::Tower> {
    if fresh.is_empty() && prepared.is_empty() {
        return Fp12::ONE;
    }
    let f = miller::whole(run(vectors, Loop::<E, L> { fresh, prepared }));
    if E::NEGATIVE { f.conjugate() } else { f }
}

struct Loop<'a, E: Pairing, const L: usize> {
    fresh: &'a [Pair<E>],
    prepared: &'a [PreparedPair<'a, E>],
}

impl<E: Pairing<Tower: LaneTower<L>>, const L: usize> Kernel for Loop<'_, E, L> {
    type Output = [[Fp2<E::Tower>; 3]; 2];

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Self::Output {
        let steps = E::steps();
        let mut lines = Vec::with_capacity(self.fresh.len() + self.prepared.len());
        for (p, q) in self.fresh {
            lines.push(Lines::<B, E, L>::fresh(b, p, q, &steps));
        }
        for (p, q) in self.prepared {
            lines.push(Lines::<B, E, L>::prepared(b, p, q));
        }
        let mut value = Value::<B, E, L>::one(b);
        loop {
            for lines in &mut lines {
                lines.begin(b, &steps);
            }
            if !value.begin(b, &steps, &mut lines) {
                break;
            }
            eight_products(b, &mut value, &mut lines);
            for lines in &mut lines {
                if lines.products.are_made() {
                    b.apart(Advance(lines, &steps));
                }
            }
            if value.products.are_made() {
                b.apart(Finish(&mut value));
            }
        }
        let [[a0, a1, a2], [a3, a4, a5]] = value.f;
        let [a0, a1, a2, a3, a4, a5] = Across::to_elements(b, &[a0, a1, a2, a3, a4, a5]);
        [[a0, a1, a2], [a3, a4, a5]]
    }
}

/// Eight products: of lines that f wants soon, of f, and of lines for later.
#[inline(always)]
fn eight_products<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    b: B,
    value: &mut Value<B, E, L>,
    lines: &mut [Lines<'_, B, E, L>],
) {
    let mut room = WIDTH;
    for lines in &mut *lines {
        if lines.is_wanted() {
            lines.products.take(&mut room);
        }
    }
    value.products.take(&mut room);
    for lines in &mut *lines {
        if !lines.is_wanted() {
            lines.products.take(&mut room);
        }
    }
    let blank = &Across::zero(b);
    let (mut x, mut y) = ([blank; WIDTH], [blank; WIDTH]);
    value.products.factors(&mut x, &mut y);
    for lines in &*lines {
        lines.products.factors(&mut x, &mut y);
    }
    let made = Across::eight_products(b, x, y);
    value.products.give(&made);
    for lines in lines {
        lines.products.give(&made);
    }
}

/// f on its way: the product of the lines of the first steps, squared in between.
struct Value<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> {
    f: Twelve<Across<B, E::Tower, L>>,
    products: Products<Across<B, E::Tower, L>, 13>,
    step: usize,
    /// What is done next, or now: 0 for the square of the step, i + 1 for the product with line i.
    next: usize,
    busy: bool,
}

impl<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> Value<B, E, L> {
    #[inline(always)]
    fn one(b: B) -> Self {
        let zero = Across::zero(b);
        let f = [[Across::one(b), zero, zero], [zero; 3]];
        Self { f, products: Products::none(zero), step: 0, next: 0, busy: false }
    }

    /// Asks for the next products, if there are none and the line that they need is there. No if all is done.
    #[inline(always)]
    fn begin(&mut self, b: B, steps: &[Step], lines: &mut [Lines<'_, B, E, L>]) -> bool {
        if self.busy {
            return true;
        }
        if self.next > lines.len() {
            (self.step, self.next) = (self.step + 1, 0);
        }
        if self.step == steps.len() {
            return false;
        }
        if self.next == 0 && (self.step == 0 || steps[self.step] != Step::Double) {
            self.next = 1;
        }
        if self.next == 0 {
            self.products.ask(&fp12_sqr_factors(&self.f));
            self.busy = true;
            return true;
        }
        let lines = &mut lines[self.next - 1];
        if let Some(line) = lines.next() {
            let line = placed(&line, lines.nowhere, E::TWIST, &Across::one(b), &Across::zero(b));
            self.products.ask(&match E::TWIST {
                Kind::M => fp12_mul_014_factors(&self.f, &line),
                Kind::D => fp12_mul_034_factors(&self.f, &line),
            });
            self.busy = true;
        }
        true
    }
}

/// What the products of f are for.
struct Finish<'a, B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    &'a mut Value<B, E, L>,
);

impl<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> Kernel for Finish<'_, B, E, L> {
    type Output = ();

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) {
        let value = self.0;
        value.f = match (value.next, E::TWIST) {
            (0, _) => fp12_sqr_sums(&value.products.made()),
            (_, Kind::M) => fp12_mul_014_sums(&value.products.made()),
            (_, Kind::D) => fp12_mul_034_sums(&value.products.made()),
        };
        value.next += 1;
        value.busy = false;
    }
}

/// What the products of lines are for.
struct Advance<'a, 'l, B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    &'a mut Lines<'l, B, E, L>,
    &'a [Step],
);

impl<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> Kernel
    for Advance<'_, '_, B, E, L>
{
    type Output = ();

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) {
        self.0.advance(self.1);
    }
}
