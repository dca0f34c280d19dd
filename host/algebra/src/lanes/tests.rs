//! The kernels on every form that their contracts allow, against integers of any size, with the same bits on
//! every backend.

use num_bigint::BigUint;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use std::marker::PhantomData;

use super::backend::{LIMB_BITS, LIMB_MASK, both};
use super::*;
use crate::field::*;

/// Numbers of eight lanes, in limbs.
type Numbers<const L: usize> = [[u64; WIDTH]; L];

/// Every operation of [`Held`]; x and y below 4p, u and v below 2p.
struct Everything<'a, P, const L: usize> {
    x: &'a Numbers<L>,
    y: &'a Numbers<L>,
    u: &'a Numbers<L>,
    v: &'a Numbers<L>,
    field: PhantomData<P>,
}

/// What comes out, in the order of [`expected`], and the masks.
struct Results<const L: usize> {
    limbs: Vec<Numbers<L>>,
    masks: [Mask; 4],
}

impl<P: Prime<L>, const L: usize> Kernel for Everything<'_, P, L> {
    type Output = Results<L>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Results<L> {
        let x = held::<B, P, L, 4>(b, self.x);
        let y = held::<B, P, L, 4>(b, self.y);
        let u = held::<B, P, L, 2>(b, self.u);
        let v = held::<B, P, L, 2>(b, self.v);
        let [xy, yx] = Held::mul_each([x, y], [y, x]);
        let [xx, yy] = Held::square_each([x, y]);
        let mut limbs = vec![stored(x * y), stored(xy), stored(yx)];
        limbs.extend([stored(x.square()), stored(xx), stored(yy)]);
        limbs.extend([stored(u * x), stored(x.reduced()), stored((u + v).reduced())]);
        limbs.extend([stored((u - v).reduced()), stored((-u).reduced())]);
        limbs.extend([stored(u.less_both(v, xy)), stored(u.inverse())]);
        limbs.extend([stored(u.select(0b1010_0110, v)), stored(u.canonical())]);
        let masks = [u.is_zero(), x.is_zero(), u.equals(v), u.may_be_zero()];
        Results { limbs, masks }
    }
}

#[inline(always)]
fn held<B: Backend, P: Prime<L>, const L: usize, const K: usize>(
    b: B,
    limbs: &Numbers<L>,
) -> Held<B, P, L, K> {
    Held::of(Limbs::load(b, limbs))
}

#[inline(always)]
fn stored<B: Backend, P: Prime<L>, const L: usize>(held: Held<B, P, L>) -> Numbers<L> {
    let mut words = [[0; WIDTH]; L];
    held.limbs().store(&mut words);
    words
}

fn number<const L: usize>(limbs: &Numbers<L>, lane: usize) -> BigUint {
    limbs.iter().rev().fold(BigUint::ZERO, |all, limb| (all << LIMB_BITS) + limb[lane])
}

fn limbs_of<const L: usize>(numbers: &[BigUint; WIDTH]) -> Numbers<L> {
    std::array::from_fn(|j| {
        std::array::from_fn(|lane| {
            let limb = (&numbers[lane] >> (LIMB_BITS as usize * j)) & BigUint::from(LIMB_MASK);
            u64::try_from(limb).unwrap()
        })
    })
}

fn modulus<P: PrimeField>() -> BigUint {
    P::MODULUS.iter().rev().fold(BigUint::ZERO, |all, word| (all << 64) + word)
}

/// A number below `bound` p: an edge as often as not.
fn draw(rng: &mut ChaCha20Rng, p: &BigUint, bound: u32) -> BigUint {
    let edge = p * rng.random_range(0..=bound) + rng.random_range(0..3u32);
    let random = (0..14).fold(BigUint::ZERO, |all, _| (all << 32) + rng.random::<u32>());
    let top = p * bound;
    match rng.random_range(0..4) {
        0 if edge >= BigUint::from(1u32) && (&edge - 1u32) < top => edge - 1u32,
        1 => &top - 1u32,
        _ => random % top,
    }
}

