//! Whole lists of elements, element by element.

use crate::isa::Isa;
use crate::lanes::Mask;

use super::form::{Arithmetic, Form, Pass};
use super::plan::NotBelowModulus;
use super::tile::PIECE;
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
    let lanes = F::lanes(isa);
    let whole = lanes.map_or(0, |_| a.len() - a.len() % (PIECE * F::BYTES));
    let lists = [&a[..], b, c];
    let are_below = lists.iter().all(|list| words::are_below::<F>(&list[whole..]))
        && lanes.is_none_or(|lanes| F::are_below(lanes, lists.map(|list| &list[..whole])));
    if !are_below {
        let is_wrong = |i: &usize| {
            lists.iter().any(|list| !words::are_below::<F>(&list[i * F::BYTES..][..F::BYTES]))
        };
        let first = (0..a.len() / F::BYTES).find(is_wrong);
        return Err(NotBelowModulus(first.expect("there is one")));
    }
    let (a, rest) = a.split_at_mut(whole);
    if let Some(lanes) = lanes {
        F::a_b_less_c(lanes, ABLessC { a, b: &b[..whole], c: &c[..whole] });
    }
    words::a_b_less_c::<F>(rest, &b[whole..], &c[whole..]);
    Ok(())
}

/// A check that all elements are below the modulus.
pub struct Below<'a>(pub [&'a [u8]; 3]);

impl<F: Form<D>, const D: usize> Pass<F, D> for Below<'_> {
    type Output = bool;

    #[inline(always)]
    fn run_on<A: Arithmetic<F, D>>(self, a: A) -> bool {
        let mut below = Mask::MAX;
        for list in self.0 {
            for piece in list.chunks_exact(PIECE * F::BYTES) {
                below &= a.read(piece).1;
            }
        }
        below == Mask::MAX
    }
}

/// a := a b - c.
pub struct ABLessC<'a> {
    a: &'a mut [u8],
    b: &'a [u8],
    c: &'a [u8],
}

impl<F: Form<D>, const D: usize> Pass<F, D> for ABLessC<'_> {
    type Output = ();

    #[inline(always)]
    fn run_on<A: Arithmetic<F, D>>(self, a: A) {
        let piece = PIECE * F::BYTES;
        // Brings b into the form of factors.
        let form = a.splat(&A::factor_digits(&A::to_factor()));
        let (ys, zs) = (self.b.chunks_exact(piece), self.c.chunks_exact(piece));
        for ((x, y), z) in self.a.chunks_exact_mut(piece).zip(ys).zip(zs) {
            let ([x0, x1], _) = a.read(x);
            let ([y0, y1], _) = a.read(y);
            let ([z0, z1], _) = a.read(z);
            let [y0, y1] = [a.settled(y0), a.settled(y1)];
            let [y0, y1] = a.multiply([&y0, &y1], [&form, &form]);
            let [y0, y1] = [a.factor(a.normal(y0)), a.factor(a.normal(y1))];
            let [x0, x1] = [a.settled(x0), a.settled(x1)];
            let [x0, x1] = a.multiply([&x0, &x1], [&y0, &y1]);
            let x0 = a.settled(a.minus(&a.held(x0), &a.settled(z0)));
            let x1 = a.settled(a.minus(&a.held(x1), &a.settled(z1)));
            a.write_canonical(&[x0, x1], x);
        }
    }
}
