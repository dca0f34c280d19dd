//! The representation of the elements of a field during a transform.
//!
//! Eight elements are in D rows of digits. There are four kinds of them:
//!
//! - *held*: the elements read, and those in a tile between the butterflies;
//! - *normal*: [`Arithmetic::settled`], with carries; can be multiplied;
//! - *factor*: the factor of a normal one. [`Arithmetic::factor_digits`] converts elements to factors;
//! - *product*: the result of a multiplication.
//!
//! A field's butterflies take and leave held elements, for transforms of up to 2^[`MAX_LEVELS`] rows.

use std::marker::PhantomData;

use crate::field::PrimeField;
use crate::isa::Isa;
use crate::lanes::{AnyMachine, Mask};

use super::passes::{Columns, Rows};
use super::pointwise::ABLessC;
use super::tile::{PIECE, TileVector};

#[cfg(target_arch = "x86_64")]
mod doubles;
mod goldilocks;
mod limbs;
mod radix_four;

/// Levels of two that a held element can go through.
pub(super) const MAX_LEVELS: u32 = 14;

/// The arithmetic of a field's transforms on a kind of lanes, a value of which is the proof that there are such.
pub trait Arithmetic<F: Form<D>, const D: usize>: Copy {
    /// Eight elements in registers.
    type X: Copy;

    /// [`TileVector`]s of a row of a tile.
    const ROW: usize = 2;

    /// What an element times this is, as a canonical integer, is the factor; R, if factors are in Montgomery form.
    fn to_factor() -> F;

    /// The digits of a number that will be a factor: a normal element.
    fn digits(element: &F) -> [u64; D];

    /// The digits of a factor.
    fn factor_digits(element: &F) -> [u64; D];

    /// The vector, and the lane in it, of an element of a piece.
    fn place(element: usize) -> (usize, usize);

    /// Eight elements at rest.
    fn get(self, at_rest: &TileVector<D>) -> Self::X;

    /// Eight elements to rest.
    fn set(self, at_rest: &mut TileVector<D>, x: &Self::X);

    /// A row of a tile.
    #[inline(always)]
    fn get_row(self, row: &[TileVector<D>]) -> [Self::X; 2] {
        [self.get(&row[0]), self.get(&row[1])]
    }

    /// A row of a tile to rest.
    #[inline(always)]
    fn set_row(self, row: &mut [TileVector<D>], x: &[Self::X; 2]) {
        self.set(&mut row[0], &x[0]);
        self.set(&mut row[1], &x[1]);
    }

    /// Returns the digits in every lane.
    fn splat(self, digits: &[u64; D]) -> Self::X;

    /// Reads the elements of a piece, held: canonical integers, lowest byte first. Returns the mask of those below the modulus.
    fn read(self, piece: &[u8]) -> ([Self::X; 2], Mask);

    /// The elements of as many pieces as a piece has elements, one below the other, a column after the other, each in a row;
    /// they are what [`Arithmetic::write`] wrote.
    fn read_columns(self, pieces: &[&mut [u8]; PIECE], columns: &mut [TileVector<D>]);

    /// Writes normal elements in as many bytes as they have, if they are products by a factor made of an element, or of two.
    fn write(self, normal: &[Self::X; 2], piece: &mut [u8]);

    /// Writes normal elements as the numbers below the modulus that they are.
    fn write_canonical(self, normal: &[Self::X; 2], piece: &mut [u8]);

    /// A held element with carries.
    fn settled(self, held: Self::X) -> Self::X;

    /// A held element that butterflies will add to, without a product.
    #[inline(always)]
    fn kept(self, held: Self::X) -> Self::X {
        held
    }

    /// Returns products of normal elements and factors, in parallel.
    fn multiply<const N: usize>(self, normal: [&Self::X; N], factor: [&Self::X; N])
    -> [Self::X; N];

    /// held + product.
    fn plus(self, held: &Self::X, product: &Self::X) -> Self::X;

    /// held - product.
    fn minus(self, held: &Self::X, product: &Self::X) -> Self::X;

    /// A held element from which one a bit above 2p may be subtracted.
    #[inline(always)]
    fn raised(self, held: &Self::X) -> Self::X {
        *held
    }

    /// A product as a held element.
    fn held(self, product: Self::X) -> Self::X;

    /// A product as a normal element.
    fn normal(self, product: Self::X) -> Self::X;

    /// A normal element as a factor.
    fn factor(self, normal: Self::X) -> Self::X;

    /// Butterflies of radix r: of r blocks of rows, one after the other, and their factors. Block k of the result is the sum
    /// over j of root^(j k) t^j times block j. They are *plain* where t is 1 and the rows have just been read.
    fn butterflies(
        self,
        rows: &mut [TileVector<D>],
        factors: &[[u64; D]],
        log_radix: u32,
        plain: bool,
    );
}

