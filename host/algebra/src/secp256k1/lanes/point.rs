//! Eight points in Jacobian coordinates, and eight affine points in memory.

#![allow(non_snake_case)]

use super::field::Element;
use crate::lanes::{Backend, Mask, WIDTH, each, limbs_of_words, words_of_limbs};

/// An affine point in memory: four words of x and four of y, lowest first, of numbers below 2^256; one line of cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u64; WIDTH]);

/// Eight affine points.
#[derive(Clone, Copy)]
pub struct Affine<B: Backend> {
    pub x: Element<B>,
    pub y: Element<B>,
}

/// Eight points (X : Y : Z), x = X / Z^2 and y = Y / Z^3.
#[derive(Clone, Copy)]
pub struct Jacobian<B: Backend> {
    pub X: Element<B>,
    pub Y: Element<B>,
    pub Z: Element<B>,
}

impl<B: Backend> Affine<B> {
    /// One point a lane.
    #[inline(always)]
    pub fn load(b: B, lines: [&Line; WIDTH]) -> Self {
        let words = b.transpose(each!(i < WIDTH, b.splat(0) => b.load(&lines[i].0)));
        let [x0, x1, x2, x3, y0, y1, y2, y3] = words;
        Self {
            x: Element::of_limbs(b, limbs_of_words(b, &[x0, x1, x2, x3])),
            y: Element::of_limbs(b, limbs_of_words(b, &[y0, y1, y2, y3])),
        }
    }

    /// As lines, one a lane.
    #[inline(always)]
    pub fn lines(self, b: B) -> [Line; WIDTH] {
        let [x0, x1, x2, x3] = words_of_limbs(b, &self.x.words_fit());
        let [y0, y1, y2, y3] = words_of_limbs(b, &self.y.words_fit());
        let rows = b.transpose([x0, x1, x2, x3, y0, y1, y2, y3]);
        let mut lines = [Line([0; WIDTH]); WIDTH];
        for i in 0..WIDTH {
            b.store(rows[i], &mut lines[i].0);
        }
        lines
    }

    /// The points' negatives in the lanes of the mask.
    #[inline(always)]
    pub fn negate(self, mask: Mask) -> Self {
        Self { x: self.x, y: self.y.sum().negate(mask).element() }
    }
}

impl<B: Backend> Jacobian<B> {
    /// 2 P: EFD dbl-2009-l, but D is a product. 3 multiplications, 4 squarings.
    #[inline(always)]
    pub fn double(self) -> Self {
        let Self { X, Y, Z } = self;
        let A = X.square();
        let B = Y.square();
        let XB = X * B;
        let E = (A + A + A).element();
        let D = XB.sum().double().double();
        let X3 = (E.square() - D.double()).element();
        let minus_Y3 = Element::product_and_eight_squares(E, (X3 - D).element(), B);
        let Y3 = minus_Y3.sum().negative().element();
        let Z3 = (Y * Z).sum().double().element();
        Self { X: X3, Y: Y3, Z: Z3 }
    }

    /// P + Q, and H, which is what Z was multiplied by: EFD madd, 8 multiplications, 3 squarings. `z` is Z, or another
    /// one if Q is on another curve than P's: the image of P's has that Z. Not for equal or opposite points, nor for
    /// P the identity: these give Z = 0.
    #[inline(always)]
    pub fn add(self, z: Element<B>, q: &Affine<B>) -> (Self, Element<B>) {
        let Self { X: X1, Y: Y1, Z: Z1 } = self;
        let Z1Z1 = z.square();
        let U2 = q.x * Z1Z1;
        let S2 = q.y * (z * Z1Z1);
        let H = (U2 - X1).element();
        let r = (S2 - Y1).element();
        let HH = H.square();
        let HHH = H * HH;
        let V = X1 * HH;
        let X3 = (r.square() - HHH - V.sum().double()).element();
        let minus_Y3 = Element::sum_of_products(r, (X3 - V).element(), Y1, HHH);
        let Y3 = minus_Y3.sum().negative().element();
        (Self { X: X3, Y: Y3, Z: Z1 * H }, H)
    }
}
