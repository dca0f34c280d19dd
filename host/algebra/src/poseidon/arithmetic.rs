//! The arithmetic of both forms of the permutation.
//!
//! Elements are plain integers modulo r, of several hashes in parallel. Nothing is converted: where a product is x y / R, the R
//! goes into the constants.

use super::table::{Table, Tables};
use super::{ELEMENT_BYTES, MAX_WIDTH, Scalar};
use crate::once::Once;

/// An element or a digest.
pub type Bytes = [u8; ELEMENT_BYTES];

/// The most hashes in parallel.
pub const MAX_LANES: usize = 16;

/// A state, of which the first elements are used.
pub type State<A> = [<A as Arithmetic>::X; MAX_WIDTH];

/// Arithmetic for several hashes, a value of which is the proof that the processor has it. As for a
/// [`Kernel`](crate::lanes::Kernel), all functions that take `self` are `#[inline(always)]`.
pub trait Arithmetic: Copy {
    /// An element of each hash.
    type X: Copy;
    /// A constant at rest.
    type Constant: Copy + Send + Sync + 'static;

    /// Hashes in parallel.
    const LANES: usize;

    /// A product of x and y is x y times this.
    fn product_factor() -> Scalar;

    /// A combination is a sum of multiples times this.
    fn combination_factor() -> Scalar;

    /// A number at rest.
    fn constant(number: &Scalar) -> Self::Constant;

    /// Where the constants of an instance are.
    fn table(tables: &Tables) -> &Once<Table<Self::Constant>>;

    /// Returns the number for all hashes.
    fn splat(self, constant: &Self::Constant) -> Self::X;

    /// The first of these, and whether all of them are below the modulus.
    fn read(self, lanes: &[&Bytes; MAX_LANES]) -> (Self::X, bool);

    /// A product to the first of these.
    fn write(self, product: &Self::X, lanes: &mut [Bytes; MAX_LANES]);

    /// x + y.
    fn sum(self, x: &Self::X, y: &Self::X) -> Self::X;

    /// x y, and the factor.
    fn product(self, x: &Self::X, y: &Self::X) -> Self::X;

    /// x^2, and the factor.
    fn square(self, x: &Self::X) -> Self::X;

    /// `factors[0] terms[0] + factors[1] terms[1] + …`, and its factor; and then a constant. There are up to twelve terms, and the
    /// factors' sum is below 2^47.
    fn combination(
        self,
        terms: &[Self::X],
        factors: &[u64],
        plus: Option<&Self::Constant>,
    ) -> Self::X;

    /// x^5, and the factor to the power of 4.
    #[inline(always)]
    fn fifth_power(self, x: &Self::X) -> Self::X {
        let square = self.square(x);
        let fourth = self.square(&square);
        self.product(&fourth, x)
    }

    /// by x^5, and the factor to the power of 5.
    #[inline(always)]
    fn fifth_power_by(self, x: &Self::X, by: &Self::X) -> Self::X {
        let multiple = self.product(x, by);
        let square = self.square(x);
        let fourth = self.square(&square);
        self.product(&fourth, &multiple)
    }
}