/// The residues of [`Everything`]'s results.
fn expected(p: &BigUint, r: &BigUint, [x, y, u, v]: [&BigUint; 4]) -> Vec<BigUint> {
    let r_inverse = r.modinv(p).unwrap();
    let mul = |a: &BigUint, b: &BigUint| a * b * &r_inverse % p;
    let less = |a: &BigUint, b: &BigUint| (a + p * 4u32 - b) % p;
    let xy = mul(x, y);
    // In Montgomery form the inverse of uR is R/u = R^2 / (uR).
    let inverse = (u % p).modinv(p).map_or(BigUint::ZERO, |inverse| inverse * r * r % p);
    vec![
        xy.clone(),
        xy.clone(),
        xy.clone(),
        mul(x, x),
        mul(x, x),
        mul(y, y),
        mul(u, x),
        x % p,
        (u + v) % p,
        less(u, v),
        less(&BigUint::ZERO, u),
        less(&less(u, v), &xy),
        inverse,
    ]
}

fn same_as_integers<P: Prime<L>, const L: usize>(rounds: usize) {
    let seed = rand::rng().random();
    println!("{} in {L} limbs, seed {seed}", P::NAME);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let p = modulus::<P>();
    let r = BigUint::from(1u32) << (LIMB_BITS as usize * L);
    for _ in 0..rounds {
        let [x, y] = both!(_n => std::array::from_fn(|_| draw(&mut rng, &p, 4)));
        let [u, v] = both!(_n => std::array::from_fn(|_| draw(&mut rng, &p, 2)));
        let [xs, ys, us, vs] = [limbs_of(&x), limbs_of(&y), limbs_of(&u), limbs_of(&v)];
        let everything =
            || Everything::<P, L> { x: &xs, y: &ys, u: &us, v: &vs, field: PhantomData };
        let [first, others @ ..] = &all_vectors()[..] else { panic!("there are no vectors") };
        let results = run(*first, everything());
        for vectors in others {
            let same = run(*vectors, everything());
            assert_eq!(same.limbs, results.limbs, "{vectors:?}");
            assert_eq!(same.masks, results.masks, "{vectors:?}");
        }
        for lane in 0..WIDTH {
            let operands = [&x[lane], &y[lane], &u[lane], &v[lane]];
            for (i, residue) in expected(&p, &r, operands).iter().enumerate() {
                let found = number(&results.limbs[i], lane);
                assert!(found < &p * 2u32, "result {i} of {operands:?} is not below 2p");
                assert_eq!(&(found % &p), residue, "result {i} of {operands:?}");
            }
            let selected = if 0b1010_0110 >> lane & 1 == 1 { &v } else { &u };
            assert_eq!(number(&results.limbs[13], lane), selected[lane]);
            assert_eq!(number(&results.limbs[14], lane), &u[lane] % &p);
            let zero = |number: &BigUint| number % &p == BigUint::ZERO;
            let [u_zero, x_zero, equal, may_be] = results.masks.map(|mask| mask >> lane & 1 == 1);
            assert_eq!((u_zero, x_zero), (zero(&u[lane]), zero(&x[lane])));
            assert_eq!(equal, &u[lane] % &p == &v[lane] % &p);
            assert!(may_be || !u_zero);
        }
        let normal = |limbs: &Numbers<L>| limbs.iter().flatten().all(|limb| limb >> LIMB_BITS == 0);
        assert!(results.limbs.iter().all(normal), "limbs of 52 bits");
    }
}

#[test]
fn five_limbs_are_the_integers_modulo_p_below_2p() {
    same_as_integers::<Bn254Fp, 5>(100);
    same_as_integers::<Bls12381Fr, 5>(100);
    same_as_integers::<Secp256k1Fp, 5>(200);
    same_as_integers::<Secp256k1Fn, 5>(200);
}

#[test]
fn eight_limbs_are_the_integers_modulo_p_below_2p() {
    same_as_integers::<Bls12381Fp, 8>(100);
}

