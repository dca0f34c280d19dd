//! Goldilocks with AVX2: elements are words of 64 bits, any of those that are the same modulo p.
//!
//! Between being read from a tile and being written again they are [`Digits`], which are added without carries.

use crate::field::{Field, Goldilocks, PrimeField};
use crate::lanes::{Fma, Mask, Quad, WIDTH, both, each};
use crate::ntt::tile::{PIECE, TileVector};

use super::super::Arithmetic;
use super::EPSILON;
use digits::{Butterfly, Digits, Factor};

mod digits;
#[cfg(test)]
mod tests;

/// Words of a vector.
const WORDS: usize = 4;
/// Vectors of a row.
const QUADS: usize = PIECE / WORDS;

/// Eight elements.
type Pair = [Quad; 2];

/// A vector of a row.
#[inline(always)]
fn quad(row: &mut TileVector<2>, number: usize) -> &mut [u64; WORDS] {
    &mut row.0.as_flattened_mut().as_chunks_mut().0[number]
}

/// Returns 2^32 - 1, which is 2^64 - p, where a word is not below p; otherwise 0.
#[inline(always)]
fn above(fma: Fma, x: Quad) -> Quad {
    x.low_ones_where_only_self(x.plus(Quad::splat(fma, EPSILON)))
}

impl Arithmetic<Goldilocks, 2> for Fma {
    type X = Pair;

    /// Sixteen words.
    const ROW: usize = 1;

    fn to_factor() -> Goldilocks {
        Goldilocks::ONE
    }

    fn digits(element: &Goldilocks) -> [u64; 2] {
        let [word] = element.to_canonical();
        [word, 0]
    }

    /// The word, and its upper half.
    fn factor_digits(element: &Goldilocks) -> [u64; 2] {
        let [word] = element.to_canonical();
        [word, word >> 32]
    }

    /// Eight neighbours are a pair.
    fn place(element: usize) -> (usize, usize) {
        (element / WIDTH, element % WIDTH)
    }

    #[inline(always)]
    fn get(self, at_rest: &TileVector<2>) -> Pair {
        let (words, _) = at_rest.0[0].as_chunks();
        both!(n => Quad::load(self, &words[n]))
    }

    #[inline(always)]
    fn set(self, at_rest: &mut TileVector<2>, x: &Pair) {
        let (words, _) = at_rest.0[0].as_chunks_mut();
        x[0].store(&mut words[0]);
        x[1].store(&mut words[1]);
    }

    #[inline(always)]
    fn get_row(self, row: &[TileVector<2>]) -> [Pair; 2] {
        let (words, _) = row[0].0.as_flattened().as_chunks();
        both!(group => both!(n => Quad::load(self, &words[2 * group + n])))
    }

    #[inline(always)]
    fn set_row(self, row: &mut [TileVector<2>], x: &[Pair; 2]) {
        let mut n = 0;
        while n < QUADS {
            x[n / 2][n % 2].store(quad(&mut row[0], n));
            n += 1;
        }
    }

    #[inline(always)]
    fn splat(self, digits: &[u64; 2]) -> Pair {
        [Quad::splat(self, digits[0]); 2]
    }

    #[inline(always)]
    fn read(self, piece: &[u8]) -> ([Pair; 2], Mask) {
        let (chunks, _) = piece.as_chunks();
        let x = both!(group => both!(n => Quad::load_bytes(self, &chunks[2 * group + n])));
        let mut wrong = 0;
        let mut n = 0;
        while n < QUADS {
            wrong |= above(self, x[n / 2][n % 2]).odd();
            n += 1;
        }
        (x, if wrong == 0 { Mask::MAX } else { 0 })
    }

