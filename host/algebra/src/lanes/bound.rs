//! The bound of an element in builds with debug assertions. It follows from the formula and never from a value.

/// A bound, which exists where debug assertions are: an element is its digits and nothing else.
#[derive(Clone, Copy)]
pub struct Bound(#[cfg(debug_assertions)] u32);

impl Bound {
    pub const ZERO: Self = Self::of(0);

    pub const fn of(_bound: u32) -> Self {
        Self(
            #[cfg(debug_assertions)]
            _bound,
        )
    }

    /// Returns the bound of the larger of two elements, of their sum or of a multiple.
    #[inline(always)]
    pub fn from(self, _other: Self, _rule: fn(u32, u32) -> u32) -> Self {
        Self(
            #[cfg(debug_assertions)]
            _rule(self.0, _other.0),
        )
    }

    #[inline(always)]
    pub fn check(self, _most: u32) {
        #[cfg(debug_assertions)]
        assert!(self.0 <= _most, "a formula exceeds its bound: {} instead of {_most}", self.0);
    }
}
