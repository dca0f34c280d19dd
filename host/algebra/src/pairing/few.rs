//! The Miller loop of few pairs, one after another, with the products of each side by side.

use super::across::Across;
use super::eight::LaneTower;
use super::formula::fp12_sqr;
use super::walk::{Constants, Place, Walk};
use super::{Pair, Pairing, PreparedPair, Step, miller};
use crate::curve::Affine;
use crate::lanes::{Backend, Kernel, Vectors, run};
use crate::tower::{Fp2, Fp12, Tower};

/// The product of the Miller values of all pairs, of numbers with L limbs.
pub fn miller_loop<E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    vectors: Vectors,
    fresh: &[Pair<E>],
    prepared: &[PreparedPair<'_, E>],
) -> Fp12<E::Tower> {
    let f = miller::whole(run(vectors, Loop::<E, L> { fresh, prepared }));
    if E::NEGATIVE { f.conjugate() } else { f }
}

struct Loop<'a, E: Pairing, const L: usize> {
    fresh: &'a [Pair<E>],
    prepared: &'a [PreparedPair<'a, E>],
}

impl<E: Pairing<Tower: LaneTower<L>>, const L: usize> Kernel for Loop<'_, E, L> {
    type Output = [[Fp2<E::Tower>; 3]; 2];

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Self::Output {
        let constants = constants::<B, E, L>(b);
        let mut walks = Vec::with_capacity(self.fresh.len());
        for (p, q) in self.fresh {
            let [x, y] = miller::start::<E>(q);
            let walk = Walk::new(Across::from_elements(b, &[x, y]), &constants);
            walks.push((place::<B, E, L>(b, p, q.is_identity().unwrap_u8()), walk));
        }
        let mut lines = Vec::with_capacity(self.prepared.len());
        for (p, q) in self.prepared {
            lines.push((place::<B, E, L>(b, p, q.is_identity.unwrap_u8()), &q.lines));
        }
        let mut f = constants.f_one();
        for (at, step) in E::steps().into_iter().enumerate() {
            if step == Step::Double && at > 0 {
                f = b.apart(Squared(&f));
            }
            for (place, walk) in &mut walks {
                let line = b.apart(Stepped(walk, step, &constants));
                f = b.apart(TimesLine::<B, E, L>(&f, place, &line, &constants));
            }
            for (place, lines) in &lines {
                let line = Across::from_elements(b, &lines[at]);
                f = b.apart(TimesLine::<B, E, L>(&f, place, &line, &constants));
            }
        }
        let [[a0, a1, a2], [a3, a4, a5]] = f;
        let [a0, a1, a2, a3, a4, a5] = Across::to_elements(b, &[a0, a1, a2, a3, a4, a5]);
        [[a0, a1, a2], [a3, a4, a5]]
    }
}

/// f^2.
struct Squared<'a, B: Backend, T: LaneTower<L>, const L: usize>(&'a [[Across<B, T, L>; 3]; 2]);

impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for Squared<'_, B, T, L> {
    type Output = [[Across<B, T, L>; 3]; 2];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        fp12_sqr(self.0)
    }
}

/// The next line of a walk.
struct Stepped<'a, B: Backend, T: LaneTower<L>, const L: usize>(
    &'a mut Walk<Across<B, T, L>>,
    Step,
    &'a Constants<Across<B, T, L>>,
);

impl<B: Backend, T: LaneTower<L>, const L: usize> Kernel for Stepped<'_, B, T, L> {
    type Output = [Across<B, T, L>; 3];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        self.0.step(self.1, self.2)
    }
}

/// f times a line at a place.
struct TimesLine<'a, B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    &'a [[Across<B, E::Tower, L>; 3]; 2],
    &'a Place<Across<B, E::Tower, L>>,
    &'a [Across<B, E::Tower, L>; 3],
    &'a Constants<Across<B, E::Tower, L>>,
);

impl<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize> Kernel
    for TimesLine<'_, B, E, L>
{
    type Output = [[Across<B, E::Tower, L>; 3]; 2];

    #[inline(always)]
    fn run<Same: Backend>(self, _: Same) -> Self::Output {
        self.1.times_line(self.0, self.2, E::TWIST, self.3)
    }
}

#[inline(always)]
fn place<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    b: B,
    p: &Affine<E::G1>,
    nowhere: u8,
) -> Place<Across<B, E::Tower, L>> {
    let place = miller::place::<E>(p, nowhere.into());
    let [x, y] = place.p;
    let zero = <E::Tower as Tower>::Base::default();
    let p = Across::from_elements(b, &[Fp2::new(x, zero), Fp2::new(y, zero)]);
    Place { p, nowhere: place.nowhere.unwrap_u8().wrapping_neg() }
}

#[inline(always)]
fn constants<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    b: B,
) -> Constants<Across<B, E::Tower, L>> {
    let Constants { one, zero, b3, psi: [x, y] } = miller::constants::<E>();
    let [one, zero, b3, x, y] = Across::from_elements(b, &[one, zero, b3, x, y]);
    Constants { one, zero, b3, psi: [x, y] }
}