    #[inline(always)]
    fn read_columns(self, pieces: &[&mut [u8]; PIECE], columns: &mut [TileVector<2>]) {
        for of_rows in 0..QUADS {
            for of_columns in 0..QUADS {
                let rows = each!(j < WORDS, Quad::splat(self, 0) =>
                    Quad::load_bytes(self, &pieces[WORDS * of_rows + j].as_chunks().0[of_columns]));
                let words = Quad::transposed(&rows);
                let mut j = 0;
                while j < WORDS {
                    words[j].store(quad(&mut columns[WORDS * of_columns + j], of_rows));
                    j += 1;
                }
            }
        }
    }

    #[inline(always)]
    fn write(self, normal: &[Pair; 2], piece: &mut [u8]) {
        let (chunks, _) = piece.as_chunks_mut();
        let mut n = 0;
        while n < QUADS {
            normal[n / 2][n % 2].store_bytes(&mut chunks[n]);
            n += 1;
        }
    }

    #[inline(always)]
    fn write_canonical(self, normal: &[Pair; 2], piece: &mut [u8]) {
        let least = both!(group => both!(n => {
            let x = normal[group][n];
            x.plus(above(self, x))
        }));
        Arithmetic::<Goldilocks, 2>::write(self, &least, piece);
    }

    #[inline(always)]
    fn settled(self, held: Pair) -> Pair {
        held
    }

    #[inline(always)]
    fn multiply<const N: usize>(self, normal: [&Pair; N], factor: [&Pair; N]) -> [Pair; N] {
        each!(i < N, *normal[0] => both!(n => {
            let w = Factor::of(factor[i][n]);
            Digits::product(normal[i][n], &w).lifted(self).word(self)
        }))
    }

    #[inline(always)]
    fn plus(self, held: &Pair, product: &Pair) -> Pair {
        both!(n => Digits::of(held[n]).plus(&Digits::of(product[n])).word(self))
    }

    #[inline(always)]
    fn minus(self, held: &Pair, product: &Pair) -> Pair {
        both!(n => Digits::of(held[n]).less(&Digits::of(product[n])).lifted(self).word(self))
    }

    #[inline(always)]
    fn held(self, product: Pair) -> Pair {
        product
    }

    #[inline(always)]
    fn normal(self, product: Pair) -> Pair {
        product
    }

    #[inline(always)]
    fn factor(self, normal: Pair) -> Pair {
        normal
    }

    #[inline(always)]
    fn butterflies(
        self,
        rows: &mut [TileVector<2>],
        factors: &[[u64; 2]],
        log_radix: u32,
        plain: bool,
    ) {
        match (log_radix, plain) {
            (3, true) => blocks::<8, true>(self, rows, factors),
            (3, false) => blocks::<8, false>(self, rows, factors),
            (2, true) => blocks::<4, true>(self, rows, factors),
            (2, false) => blocks::<4, false>(self, rows, factors),
            _ => blocks::<2, false>(self, rows, factors),
        }
    }
}

/// Butterflies of radix R of R blocks of rows.
#[expect(clippy::needless_range_loop, reason = "a row of every part")]
#[inline(always)]
fn blocks<const R: usize, const PLAIN: bool>(
    fma: Fma,
    rows: &mut [TileVector<2>],
    factors: &[[u64; 2]],
) where
    [Digits; R]: Butterfly,
{
    // The first part has no factor; this one is not used.
    let w = each!(j < R, Factor::splat(fma, &factors[0]) =>
        Factor::splat(fma, &factors[j.saturating_sub(1)]));
    let part = rows.len() / R;
    let mut parts = rows.chunks_exact_mut(part);
    let parts: [_; R] = std::array::from_fn(|_| parts.next().expect("as many as the radix"));
    for row in 0..part {
        for number in 0..QUADS {
            let x = each!(j < R, Digits::of(Quad::splat(fma, 0)) => {
                let x = Quad::load(fma, quad(&mut parts[j][row], number));
                if PLAIN || j == 0 { Digits::of(x) } else { Digits::product(x, &w[j]) }
            });
            let y = x.butterfly(fma);
            let mut j = 0;
            while j < R {
                y[j].word(fma).store(quad(&mut parts[j][row], number));
                j += 1;
            }
        }
    }
}
