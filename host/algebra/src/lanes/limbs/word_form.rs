//! Montgomery form with R = 2^(64 W) for a modulus of W words of 64 bits: the form in which scalar code, and so many
//! a file, keeps elements. Two products take it to the form of lanes and to the integer itself:
//!
//! ```text
//! x 2^(64 W) · 2^(104 L - 64 W) / 2^(52 L) = x 2^(52 L)
//! x 2^(52 L) · 1 / 2^(52 L) = x
//! ```

use super::{Held, Limbs, limbs};
use crate::lanes::Prime;
use crate::lanes::backend::{Backend, Kernel, LIMB_BITS, Mask, WIDTH, both};

/// Words of the widest modulus.
const WORDS: usize = 6;

impl<B: Backend, P: Prime<L>, const L: usize> Held<B, P, L> {
    /// 2^(52 L - 64 W): the second factor of [`Held::take_word_form`].
    #[inline(always)]
    pub(in crate::lanes) fn from_word_form(b: B) -> Self {
        let shift = LIMB_BITS as usize * L - 64 * P::MODULUS.len();
        Self::from_elements(b, &[P::from(1 << shift); WIDTH])
    }

    /// Twice eight elements in this form, each W rows of words, which become the integers; and where the elements are
    /// wanted. Lanes of the mask were not below the modulus: what comes of them is of no use.
    #[inline(always)]
    pub(in crate::lanes) fn take_word_form(
        &self,
        b: B,
        rows: &mut [[u64; WIDTH]],
        to: [&mut Self; 2],
    ) -> Mask {
        b.outline(TakeWordForm { b, form: self, rows, to })
    }
}

/// [`Held::take_word_form`]: long, and wanted for each coefficient.
struct TakeWordForm<'a, B: Backend, P, const L: usize> {
    b: B,
    form: &'a Held<B, P, L>,
    rows: &'a mut [[u64; WIDTH]],
    to: [&'a mut Held<B, P, L>; 2],
}

impl<B: Backend, P: Prime<L>, const L: usize> Kernel for TakeWordForm<'_, B, P, L> {
    type Output = Mask;

    #[inline(always)]
    fn run<Here: Backend>(self, _: Here) -> Mask {
        let Self { b, form, rows, to } = self;
        let words = P::MODULUS.len();
        let (first, second) = rows.split_at_mut(words);
        let x = [limbs_of_rows(b, first), limbs_of_rows(b, &second[..words])];
        let p = Limbs::constant(b, &P::CONSTANTS.multiples[1]);
        let large = both!(n => !x[n].less(&p).carried().negative());
        let x: [Held<B, P, L>; 2] = both!(n => Held::of(x[n]));
        let elements = Held::mul_each(x, [*form; 2]);
        let one: Held<B, P, L> = Held::of(Limbs::constant(b, &limbs(&[1])));
        let [integer0, integer1] = Held::mul_each(elements, [one; 2]);
        store(b, integer0.canonical(), first);
        store(b, integer1.canonical(), second);
        [*to[0], *to[1]] = elements;
        large[0] | large[1]
    }
}

#[inline(always)]
fn limbs_of_rows<B: Backend, const L: usize>(b: B, rows: &[[u64; WIDTH]]) -> Limbs<B, L> {
    let mut words = [b.splat(0); WORDS];
    for (word, row) in words.iter_mut().zip(rows) {
        *word = b.load(row);
    }
    Limbs::of_words(b, &words)
}

#[inline(always)]
fn store<B: Backend, P: Prime<L>, const L: usize>(
    b: B,
    integer: Held<B, P, L>,
    rows: &mut [[u64; WIDTH]],
) {
    let words: [_; WORDS] = integer.limbs().words();
    for (word, row) in words.iter().zip(rows).take(P::MODULUS.len()) {
        b.store(*word, row);
    }
}
