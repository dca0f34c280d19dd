//! circomlib's Poseidon beside light-poseidon, Poseidon2 beside zkhash and taceo-poseidon2, on random elements and edges.

use ark_bn254::Fr;
use ark_ff::{BigInteger as _, PrimeField as _};
use light_poseidon::PoseidonHasher as _;
use proofmill::poseidon::plain::{Instance, hash};
use zkhash::ark_ff::{BigInteger as _, PrimeField};
use zkhash::poseidon2::poseidon2::Poseidon2;
use zkhash::poseidon2::poseidon2_instance_bn256::POSEIDON2_BN256_PARAMS;
use zkhash::poseidon2::poseidon2_instance_goldilocks::*;

use crate::painted::Source;

/// Preimages an arity.
const COUNT: usize = 100;

fn words(source: &mut Source) -> Vec<u8> {
    (0..4).flat_map(|_| source.word().to_le_bytes()).collect()
}

/// Elements of BN254: of all bits, and 0 and r - 1 among them.
fn elements(source: &mut Source, count: usize) -> Vec<Fr> {
    let element = |_| match source.word() % 32 {
        0 => Fr::from(0),
        1 => -Fr::from(1),
        _ => Fr::from_le_bytes_mod_order(&words(source)),
    };
    (0..count).map(element).collect()
}

fn bytes(elements: &[Fr]) -> Vec<u8> {
    elements.iter().flat_map(|x| x.into_bigint().to_bytes_le()).collect()
}

/// light-poseidon has 1 to 12 elements; the vectors have all 16.
#[test]
fn circomlib_and_light_poseidon() {
    let mut source = Source(254);
    for arity in 1..=12 {
        let mut hasher = light_poseidon::Poseidon::<Fr>::new_circom(arity).unwrap();
        let preimages = elements(&mut source, arity * COUNT);
        let wanted: Vec<Fr> = preimages.chunks(arity).map(|it| hasher.hash(it).unwrap()).collect();
        let found = hash(Instance::Circom, arity, &bytes(&preimages)).unwrap();
        assert!(found == bytes(&wanted), "{arity}");
    }
}

macro_rules! taceo {
    ($source:ident: $($module:ident $width:literal,)*) => {$(
        let states = elements(&mut $source, $width * COUNT);
        let permuted = |state: &[Fr]| {
            taceo_poseidon2::bn254::$module::permutation(state.try_into().unwrap())
        };
        let wanted: Vec<Fr> = states.chunks($width).flat_map(permuted).collect();
        let found = hash(Instance::Poseidon2Bn254, $width, &bytes(&states)).unwrap();
        assert!(found == bytes(&wanted), "{}", $width);
    )*};
}

#[test]
fn poseidon2_of_bn254_and_taceo() {
    let mut source = Source(2);
    taceo!(source: t2 2, t3 3, t4 4, t8 8, t12 12, t16 16,);
}

fn beside_zkhash<F: PrimeField>(instance: Instance, permutation: &Poseidon2<F>) {
    let (mut source, width) = (Source(3), permutation.get_t());
    for _ in 0..COUNT {
        let state: Vec<F> =
            (0..width).map(|_| F::from_le_bytes_mod_order(&words(&mut source))).collect();
        let size = instance.element_bytes();
        let bytes = |state: &[F]| -> Vec<u8> {
            state.iter().flat_map(|x| x.into_bigint().to_bytes_le()[..size].to_vec()).collect()
        };
        let found = hash(instance, width, &bytes(&state)).unwrap();
        assert!(found == bytes(&permutation.permutation(&state)), "{instance} {width}");
    }
}

#[test]
fn poseidon2_and_its_authors_code() {
    beside_zkhash(Instance::Poseidon2Bn254, &Poseidon2::new(&POSEIDON2_BN256_PARAMS));
    for parameters in [
        &*POSEIDON2_GOLDILOCKS_8_PARAMS,
        &*POSEIDON2_GOLDILOCKS_12_PARAMS,
        &*POSEIDON2_GOLDILOCKS_16_PARAMS,
        &*POSEIDON2_GOLDILOCKS_20_PARAMS,
    ] {
        beside_zkhash(Instance::Poseidon2Goldilocks, &Poseidon2::new(parameters));
    }
}
