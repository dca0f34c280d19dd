//! The Miller loop of many pairs in lanes: eight at a time, all with the same eight f.

use super::eight::{Eight, LaneTower};
use super::formula::fp12_sqr;
use super::walk::{Constants, Place, Walk};
use super::{Pair, Pairing, Step, miller};
use crate::field::Field;
use crate::lanes::{Backend, Kernel, Lazy, Mask, Vectors, WIDTH, run};
use crate::tower::{Fp2, Fp12, Tower};

/// The product of the Miller values of all pairs, of numbers with L limbs.
pub fn miller_loop<E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    vectors: Vectors,
    pairs: &[Pair<E>],
) -> Fp12<E::Tower> {
    let factors = run(vectors, Loop::<E, L>(pairs));
    let f = factors.into_iter().reduce(|product, factor| product * factor).unwrap_or(Fp12::ONE);
    if E::NEGATIVE { f.conjugate() } else { f }
}

struct Loop<'a, E: Pairing, const L: usize>(&'a [Pair<E>]);

impl<E: Pairing<Tower: LaneTower<L>>, const L: usize> Kernel for Loop<'_, E, L> {
    type Output = [Fp12<E::Tower>; WIDTH];

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Self::Output {
        let constants = constants::<B, E, L>(b);
        let mut pairs = Vec::with_capacity(self.0.len().div_ceil(WIDTH));
        for eight in self.0.chunks(WIDTH) {
            pairs.push(load::<B, E, L>(b, eight, &constants));
        }
        let mut f = constants.f_one();
        for (at, step) in E::steps().into_iter().enumerate() {
            if step == Step::Double && at > 0 {
                f = fp12_sqr(&f);
            }
            for (place, walk) in &mut pairs {
                let line = walk.step(step, &constants);
                f = place.times_line(&f, &line, E::TWIST, &constants);
            }
        }
        let mut factors = [[[Fp2::ZERO; 3]; 2]; WIDTH];
        for i in 0..6 {
            let elements = f[i / 3][i % 3].to_elements();
            for (factor, element) in factors.iter_mut().zip(elements) {
                factor[i / 3][i % 3] = element;
            }
        }
        factors.map(miller::whole)
    }
}

/// Eight pairs on their way.
type Walking<B, E, const L: usize> =
    (Place<Eight<B, <E as Pairing>::Tower, L>>, Walk<Eight<B, <E as Pairing>::Tower, L>>);

/// At most eight pairs; the other lanes are nowhere.
#[inline(always)]
fn load<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    b: B,
    pairs: &[Pair<E>],
    constants: &Constants<Eight<B, E::Tower, L>>,
) -> Walking<B, E, L> {
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
    let p = [Lazy::from_elements(b, &p[0]), Lazy::from_elements(b, &p[1])];
    let q = [Eight::from_elements(b, &q[0]), Eight::from_elements(b, &q[1])];
    (Place { p, nowhere }, Walk::new(q, constants))
}

#[inline(always)]
fn constants<B: Backend, E: Pairing<Tower: LaneTower<L>>, const L: usize>(
    b: B,
) -> Constants<Eight<B, E::Tower, L>> {
    let Constants { one, zero, b3, psi } = miller::constants::<E>();
    let [x, y] = psi;
    Constants {
        one: Eight::from_elements(b, &[one; WIDTH]),
        zero: Eight::from_elements(b, &[zero; WIDTH]),
        b3: Eight::from_elements(b, &[b3; WIDTH]),
        psi: [Eight::from_elements(b, &[x; WIDTH]), Eight::from_elements(b, &[y; WIDTH])],
    }
}
