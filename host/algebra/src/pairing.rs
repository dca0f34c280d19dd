//! Optimal ate pairings e: G1 x G2 -> Fp12 of BN254, BLS12-381 and BLS12-377 (Vercauteren, ePrint 2008/096).
//!
//! ```text
//! e(P, Q) = f^(k (p^12 - 1) / r)      f: the product of the lines through multiples of Q, each at P
//!                                     k: 3 on BLS curves, 2 u (6 u^2 + 3 u + 1) on BN curves
//! ```
//!
//! k is prime to r and follows from the fast final exponentiations. It is the k of arkworks, so values can be compared. A
//! product of pairings shares the squarings of the Miller loop and the final exponentiation ([`product`]); lines
//! through points that are used again are computed once ([`Prepared`]). With vectors, eight of many pairs go through the loop at
//! a time in lanes, and few pairs one after another with the products of each in parallel.
//!
//! The identity on either side gives 1. Points outside the subgroups give undefined values: check
//! [`Affine::is_in_subgroup`] first. Time depends on the number of pairs alone.

mod across;
mod coefficient;
mod cyclotomic;
#[cfg(target_arch = "x86_64")]
mod doubles;
mod exponentiation;
mod few;
pub mod formula;
mod instances;
mod lanes;
mod limbs;
mod miller;
mod power;
mod schedule;
mod slots;
mod walk;

pub use coefficient::{Coefficient, Linear};
pub use cyclotomic::Cyclotomic;
pub use exponentiation::final_exponentiation;
#[cfg(feature = "bls12_377")]
pub use instances::Bls12377;
pub use instances::{Bls12381, Bn254};
pub use miller::{Prepared, PreparedPair};
pub use schedule::Step;

use std::fmt::Debug;

use crate::curve::{Affine, Curve, Twist};
use crate::isa::Isa;
use crate::lanes::{AnyMachine, WIDTH};
use crate::tower::{Fp12, Tower};

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
    /// The twist of the second group.
    const TWIST: Kind;
    /// True if the number of the loop is the negative of the one that the steps give.
    const NEGATIVE: bool;
    /// The cost of a loop in lanes, and of each eight pairs in it, if a pair of few costs 1.
    const IN_LANES: [usize; 2];

    /// The steps of the Miller loop after T = Q and f = 1.
    fn steps() -> Vec<Step>;

    /// The product of the Miller values of all pairs, eight pairs at a time: what [`miller_product`] does with many.
    fn miller_loop_in_lanes(lanes: AnyMachine, pairs: &[Pair<Self>]) -> Fp12<Self::Tower>;

    /// Computes the same with one pair after another, and the products of each in parallel: for few pairs.
    fn miller_loop_of_few(
        machine: AnyMachine,
        fresh: &[Pair<Self>],
        prepared: &[PreparedPair<'_, Self>],
    ) -> Fp12<Self::Tower>;

    /// f^(k (p^4 - p^2 + 1) / r).
    fn hard_part<F: Cyclotomic>(f: F) -> F;

    /// Computes the same in lanes.
    fn hard_part_in_lanes(machine: AnyMachine, f: Fp12<Self::Tower>) -> Fp12<Self::Tower>;

    /// Computes the same for one element at a time.
    fn hard_part_in_words(f: Fp12<Self::Tower>) -> Fp12<Self::Tower>;

    /// A point of the second group with its lines: [`Prepared::new`].
    fn prepare(q: &Affine<Self::G2>) -> Prepared<Self>;

    /// The product of the Miller values of all pairs, one element at a time.
    fn miller_loop_in_words(pairs: &[PreparedPair<'_, Self>]) -> Fp12<Self::Tower>;
}

/// P and Q.
pub type Pair<E> = (Affine<<E as Pairing>::G1>, Affine<<E as Pairing>::G2>);

/// The type of the twist, which determines the positions of the three coefficients of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// y^2 = x^3 + b/xi: ly yP at 1, lx xP at w, l1 at v w.
    D,
    /// y^2 = x^3 + b xi: l1 at 1, lx xP at v, ly yP at v w.
    M,
}

/// Returns e(P, Q).
pub fn pairing<E: Pairing>(isa: Isa, p: &Affine<E::G1>, q: &Affine<E::G2>) -> Fp12<E::Tower> {
    product::<E>(isa, &[(*p, *q)])
}

/// The product of e(P, Q) over all pairs; 1 if there is none.
pub fn product<E: Pairing>(isa: Isa, pairs: &[Pair<E>]) -> Fp12<E::Tower> {
    final_exponentiation::<E>(isa, miller_product::<E>(isa, pairs, &[]))
}

/// The product of the Miller values of pairs and of pairs with a prepared point, in any number;
/// [`final_exponentiation`] makes of it the product of the pairings.
pub fn miller_product<E: Pairing>(
    isa: Isa,
    pairs: &[Pair<E>],
    prepared: &[PreparedPair<'_, E>],
) -> Fp12<E::Tower> {
    let in_lanes = if isa.machine().is_some() { in_lanes::<E>(pairs.len()) } else { 0 };
    let (many, few) = pairs.split_at(in_lanes);
    let one_by_one = || match isa.machine() {
        Some(machine) => E::miller_loop_of_few(machine, few, prepared),
        None => {
            let made: Vec<_> = few.iter().map(|(_, q)| Prepared::<E>::new(q)).collect();
            let few = few.iter().zip(&made).map(|(&(p, _), q)| (p, q));
            E::miller_loop_in_words(&few.chain(prepared.iter().copied()).collect::<Vec<_>>())
        }
    };
    match isa.machine() {
        Some(lanes) if !many.is_empty() => {
            let product = E::miller_loop_in_lanes(lanes, many);
            if few.is_empty() && prepared.is_empty() { product } else { product * one_by_one() }
        }
        _ => one_by_one(),
    }
}

/// Returns the number of pairs to process in lanes: none, those that fill lanes, or all.
fn in_lanes<E: Pairing>(pairs: usize) -> usize {
    let [whole, eight] = E::IN_LANES;
    let cost = |&in_lanes: &usize| match (in_lanes.div_ceil(WIDTH), pairs - in_lanes) {
        (0, few) => few,
        (eights, 0) => whole + eight * eights,
        (eights, few) => whole + eight * eights + few + 1, // and a product
    };
    let choices = [pairs, pairs - pairs % WIDTH, 0];
    choices.into_iter().min_by_key(cost).unwrap_or(0)
}
