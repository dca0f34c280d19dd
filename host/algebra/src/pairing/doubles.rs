//! Eight elements of Fp2 in doubles. As in limbs each operation is a function of its own; all that comes out is reduced.

use super::Coefficient;
use super::eight::LaneTower;
use super::lanes::InLanes;
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

/// Defines what is done apart, and what it gives: [c0, c1].
macro_rules! operations {
    ($($(#[$doc:meta])* $work:ident($x:ident $(, $y:ident: $type:ty)*) = $body:expr;)*) => {$(
        $(#[$doc])*
        struct $work<'a, T: LaneTower<L>, const L: usize>(&'a EightDoubles<T, L> $(, $type)*);

        impl<T: LaneTower<L>, const L: usize> Work for $work<'_, T, L> {
            type Output = EightDoubles<T, L>;
            #[inline(always)]
            fn run(self, fma: Fma) -> EightDoubles<T, L> {
                let Self($x $(, $y)*) = self;
                let $x = &$x.c;
                EightDoubles { fma, c: $body }
            }
        }
    )*};
}

operations! {
    Sum(x, y: &'a EightDoubles<T, L>) = [x[0].reduced_sum(&y.c[0]), x[1].reduced_sum(&y.c[1])];
    Difference(x, y: &'a EightDoubles<T, L>) =
        [x[0].less_multiple(&y.c[0], 1), x[1].less_multiple(&y.c[1], 1)];
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
}

impl<T: LaneTower<L>, const L: usize> Coefficient for EightDoubles<T, L> {
    type Base = Doubles<T::Base, L>;
    type Choice = Mask;

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self.fma.apart(Sum(self, other))
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> Self {
        self.fma.apart(Difference(self, other))
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        Self { fma: self.fma, c: [self.c[0].negative(), self.c[1].negative()] }
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.fma.apart(Product(self, other))
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.fma.apart(Square(self))
    }
    #[inline(always)]
    fn small<const N: u32>(&self) -> Self {
        self.fma.apart(Multiple(self, N))
    }
    #[inline(always)]
    fn times_xi(&self) -> Self {
        self.fma.apart(TimesXi(self))
    }
    #[inline(always)]
    fn scaled(&self, by: &Self::Base) -> Self {
        self.fma.apart(Scale(self, by))
    }
    #[inline(always)]
    fn conjugate(&self) -> Self {
        Self { fma: self.fma, c: [self.c[0], self.c[1].negative()] }
    }
    #[inline(always)]
    fn or_if(&self, mask: Mask, other: &Self) -> Self {
        let c = [self.c[0].select(mask, &other.c[0]), self.c[1].select(mask, &other.c[1])];
        Self { fma: self.fma, c }
    }
}
