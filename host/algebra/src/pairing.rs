//! Optimal ate pairings e: G1 x G2 -> Fp12 of BN254, BLS12-381 and BLS12-377 (Vercauteren, ePrint 2008/096).
//!
//! ```text
//! e(P, Q) = f^(k (p^12 - 1) / r)      f: the product of the lines through multiples of Q, each at P
//!                                     k: 3 on BLS curves, 2 u (6 u^2 + 3 u + 1) on BN curves
//! ```
//!
//! k is prime to r and what the fast final exponentiations give; it is that of arkworks, so values can be compared. A
//! product of pairings shares the squarings of the Miller loop and the final exponentiation ([`product`]); lines
//! through points that come again are computed once ([`Prepared`]); many pairs go through the loop eight at a time in
//! lanes.
//!
//! The identity on either side gives 1. Points outside the subgroups give values that mean nothing: ask
//! [`Affine::is_in_subgroup`] first. Time depends on the number of pairs alone.

mod coefficient;
mod eight;
mod exponentiation;
pub mod formula;
mod instances;
mod lanes;
mod miller;
mod power;
mod schedule;
mod walk;

pub use coefficient::Coefficient;
pub use exponentiation::final_exponentiation;
pub use instances::{Bls12377, Bls12381, Bn254};
pub use miller::{Prepared, miller_loop};
pub use schedule::Step;

use std::fmt::Debug;

use crate::curve::{Affine, Curve, Twist};
use crate::isa::Isa;
use crate::lanes::are_vectors;
use crate::tower::{Fp12, Tower};

/// Pairs that take eight lanes as long as one after the other.
const ENOUGH_FOR_LANES: usize = 3;

/// A pairing: two groups, the way through the Miller loop and the last part of the final exponentiation. A type
/// without values.
pub trait Pairing: Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The curve's name in `spec`.
    const NAME: &'static str;
    /// The fields.
    type Tower: Tower;
    /// The first group.
    type G1: Curve<Base = <Self::Tower as Tower>::Base>;
    /// The second group.
    type G2: Twist<Tower = Self::Tower, Scalar = <Self::G1 as Curve>::Scalar>;
    /// Which twist the second group is on.
    const TWIST: Kind;
    /// Is the number of the loop the negative of what the steps say?
    const NEGATIVE: bool;

    /// The steps of the Miller loop after T = Q and f = 1.
    fn steps() -> Vec<Step>;

    /// The product of the Miller values of all pairs, eight pairs at a time.
    fn miller_loop_in_lanes(isa: Isa, pairs: &[Pair<Self>]) -> Fp12<Self::Tower>;

    /// f^(k (p^4 - p^2 + 1) / r) for an f of the cyclotomic subgroup.
    fn hard_part(f: Fp12<Self::Tower>) -> Fp12<Self::Tower>;
}

/// P and Q.
pub type Pair<E> = (Affine<<E as Pairing>::G1>, Affine<<E as Pairing>::G2>);

/// How a curve over Fp2 becomes one over Fp12, and so where the three coefficients of a line stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// y^2 = x^3 + b/xi: ly yP at 1, lx xP at w, l1 at v w.
    D,
    /// y^2 = x^3 + b xi: l1 at 1, lx xP at v, ly yP at v w.
    M,
}

/// e(P, Q).
pub fn pairing<E: Pairing>(p: &Affine<E::G1>, q: &Affine<E::G2>) -> Fp12<E::Tower> {
    final_exponentiation::<E>(miller_loop::<E>(&[(*p, &Prepared::new(q))]))
}

/// The product of e(P, Q) over all pairs; 1 if there is none.
pub fn product<E: Pairing>(isa: Isa, pairs: &[Pair<E>]) -> Fp12<E::Tower> {
    if pairs.len() >= ENOUGH_FOR_LANES && are_vectors(isa) {
        return final_exponentiation::<E>(E::miller_loop_in_lanes(isa, pairs));
    }
    let prepared: Vec<_> = pairs.iter().map(|(_, q)| Prepared::<E>::new(q)).collect();
    let pairs: Vec<_> = pairs.iter().zip(&prepared).map(|((p, _), q)| (*p, q)).collect();
    final_exponentiation::<E>(miller_loop::<E>(&pairs))
}