/// A field whose elements are transformed in D digits.
pub trait Form<const D: usize>: PrimeField {
    /// The lanes of a level that transforms run on; none if scalar code is as fast.
    fn lanes(isa: Isa) -> Option<AnyMachine>;

    /// Returns the function that computes the digits of a factor for these lanes.
    fn factor_digits(lanes: AnyMachine) -> fn(&Self) -> [u64; D];

    /// The logarithm of the largest radix of butterflies.
    const MAX_LOG_RADIX: u32;

    /// The root of unity of order r that butterflies of radix r are made for: the one given, or another.
    fn butterfly_root(given: Self) -> Self;

    /// The r - 1 factors of a butterfly of radix r whose inputs x_j are to be multiplied by t^j, with that root.
    fn butterfly_factors(t: Self, root: Self, log_radix: u32) -> Vec<Self>;

    /// Executes the first pass of a tile. This function and the next three are kernels, compiled in this crate, once for each field.
    fn first_pass(lanes: AnyMachine, pass: Columns<'_, Self, D>) -> bool;

    /// The second pass of a tile.
    fn second_pass(lanes: AnyMachine, pass: Rows<'_, '_, Self, D>);

    /// Returns whether all elements of whole pieces are below the modulus.
    fn are_below(lanes: AnyMachine, lists: [&[u8]; 3]) -> bool;

    /// a := a b - c, in whole pieces.
    fn a_b_less_c(lanes: AnyMachine, lists: ABLessC<'_>);
}

/// Part of a transform, for any lanes; as for a [`Kernel`](crate::lanes::Kernel), `run_on` is `#[inline(always)]`.
pub trait Pass<F: Form<D>, const D: usize> {
    /// The result.
    type Output;
    /// Executes the work.
    fn run_on<A: Arithmetic<F, D>>(self, a: A) -> Self::Output;
}

/// [`Arithmetic::factor_digits`] as a [`Choice`].
struct FactorDigits<F>(PhantomData<F>);

/// A pass in F as a [`Choice`].
struct Run<F, P>(P, PhantomData<F>);

/// The kernels of a field, for its [`Form`].
macro_rules! kernels {
    ($digits:literal) => {
        fn factor_digits(lanes: AnyMachine) -> fn(&Self) -> [u64; $digits] {
            choose(lanes, FactorDigits(PhantomData::<Self>))
        }

        fn first_pass(lanes: AnyMachine, pass: Columns<'_, Self, $digits>) -> bool {
            choose(lanes, Run(pass, PhantomData::<Self>))
        }

        fn second_pass(lanes: AnyMachine, pass: Rows<'_, '_, Self, $digits>) {
            choose(lanes, Run(pass, PhantomData::<Self>));
        }

        fn are_below(lanes: AnyMachine, lists: [&[u8]; 3]) -> bool {
            choose(lanes, Run(Below(lists), PhantomData::<Self>))
        }

        fn a_b_less_c(lanes: AnyMachine, lists: ABLessC<'_>) {
            choose(lanes, Run(lists, PhantomData::<Self>));
        }
    };
}
use kernels;

/// Selects the arithmetic of the kernels of a field. Without `doubles` its lanes are always limbs.
macro_rules! choices {
    ($field:ty, $digits:literal $(, $doubles:ident)?) => {
        impl Choice for FactorDigits<$field> {
            type Output = fn(&$field) -> [u64; $digits];

            #[inline(always)]
            fn on_limbs<B: Backend>(self, _: B) -> Self::Output {
                <B as Arithmetic<$field, $digits>>::factor_digits
            }
            choices!(@doubles self, fma => <Fma as Arithmetic<$field, $digits>>::factor_digits, $($doubles)?);
        }

        impl<P: Pass<$field, $digits>> Choice for Run<$field, P> {
            type Output = P::Output;

            #[inline(always)]
            fn on_limbs<B: Backend>(self, b: B) -> P::Output {
                self.0.run_on(b)
            }
            choices!(@doubles self, fma => self.0.run_on(fma), $($doubles)?);
        }
    };
    (@doubles $self:ident, $fma:ident => $body:expr, doubles) => {
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn on_doubles($self, $fma: Fma) -> Self::Output {
            let _ = $fma;
            $body
        }
    };
    (@doubles $self:ident, $fma:ident => $body:expr,) => {
        #[cfg(target_arch = "x86_64")]
        fn on_doubles($self, _: Fma) -> Self::Output {
            unreachable!("lanes that this field does not have")
        }
    };
}
use choices;
