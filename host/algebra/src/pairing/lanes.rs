//! The Miller loop of many pairs in lanes: eight at a time, all with the same eight f.

#[cfg(target_arch = "x86_64")]
use super::doubles::EightDoubles;
use super::eight::{Eight, LaneTower};
use super::formula::fp12_sqr;
use super::walk::{Constants, Place, Walk};
use super::{Coefficient, Pair, Pairing, Step, miller};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{AnyMachine, Backend, Choice, Lazy, Mask, WIDTH, choose};
use crate::tower::{Fp2, Fp12, Tower};

/// Eight elements of Fp2 in lanes.
pub trait InLanes<T: Tower>: Coefficient<Choice = Mask> {
    /// The proof that there are such lanes.
    type Proof: Copy;
    /// From elements.
    fn of(proof: Self::Proof, elements: &[Fp2<T>; WIDTH]) -> Self;
    /// From elements of Fp.
    fn base(proof: Self::Proof, elements: &[T::Base; WIDTH]) -> Self::Base;
    /// To elements.
    fn elements(&self) -> [Fp2<T>; WIDTH];
}

impl<B: Backend, T: LaneTower<L>, const L: usize> InLanes<T> for Eight<B, T, L> {
    type Proof = B;

    #[inline(always)]
    fn of(b: B, elements: &[Fp2<T>; WIDTH]) -> Self {
        Eight::from_elements(b, elements)
    }
    #[inline(always)]
    fn base(b: B, elements: &[T::Base; WIDTH]) -> Self::Base {
        Lazy::from_elements(b, elements)
    }
    #[inline(always)]
    fn elements(&self) -> [Fp2<T>; WIDTH] {
        self.to_elements()
    }
}

/// The product of the Miller values of all pairs, of numbers with L limbs.
pub fn miller_loop<E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    lanes: AnyMachine,
    pairs: &[Pair<E>],
) -> Fp12<E::Tower> {
    let factors = choose(lanes, Loop::<E, L>(pairs));
    let f = factors.into_iter().reduce(|product, factor| product * factor).unwrap_or(Fp12::ONE);
    if E::NEGATIVE { f.conjugate() } else { f }
}

struct Loop<'a, E: Pairing, const L: usize>(&'a [Pair<E>]);

impl<E: Pairing<Tower: LaneTower<L>>, const L: usize> Choice for Loop<'_, E, L> {
    type Output = [Fp12<E::Tower>; WIDTH];

    #[inline(always)]
    fn on_limbs<B: Backend>(self, b: B) -> Self::Output {
        run::<Eight<B, E::Tower, L>, E>(b, self.0)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> Self::Output {
        run::<EightDoubles<E::Tower, L>, E>(fma, self.0)
    }
}

#[inline(always)]
fn run<C: InLanes<E::Tower>, E: Pairing>(
    proof: C::Proof,
    pairs: &[Pair<E>],
) -> [Fp12<E::Tower>; WIDTH] {
    let constants = constants::<C, E>(proof);
    let mut walking = Vec::with_capacity(pairs.len().div_ceil(WIDTH));
    for eight in pairs.chunks(WIDTH) {
        walking.push(load::<C, E>(proof, eight, &constants));
    }
    let mut f = constants.f_one();
    for (at, step) in E::steps().into_iter().enumerate() {
        if step == Step::Double && at > 0 {
            f = fp12_sqr(&f);
        }
        for (place, walk) in &mut walking {
            let line = walk.step(step, &constants);
            f = place.times_line(&f, &line, E::TWIST, &constants);
        }
    }
    let mut factors = [[[Fp2::ZERO; 3]; 2]; WIDTH];
    for i in 0..6 {
        let elements = f[i / 3][i % 3].elements();
        for (factor, element) in factors.iter_mut().zip(elements) {
            factor[i / 3][i % 3] = element;
        }
    }
    factors.map(miller::whole)
}

/// At most eight pairs; the other lanes are nowhere.
#[inline(always)]
fn load<C: InLanes<E::Tower>, E: Pairing>(
    proof: C::Proof,
    pairs: &[Pair<E>],
    constants: &Constants<C>,
) -> (Place<C>, Walk<C>) {
    let zero = <E::Tower as Tower>::Base::ZERO;
    let (mut p, mut q) = ([[zero; WIDTH]; 2], [[Fp2::ZERO; WIDTH]; 2]);
    let mut nowhere = 0;
    for lane in 0..WIDTH {
        let pair = pairs.get(lane).copied().unwrap_or_default();
        let place = miller::place::<E>(&pair.0, pair.1.is_identity());
        let start = miller::start::<E>(&pair.1);
        for i in 0..2 {
            p[i][lane] = place.p[i];
            q[i][lane] = start[i];
        }
        nowhere |= Mask::from(place.nowhere.unwrap_u8()) << lane;
    }
    let p = [C::base(proof, &p[0]), C::base(proof, &p[1])];
    let q = [C::of(proof, &q[0]), C::of(proof, &q[1])];
    (Place { p, nowhere }, Walk::new(q, constants))
}

#[inline(always)]
fn constants<C: InLanes<E::Tower>, E: Pairing>(proof: C::Proof) -> Constants<C> {
    let Constants { one, zero, b3, psi } = miller::constants::<E>();
    let [x, y] = psi;
    Constants {
        one: C::of(proof, &[one; WIDTH]),
        zero: C::of(proof, &[zero; WIDTH]),
        b3: C::of(proof, &[b3; WIDTH]),
        psi: [C::of(proof, &[x; WIDTH]), C::of(proof, &[y; WIDTH])],
    }
}
