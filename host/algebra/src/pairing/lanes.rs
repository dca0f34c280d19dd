//! The Miller loop of many pairs in lanes: eight at a time, all with the same eight f.

#[cfg(target_arch = "x86_64")]
use super::doubles::EightDoubles;
use super::formula::fp12_sqr;
use super::limbs::{EightLimbs, LaneTower};
use super::slots::{Slot, Slots, Wide};
use super::walk::{Constants, Place, Walk};
use super::{Pair, Pairing, Step, miller};
use crate::field::Field;
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{AnyMachine, Backend, Choice, Lazy, Mask, WIDTH, choose};
use crate::tower::{Fp2, Fp12, Tower};

/// Eight elements of Fp2 in lanes.
pub trait InLanes<T: Tower>: Wide<Choice = Mask> {
    /// The proof that there are such lanes.
    type Proof: Copy;
    /// Converts from elements.
    fn of(proof: Self::Proof, elements: &[Fp2<T>; WIDTH]) -> Self;
    /// Converts from elements of Fp.
    fn base(proof: Self::Proof, elements: &[T::Base; WIDTH]) -> Self::Base;
    /// Converts to elements.
    fn elements(&self) -> [Fp2<T>; WIDTH];
}

impl<B: Backend, T: LaneTower<L>, const L: usize> InLanes<T> for EightLimbs<B, T, L> {
    type Proof = B;

    #[inline(always)]
    fn of(b: B, elements: &[Fp2<T>; WIDTH]) -> Self {
        EightLimbs::from_elements(b, elements)
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
        run::<EightLimbs<B, E::Tower, L>, E>(b, self.0)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> Self::Output {
        run::<EightDoubles<E::Tower, L>, E>(fma, self.0)
    }
}

/// More places than constants, f and a step's elements take.
const ROOM: usize = 160;
/// Places of eight pairs: Q and T.
const OF_A_WALK: usize = 5;

#[inline(always)]
fn run<W: InLanes<E::Tower>, E: Pairing>(
    proof: W::Proof,
    pairs: &[Pair<E>],
) -> [Fp12<E::Tower>; WIDTH] {
    let zero = W::of(proof, &[Fp2::ZERO; WIDTH]);
    let slots = &Slots::new(ROOM + OF_A_WALK * pairs.len().div_ceil(WIDTH), zero);
    let constants = &constants::<W, E>(proof, slots);
    let mut walking = Vec::with_capacity(pairs.len().div_ceil(WIDTH));
    for eight in pairs.chunks(WIDTH) {
        walking.push(load::<W, E>(proof, eight, slots, constants));
    }
    let [one, zero] = constants.f_one();
    let f = [slots.copies(one), slots.copies(zero)];
    let write = |f: &[[Slot<W>; 3]; 2], value: [[Slot<W>; 3]; 2]| {
        slots.write(f[0], value[0]);
        slots.write(f[1], value[1]);
    };
    let mark = slots.mark();
    for (at, step) in E::steps().into_iter().enumerate() {
        if step == Step::Double && at > 0 {
            write(&f, fp12_sqr(&f));
            slots.release(mark);
        }
        for (place, walk) in &walking {
            let mut after = *walk;
            let line = after.step(step, constants);
            write(&f, place.times_line(&f, &line, E::TWIST, constants));
            slots.write(walk.t, after.t);
            slots.release(mark);
        }
    }
    let mut factors = [[[Fp2::ZERO; 3]; 2]; WIDTH];
    for i in 0..6 {
        let elements = slots.get(f[i / 3][i % 3]).elements();
        for (factor, element) in factors.iter_mut().zip(elements) {
            factor[i / 3][i % 3] = element;
        }
    }
    factors.map(miller::whole)
}

/// At most eight pairs; the other lanes are nowhere.
#[inline(always)]
fn load<'s, W: InLanes<E::Tower>, E: Pairing>(
    proof: W::Proof,
    pairs: &[Pair<E>],
    slots: &'s Slots<W>,
    constants: &Constants<Slot<'s, W>>,
) -> (Place<Slot<'s, W>>, Walk<Slot<'s, W>>) {
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
    let p = [W::base(proof, &p[0]), W::base(proof, &p[1])];
    let q = [slots.put(W::of(proof, &q[0])), slots.put(W::of(proof, &q[1]))];
    let mut walk = Walk::new(q, constants);
    walk.t = slots.copies(walk.t);
    (Place { p, nowhere }, walk)
}

#[inline(always)]
fn constants<W: InLanes<E::Tower>, E: Pairing>(
    proof: W::Proof,
    slots: &Slots<W>,
) -> Constants<Slot<'_, W>> {
    let Constants { one, zero, b3, psi: [x, y] } = miller::constants::<E>();
    Constants {
        one: slots.put(W::of(proof, &[one; WIDTH])),
        zero: slots.put(W::of(proof, &[zero; WIDTH])),
        b3: slots.put(W::of(proof, &[b3; WIDTH])),
        psi: [slots.put(W::of(proof, &[x; WIDTH])), slots.put(W::of(proof, &[y; WIDTH]))],
    }
}
