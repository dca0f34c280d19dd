//! Two digits to the base 2^32, each a signed word with many spare bits: x0 + x1 2^32.
//!
//! 2^64 = 2^32 - 1 modulo p, so 2^96 = -1, and the products by 2^24, 2^48 and 2^72 that butterflies need are shifts:
//!
//! ```text
//! 2^48 x = 2^16 (-x1 + (x0 + x1) 2^32)
//! 2^72 x = 2^8 (-(x0 + x1) + x0 2^32)
//! ```
//!
//! Digits of a product are between -2^33 - 2^32 and 2^33; sums of eight, shifted by 24 bits at most, stay within 2^60:
//! what is added to the first element of a butterfly ([`Digits::lifted`]), 0 modulo p, makes all results positive. They are below
//! 2^61 then, and [`Digits::word`] takes what is below 2^62.

use crate::lanes::{Fma, Quad};

use super::super::EPSILON;

/// Digits of an element.
#[derive(Clone, Copy)]
pub struct Digits(Quad, Quad);

/// A factor: words, and their upper halves.
#[derive(Clone, Copy)]
pub struct Factor(Quad, Quad);

/// Digits of 2^28 (2^32 + 1 + (2^32 - 2) 2^32): 0 modulo p.
const LIFT: [u64; 2] = [((1 << 32) + 1) << 28, ((1 << 32) - 2) << 28];

impl Factor {
    /// Any words.
    #[inline(always)]
    pub fn of(words: Quad) -> Self {
        Self(words, words.down::<32>())
    }

    /// The digits of a factor in a step.
    #[inline(always)]
    pub fn splat(fma: Fma, digits: &[u64; 2]) -> Self {
        Self(Quad::splat(fma, digits[0]), Quad::splat(fma, digits[1]))
    }
}

impl Digits {
    /// Converts any word.
    #[inline(always)]
    pub fn of(x: Quad) -> Self {
        Self(x.low(), x.down::<32>())
    }

    /// x w, of any words: its digits in four places of 32 bits, of which the third is 2^32 - 1 and the fourth -1.
    #[inline(always)]
    pub fn product(x: Quad, w: &Factor) -> Self {
        let upper = x.down::<32>();
        let (low, high) = (x.times(w.0), upper.times(w.1));
        let (cross0, cross1) = (upper.times(w.0), x.times(w.1));
        // Neither sum is above (2^32 - 1)^2 + 2^32 - 1.
        let sum0 = cross0.plus(low.down::<32>());
        let sum1 = cross1.plus(sum0.low());
        let high = high.plus(sum0.down::<32>()).plus(sum1.down::<32>());
        let third = high.low();
        Self(low.low().less(third.plus(high.down::<32>())), sum1.low().plus(third))
    }

    #[inline(always)]
    pub fn plus(&self, y: &Self) -> Self {
        Self(self.0.plus(y.0), self.1.plus(y.1))
    }

    #[inline(always)]
    pub fn less(&self, y: &Self) -> Self {
        Self(self.0.less(y.0), self.1.less(y.1))
    }

    /// Returns the same element with digits that stay positive.
    #[inline(always)]
    pub fn lifted(&self, fma: Fma) -> Self {
        self.plus(&Self(Quad::splat(fma, LIFT[0]), Quad::splat(fma, LIFT[1])))
    }

    /// The sum and the difference.
    #[inline(always)]
    fn two(&self, y: &Self) -> [Self; 2] {
        [self.plus(y), self.less(y)]
    }

    /// x + 2^48 y and x - 2^48 y.
    #[inline(always)]
    fn two_at_48(&self, y: &Self) -> [Self; 2] {
        let (minus, plus) = (y.1.up::<16>(), y.0.plus(y.1).up::<16>());
        [Self(self.0.less(minus), self.1.plus(plus)), Self(self.0.plus(minus), self.1.less(plus))]
    }

    /// 2^24 x + 2^72 y.
    #[inline(always)]
    fn at_24_and_72(&self, y: &Self) -> Self {
        let minus = y.0.plus(y.1).up::<8>();
        Self(self.0.up::<24>().less(minus), self.1.up::<24>().plus(y.0.up::<8>()))
    }

    /// A word that is the same modulo p, of digits that are not negative and below 2^62.
    #[inline(always)]
    pub fn word(&self, fma: Fma) -> Quad {
        // Below 2^63, so a carry leaves less than that.
        let low = self.0.plus(self.1.down::<32>().times(Quad::splat(fma, EPSILON)));
        let high = self.1.up::<32>();
        let sum = high.plus(low);
        sum.plus(high.low_ones_where_only_self(sum))
    }
}

/// Element k of the result is the sum over j of root^(j k) times element j, with the root that is a power of two.
pub trait Butterfly {
    fn butterfly(&self, fma: Fma) -> Self;
}

impl Butterfly for [Digits; 2] {
    #[inline(always)]
    fn butterfly(&self, fma: Fma) -> Self {
        self[0].lifted(fma).two(&self[1])
    }
}

impl Butterfly for [Digits; 4] {
    #[inline(always)]
    fn butterfly(&self, fma: Fma) -> Self {
        let [x0, x1, x2, x3] = self;
        let [s0, d0] = x0.lifted(fma).two(x2);
        let [s1, d1] = x1.two(x3);
        let [[y0, y2], [y1, y3]] = [s0.two(&s1), d0.two_at_48(&d1)];
        [y0, y1, y2, y3]
    }
}

impl Butterfly for [Digits; 8] {
    #[inline(always)]
    fn butterfly(&self, fma: Fma) -> Self {
        let [x0, x1, x2, x3, x4, x5, x6, x7] = self;
        let [s0, d0] = x0.lifted(fma).two(x4);
        let [s2, d2] = x2.two(x6);
        let [[e0, e2], [e1, e3]] = [s0.two(&s2), d0.two_at_48(&d2)];
        let [s1, d1] = x1.two(x5);
        let [s3, d3] = x3.two(x7);
        let [o0, o2] = s1.two(&s3);
        // Times 2^24 and 2^72: 2^24 (d1 + 2^48 d3), and 2^72 (d1 - 2^48 d3), because 2^120 is -2^24.
        let (o1, o3) = (d1.at_24_and_72(&d3), d3.at_24_and_72(&d1));
        let [[y0, y4], [y1, y5]] = [e0.two(&o0), e1.two(&o1)];
        let [[y2, y6], [y3, y7]] = [e2.two_at_48(&o2), e3.two(&o3)];
        [y0, y1, y2, y3, y4, y5, y6, y7]
    }
}
