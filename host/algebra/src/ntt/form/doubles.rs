//! Fields of up to 255 bits with floating-point limbs. Elements are integers, possibly with the smallest magnitude, and factors
//! are in Montgomery form.
//!
//! A held element is a sum of up to four normal ones, without carries. It is reduced before it is multiplied, and before
//! butterflies add to it.

use crate::lanes::{Bytes, Doubles, Fma, Mask, Prime, WIDTH, each};
use crate::ntt::tile::{PIECE, TileVector};

use super::{Arithmetic, Form, radix_four};

/// Digits.
const L: usize = 5;
/// The logarithm of R.
const LOG_R: u32 = 255;

impl<F: Form<L> + Prime<L>> Arithmetic<F, L> for Fma {
    type X = Doubles<F, L>;

    /// Returns R, which is 2^51 to the power of L; every factor contains it.
    fn to_factor() -> F {
        let base = F::from(1 << (LOG_R / L as u32));
        base.square().square() * base
    }

    fn digits(element: &F) -> [u64; L] {
        let factor = *element * <Self as Arithmetic<F, L>>::to_factor();
        Doubles::<F, L>::digits_of(factor.to_canonical().as_ref()).map(f64::to_bits)
    }

    fn factor_digits(element: &F) -> [u64; L] {
        <Self as Arithmetic<F, L>>::digits(element)
    }

    /// Eight neighbours are a vector.
    fn place(element: usize) -> (usize, usize) {
        (element / WIDTH, element % WIDTH)
    }

    #[inline(always)]
    fn get(self, at_rest: &TileVector<L>) -> Doubles<F, L> {
        Doubles::of_bits(self, &at_rest.0)
    }

    #[inline(always)]
    fn set(self, at_rest: &mut TileVector<L>, x: &Doubles<F, L>) {
        x.to_bits(&mut at_rest.0);
    }

    #[inline(always)]
    fn splat(self, digits: &[u64; L]) -> Doubles<F, L> {
        Doubles::splat(self, &each!(j < L, 0.0 => f64::from_bits(digits[j])))
    }

    #[inline(always)]
    fn read(self, piece: &[u8]) -> ([Doubles<F, L>; 2], Mask) {
        let (integers, _) = piece.as_chunks();
        let (first, below_first) = Doubles::of_plain(self, eight(integers, 0));
        let (second, below_second) = Doubles::of_plain(self, eight(integers, WIDTH));
        ([first, second], below_first & below_second)
    }

    #[inline(always)]
    fn read_columns(self, pieces: &[&mut [u8]; PIECE], columns: &mut [TileVector<L>]) {
        for (place, eight) in columns.iter_mut().enumerate() {
            let (column, half) = (place / 2, place % 2);
            let integers = each!(i < WIDTH, &[0; 32] =>
                &pieces[WIDTH * half + i].as_chunks().0[column]);
            Doubles::<F, L>::of_packed(self, integers).to_bits(&mut eight.0);
        }
    }

    #[inline(always)]
    fn write(self, normal: &[Doubles<F, L>; 2], piece: &mut [u8]) {
        let [first, second] = two_eights(piece);
        normal[0].to_packed(first);
        normal[1].to_packed(second);
    }

    #[inline(always)]
    fn write_canonical(self, normal: &[Doubles<F, L>; 2], piece: &mut [u8]) {
        let [first, second] = two_eights(piece);
        normal[0].to_plain(first);
        normal[1].to_plain(second);
    }

    #[inline(always)]
    fn settled(self, held: Doubles<F, L>) -> Doubles<F, L> {
        held.reduced_digits()
    }

    #[inline(always)]
    fn kept(self, held: Doubles<F, L>) -> Doubles<F, L> {
        held.reduced_digits()
    }

    #[inline(always)]
    fn multiply<const N: usize>(
        self,
        normal: [&Doubles<F, L>; N],
        factor: [&Doubles<F, L>; N],
    ) -> [Doubles<F, L>; N] {
        each!(n < N, *normal[0] => normal[n].product(factor[n]))
    }

    #[inline(always)]
    fn plus(self, held: &Doubles<F, L>, product: &Doubles<F, L>) -> Doubles<F, L> {
        held.plus_digits(product)
    }

    #[inline(always)]
    fn minus(self, held: &Doubles<F, L>, product: &Doubles<F, L>) -> Doubles<F, L> {
        held.less_digits(product)
    }

    #[inline(always)]
    fn held(self, product: Doubles<F, L>) -> Doubles<F, L> {
        product
    }

    #[inline(always)]
    fn normal(self, product: Doubles<F, L>) -> Doubles<F, L> {
        product
    }

    #[inline(always)]
    fn factor(self, normal: Doubles<F, L>) -> Doubles<F, L> {
        normal
    }

    #[inline(always)]
    fn butterflies(
        self,
        rows: &mut [TileVector<L>],
        factors: &[[u64; L]],
        log_radix: u32,
        plain: bool,
    ) {
        radix_four::butterflies::<F, Self, L>(self, rows, factors, log_radix, plain);
    }
}

/// Eight of a piece, from the first on.
#[inline(always)]
fn eight(integers: &[Bytes], first: usize) -> [&Bytes; WIDTH] {
    each!(i < WIDTH, &integers[first] => &integers[first + i])
}

/// Both eights of a piece.
#[inline(always)]
fn two_eights(piece: &mut [u8]) -> [[&mut Bytes; WIDTH]; 2] {
    let (integers, _) = piece.as_chunks_mut();
    let (first, second) = integers.split_at_mut(WIDTH);
    let [first, second] = [first, second].map(<&mut [Bytes; WIDTH]>::try_from);
    let whole = "a piece has sixteen elements";
    [first.expect(whole).each_mut(), second.expect(whole).each_mut()]
}
