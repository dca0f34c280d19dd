//! The towers: the toy's Fp2 exhaustively, everything else by the definitions and against arkworks.

use ark_ff::{AdditiveGroup, CyclotomicMultSubgroup, Field as _, UniformRand};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::tower::{Fp2, Fp6, Fp12, Tower};
use proofmill_algebra::{bls12_377, bls12_381, bn254, toy};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

const ROUNDS: usize = 100;

fn every_fp2() -> impl Iterator<Item = toy::Fp2> {
    let all = |i: u64| Fp2::new(toy::Fp::from(i / 97), toy::Fp::from(i % 97));
    (0..97 * 97).map(all)
}

#[test]
fn the_toy_multiplies_as_a_student_would() {
    let beta = toy::ToyTower::BETA;
    let others: Vec<_> = every_fp2().step_by(13).collect();
    for a in every_fp2() {
        for &b in &others {
            let c0 = a.c0 * b.c0 + beta * a.c1 * b.c1;
            assert_eq!(a * b, Fp2::new(c0, a.c0 * b.c1 + a.c1 * b.c0), "{a:?} {b:?}");
        }
        assert_eq!(a.square(), a * a);
        assert_eq!(a.norm(), (a * a.conjugate()).c0);
        assert_eq!(a.frobenius(1), a.pow_vartime(&[97]), "{a:?}");
    }
}

#[test]
fn the_toy_has_all_inverses_and_roots() {
    let mut squares = vec![false; 97 * 97];
    let index = |a: &toy::Fp2| a.c0.to_canonical()[0] * 97 + a.c1.to_canonical()[0];
    every_fp2().for_each(|a| squares[index(&a.square()) as usize] = true);
    for a in every_fp2() {
        let inverse: Option<toy::Fp2> = a.invert().into();
        assert_eq!(inverse.map(|inverse| inverse * a), (a != Fp2::ZERO).then_some(Fp2::ONE));
        let root: Option<toy::Fp2> = a.sqrt().into();
        assert_eq!(root.is_some(), squares[index(&a) as usize], "{a:?}");
        assert!(root.is_none_or(|root| root.square() == a), "{a:?}");
    }
}

/// Random elements of a tower, and some that are mostly zeros.
struct Random(ChaCha20Rng);

