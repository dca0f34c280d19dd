//! The operations of the hard part of a final exponentiation, on one element or in lanes.

#[cfg(target_arch = "x86_64")]
mod doubles;
mod limbs;

#[cfg(target_arch = "x86_64")]
use doubles::Spread;
use limbs::Folded;

use super::Pairing;
use super::limbs::LaneTower;
use super::power::{power, power_by_few_bits};
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{AnyMachine, Backend, Choice, choose};
use crate::tower::{Fp12, Tower};

/// An element of the cyclotomic subgroup of Fp12, where inverses are conjugates. Implementations for lanes run inside a
/// [`Kernel`](crate::lanes::Kernel), as those of [`Coefficient`](super::Coefficient).
pub trait Cyclotomic: Copy {
    /// a b.
    fn times(&self, other: &Self) -> Self;
    /// a^2.
    fn squared(&self) -> Self;
    /// 1 / a.
    fn inverse(&self) -> Self;
    /// The (p^k)-th power.
    fn frobenius(&self, k: usize) -> Self;
    /// The n-th power, n > 0. The exponent is public.
    fn power(&self, n: u64) -> Self;
    /// The n-th power for an n with few bits.
    fn power_by_few_bits(&self, n: u64) -> Self;
}

impl<T: Tower> Cyclotomic for Fp12<T> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.cyclotomic_square()
    }
    #[inline(always)]
    fn inverse(&self) -> Self {
        self.conjugate()
    }
    #[inline(always)]
    fn frobenius(&self, k: usize) -> Self {
        Self::frobenius(*self, k)
    }
    #[inline(always)]
    fn power(&self, n: u64) -> Self {
        power(self, n)
    }
    #[inline(always)]
    fn power_by_few_bits(&self, n: u64) -> Self {
        power_by_few_bits(*self, n)
    }
}

/// The hard part in lanes, of numbers with L limbs or D digits.
pub fn hard_part<E, const L: usize, const D: usize>(
    machine: AnyMachine,
    f: Fp12<E::Tower>,
) -> Fp12<E::Tower>
where
    E: Pairing<Tower: LaneTower<L> + LaneTower<D>>,
{
    choose(machine, HardPart::<E, L, D>(f))
}

struct HardPart<E: Pairing, const L: usize, const D: usize>(Fp12<E::Tower>);

impl<E, const L: usize, const D: usize> Choice for HardPart<E, L, D>
where
    E: Pairing<Tower: LaneTower<L> + LaneTower<D>>,
{
    type Output = Fp12<E::Tower>;

    #[inline(always)]
    fn on_limbs<B: Backend>(self, b: B) -> Self::Output {
        E::hard_part(Folded::<B, E::Tower, L>::of(b, self.0)).whole()
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> Self::Output {
        E::hard_part(Spread::<E::Tower, D>::of(fma, self.0)).whole()
    }
}