/// They differ from the others in constants only, and on emulated lanes each takes long to compile.
#[cfg(any(kernels_of_limbs, feature = "emulation"))]
#[test]
fn limbs_of_the_other_fields_are_the_integers_modulo_p_below_2p() {
    same_as_integers::<Bn254Fr, 5>(100);
    same_as_integers::<Bls12377Fr, 5>(100);
    same_as_integers::<PastaFp, 5>(100);
    same_as_integers::<PastaFq, 5>(100);
    same_as_integers::<Bls12377Fp, 8>(100);
}

#[test]
fn toy_fields_are_the_integers_modulo_p_in_any_number_of_limbs() {
    same_as_integers::<ToyFp, 1>(200);
    same_as_integers::<ToyFp, 5>(50);
    same_as_integers::<ToyFr, 8>(50);
}

/// Each pair of forms, those from p to 2p - 1 included.
fn toy_exhaustive<P: Prime<L>, const L: usize>() {
    let p = P::MODULUS[0];
    let r_inverse = BigUint::from(2u32).pow(LIMB_BITS * L as u32).modinv(&modulus::<P>()).unwrap();
    let r_inverse = u64::try_from(r_inverse).unwrap();
    let limbs =
        |lanes: [u64; WIDTH]| std::array::from_fn(|j| if j == 0 { lanes } else { [0; WIDTH] });
    for vectors in all_vectors() {
        for u in 0..2 * p {
            for first in (0..2 * p).step_by(WIDTH) {
                let v: [u64; WIDTH] = std::array::from_fn(|lane| (first + lane as u64) % (2 * p));
                let u = [u; WIDTH];
                let [x, y] = [u.map(|u| 4 * p - 1 - u), v.map(|v| 4 * p - 1 - v)];
                let [xs, ys, us, vs] = [limbs(x), limbs(y), limbs(u), limbs(v)];
                let everything =
                    Everything::<P, L> { x: &xs, y: &ys, u: &us, v: &vs, field: PhantomData };
                let Results { limbs: found, .. } = run(vectors, everything);
                for lane in 0..WIDTH {
                    let found = |i: usize| {
                        assert!(found[i][0][lane] < 2 * p);
                        found[i][0][lane] % p
                    };
                    let (x, y, u, v) = (x[lane], y[lane], u[lane], v[lane]);
                    assert_eq!(found(0), x * y % p * r_inverse % p, "{x} {y}");
                    assert_eq!(found(3), x * x % p * r_inverse % p, "{x}");
                    assert_eq!([found(8), found(9)], [(u + v) % p, (u + 2 * p - v) % p]);
                    let unit = found(12) * u % p * r_inverse % p * r_inverse % p;
                    assert_eq!(unit, u64::from(u % p != 0), "1/{u}");
                }
            }
        }
    }
}

#[test]
fn toy_fields_are_right_for_every_pair() {
    toy_exhaustive::<ToyFp, 1>();
    toy_exhaustive::<ToyFr, 1>();
}

#[test]
fn a_transpose_exchanges_lanes_and_vectors() {
    struct Transpose([[u64; WIDTH]; WIDTH]);
    impl Kernel for Transpose {
        type Output = [[u64; WIDTH]; WIDTH];
        #[inline(always)]
        fn run<B: Backend>(self, b: B) -> Self::Output {
            let mut rows = [b.splat(0); WIDTH];
            for i in 0..WIDTH {
                rows[i] = b.load(&self.0[i]);
            }
            let (columns, mut stored) = (b.transpose(rows), self.0);
            for i in 0..WIDTH {
                b.store(columns[i], &mut stored[i]);
            }
            stored
        }
    }
    let rows = std::array::from_fn(|i| std::array::from_fn(|j| (8 * i + j) as u64));
    for vectors in all_vectors() {
        let columns = run(vectors, Transpose(rows));
        assert!((0..64).all(|n| columns[n % 8][n / 8] == rows[n / 8][n % 8]), "{vectors:?}");
    }
}
