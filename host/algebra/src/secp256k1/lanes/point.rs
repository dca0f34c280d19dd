//! Eight points in Jacobian coordinates, and eight affine points in memory.

#![allow(non_snake_case)]

use super::field::Element;
use crate::lanes::{Backend, Limbs, Mask, WIDTH, each};

/// An affine point in memory: four words of x and four of y, lowest first, of numbers below 2^256; one line of cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u64; WIDTH]);

/// Eight coordinates in lanes, and the operations on their points; all are `#[inline(always)]`.
pub trait Coordinates: Copy {
    /// The proof that there are such lanes.
    type Proof: Copy;
    /// An affine point in a table that is made and read on these lanes.
    type Stored: Copy;
    /// No point in particular.
    const BLANK: Self::Stored;

    /// Returns a small number in every lane.
    fn small(proof: Self::Proof, number: u32) -> Self;
    /// Returns a number below 2^256 in every lane.
    fn words(proof: Self::Proof, words: &[u64; 4]) -> Self;
    /// A number below 2^256 a lane.
    fn load(proof: Self::Proof, numbers: &[[u64; 4]; WIDTH]) -> Self;
    /// The same, of any of a residue's forms.
    fn store(&self) -> [[u64; 4]; WIDTH];
    /// One point a lane.
    fn of_lines(proof: Self::Proof, lines: [&Line; WIDTH]) -> Affine<Self>;
    /// Likewise, from a table.
    fn of_stored(proof: Self::Proof, points: [&Self::Stored; WIDTH]) -> Affine<Self>;
    /// For a table, one a lane.
    fn stored(proof: Self::Proof, points: &Affine<Self>) -> [Self::Stored; WIDTH];

    /// x y.
    fn times(&self, y: &Self) -> Self;
    /// x^2.
    fn squared(&self) -> Self;
    /// x + y.
    fn plus(&self, y: &Self) -> Self;
    /// -x in the lanes of the mask, x in the others.
    fn negated(&self, mask: Mask) -> Self;
    /// Returns the mask of the lanes where x = 0.
    fn are_zero(&self) -> Mask;
    /// Returns the mask of the lanes where x = y.
    fn are_equal(&self, y: &Self) -> Mask;

    /// 2 P.
    fn double(point: &Jacobian<Self>) -> Jacobian<Self>;
    /// P + Q, and H, which is what Z was multiplied by: EFD madd, 8 multiplications, 3 squarings. `z` is Z, or another
    /// one if Q is on another curve than P's: the image of P's has that Z. Not for equal or opposite points, nor for
    /// P the identity: these give Z = 0.
    fn add(point: &Jacobian<Self>, z: &Self, q: &Affine<Self>) -> (Jacobian<Self>, Self);
}

/// Eight affine points.
#[derive(Clone, Copy)]
pub struct Affine<C> {
    pub x: C,
    pub y: C,
}

/// Eight points (X : Y : Z), x = X / Z^2 and y = Y / Z^3.
#[derive(Clone, Copy)]
pub struct Jacobian<C> {
    pub X: C,
    pub Y: C,
    pub Z: C,
}

impl<C: Coordinates> Affine<C> {
    /// The points' negatives in the lanes of the mask.
    #[inline(always)]
    pub fn negate(self, mask: Mask) -> Self {
        Self { x: self.x, y: self.y.negated(mask) }
    }
}

impl<B: Backend> Coordinates for Element<B> {
    type Proof = B;
    type Stored = Line;
    const BLANK: Line = Line([0; WIDTH]);

    #[inline(always)]
    fn small(b: B, number: u32) -> Self {
        Element::small(b, number)
    }
    #[inline(always)]
    fn words(b: B, words: &[u64; 4]) -> Self {
        Element::words(b, words)
    }
    #[inline(always)]
    fn load(b: B, numbers: &[[u64; 4]; WIDTH]) -> Self {
        Element::load(b, numbers)
    }
    #[inline(always)]
    fn store(&self) -> [[u64; 4]; WIDTH] {
        Element::store(*self)
    }
    #[inline(always)]
    fn of_lines(b: B, lines: [&Line; WIDTH]) -> Affine<Self> {
        let words = b.transpose(each!(i < WIDTH, b.splat(0) => b.load(&lines[i].0)));
        let [x0, x1, x2, x3, y0, y1, y2, y3] = words;
        Affine {
            x: Element::of_limbs(Limbs::of_words(b, &[x0, x1, x2, x3])),
            y: Element::of_limbs(Limbs::of_words(b, &[y0, y1, y2, y3])),
        }
    }
    #[inline(always)]
    fn of_stored(b: B, lines: [&Line; WIDTH]) -> Affine<Self> {
        Self::of_lines(b, lines)
    }
    #[inline(always)]
    fn stored(b: B, points: &Affine<Self>) -> [Line; WIDTH] {
        let [x0, x1, x2, x3] = points.x.words_fit().words();
        let [y0, y1, y2, y3] = points.y.words_fit().words();
        let rows = b.transpose([x0, x1, x2, x3, y0, y1, y2, y3]);
        let mut lines = [Line([0; WIDTH]); WIDTH];
        for i in 0..WIDTH {
            b.store(rows[i], &mut lines[i].0);
        }
        lines
    }

    #[inline(always)]
    fn times(&self, y: &Self) -> Self {
        *self * *y
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.square()
    }
    #[inline(always)]
    fn plus(&self, y: &Self) -> Self {
        (*self + *y).element()
    }
    #[inline(always)]
    fn negated(&self, mask: Mask) -> Self {
        self.sum().negate(mask).element()
    }
    #[inline(always)]
    fn are_zero(&self) -> Mask {
        self.is_zero()
    }
    #[inline(always)]
    fn are_equal(&self, y: &Self) -> Mask {
        (*self - *y).element().is_zero()
    }

    /// EFD dbl-2009-l, but D is a product. 3 multiplications, 4 squarings.
    #[inline(always)]
    fn double(&Jacobian { X, Y, Z }: &Jacobian<Self>) -> Jacobian<Self> {
        let A = X.square();
        let B = Y.square();
        let XB = X * B;
        let E = (A + A + A).element();
        let D = XB.sum().double().double();
        let X3 = (E.square() - D.double()).element();
        let minus_Y3 = Element::product_and_eight_squares(E, (X3 - D).element(), B);
        let Y3 = minus_Y3.sum().negative().element();
        let Z3 = (Y * Z).sum().double().element();
        Jacobian { X: X3, Y: Y3, Z: Z3 }
    }

    #[inline(always)]
    fn add(
        &Jacobian { X: X1, Y: Y1, Z: Z1 }: &Jacobian<Self>,
        z: &Self,
        q: &Affine<Self>,
    ) -> (Jacobian<Self>, Self) {
        let Z1Z1 = z.square();
        let U2 = q.x * Z1Z1;
        let S2 = q.y * (*z * Z1Z1);
        let H = (U2 - X1).element();
        let r = (S2 - Y1).element();
        let HH = H.square();
        let HHH = H * HH;
        let V = X1 * HH;
        let X3 = (r.square() - HHH - V.sum().double()).element();
        let minus_Y3 = Element::sum_of_products(r, (X3 - V).element(), Y1, HHH);
        let Y3 = minus_Y3.sum().negative().element();
        (Jacobian { X: X3, Y: Y3, Z: Z1 * H }, H)
    }
}
