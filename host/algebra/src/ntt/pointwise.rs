//! Whole lists of elements, element by element.

use std::marker::PhantomData;

use crate::isa::Isa;
use crate::lanes::{Backend, Kernel, Mask};

use super::form::Form;
use super::plan::NotBelowModulus;
use super::tile::{PIECE, splat};
use super::words;

/// a := a b - c, of canonical elements. Lists of other lengths than a's, or of no whole number of elements, are bugs of the
/// caller.
pub fn a_b_less_c<F: Form<D>, const D: usize>(
    isa: Isa,
    a: &mut [u8],
    b: &[u8],
    c: &[u8],
) -> Result<(), NotBelowModulus> {
    assert!(a.len() == b.len() && b.len() == c.len() && a.len().is_multiple_of(F::BYTES));
    // What is less than a piece is left to scalar code.
    let vectors = isa.vectors();
    let whole = vectors.map_or(0, |_| a.len() - a.len() % (PIECE * F::BYTES));
    let lists = [&a[..], b, c];
    let are_below = lists.iter().all(|list| words::are_below::<F>(&list[whole..]))
        && vectors.is_none_or(|vectors| F::are_below(vectors, lists.map(|list| &list[..whole])));
    if !are_below {
        let is_wrong = |i: &usize| {
            lists.iter().any(|list| !words::are_below::<F>(&list[i * F::BYTES..][..F::BYTES]))
        };
        let first = (0..a.len() / F::BYTES).find(is_wrong);
        return Err(NotBelowModulus(first.expect("there is one")));
    }
    let (a, rest) = a.split_at_mut(whole);
    if let Some(vectors) = vectors {
        F::a_b_less_c(vectors, ABLessC { a, b: &b[..whole], c: &c[..whole], field: PhantomData });
    }
    words::a_b_less_c::<F>(rest, &b[whole..], &c[whole..]);
    Ok(())
}

/// Are all of these below the modulus?
pub struct Below<'a, F, const D: usize>(pub [&'a [u8]; 3], pub PhantomData<F>);

impl<F: Form<D>, const D: usize> Kernel for Below<'_, F, D> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> bool {
        let mut below = Mask::MAX;
        for list in self.0 {
            for piece in list.chunks_exact(PIECE * F::BYTES) {
                let [x0, x1] = F::read(b, piece);
                below &= F::below(b, x0) & F::below(b, x1);
            }
        }
        below == Mask::MAX
    }
}

/// a := a b - c.
pub struct ABLessC<'a, F, const D: usize> {
    a: &'a mut [u8],
    b: &'a [u8],
    c: &'a [u8],
    field: PhantomData<F>,
}

impl<F: Form<D>, const D: usize> Kernel for ABLessC<'_, F, D> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let piece = PIECE * F::BYTES;
        // Brings b into the form of factors.
        let form = splat(b, &F::FACTOR.factor_digits());
        let (ys, zs) = (self.b.chunks_exact(piece), self.c.chunks_exact(piece));
        for ((x, y), z) in self.a.chunks_exact_mut(piece).zip(ys).zip(zs) {
            let [x0, x1] = F::read(b, x);
            let [y0, y1] = F::read(b, y);
            let [z0, z1] = F::read(b, z);
            let [y0, y1] = [F::settled(b, y0), F::settled(b, y1)];
            let [y0, y1] = F::multiply(b, [&y0, &y1], [&form, &form]);
            let [y0, y1] = [F::factor(b, F::normal(b, y0)), F::factor(b, F::normal(b, y1))];
            let [x0, x1] = [F::settled(b, x0), F::settled(b, x1)];
            let [x0, x1] = F::multiply(b, [&x0, &x1], [&y0, &y1]);
            let x0 = F::settled(b, F::minus(b, &F::held(b, x0), &F::settled(b, z0)));
            let x1 = F::settled(b, F::minus(b, &F::held(b, x1), &F::settled(b, z1)));
            F::write_canonical(b, [x0, x1], x);
        }
    }
}
