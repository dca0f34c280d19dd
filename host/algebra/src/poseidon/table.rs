//! The constants of an instance, as each kind of arithmetic keeps them.

use super::Scalar;
use super::arithmetic::{Arithmetic, State};
use super::moving::Moving;
use super::numbers::Numbers;
use super::scaled::{MAX_SCALED_WIDTH, Scaled};
use crate::once::Once;

/// Each is made when it is first needed.
#[derive(Default)]
pub struct Tables {
    pub words: Once<Table<Scalar>>,
    pub limbs: Once<Table<[u64; 5]>>,
    #[cfg(target_arch = "x86_64")]
    pub doubles: Once<Table<[f64; 5]>>,
}

/// The constants of either form.
pub enum Table<C> {
    Scaled(Scaled<C>),
    Moving(Moving<C>),
}

impl<C: Copy> Table<C> {
    pub fn new<A: Arithmetic<Constant = C>>(numbers: &Numbers) -> Self {
        if numbers.width <= MAX_SCALED_WIDTH {
            Self::Scaled(Scaled::new::<A>(numbers))
        } else {
            Self::Moving(Moving::new::<A>(numbers))
        }
    }

    /// The second element of the permuted state, as a product.
    #[inline(always)]
    pub fn digest<A: Arithmetic<Constant = C>>(&self, a: A, state: &mut State<A>) -> A::X {
        match self {
            Self::Scaled(scaled) => scaled.digest(a, state),
            Self::Moving(moving) => moving.digest(a, state),
        }
    }
}
