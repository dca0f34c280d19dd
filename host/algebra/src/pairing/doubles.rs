//! Eight elements of Fp2 with floating-point limbs. As with limbs, each operation is a separate function; all results are reduced.

use super::lanes::InLanes;
use super::limbs::LaneTower;
use super::slots::Wide;
use crate::lanes::affine::Residue;
use crate::lanes::{Doubles, Fma, Mask, WIDTH, Work, pair_product, pair_square};
use crate::tower::Fp2;

/// c0 + c1 u, eight times.
#[derive(Clone, Copy)]
pub struct EightDoubles<T: LaneTower<L>, const L: usize> {
    fma: Fma,
    c: [Doubles<T::Base, L>; 2],
}

impl<T: LaneTower<L>, const L: usize> InLanes<T> for EightDoubles<T, L> {
    type Proof = Fma;

    #[inline(always)]
    fn of(fma: Fma, elements: &[Fp2<T>; WIDTH]) -> Self {
        let c0 = Doubles::from_elements(fma, &elements.map(|element| element.c0));
        Self { fma, c: [c0, Doubles::from_elements(fma, &elements.map(|element| element.c1))] }
    }
    #[inline(always)]
    fn base(fma: Fma, elements: &[T::Base; WIDTH]) -> Self::Base {
        Doubles::from_elements(fma, elements)
    }
    #[inline(always)]
    fn elements(&self) -> [Fp2<T>; WIDTH] {
        let [c0, c1] = self.c.each_ref().map(Doubles::to_elements);
        std::array::from_fn(|lane| Fp2::new(c0[lane], c1[lane]))
    }
}

/// Defines operations that are computed out of line, by their result [c0, c1].
macro_rules! operations {
    ($($work:ident($x:ident $(, $y:ident: $type:ty)*) = $body:expr;)*) => {$(
        struct $work<'a, T: LaneTower<L>, const L: usize>(
            &'a mut EightDoubles<T, L>,
            &'a EightDoubles<T, L>
            $(, $type)*
        );

        impl<T: LaneTower<L>, const L: usize> Work for $work<'_, T, L> {
            type Output = ();
            #[inline(always)]
            fn run(self, _: Fma) {
                let Self(to, $x $(, $y)*) = self;
                let $x = &$x.c;
                to.c = $body;
            }
        }
    )*};
}

operations! {
    Sum(x, y: &'a EightDoubles<T, L>) = [x[0].reduced_sum(&y.c[0]), x[1].reduced_sum(&y.c[1])];
    Difference(x, y: &'a EightDoubles<T, L>) =
        [x[0].less_multiple(&y.c[0], 1), x[1].less_multiple(&y.c[1], 1)];
    Negative(x) = [x[0].negative(), x[1].negative()];
    Multiple(x, n: u32) = [x[0].multiple(n), x[1].multiple(n)];
    TimesXi(x) = {
        let [x0, x1] = T::SMALL_XI;
        let crossed = x[1].multiple(T::MINUS_BETA * x1);
        [
            x[0].multiple(x0).less_multiple(&crossed, 1),
            x[1].multiple(x0).reduced_sum(&x[0].multiple(x1)),
        ]
    };
    Scale(x, by: &'a Doubles<T::Base, L>) = [x[0].product(by), x[1].product(by)];
    Product(x, y: &'a EightDoubles<T, L>) =
        pair_product(x.each_ref(), y.c.each_ref(), T::MINUS_BETA);
    Square(x) = {
        let [c0, c1] = pair_square(x.each_ref(), T::MINUS_BETA);
        [c0.reduced_digits(), c1.reduced_digits()]
    };
    Conjugate(x) = [x[0], x[1].negative()];
    Select(x, y: &'a EightDoubles<T, L>, mask: Mask) =
        [x[0].select(mask, &y.c[0]), x[1].select(mask, &y.c[1])];
}

impl<T: LaneTower<L>, const L: usize> Wide for EightDoubles<T, L> {
    type Base = Doubles<T::Base, L>;
    type Choice = Mask;

    #[inline(always)]
    fn plus(to: &mut Self, a: &Self, b: &Self) {
        a.fma.outline(Sum(to, a, b));
    }
    #[inline(always)]
    fn less(to: &mut Self, a: &Self, b: &Self) {
        a.fma.outline(Difference(to, a, b));
    }
    #[inline(always)]
    fn negative(to: &mut Self, a: &Self) {
        a.fma.outline(Negative(to, a));
    }
    #[inline(always)]
    fn times(to: &mut Self, a: &Self, b: &Self) {
        a.fma.outline(Product(to, a, b));
    }
    #[inline(always)]
    fn squared(to: &mut Self, a: &Self) {
        a.fma.outline(Square(to, a));
    }
    #[inline(always)]
    fn small<const N: u32>(to: &mut Self, a: &Self) {
        a.fma.outline(Multiple(to, a, N));
    }
    #[inline(always)]
    fn times_xi(to: &mut Self, a: &Self) {
        a.fma.outline(TimesXi(to, a));
    }
    #[inline(always)]
    fn scaled(to: &mut Self, a: &Self, by: &Self::Base) {
        a.fma.outline(Scale(to, a, by));
    }
    #[inline(always)]
    fn conjugate(to: &mut Self, a: &Self) {
        a.fma.outline(Conjugate(to, a));
    }
    #[inline(always)]
    fn select(to: &mut Self, a: &Self, b: &Self, choice: Mask) {
        a.fma.outline(Select(to, a, b, choice));
    }
}
