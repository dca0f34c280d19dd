//! The operators of a field type, by value and by reference, from four functions of references.

/// `operators!([generics] Type)` for a type that has `sum`, `difference`, `product` and `negative`.
macro_rules! operators {
    ([$($generics:tt)*] $type:ty) => {
        operators!(@binary [$($generics)*] $type, Add::add, AddAssign::add_assign, sum);
        operators!(@binary [$($generics)*] $type, Sub::sub, SubAssign::sub_assign, difference);
        operators!(@binary [$($generics)*] $type, Mul::mul, MulAssign::mul_assign, product);

        impl<$($generics)*> std::ops::Neg for $type {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                self.negative()
            }
        }

        impl<$($generics)*> std::ops::Neg for &$type {
            type Output = $type;
            #[inline(always)]
            fn neg(self) -> $type {
                self.negative()
            }
        }
    };
    (@binary [$($generics:tt)*] $type:ty, $trait:ident::$method:ident,
     $assign_trait:ident::$assign:ident, $function:ident) => {
        impl<$($generics)*> std::ops::$trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.$function(&other)
            }
        }

        impl<$($generics)*> std::ops::$trait<&Self> for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: &Self) -> Self {
                self.$function(other)
            }
        }

        impl<'a, $($generics)*> std::ops::$trait<&'a $type> for &$type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: &'a $type) -> $type {
                self.$function(other)
            }
        }

        impl<$($generics)*> std::ops::$trait<$type> for &$type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                self.$function(&other)
            }
        }

        impl<$($generics)*> std::ops::$assign_trait for $type {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = self.$function(&other);
            }
        }

        impl<$($generics)*> std::ops::$assign_trait<&Self> for $type {
            #[inline(always)]
            fn $assign(&mut self, other: &Self) {
                *self = self.$function(other);
            }
        }
    };
}

pub(crate) use operators;
