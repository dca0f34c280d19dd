//! Products of the kernels' fields against big integers.

use num_bigint::BigUint;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::{bls12_377, bls12_381, bn254, field};
use proofmill_cuda::{CudaDevice, Module, Options};
use proofmill_op::msm::Instance;
use proofmill_op::ntt::Field;
use rand::Rng;

use crate::support::{device, random};

/// Products of a field.
const PRODUCTS: usize = 10_000;

#[test]
fn random_products_are_those_of_big_integers() {
    let Some(device) = device(Options::default()) else { return };
    let msm = |name: &str| Module::Msm(name.parse::<Instance>().unwrap());
    examine::<bn254::Fp>(&device, msm("bn254_g1"));
    examine::<bls12_381::Fp>(&device, msm("bls12_381_g1"));
    examine::<bls12_377::Fp>(&device, msm("bls12_377_g1"));
    examine::<field::Bn254Fr>(&device, Module::Ntt(Field::Bn254Fr));
    examine::<field::Bls12381Fr>(&device, Module::Ntt(Field::Bls12_381Fr));
    examine::<field::Goldilocks>(&device, Module::Ntt(Field::Goldilocks));
}

/// Pairs of edge cases, and random ones.
fn examine<F: PrimeField>(device: &CudaDevice, module: Module) {
    let bytes = 8 * F::MODULUS.len();
    let p = BigUint::from_slice(
        &F::MODULUS
            .iter()
            .flat_map(|limb| [*limb as u32, (*limb >> 32) as u32])
            .collect::<Vec<_>>(),
    );
    let one = BigUint::from(1u32);
    let edges = [
        BigUint::default(),
        one.clone(),
        BigUint::from(2u32),
        BigUint::from(u32::MAX),
        BigUint::from(u64::MAX) % &p,
        &p >> 1,
        (&one << (8 * bytes - 1)) % &p,
        &p - 2u32,
        &p - 1u32,
    ];
    let mut pairs: Vec<_> =
        edges.iter().flat_map(|a| edges.iter().map(|b| (a.clone(), b.clone()))).collect();
    let mut source = random(bytes as u64);
    let mut number = || {
        let mut bytes = vec![0; bytes];
        source.fill_bytes(&mut bytes);
        BigUint::from_bytes_le(&bytes) % &p
    };
    pairs.extend((0..PRODUCTS).map(|_| (number(), number())));
    let encoded = |pick: fn(&(BigUint, BigUint)) -> &BigUint| -> Vec<u8> {
        let element = |pair| {
            let mut encoding = pick(pair).to_bytes_le();
            encoding.resize(bytes, 0);
            encoding
        };
        pairs.iter().flat_map(element).collect()
    };
    let found =
        device.products(module, &encoded(|pair| &pair.0), &encoded(|pair| &pair.1)).unwrap();
    // A product is a b / 2^(8 bytes); in Goldilocks' field a b.
    let factor =
        if F::MODULUS.len() == 1 { one } else { (&one << (8 * bytes)).modinv(&p).unwrap() };
    for ((a, b), product) in pairs.iter().zip(found.chunks(bytes)) {
        assert_eq!(BigUint::from_bytes_le(product), a * b * &factor % &p, "{module:?}: {a} {b}");
    }
}
