//! The factors of a tile of columns between the passes.

use super::form::{Arithmetic, Form};
use super::tile::{PIECE, TileVector};
use super::transform::Transform;

/// Factors for n1 rows of sixteen columns: those of row k1 are the product of a fine one, by the lower half of the bits of
/// k1, and a coarse one, by the upper half. They are computed for every tile.
pub struct Between<const D: usize> {
    fine: Vec<[TileVector<D>; 2]>,
    coarse: Vec<[TileVector<D>; 2]>,
}

impl<const D: usize> Between<D> {
    /// Allocates memory for 2^log_rows rows.
    pub fn new(log_rows: u32) -> Self {
        let log_fine = log_rows.div_ceil(2);
        Self {
            fine: vec![[TileVector::ZERO; 2]; 1 << log_fine],
            coarse: vec![[TileVector::ZERO; 2]; 1 << (log_rows - log_fine)],
        }
    }

    /// Those for sixteen columns c from the first on: scale input^c (root^c output)^k1.
    #[inline(always)]
    pub fn make<F: Form<D>, A: Arithmetic<F, D>>(
        &mut self,
        a: A,
        transform: &Transform<F>,
        first: usize,
    ) {
        let Transform { root, input, output, scale, .. } = *transform;
        let from_first = |x: F, start: F| {
            let mut products = [start * x.pow_vartime(&[first as u64]); PIECE];
            for c in 1..PIECE {
                products[c] = products[c - 1] * x;
            }
            TileVector::two::<F, A>(|c| A::digits(&products[c]))
        };
        let one = TileVector::two::<F, A>(|_| A::digits(&F::ONE));
        let step = chain::<F, A, D>(a, one, from_first(root, output), &mut self.fine);
        chain::<F, A, D>(a, from_first(input, scale), step, &mut self.coarse);
        for two in self.fine.iter_mut().chain(&mut self.coarse) {
            for eight in two {
                let factor = a.factor(a.get(eight));
                a.set(eight, &factor);
            }
        }
    }

    /// Normal elements of a row times its factors.
    #[inline(always)]
    pub fn times<F: Form<D>, A: Arithmetic<F, D>>(
        &self,
        a: A,
        k1: usize,
        x: &[A::X; 2],
    ) -> [A::X; 2] {
        let (fine, coarse) = (&self.fine[k1 % self.fine.len()], &self.coarse[k1 / self.fine.len()]);
        let [w0, w1] = [a.get(&fine[0]), a.get(&fine[1])];
        let [y0, y1] = a.multiply(x.each_ref(), [&w0, &w1]);
        let [y0, y1] = [a.normal(y0), a.normal(y1)];
        let [w0, w1] = [a.get(&coarse[0]), a.get(&coarse[1])];
        let [z0, z1] = a.multiply([&y0, &y1], [&w0, &w1]);
        [a.normal(z0), a.normal(z1)]
    }
}

/// Fills a list with the start, the start times the base, times its square, and so on, as normal digits; gives the power of
/// the base that is as long as the list.
#[inline(always)]
fn chain<F: Form<D>, A: Arithmetic<F, D>, const D: usize>(
    a: A,
    start: [TileVector<D>; 2],
    base: [TileVector<D>; 2],
    list: &mut [[TileVector<D>; 2]],
) -> [TileVector<D>; 2] {
    let factor = [a.factor(a.get(&base[0])), a.factor(a.get(&base[1]))];
    let mut last = [a.get(&start[0]), a.get(&start[1])];
    let mut power = [a.splat(&A::digits(&F::ONE)); 2];
    for two in list {
        a.set(&mut two[0], &last[0]);
        a.set(&mut two[1], &last[1]);
        let [next0, next1] = a.multiply([&last[0], &last[1]], [&factor[0], &factor[1]]);
        last = [a.normal(next0), a.normal(next1)];
        let [next0, next1] = a.multiply([&power[0], &power[1]], [&factor[0], &factor[1]]);
        power = [a.normal(next0), a.normal(next1)];
    }
    let mut result = [TileVector::ZERO; 2];
    a.set(&mut result[0], &power[0]);
    a.set(&mut result[1], &power[1]);
    result
}
