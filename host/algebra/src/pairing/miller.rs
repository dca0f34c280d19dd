//! The Miller loop of one or several pairs, one element at a time.

use subtle::{Choice, ConditionallySelectable};

use super::formula::fp12_sqr;
use super::walk::{Constants, Place, Walk};
use super::{Pairing, Step};
use crate::curve::{Affine, Curve, Twist};
use crate::field::Field;
use crate::tower::{Fp2, Fp6, Fp12, Tower};

/// A point of the second group with all lines of its Miller loop: what is worth to be kept of a verification key.
#[derive(Clone, Debug)]
pub struct Prepared<E: Pairing> {
    pub(super) lines: Vec<[Fp2<E::Tower>; 3]>,
    pub(super) is_identity: Choice,
}

/// P and a prepared Q.
pub type PreparedPair<'a, E> = (Affine<<E as Pairing>::G1>, &'a Prepared<E>);

impl<E: Pairing> Prepared<E> {
    /// Prepares any point of the subgroup.
    pub fn new(q: &Affine<E::G2>) -> Self {
        E::prepare(q)
    }
}

/// A point with its lines.
pub(super) fn prepare<E: Pairing>(q: &Affine<E::G2>) -> Prepared<E> {
    let is_identity = q.is_identity();
    let constants = constants::<E>();
    let mut walk = Walk::new(start::<E>(q), &constants);
    let lines = E::steps().into_iter().map(|step| walk.step(step, &constants)).collect();
    Prepared { lines, is_identity }
}

/// The product of the Miller values of all pairs; 1 if there is none.
pub(super) fn one_by_one<E: Pairing>(pairs: &[PreparedPair<'_, E>]) -> Fp12<E::Tower> {
    let constants = constants::<E>();
    let places: Vec<_> = pairs.iter().map(|(p, q)| place::<E>(p, q.is_identity)).collect();
    let mut f = constants.f_one();
    for (at, step) in E::steps().into_iter().enumerate() {
        if step == Step::Double && at > 0 {
            f = fp12_sqr(&f);
        }
        for (place, (_, q)) in places.iter().zip(pairs) {
            f = place.times_line(&f, &q.lines[at], E::TWIST, &constants);
        }
    }
    let f = whole(f);
    if E::NEGATIVE { f.conjugate() } else { f }
}

/// The element of Fp12 that a formula's coefficients are.
pub(super) fn whole<T: Tower>([[a0, a1, a2], [a3, a4, a5]]: [[Fp2<T>; 3]; 2]) -> Fp12<T> {
    Fp12::new(Fp6::new(a0, a1, a2), Fp6::new(a3, a4, a5))
}

/// Where a walk starts: at Q, or for the identity at another point.
pub(super) fn start<E: Pairing>(q: &Affine<E::G2>) -> [Fp2<E::Tower>; 2] {
    let q = Affine::conditional_select(q, &E::G2::GENERATOR, q.is_identity());
    [q.x(), q.y()]
}

/// Returns the place P; nowhere if P is the identity or `nowhere` is set.
pub(super) fn place<E: Pairing>(p: &Affine<E::G1>, nowhere: Choice) -> Place<Fp2<E::Tower>> {
    let nowhere = nowhere | p.is_identity();
    let p = Affine::conditional_select(p, &Affine::IDENTITY, nowhere);
    Place { p: [p.x(), p.y()], nowhere }
}

/// The constants of all walks of a curve.
pub(super) fn constants<E: Pairing>() -> Constants<Fp2<E::Tower>> {
    let [one, zero] = [Fp2::ONE, Fp2::ZERO];
    Constants { one, zero, b3: E::G2::B3, psi: *E::G2::psi_constants() }
}
