//! What a tile of columns is multiplied by between the passes.

use crate::lanes::Backend;

use super::form::Form;
use super::tile::{Eight, PIECE, splat};
use super::transform::Transform;

/// Factors for n1 rows of sixteen columns: those of row k1 are the product of a fine one, by the lower half of the bits of
/// k1, and a coarse one, by the upper half. They are computed for every tile.
pub struct Between<const D: usize> {
    fine: Vec<[Eight<D>; 2]>,
    coarse: Vec<[Eight<D>; 2]>,
}

impl<const D: usize> Between<D> {
    /// Room for 2^log_rows rows.
    pub fn new(log_rows: u32) -> Self {
        let log_fine = log_rows.div_ceil(2);
        Self {
            fine: vec![[Eight::ZERO; 2]; 1 << log_fine],
            coarse: vec![[Eight::ZERO; 2]; 1 << (log_rows - log_fine)],
        }
    }

    /// Those for sixteen columns c from the first on: scale input^c (root^c output)^k1.
    #[inline(always)]
    pub fn make<F: Form<D>, B: Backend>(&mut self, b: B, transform: &Transform<F>, first: usize) {
        let Transform { root, input, output, scale, .. } = *transform;
        let from_first = |x: F, start: F| {
            let mut products = [start * x.pow_vartime(&[first as u64]); PIECE];
            for c in 1..PIECE {
                products[c] = products[c - 1] * x;
            }
            Eight::two::<F>(|c| products[c].digits())
        };
        let one = Eight::two::<F>(|_| F::ONE.digits());
        let step = chain::<F, B, D>(b, one, from_first(root, output), &mut self.fine);
        chain::<F, B, D>(b, from_first(input, scale), step, &mut self.coarse);
        for two in self.fine.iter_mut().chain(&mut self.coarse) {
            for eight in two {
                let factor = F::factor(b, eight.get(b));
                eight.set(b, &factor);
            }
        }
    }

    /// Normal elements of a row times its factors.
    #[inline(always)]
    pub fn times<F: Form<D>, B: Backend>(
        &self,
        b: B,
        k1: usize,
        x: [[B::V; D]; 2],
    ) -> [[B::V; D]; 2] {
        let (fine, coarse) = (&self.fine[k1 % self.fine.len()], &self.coarse[k1 / self.fine.len()]);
        let [w0, w1] = [fine[0].get(b), fine[1].get(b)];
        let [y0, y1] = F::multiply(b, [&x[0], &x[1]], [&w0, &w1]);
        let [y0, y1] = [F::normal(b, y0), F::normal(b, y1)];
        let [w0, w1] = [coarse[0].get(b), coarse[1].get(b)];
        let [z0, z1] = F::multiply(b, [&y0, &y1], [&w0, &w1]);
        [F::normal(b, z0), F::normal(b, z1)]
    }
}

/// Fills a list with the start, the start times the base, times its square, and so on, as normal digits; gives the power of
/// the base that is as long as the list.
#[inline(always)]
fn chain<F: Form<D>, B: Backend, const D: usize>(
    b: B,
    start: [Eight<D>; 2],
    base: [Eight<D>; 2],
    list: &mut [[Eight<D>; 2]],
) -> [Eight<D>; 2] {
    let factor = [F::factor(b, base[0].get(b)), F::factor(b, base[1].get(b))];
    let mut last = [start[0].get(b), start[1].get(b)];
    let mut power = [splat(b, &F::ONE.digits()); 2];
    for two in list {
        let mut g = 0;
        while g < 2 {
            two[g].set(b, &last[g]);
            g += 1;
        }
        let [next0, next1] = F::multiply(b, [&last[0], &last[1]], [&factor[0], &factor[1]]);
        last = [F::normal(b, next0), F::normal(b, next1)];
        let [next0, next1] = F::multiply(b, [&power[0], &power[1]], [&factor[0], &factor[1]]);
        power = [F::normal(b, next0), F::normal(b, next1)];
    }
    let mut result = [Eight::ZERO; 2];
    result[0].set(b, &power[0]);
    result[1].set(b, &power[1]);
    result
}
