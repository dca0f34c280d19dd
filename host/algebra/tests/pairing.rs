//! The pairings by their definition and against arkworks.

use std::time::Instant;

use ark_ec::pairing::Pairing as _;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::UniformRand;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::pairing::*;
use proofmill_algebra::tower::{Fp2, Fp6, Fp12, Tower};

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

fn fp12<T: Tower, A: ark_ff::Field>(a: &A) -> Fp12<T>
where
    A::BasePrimeField: ark_ff::PrimeField,
{
    let c = coefficients::<T, A>(a);
    let at = |i: usize| Fp2::new(c[2 * i], c[2 * i + 1]);
    Fp12::new(Fp6::new(at(0), at(1), at(2)), Fp6::new(at(3), at(4), at(5)))
}

macro_rules! against_arkworks {
    ($($name:ident: $ark:ident::$Ark:ident, $E:ident;)*) => {$(
        #[test]
        fn $name() {
            type T = <$E as Pairing>::Tower;
            let mut rng = ark_std::test_rng();
            for _ in 0..5 {
                let p = $ark::G1Projective::rand(&mut rng).into_affine();
                let q = $ark::G2Projective::rand(&mut rng).into_affine();
                let [x, y] = [p.x().unwrap(), p.y().unwrap()].map(|c| coefficients::<T, _>(&c)[0]);
                let ours_p = Affine::<<$E as Pairing>::G1>::new(x, y).unwrap();
                let [x, y] = [q.x().unwrap(), q.y().unwrap()].map(|c| {
                    let c = coefficients::<T, _>(&c);
                    Fp2::new(c[0], c[1])
                });
                let ours_q = Affine::<<$E as Pairing>::G2>::new(x, y).unwrap();
                assert_eq!(pairing::<$E>(&ours_p, &ours_q), fp12(&$ark::$Ark::pairing(p, q).0));
                let count = 200;
                let start = Instant::now();
                let q = Prepared::<$E>::new(&ours_q);
                for _ in 0..count { std::hint::black_box(Prepared::<$E>::new(std::hint::black_box(&ours_q))); }
                println!("prepare {:?}", start.elapsed() / count);
                let start = Instant::now();
                for _ in 0..count { std::hint::black_box(miller_loop::<$E>(std::hint::black_box(&[(ours_p, &q)]))); }
                println!("miller {:?}", start.elapsed() / count);
                let f = miller_loop::<$E>(std::hint::black_box(&[(ours_p, &q)]));
                let start = Instant::now();
                for _ in 0..count { std::hint::black_box(final_exponentiation::<$E>(std::hint::black_box(f))); }
                println!("final {:?}", start.elapsed() / count);
            }
        }
    )*};
}

against_arkworks! {
    bn254_as_arkworks_has_it: ark_bn254::Bn254, Bn254;
    bls12_381_as_arkworks_has_it: ark_bls12_381::Bls12_381, Bls12381;
    bls12_377_as_arkworks_has_it: ark_bls12_377::Bls12_377, Bls12377;
}
