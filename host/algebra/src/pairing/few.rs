//! The Miller loop of few pairs, with all independent products computed in parallel.
//!
//! There are two kinds of chains: f, which is squared and multiplied with lines, and the [`Lines`] of each pair. In either, some
//! [`Products`] do not depend on each other, and their results lead to the next ones. Eight are computed at a time, of
//! all chains: those of f alone would leave a quarter of the lanes without work, and those of lines half of them.

mod lines;
mod products;
mod walk;

use std::marker::PhantomData;

use lines::Lines;
use products::Products;

#[cfg(target_arch = "x86_64")]
use super::across::AcrossDoubles;
use super::across::{self, Across, AcrossLimbs};
use super::formula::{
    Twelve, fp12_mul_014_factors, fp12_mul_014_sums, fp12_mul_034_factors, fp12_mul_034_sums,
    fp12_sqr_factors, fp12_sqr_sums,
};
use super::limbs::LaneTower;
use super::walk::placed;
use super::{Kind, Pair, Pairing, PreparedPair, Step, miller};
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{AnyMachine, Backend, Choice, Machine, Task, WIDTH, choose};
use crate::tower::{Fp2, Fp12};

/// The product of the Miller values of all pairs, of numbers with L limbs or digits.
pub fn miller_loop<E, const L: usize>(
    machine: AnyMachine,
    fresh: &[Pair<E>],
    prepared: &[PreparedPair<'_, E>],
) -> Fp12<E::Tower>
where
    E: Pairing<Tower: LaneTower<L>>,
{
    if fresh.is_empty() && prepared.is_empty() {
        return Fp12::ONE;
    }
    let f = miller::whole(choose(machine, Loop::<E, L> { fresh, prepared }));
    if E::NEGATIVE { f.conjugate() } else { f }
}

struct Loop<'a, E: Pairing, const L: usize> {
    fresh: &'a [Pair<E>],
    prepared: &'a [PreparedPair<'a, E>],
}

impl<E, const L: usize> Choice for Loop<'_, E, L>
where
    E: Pairing<Tower: LaneTower<L>>,
{
    type Output = Twelve<Fp2<E::Tower>>;

    #[inline(always)]
    fn on_limbs<B: Backend>(self, b: B) -> Self::Output {
        product::<AcrossLimbs<B, E::Tower, L>, E>(b, self.fresh, self.prepared)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> Self::Output {
        product::<AcrossDoubles<E::Tower, L>, E>(fma, self.fresh, self.prepared)
    }
}

#[inline(always)]
fn product<A: Across<E::Tower>, E: Pairing>(
    machine: A::Machine,
    fresh: &[Pair<E>],
    prepared: &[PreparedPair<'_, E>],
) -> Twelve<Fp2<E::Tower>> {
    let steps = E::steps();
    let mut lines = Vec::with_capacity(fresh.len() + prepared.len());
    for (p, q) in fresh {
        lines.push(Lines::<A, E>::fresh(machine, p, q, &steps));
    }
    for (p, q) in prepared {
        lines.push(Lines::<A, E>::prepared(machine, p, q));
    }
    let mut value = Value::<A, E>::one(machine);
    loop {
        for lines in &mut lines {
            lines.begin(machine, &steps);
        }
        if !value.begin(machine, &steps, &mut lines) {
            break;
        }
        eight_products(machine, &mut value, &mut lines);
        for lines in &mut lines {
            if lines.products.are_made() {
                machine.outline(Advance(lines, &steps));
            }
        }
        if value.products.are_made() {
            machine.outline(Finish(&mut value));
        }
    }
    let [[a0, a1, a2], [a3, a4, a5]] = value.f;
    let [a0, a1, a2, a3, a4, a5] = A::to_elements(machine, &[a0, a1, a2, a3, a4, a5]);
    [[a0, a1, a2], [a3, a4, a5]]
}

/// Eight products: of lines that f wants soon, of f, and of lines for later.
#[inline(always)]
fn eight_products<A: Across<E::Tower>, E: Pairing>(
    machine: A::Machine,
    value: &mut Value<A, E>,
    lines: &mut [Lines<'_, A, E>],
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
    let blank = &A::zero(machine);
    let (mut x, mut y) = ([blank; WIDTH], [blank; WIDTH]);
    value.products.factors(&mut x, &mut y);
    for lines in &*lines {
        lines.products.factors(&mut x, &mut y);
    }
    let made = A::eight_products(machine, x, y);
    value.products.give(&made);
    for lines in lines {
        lines.products.give(&made);
    }
}

/// f on its way: the product of the lines of the first steps, squared in between.
struct Value<A: Across<E::Tower>, E: Pairing> {
    f: Twelve<A>,
    products: Products<A, 13>,
    step: usize,
    /// What is done next, or now: 0 for the square of the step, i + 1 for the product with line i.
    next: usize,
    busy: bool,
    pairing: PhantomData<E>,
}

impl<A: Across<E::Tower>, E: Pairing> Value<A, E> {
    #[inline(always)]
    fn one(machine: A::Machine) -> Self {
        let zero = A::zero(machine);
        let f = [[A::one(machine), zero, zero], [zero; 3]];
        let products = Products::none(zero);
        Self { f, products, step: 0, next: 0, busy: false, pairing: PhantomData }
    }

    /// Requests the next products, if none are pending and the line that they need is complete. Returns false if all is done.
    #[inline(always)]
    fn begin(
        &mut self,
        machine: A::Machine,
        steps: &[Step],
        lines: &mut [Lines<'_, A, E>],
    ) -> bool {
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
            self.products.request(&fp12_sqr_factors(&self.f));
            self.busy = true;
            return true;
        }
        let lines = &mut lines[self.next - 1];
        if let Some(line) = lines.next() {
            let line = placed(&line, lines.nowhere, E::TWIST, &A::one(machine), &A::zero(machine));
            self.products.request(&match E::TWIST {
                Kind::M => fp12_mul_014_factors(&self.f, &line),
                Kind::D => fp12_mul_034_factors(&self.f, &line),
            });
            self.busy = true;
        }
        true
    }
}

/// The purpose of the products of f.
struct Finish<'a, A: Across<E::Tower>, E: Pairing>(&'a mut Value<A, E>);

impl<A: Across<E::Tower>, E: Pairing> Task for Finish<'_, A, E> {
    type Output = ();

    #[inline(always)]
    fn run<Same: Machine>(self, _: Same) {
        let value = self.0;
        let f = match (value.next, E::TWIST) {
            (0, _) => fp12_sqr_sums(&value.products.made()),
            (_, Kind::M) => fp12_mul_014_sums(&value.products.made()),
            (_, Kind::D) => fp12_mul_034_sums(&value.products.made()),
        };
        value.f = across::settled(&f);
        value.next += 1;
        value.busy = false;
    }
}

/// The purpose of the products of lines.
struct Advance<'a, 'l, A: Across<E::Tower>, E: Pairing>(&'a mut Lines<'l, A, E>, &'a [Step]);

impl<A: Across<E::Tower>, E: Pairing> Task for Advance<'_, '_, A, E> {
    type Output = ();

    #[inline(always)]
    fn run<Same: Machine>(self, _: Same) {
        self.0.advance(self.1);
    }
}
