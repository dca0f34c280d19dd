//! Field elements: the first byte chooses the field, the others are its bytes, little-endian and big-endian.

use proofmill_algebra::field::*;

use crate::choose;

const FIELDS: [fn(&[u8]); 14] = [
    element::<Goldilocks>,
    element::<Secp256k1Fp>,
    element::<Secp256k1Fn>,
    element::<Bn254Fp>,
    element::<Bn254Fr>,
    element::<Bls12381Fp>,
    element::<Bls12381Fr>,
    element::<Bls12377Fp>,
    element::<Bls12377Fr>,
    element::<ToyFp>,
    element::<ToyFr>,
    element::<ToyEdwardsFr>,
    element::<PastaFp>,
    element::<PastaFq>,
];

pub(crate) fn run(input: &[u8]) {
    if let Some((field, bytes)) = choose(&FIELDS, input) {
        field(bytes);
    }
}

/// The byte lengths of all fields, filled with small values.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let bytes = [8, 32, 32, 32, 32, 48, 32, 48, 32, 1, 1, 1, 32, 32];
    let seed = |(field, length): (usize, usize)| [vec![field as u8], vec![1; length]].concat();
    bytes.into_iter().enumerate().map(seed).collect()
}

/// Checks that a number below the modulus survives a round trip, and that other inputs are refused with the reason.
fn element<F: PrimeField>(bytes: &[u8]) {
    let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
    let (little, big) = (F::from_le_bytes(bytes), F::from_be_bytes(&reversed));
    assert_eq!(little, big);
    match little {
        Ok(element) => {
            assert!(is_below(bytes, F::MODULUS));
            assert_eq!(element.to_le_bytes().as_ref(), bytes);
            assert_eq!(element.to_be_bytes().as_ref(), reversed);
        }
        Err(DecodeError::Length { expected, found }) => {
            assert_eq!((expected, found), (F::BYTES, bytes.len()));
            assert_ne!(expected, found);
        }
        Err(DecodeError::NotReduced) => {
            assert!(bytes.len() == F::BYTES && !is_below(bytes, F::MODULUS));
        }
    }
}

fn is_below(bytes: &[u8], modulus: &[u64]) -> bool {
    let modulus = modulus.iter().flat_map(|limb| limb.to_le_bytes());
    let mut padded = bytes.to_vec();
    padded.resize(padded.len().next_multiple_of(8), 0);
    padded.iter().rev().copied().lt(modulus.collect::<Vec<_>>().into_iter().rev())
}
