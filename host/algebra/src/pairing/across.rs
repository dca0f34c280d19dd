//! One element of Fp2 at a time, whose products go eight side by side: what makes a single pairing fast.

#[cfg(target_arch = "x86_64")]
mod doubles;
mod limbs;

#[cfg(target_arch = "x86_64")]
pub use doubles::AcrossDoubles;
pub use limbs::AcrossLimbs;

use super::Linear;
use super::formula::Twelve;
use crate::lanes::{Machine, Mask, WIDTH};
use crate::tower::{Fp2, Tower};

/// An element of Fp12, as what there may be as large sums of as of products.
#[inline(always)]
pub fn settled<T: Tower, A: Across<T>>([[a0, a1, a2], [b0, b1, b2]]: &Twelve<A>) -> Twelve<A> {
    [[a0.settled(), a1.settled(), a2.settled()], [b0.settled(), b1.settled(), b2.settled()]]
}

/// c0 + c1 u, where no lane or all are chosen.
pub trait Across<T: Tower>: Linear<Choice = Mask> {
    /// The lanes.
    type Machine: Machine;

    /// 0.
    fn zero(machine: Self::Machine) -> Self;
    /// 1.
    fn one(machine: Self::Machine) -> Self;
    /// From c0 and c1 of each.
    fn from_coefficients(machine: Self::Machine, c: &[T::Base; WIDTH]) -> [Self; WIDTH / 2];
    /// Converts from elements.
    #[inline(always)]
    fn from_elements<const N: usize>(machine: Self::Machine, elements: &[Fp2<T>; N]) -> [Self; N] {
        const FOUR: usize = WIDTH / 2;
        let mut all = [Self::zero(machine); N];
        for (elements, all) in elements.chunks(FOUR).zip(all.chunks_mut(FOUR)) {
            let mut c = [T::Base::default(); WIDTH];
            for (i, element) in elements.iter().enumerate() {
                [c[2 * i], c[2 * i + 1]] = [element.c0, element.c1];
            }
            all.copy_from_slice(&Self::from_coefficients(machine, &c)[..all.len()]);
        }
        all
    }
    /// Converts to elements.
    fn to_elements(machine: Self::Machine, elements: &[Self; 6]) -> [Fp2<T>; 6];
    /// The same, of which there may be as large sums as of a product.
    fn settled(&self) -> Self;
    /// Both coefficients, each by itself.
    fn coefficients(&self, machine: Self::Machine) -> [Self; 2];
    /// Products of eight pairs.
    fn eight_products(
        machine: Self::Machine,
        x: [&Self; WIDTH],
        y: [&Self; WIDTH],
    ) -> [Self; WIDTH];
}
