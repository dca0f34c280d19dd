//! Sums of elements: limbs of either sign, without carries, and bounds on both sides.
//!
//! No element has a bound of less than p. So a sum whose bounds [`Sum::element`] accepts, 16 p in all, has at most 15
//! elements, and its limbs are less than 2^56 in absolute value.

use std::ops::{Add, Sub};

use super::field::{C, Element, LARGEST, LIMBS, P, TOP_BITS};
use crate::lanes::{Backend, Limbs, Mask};

/// Eight sums of elements, in limbs of either sign.
#[derive(Clone, Copy)]
pub struct Sum<B: Backend> {
    limbs: Limbs<B, LIMBS>,
    /// Each is less than this many sixteenths of p.
    below: u32,
    /// Each is more than minus this many sixteenths of p.
    above: u32,
}

impl<B: Backend> Sum<B> {
    /// Returns the element with carries, as a factor.
    #[inline(always)]
    pub fn element(self) -> Element<B> {
        let Self { mut limbs, below, above } = self;
        // Multiples of p = 2^256 - C that make it positive.
        let multiple = above.div_ceil(P);
        let below = below + multiple * P;
        assert!(below <= LARGEST, "a factor of less than 16 p");
        if multiple > 0 {
            let (b, t) = (limbs.b, &mut limbs.vectors);
            t[0] = b.sub(t[0], b.splat(u64::from(multiple) * C));
            let top = u64::from(multiple) << TOP_BITS;
            t[LIMBS - 1] = b.add(t[LIMBS - 1], b.splat(top));
        }
        Element { limbs: limbs.carried(), below }
    }

    /// -x.
    #[inline(always)]
    pub fn negative(self) -> Self {
        let zero = Limbs::constant(self.limbs.b, &[0; LIMBS]);
        Self { limbs: zero.less(&self.limbs), below: self.above, above: self.below }
    }

    /// 2 x.
    #[inline(always)]
    pub fn double(self) -> Self {
        self + self
    }

    /// -x in the lanes of the mask, x in the others.
    #[inline(always)]
    pub fn negate(self, mask: Mask) -> Self {
        let most = self.below.max(self.above);
        let limbs = self.limbs.select(mask, &self.negative().limbs);
        Self { limbs, below: most, above: most }
    }
}

impl<B: Backend> Element<B> {
    /// Converts to a sum of one element.
    #[inline(always)]
    pub fn sum(self) -> Sum<B> {
        Sum { limbs: self.limbs, below: self.below, above: 0 }
    }
}

impl<B: Backend> From<Element<B>> for Sum<B> {
    #[inline(always)]
    fn from(x: Element<B>) -> Self {
        x.sum()
    }
}

impl<B: Backend, T: Into<Sum<B>>> Add<T> for Sum<B> {
    type Output = Self;

    #[inline(always)]
    fn add(self, y: T) -> Self {
        let y = y.into();
        let limbs = self.limbs.plus(&y.limbs);
        Self { limbs, below: self.below + y.below, above: self.above + y.above }
    }
}

impl<B: Backend, T: Into<Sum<B>>> Sub<T> for Sum<B> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, y: T) -> Self {
        let y = y.into();
        let limbs = self.limbs.less(&y.limbs);
        Self { limbs, below: self.below + y.above, above: self.above + y.below }
    }
}

impl<B: Backend, T: Into<Sum<B>>> Add<T> for Element<B> {
    type Output = Sum<B>;

    #[inline(always)]
    fn add(self, y: T) -> Sum<B> {
        self.sum() + y
    }
}

impl<B: Backend, T: Into<Sum<B>>> Sub<T> for Element<B> {
    type Output = Sum<B>;

    #[inline(always)]
    fn sub(self, y: T) -> Sum<B> {
        self.sum() - y
    }
}
