//! Formulas `line_dbl` and `line_add`, cut where products wait for others.

#![allow(non_snake_case)]

use super::products::Products;
use crate::pairing::{Linear, Step};

/// Most products of a stage.
pub const MOST: usize = 6;

/// T on its way through the multiples of Q, and the lines on it at P.
pub struct StagedWalk<C> {
    t: [C; 3],
    /// Q, -Q, psi(Q) and -psi^2(Q).
    addends: [[C; 2]; 4],
    /// P's x and y.
    p: [C; 2],
    /// 3 b of the twist.
    b3: C,
    /// Stages of the step that are done.
    stage: usize,
    /// What a later stage needs of an earlier one, and the line as far as it is known.
    kept: [C; 3],
    line: [C; 3],
}

impl<C: Linear> StagedWalk<C> {
    /// T = Q.
    #[inline(always)]
    pub fn new(addends: [[C; 2]; 4], p: [C; 2], b3: C, one: C) -> Self {
        let [x, y] = addends[0];
        Self { t: [x, y, one], addends, p, b3, stage: 0, kept: [one; 3], line: [one; 3] }
    }

    /// Requests the first products of a step.
    #[inline(always)]
    pub fn begin(&mut self, step: Step, products: &mut Products<C, MOST>) {
        let [X1, Y1, Z1] = self.t;
        self.stage = 0;
        if step == Step::Double {
            let YZ = Y1.plus(&Z1);
            products.request(&[[X1, Y1, Z1, YZ], [Y1, Y1, Z1, YZ]]);
        } else {
            let [X2, Y2] = self.addend(step);
            products.request(&[[Y2, X2], [Z1, Z1]]);
        }
    }

    /// Requests the next products, or returns the step's line, [ly yP, lx xP, l1].
    #[inline(always)]
    pub fn advance(&mut self, step: Step, products: &mut Products<C, MOST>) -> Option<[C; 3]> {
        self.stage += 1;
        if step == Step::Double { self.double(products) } else { self.add(step, products) }
    }

    #[inline(always)]
    fn double(&mut self, products: &mut Products<C, MOST>) -> Option<[C; 3]> {
        match self.stage {
            1 => {
                let [A, B, C, D] = products.made();
                let H = D.less(&B.plus(&C));
                self.kept = [A, B, H];
                products.request(&[[self.b3, self.t[0], B], [C, self.t[0], H]]);
                None
            }
            2 => {
                let ([E, XX, BH], [A, B, H], [xP, yP]) = (products.made(), self.kept, self.p);
                let F = E.small::<3>();
                let (BF, G) = (B.less(&F), B.plus(&F));
                self.kept[0] = BH;
                self.line[2] = E.less(&B);
                products.request(&[[A, G, E, H.negative(), XX.small::<3>()], [BF, G, E, yP, xP]]);
                None
            }
            _ => {
                let ([X3, GG, EE, ly, lx], [BH, ..]) = (products.made(), self.kept);
                self.t = [X3.small::<2>(), GG.less(&EE.small::<12>()), BH.small::<4>()];
                Some([ly, lx, self.line[2]])
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, step: Step, products: &mut Products<C, MOST>) -> Option<[C; 3]> {
        let ([X1, Y1, Z1], [theta, ly, _]) = (self.t, self.kept);
        match self.stage {
            1 => {
                let ([YZ, XZ], [X2, Y2], [xP, yP]) = (products.made(), self.addend(step), self.p);
                let (theta, ly) = (Y1.less(&YZ), X1.less(&XZ));
                (self.kept[0], self.kept[1]) = (theta, ly);
                let lx = theta.negative();
                products.request(&[[theta, ly, ly, theta, ly, lx], [X2, Y2, ly, theta, yP, xP]]);
                None
            }
            2 => {
                let [X, Y, D, T, ly_yP, lx_xP] = products.made();
                self.line = [ly_yP, lx_xP, X.less(&Y)];
                products.request(&[[ly, Z1, X1], [D, T, D]]);
                None
            }
            3 => {
                let [E, F, G] = products.made();
                let H = E.plus(&F).less(&G.small::<2>());
                products.request(&[[ly, theta, E, Z1], [H, G.less(&H), Y1, E]]);
                None
            }
            _ => {
                let [X3, M, N, Z3] = products.made();
                self.t = [X3, M.less(&N), Z3];
                Some(self.line)
            }
        }
    }

    /// Returns the point that a step adds.
    #[inline(always)]
    fn addend(&self, step: Step) -> [C; 2] {
        self.addends[match step {
            Step::Double | Step::Add => 0,
            Step::Subtract => 1,
            Step::AddPsi => 2,
            Step::SubtractPsiSquared => 3,
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Affine, Curve};
    use crate::field::Field;
    use crate::lanes::WIDTH;
    use crate::pairing::walk::Walk;
    use crate::pairing::{Bls12377, Bls12381, Bn254, Pairing, miller};
    use crate::tower::Fp2;

    /// Makes all products, a few at a time.
    fn make<E: Pairing>(products: &mut Products<Fp2<E::Tower>, MOST>, most: usize) {
        let one = Fp2::ONE;
        while !products.are_made() {
            let (mut x, mut y, mut room) = ([&one; WIDTH], [&one; WIDTH], most);
            products.take(&mut room);
            products.factors(&mut x, &mut y);
            let made = std::array::from_fn(|i| *x[i] * *y[i]);
            products.give(&made);
        }
    }

    /// Compares the lines with those of the whole formulas.
    fn walks<E: Pairing>() {
        let (p, q) = (E::G1::GENERATOR, E::G2::GENERATOR);
        let constants = miller::constants::<E>();
        let mut whole = Walk::new([q.x(), q.y()], &constants);
        let image = |q: Affine<E::G2>| [q.x(), q.y()];
        let addends = [image(q), image(-q), image(q.psi()), image(-q.psi().psi())];
        let at = [p.x(), p.y()].map(|x| Fp2::new(x, Default::default()));
        let mut staged = StagedWalk::new(addends, at, E::G2::B3, Fp2::ONE);
        let mut products = Products::none(Fp2::ZERO);
        for (number, step) in E::steps().into_iter().enumerate() {
            let [ly, lx, l1] = whole.step(step, &constants);
            staged.begin(step, &mut products);
            let line = loop {
                make::<E>(&mut products, number % WIDTH + 1);
                if let Some(line) = staged.advance(step, &mut products) {
                    break line;
                }
            };
            assert_eq!(line, [ly.scale(p.y()), lx.scale(p.x()), l1], "{} {number}", E::NAME);
        }
    }

    #[test]
    fn lines_are_those_of_the_whole_formulas() {
        walks::<Bn254>();
        walks::<Bls12381>();
        walks::<Bls12377>();
    }
}
