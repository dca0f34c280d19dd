//! The toys, small enough for every pair of points and every scalar: y^2 = x^3 + 5 over F_97, of prime order 79, with a
//! tower over F_97; and y^2 = x^3 + 28 of order 112, which has a twisted Edwards form and points of order 2, as
//! BLS12-377 has.

use crate::curve::{EdwardsForm, group, spec::toy as spec, spec::toy_edwards};
use crate::once::Once;
use crate::tower::{self, Frobenius, Tower};

pub use spec::{Fp, Fr};

/// 9409 elements.
pub type Fp2 = tower::Fp2<ToyTower>;
/// The tower's middle.
pub type Fp6 = tower::Fp6<ToyTower>;
/// The tower's top.
pub type Fp12 = tower::Fp12<ToyTower>;

/// The tower u^2 = 5, v^3 = 5 + 2u, w^2 = v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ToyTower;

impl Tower for ToyTower {
    type Base = Fp;
    const BETA: Fp = Fp::constant(spec::tower::BETA);
    const MINUS_BETA: u32 = 92;
    const XI: Fp2 = Fp2::constant(spec::tower::XI);

    fn frobenius() -> &'static Frobenius<Self> {
        static CONSTANTS: Once<Frobenius<ToyTower>> = Once::new();
        CONSTANTS.get_or_init(Frobenius::compute)
    }
}

group! {
    /// The curve of order 79.
    Toy of toy: g1 {}
}

group! {
    /// The curve of order 112 = 16 * 7.
    ToyEdwards of toy_edwards: g1 {}
}

impl EdwardsForm for ToyEdwards {
    const K: Fp = Fp::constant(toy_edwards::edwards::K);
    const ALPHA: Fp = Fp::constant(toy_edwards::edwards::ALPHA);
    const S: Fp = Fp::constant(toy_edwards::edwards::S);
    const SCALE: Fp = Fp::constant(toy_edwards::edwards::SCALE);
}
