//! Coordinates with floating-point limbs: sums need no carries. The comments of a formula state its sums, in normal elements.

#![allow(non_snake_case)]

use super::point::{Affine, Coordinates, Jacobian, Line};
use crate::field::PrimeField;
use crate::lanes::{Fma, Mask, SparseDoubles, SparsePair, WIDTH, each};

impl Coordinates for SparseDoubles {
    type Proof = Fma;
    type Stored = SparsePair;
    const BLANK: SparsePair = SparsePair::ZERO;

    #[inline(always)]
    fn small(fma: Fma, number: u32) -> Self {
        SparseDoubles::words(fma, &[number.into(), 0, 0, 0])
    }
    #[inline(always)]
    fn words(fma: Fma, words: &[u64; 4]) -> Self {
        SparseDoubles::words(fma, words)
    }
    #[inline(always)]
    fn load(fma: Fma, numbers: &[[u64; 4]; WIDTH]) -> Self {
        SparseDoubles::load(fma, numbers)
    }
    #[inline(always)]
    fn store(&self) -> [[u64; 4]; WIDTH] {
        self.to_elements().map(|element| element.to_canonical())
    }
    #[inline(always)]
    fn of_lines(fma: Fma, lines: [&Line; WIDTH]) -> Affine<Self> {
        let [x, y] = SparseDoubles::of_pairs(fma, each!(i < WIDTH, &lines[0].0 => &lines[i].0));
        Affine { x, y }
    }
    #[inline(always)]
    fn of_stored(fma: Fma, points: [&SparsePair; WIDTH]) -> Affine<Self> {
        let [x, y] = SparseDoubles::of_stored(fma, points);
        Affine { x, y }
    }
    #[inline(always)]
    fn stored(_: Fma, points: &Affine<Self>) -> [SparsePair; WIDTH] {
        SparseDoubles::stored([&points.x, &points.y])
    }

    #[inline(always)]
    fn times(&self, y: &Self) -> Self {
        SparseDoubles::times(self, y)
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.square()
    }
    #[inline(always)]
    fn plus(&self, y: &Self) -> Self {
        SparseDoubles::plus(self, y)
    }
    #[inline(always)]
    fn negated(&self, mask: Mask) -> Self {
        self.negate(mask)
    }
    #[inline(always)]
    fn are_zero(&self) -> Mask {
        self.is_zero()
    }
    #[inline(always)]
    fn are_equal(&self, y: &Self) -> Mask {
        self.less(y).is_zero()
    }

    /// EFD dbl-2009-l, but D is a product. 3 multiplications, 4 squarings. X and Y are sums of at most nine, Z of two.
    #[inline(always)]
    fn double(Jacobian { X, Y, Z }: &Jacobian<Self>) -> Jacobian<Self> {
        let A = X.square();
        let B = Y.square();
        let XB = X.times(&B);
        let E = A.plus(&A).plus(&A);
        let X3 = SparseDoubles::sum(1.0, &E.square(), -8.0, &XB);
        let minus_Y3 = E.times(&SparseDoubles::sum(1.0, &X3, -4.0, &XB));
        let Y3 = SparseDoubles::sum(-1.0, &minus_Y3, -8.0, &B.square());
        let YZ = Y.times(Z);
        Jacobian { X: X3, Y: Y3, Z: YZ.plus(&YZ) }
    }

    #[inline(always)]
    fn add(
        Jacobian { X: X1, Y: Y1, Z: Z1 }: &Jacobian<Self>,
        z: &Self,
        q: &Affine<Self>,
    ) -> (Jacobian<Self>, Self) {
        let Z1Z1 = z.square();
        let U2 = q.x.times(&Z1Z1);
        let S2 = q.y.times(&z.times(&Z1Z1));
        // Ten each.
        let H = U2.less(X1);
        let r = S2.less(Y1);
        let HH = H.square();
        let HHH = H.times(&HH);
        let V = X1.times(&HH);
        // Four, and five.
        let X3 = SparseDoubles::sum(1.0, &r.square().less(&HHH), -2.0, &V);
        let Y3 = r.times(&V.less(&X3)).less(&Y1.times(&HHH));
        (Jacobian { X: X3, Y: Y3, Z: Z1.times(&H) }, H)
    }
}
