//! One element of Fp2 at a time, whose products go eight side by side: what makes a single pairing fast.

#[cfg(target_arch = "x86_64")]
mod doubles;
mod limbs;

#[cfg(target_arch = "x86_64")]
pub use doubles::AcrossDoubles;
pub use limbs::AcrossLimbs;

use super::Linear;
use super::formula::Twelve;
use crate::lanes::{Machine, Mask, WIDTH, each};
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
    /// From elements.
    fn from_elements<const N: usize>(machine: Self::Machine, elements: &[Fp2<T>; N]) -> [Self; N];
    /// To elements.
    fn to_elements(machine: Self::Machine, elements: &[Self; 6]) -> [Fp2<T>; 6];
    /// The same, of which there may be as large sums as of a product.
    fn settled(&self) -> Self;
    /// Both coefficients, each by itself.
    fn coefficients(&self, machine: Self::Machine) -> [Self; 2];
    /// Products of eight pairs, of which the first `count` are wanted.
    fn eight_products(
        machine: Self::Machine,
        count: usize,
        x: [&Self; WIDTH],
        y: [&Self; WIDTH],
    ) -> [Self; WIDTH];

    /// Products of any number of pairs.
    #[inline(always)]
    fn products<const N: usize>(machine: Self::Machine, [x, y]: &[[Self; N]; 2]) -> [Self; N] {
        let blank = &Self::zero(machine);
        let mut products = [*blank; N];
        let mut first = 0;
        while first < N {
            let count = if N - first < WIDTH { N - first } else { WIDTH };
            let made = Self::eight_products(
                machine,
                count,
                each!(i < WIDTH, blank => if i < count { &x[first + i] } else { blank }),
                each!(i < WIDTH, blank => if i < count { &y[first + i] } else { blank }),
            );
            let mut i = 0;
            while i < count {
                products[first + i] = made[i];
                i += 1;
            }
            first += WIDTH;
        }
        products
    }

    /// Squares.
    fn squares<const N: usize>(machine: Self::Machine, x: &[Self; N]) -> [Self; N];
}
