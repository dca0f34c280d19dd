//! Extension towers over a prime field, as pairings and second groups need them:
//!
//! ```text
//! Fp2  = Fp [u] / (u^2 - beta)       a0 + a1 u
//! Fp6  = Fp2[v] / (v^3 - xi)         a0 + a1 v + a2 v^2
//! Fp12 = Fp6[w] / (w^2 - v)          a0 + a1 w
//! ```
//!
//! `beta` and `xi` define a curve's tower ([`Tower`]); the constants of the Frobenius map are
//! computed from them. All operations are constant time unless their names end in `_vartime`. The functions of formulas
//! use the letters of the file of the same name in `spec/formulas`.

mod cyclotomic;
mod fp12;
mod fp2;
mod fp6;
mod frobenius;

pub(crate) use cyclotomic::{fp4_square, three_minus_two, three_plus_two};
pub use fp2::Fp2;
pub use fp6::Fp6;
pub use fp12::Fp12;
pub use frobenius::Frobenius;

use crate::field::PrimeField;
use std::fmt::Debug;

/// The parameters of a tower: the prime field and the two non-residues. A type without values.
pub trait Tower: Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The prime field Fp at the bottom; p = 1 mod 6.
    type Base: PrimeField;

    /// u^2: no square in Fp.
    const BETA: Self::Base;

    /// -u^2, as a small integer.
    const MINUS_BETA: u32;

    /// v^3: neither a square nor a cube in Fp2.
    const XI: Fp2<Self>;

    /// The constants of the Frobenius map, computed once.
    fn frobenius() -> &'static Frobenius<Self>;

    /// `beta * a`; a curve with a small `beta` has something cheaper than a multiplication.
    fn times_beta(a: Self::Base) -> Self::Base {
        a * Self::BETA
    }

    /// `xi * a`; a curve with a small `xi` has something cheaper than a multiplication.
    fn times_xi(a: Fp2<Self>) -> Fp2<Self> {
        a * Self::XI
    }
}
