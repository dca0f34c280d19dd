//! Coordinates in a quadratic extension Fp2 = Fp[u] / (u^2 + N).

use std::marker::PhantomData;

use super::base::{Base, Pair};
use super::coordinate::{Coordinate, Residue};
use super::point::Point;
use crate::field::PrimeField;
use crate::lanes::Prime;
use crate::lanes::backend::{Mask, WIDTH, both, each};
use crate::lanes::machine::Machine;
use crate::tower::{Fp2, Tower};

/// The extension at the bottom of a tower with u^2 = -N; coefficients in L limbs, a coordinate in K vectors.
#[derive(Clone, Copy, Debug)]
pub struct Quadratic<T, const N: usize, const L: usize, const K: usize>(PhantomData<T>);

impl<T, const N: usize, const L: usize, const K: usize> Coordinate for Quadratic<T, N, L, K>
where
    T: Tower<Base: Prime<L>>,
{
    type Element = Fp2<T>;
    type Rows = [Pair<K>; 2];
    const ZERO: [Pair<K>; 2] = [[[0; WIDTH]; K]; 2];
    type Held<M: Machine> = M::EightPair<T, N, L>;

    #[inline(always)]
    fn read(rows: &[Pair<K>; 2]) -> [Fp2<T>; 2] {
        rows.each_ref().map(|row| {
            let [c0, c1] = Base::<T::Base, L, K>::read_pair(row);
            Fp2::new(c0, c1)
        })
    }

    #[inline(always)]
    fn write([x, y]: [Fp2<T>; 2], rows: &mut [Pair<K>; 2]) {
        Base::<T::Base, L, K>::write_pair([x.c0, x.c1], &mut rows[0]);
        Base::<T::Base, L, K>::write_pair([y.c0, y.c1], &mut rows[1]);
    }

    #[inline(always)]
    fn lowest_word(rows: &[Pair<K>; 2]) -> u64 {
        rows[0][0][0]
    }

    #[inline(always)]
    fn take_montgomery(words: &mut [u64]) -> Option<Fp2<T>> {
        let (c0, c1) = words.split_at_mut(words.len() / 2);
        let c0 = Base::<T::Base, L, K>::take_montgomery(c0)?;
        Some(Fp2::new(c0, Base::<T::Base, L, K>::take_montgomery(c1)?))
    }

    #[inline(always)]
    fn prefetch<M: Machine>(m: M, rows: &[Pair<K>; 2]) {
        for row in rows.as_flattened() {
            m.prefetch(row);
        }
    }

    #[inline(always)]
    fn gather<M: Machine>(
        m: M,
        points: [&[Pair<K>; 2]; WIDTH],
        [x, y]: [&mut M::EightPair<T, N, L>; 2],
    ) {
        m.gather(each!(i < WIDTH, &points[0][0] => &points[i][0]), m.coefficients_mut(x));
        m.gather(each!(i < WIDTH, &points[0][1] => &points[i][1]), m.coefficients_mut(y));
    }

    #[inline(always)]
    fn from_word_form<M: Machine>(m: M) -> M::EightPair<T, N, L> {
        let mut form = Residue::zero(m);
        let [c0, _] = m.coefficients_mut(&mut form);
        *c0 = m.word_form();
        form
    }

    #[inline(always)]
    fn take_word_form<M: Machine>(
        m: M,
        form: &M::EightPair<T, N, L>,
        rows: &mut [[u64; WIDTH]],
        [x, y]: [&mut M::EightPair<T, N, L>; 2],
    ) -> Mask {
        let [form, _] = m.coefficients(form);
        let (of_x, of_y) = rows.split_at_mut(2 * T::Base::MODULUS.len());
        let large = m.take_word_form(form, of_x, m.coefficients_mut(x));
        large | m.take_word_form(form, of_y, m.coefficients_mut(y))
    }

    #[inline(always)]
    fn scatter<M: Machine>(
        m: M,
        xy: &[M::EightPair<T, N, L>; 2],
        points: &mut [Point<Self>],
        places: &[usize],
    ) {
        let rows = both!(n => m.scatter::<T::Base, L, K>(m.coefficients(&xy[n])));
        for lane in 0..WIDTH {
            if let Some(&place) = places.get(lane) {
                let [x, y] = &mut points[place].rows;
                m.store(&rows[0], lane, x);
                m.store(&rows[1], lane, y);
            }
        }
    }
}
