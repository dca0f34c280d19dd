//! Montgomery form with R = 2^(64 W) for a modulus of W words of 64 bits: the form in which scalar code, and so many
//! a file, keeps elements. Here it becomes canonical, eight elements at a time:
//!
//! ```text
//! x 2^(64 W) · 2^(52 L - 64 W) / 2^(52 L) = x
//! ```

use super::backend::{Backend, Kernel, LIMB_BITS, WIDTH, each, run};
use super::held::{limbs_of_words, words_of_limbs};
use super::montgomery::carried;
use super::{Held, Prime};
use crate::isa::Isa;

/// Words of the widest modulus.
const WORDS: usize = 6;

/// Elements in Montgomery form with R = 2^(64 W), 8 W bytes each, lowest first, become canonical. An error is the number
/// of the first that is not below the modulus; what `canonical` then holds is of no use.
///
/// The slices have the same length, a whole number of elements; anything else is a bug of the caller.
pub fn canonical_of_word_form<P: Prime<L>, const L: usize>(
    isa: Isa,
    elements: &[u8],
    canonical: &mut [u8],
) -> Result<(), usize> {
    const { assert!(P::MODULUS.len() <= WORDS && P::BYTES == 8 * P::MODULUS.len()) }
    assert!(elements.len() == canonical.len() && elements.len().is_multiple_of(P::BYTES));
    run(isa, Canonical::<P, L> { elements, canonical, prime: std::marker::PhantomData })
}

struct Canonical<'a, P, const L: usize> {
    elements: &'a [u8],
    canonical: &'a mut [u8],
    prime: std::marker::PhantomData<P>,
}

impl<P: Prime<L>, const L: usize> Kernel for Canonical<'_, P, L> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Result<(), usize> {
        let eight = WIDTH * P::BYTES;
        let pieces = self.elements.chunks(eight).zip(self.canonical.chunks_mut(eight));
        for (number, (from, to)) in pieces.enumerate() {
            let mut words = [[0; WIDTH]; WORDS];
            for (i, word) in from.as_chunks().0.iter().enumerate() {
                let (lane, place) = (i / P::MODULUS.len(), i % P::MODULUS.len());
                words[place][lane] = u64::from_le_bytes(*word);
            }
            let too_large = convert::<B, P, L>(b, &mut words);
            if too_large != 0 {
                return Err(number * WIDTH + too_large.trailing_zeros() as usize);
            }
            for (i, word) in to.as_chunks_mut().0.iter_mut().enumerate() {
                let (lane, place) = (i / P::MODULUS.len(), i % P::MODULUS.len());
                *word = words[place][lane].to_le_bytes();
            }
        }
        Ok(())
    }
}

/// Eight elements; the answer says which are not below the modulus.
#[inline(always)]
fn convert<B: Backend, P: Prime<L>, const L: usize>(b: B, words: &mut [[u64; WIDTH]; WORDS]) -> u8 {
    let rows = each!(i < WORDS, b.splat(0) => b.load(&words[i]));
    let x: [_; L] = limbs_of_words(b, &rows);
    let p = &P::CONSTANTS.multiples[1];
    let less = carried(b, each!(j < L, x[0] => b.sub(x[j], b.splat(p[j]))));
    let shift = 1 << (LIMB_BITS as usize * L - 64 * P::MODULUS.len());
    let shift = each!(j < L, x[0] => b.splat(if j == 0 { shift } else { 0 }));
    let canonical = (Held::<B, P, L>::of(b, x) * Held::<B, P, L>::of(b, shift)).canonical();
    let rows: [_; WORDS] = words_of_limbs(b, &canonical.limbs());
    for (row, words) in rows.iter().zip(words) {
        b.store(*row, words);
    }
    !b.negative(less[L - 1])
}