impl Random {
    fn new(name: &str) -> Self {
        let seed = rand::rng().random();
        println!("{name}: seed {seed}");
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    fn fp<F: PrimeField>(&mut self) -> F {
        let mut wide = [0; 64];
        self.0.fill_bytes(&mut wide);
        match self.0.random_range(0..8) {
            0 => F::ZERO,
            1 => -F::ONE,
            _ => F::reduce_wide_le(&wide),
        }
    }

    fn fp2<T: Tower>(&mut self) -> Fp2<T> {
        Fp2::new(self.fp(), self.fp())
    }

    fn fp12<T: Tower>(&mut self) -> Fp12<T> {
        Fp12::from_powers_of_w([(); 6].map(|()| self.fp2()))
    }
}

/// Compares the operations with their definitions, on any tower.
fn definitions<T: Tower>(name: &str) {
    let mut random = Random::new(name);
    let v = Fp12::new(Fp6::new(Fp2::ZERO, Fp2::ONE, Fp2::ZERO), Fp6::ZERO);
    let w = Fp12::new(Fp6::ZERO, Fp6::ONE);
    let xi = Fp12::new(Fp6::new(T::XI, Fp2::ZERO, Fp2::ZERO), Fp6::ZERO);
    assert_eq!(w * w, v);
    assert_eq!(v * v * v, xi);
    assert_eq!(Fp2::<T>::new(T::Base::ZERO, T::Base::ONE).square().c0, T::BETA);

    let p = T::Base::MODULUS;
    for _ in 0..ROUNDS {
        let [a, b, c] = [(); 3].map(|()| random.fp12::<T>());
        assert_eq!((a + b) * c, a * c + b * c);
        assert_eq!((a * b) * c, a * (b * c));
        assert_eq!(a.square(), a * a);
        assert_eq!(a.c0.square(), a.c0 * a.c0);
        assert_eq!(a.c0.times_v(), a.c0 * v.c0);
        assert_eq!(T::times_xi(a.c0.c0), a.c0.c0 * T::XI);
        assert_eq!(T::times_beta(a.c0.c0.c0), a.c0.c0.c0 * T::BETA);
        let inverse: Option<Fp12<T>> = a.invert().into();
        assert_eq!(inverse.map(|inverse| inverse * a), (a != Fp12::ZERO).then_some(Fp12::ONE));
        let inverse: Option<Fp6<T>> = a.c0.invert().into();
        assert_eq!(inverse.map(|inverse| inverse * a.c0), (a.c0 != Fp6::ZERO).then_some(Fp6::ONE));
        assert_eq!(a.c0.frobenius(1), Fp12::new(a.c0, Fp6::ZERO).frobenius(1).c0);
    }
    let a = random.fp12::<T>();
    assert_eq!(a.frobenius(1), a.pow_vartime(p));
    assert_eq!(a.conjugate(), a.frobenius(6));
    let powers = std::iter::successors(Some(a), |power| Some(power.frobenius(1)));
    powers.take(14).enumerate().for_each(|(k, power)| assert_eq!(a.frobenius(k), power, "{k}"));
}

#[test]
fn all_towers_keep_to_the_definitions() {
    definitions::<toy::ToyTower>("toy");
    definitions::<bn254::Bn254Tower>("bn254");
    definitions::<bls12_381::Bls12381Tower>("bls12_381");
    definitions::<bls12_377::Bls12377Tower>("bls12_377");
}

#[test]
fn cyclotomic_squares_are_squares() {
    fn examine<T: Tower>() {
        let mut random = Random::new("cyclotomic");
        for _ in 0..ROUNDS {
            let a = random.fp12::<T>();
            let Some(inverse) = Option::<Fp12<T>>::from(a.invert()) else { continue };
            let easy = a.conjugate() * inverse; // a^(p^6 - 1)
            let cyclotomic = easy.frobenius(2) * easy; // ^(p^2 + 1)
            assert!(bool::from(cyclotomic.is_cyclotomic()));
            assert_eq!(cyclotomic.cyclotomic_square(), cyclotomic.square());
            assert_eq!(cyclotomic * cyclotomic.conjugate(), Fp12::ONE);
        }
        assert!(!bool::from(random.fp12::<T>().is_cyclotomic()));
        assert!(!bool::from(Fp12::<T>::ZERO.is_cyclotomic()));
    }
    examine::<toy::ToyTower>();
    examine::<bn254::Bn254Tower>();
    examine::<bls12_381::Bls12381Tower>();
    examine::<bls12_377::Bls12377Tower>();
}

/// Our element with the same coefficients over the prime field as one of arkworks.
fn coefficients<T: Tower, A: ark_ff::Field>(a: &A) -> Vec<T::Base>
where
    A::BasePrimeField: ark_ff::PrimeField,
{
    use ark_ff::{BigInteger, PrimeField as _};
    let bytes = |c: A::BasePrimeField| c.into_bigint().to_bytes_le();
    let read = |bytes: Vec<u8>| T::Base::from_le_bytes(&bytes[..T::Base::BYTES]).expect("reduced");
    a.to_base_prime_field_elements().map(|c| read(bytes(c))).collect()
}

fn fp2<T: Tower, A: ark_ff::Field>(a: &A) -> Fp2<T> {
    let [c0, c1] = coefficients::<T, A>(a)[..] else { panic!("not of degree 2") };
    Fp2::new(c0, c1)
}

fn fp12<T: Tower, A: ark_ff::Field>(a: &A) -> Fp12<T> {
    let c = coefficients::<T, A>(a);
    let at = |i: usize| Fp2::new(c[2 * i], c[2 * i + 1]);
    Fp12::new(Fp6::new(at(0), at(1), at(2)), Fp6::new(at(3), at(4), at(5)))
}

macro_rules! against_arkworks {
    ($($name:ident: $ark:ident, $tower:ty;)*) => {$(
        #[test]
        fn $name() {
            let mut rng = ark_std::test_rng();
            for _ in 0..ROUNDS {
                let [a, b] = [(); 2].map(|()| $ark::Fq2::rand(&mut rng));
                let [x, y] = [a, b].map(|a| fp2::<$tower, _>(&a));
                assert_eq!(x * y, fp2(&(a * b)));
                assert_eq!(x.square(), fp2(&a.square()));
                assert_eq!(x.double(), fp2(&a.double()));
                assert_eq!(x.invert().unwrap(), fp2(&a.inverse().unwrap()));
                assert_eq!(bool::from(x.sqrt().is_some()), a.sqrt().is_some());
                assert_eq!(x.square().sqrt().unwrap().square(), x.square());

                let [a, b] = [(); 2].map(|()| $ark::Fq12::rand(&mut rng));
                let [x, y] = [a, b].map(|a| fp12::<$tower, _>(&a));
                assert_eq!(x * y, fp12(&(a * b)));
                assert_eq!(x.square(), fp12(&a.square()));
                assert_eq!(x.invert().unwrap(), fp12(&a.inverse().unwrap()));
                for k in 0..12 {
                    assert_eq!(x.frobenius(k), fp12(&a.frobenius_map(k)), "{k}");
                }
                let a = (a.frobenius_map(6) * a.inverse().unwrap()).frobenius_map(2)
                    * a.frobenius_map(6) * a.inverse().unwrap();
                let x = fp12::<$tower, _>(&a);
                assert_eq!(x.cyclotomic_square(), fp12(&a.cyclotomic_square()));
            }
        }
    )*};
}

against_arkworks! {
    bn254_as_arkworks_has_it: ark_bn254, bn254::Bn254Tower;
    bls12_381_as_arkworks_has_it: ark_bls12_381, bls12_381::Bls12381Tower;
    bls12_377_as_arkworks_has_it: ark_bls12_377, bls12_377::Bls12377Tower;
}
