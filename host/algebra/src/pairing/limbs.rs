//! Eight elements of Fp2 in lanes.
//!
//! Each operation is a function of its own: a Miller loop is thousands of them, and with their code in place it would
//! leave the first-level cache.

use super::{Coefficient, Linear};
use crate::lanes::{Backend, Kernel, Lazy, Mask, Prime, WIDTH};
use crate::tower::{Fp2, Tower};

/// A tower whose non-residues are small integers, and whose prime field has lanes of L limbs.
pub trait LaneTower<const L: usize>: Tower<Base: Prime<L>> {
    /// xi = X[0] + X[1] u.
    const SMALL_XI: [u32; 2];
}

/// c0 + c1 u, eight times.
#[derive(Clone, Copy)]
pub struct EightLimbs<B: Backend, T: LaneTower<L>, const L: usize> {
    b: B,
    c0: Lazy<B, T::Base, L>,
    c1: Lazy<B, T::Base, L>,
}

impl<B: Backend, T: LaneTower<L>, const L: usize> EightLimbs<B, T, L> {
    /// Converts from elements; zeros if there are fewer than eight.
    #[inline(always)]
    pub fn from_elements(b: B, elements: &[Fp2<T>; WIDTH]) -> Self {
        let c0 = Lazy::from_elements(b, &elements.map(|element| element.c0));
        Self { b, c0, c1: Lazy::from_elements(b, &elements.map(|element| element.c1)) }
    }

    /// The lanes.
    #[inline(always)]
    pub fn backend(&self) -> B {
        self.b
    }

    /// Returns the element with bounds that the compiler knows.
    #[inline(always)]
    pub fn settled<const BOUND: u32>(&self) -> Self {
        Self { b: self.b, c0: self.c0.settled::<BOUND>(), c1: self.c1.settled::<BOUND>() }
    }

    /// Lane i of the result is lane `from[i]`.
    #[inline(always)]
    pub fn permute(&self, from: [u8; WIDTH]) -> Self {
        Self { b: self.b, c0: self.c0.permute(from), c1: self.c1.permute(from) }
    }

    /// Converts to elements.
    #[inline(always)]
    pub fn to_elements(self) -> [Fp2<T>; WIDTH] {
        let (c0, c1) = (self.c0.to_elements(), self.c1.to_elements());
        std::array::from_fn(|lane| Fp2::new(c0[lane], c1[lane]))
    }
}

/// Defines kernels and what they give, [c0, c1].
macro_rules! operations {
    ($($(#[$doc:meta])* $kernel:ident($x:ident $(, $y:ident: $type:ty)*) = $body:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $kernel<'a, B: Backend, T: LaneTower<L>, const L: usize>(pub &'a EightLimbs<B, T, L> $(, pub $type)*);

        impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for $kernel<'_, B, T, L> {
            type Output = EightLimbs<B, T, L>;
            #[inline(always)]
            fn run<Same: Backend>(self, _: Same) -> EightLimbs<B, T, L> {
                let Self($x $(, $y)*) = self;
                let b = $x.b;
                let [c0, c1] = $body;
                EightLimbs { b, c0, c1 }
            }
        }
    )*};
}

operations! {
    Sum(x, y: &'a EightLimbs<B, T, L>) = [Lazy::sum(1, &x.c0, 1, &y.c0), Lazy::sum(1, &x.c1, 1, &y.c1)];
    Difference(x, y: &'a EightLimbs<B, T, L>) =
        [Lazy::difference(1, &x.c0, 1, &y.c0), Lazy::difference(1, &x.c1, 1, &y.c1)];
    Multiple(x, n: u32) = [Lazy::sum(n, &x.c0, 0, &x.c0), Lazy::sum(n, &x.c1, 0, &x.c1)];
    Negative(x) = [Lazy::difference(0, &x.c0, 1, &x.c0), Lazy::difference(0, &x.c1, 1, &x.c1)];
    Conjugate(x) = [x.c0, Lazy::difference(0, &x.c1, 1, &x.c1)];
    TimesXi(x) = {
        let [x0, x1] = T::SMALL_XI;
        [
            Lazy::difference(x0, &x.c0, T::MINUS_BETA * x1, &x.c1),
            Lazy::sum(x0, &x.c1, x1, &x.c0),
        ]
    };
    Scale(x, by: &'a Lazy<B, T::Base, L>) = Lazy::products([&x.c0, &x.c1], [by, by]);
    Select(x, y: &'a EightLimbs<B, T, L>, mask: Mask) =
        [x.c0.select(mask, &y.c0), x.c1.select(mask, &y.c1)];
    Product(x, y: &'a EightLimbs<B, T, L>) =
        Lazy::product_of_pairs([&x.c0, &x.c1], [&y.c0, &y.c1], T::MINUS_BETA);
    /// (c0 + c1) (c0 - c1) + 2 c0 c1 u, or with -N: (c0 + c1) (c0 - N c1) + (N - 1) c0 c1 + 2 c0 c1 u.
    Square(x) = {
        let n = T::MINUS_BETA;
        let plus = Lazy::sum(1, &x.c0, 1, &x.c1);
        let minus = Lazy::difference(1, &x.c0, n, &x.c1);
        let twice = Lazy::sum(2, &x.c1, 0, &x.c1);
        let [c0, c1] = Lazy::products([&plus, &x.c0], [&minus, &twice]);
        if n == 1 { [c0, c1] } else { [Lazy::sum(1, &c0, (n - 1) / 2, &c1), c1] }
    };
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Linear for EightLimbs<B, T, L> {
    type Choice = Mask;

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        self.b.outline(Sum(self, other))
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> Self {
        self.b.outline(Difference(self, other))
    }
    #[inline(always)]
    fn negative(&self) -> Self {
        self.b.outline(Negative(self))
    }
    #[inline(always)]
    fn small<const N: u32>(&self) -> Self {
        self.b.outline(Multiple(self, N))
    }
    #[inline(always)]
    fn times_xi(&self) -> Self {
        self.b.outline(TimesXi(self))
    }
    #[inline(always)]
    fn or_if(&self, mask: Mask, other: &Self) -> Self {
        self.b.outline(Select(self, other, mask))
    }
}

impl<B: Backend, T: LaneTower<L>, const L: usize> Coefficient for EightLimbs<B, T, L> {
    type Base = Lazy<B, T::Base, L>;

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.b.outline(Product(self, other))
    }
    #[inline(always)]
    fn squared(&self) -> Self {
        self.b.outline(Square(self))
    }
    #[inline(always)]
    fn scaled(&self, by: &Self::Base) -> Self {
        self.b.outline(Scale(self, by))
    }
    #[inline(always)]
    fn conjugate(&self) -> Self {
        self.b.outline(Conjugate(self))
    }
}
