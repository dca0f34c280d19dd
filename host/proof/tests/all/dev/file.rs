//! Files of `dev`, byte by byte, and naive computations with them.

use std::collections::HashMap;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{self, Affine, Projective};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::ntt::least_non_residue_root;
use proofmill_algebra::pairing::{Bls12381, Bn254, Pair, Pairing, product};
use proofmill_algebra::tower::Fp12;

/// The sections of a file by number.
pub struct File(HashMap<u32, Vec<u8>>);

impl File {
    /// Reads a file with these four letters.
    pub fn read(file: &[u8], letters: &[u8; 4]) -> Self {
        assert_eq!(&file[..4], letters);
        let (mut found, mut at) = (HashMap::new(), 12);
        while at < file.len() {
            let length = u64::from_le_bytes(file[at + 4..at + 12].try_into().unwrap()) as usize;
            found.insert(integer(&file[at..]), file[at + 12..at + 12 + length].to_vec());
            at += 12 + length;
        }
        assert_eq!((at, found.len()), (file.len(), integer(&file[8..]) as usize));
        Self(found)
    }

    pub fn section(&self, number: u32) -> &[u8] {
        &self.0[&number]
    }
}

/// Reads four bytes.
pub fn integer(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().unwrap())
}

/// A pairing's groups, with coordinates that can be decoded.
pub trait Curves:
    Pairing<G1: curve::Curve<Base: PrimeField + Coordinate>, G2: curve::Curve<Base: Coordinate>>
{
    /// Bytes of an element of Fp.
    const BYTES: usize;
}

impl Curves for Bn254 {
    const BYTES: usize = 32;
}

impl Curves for Bls12381 {
    const BYTES: usize = 48;
}

/// The scalars of a pairing's groups.
pub type Scalar<E> = <<E as Pairing>::G1 as curve::Curve>::Scalar;

pub fn canonical<F: PrimeField>(bytes: &[u8]) -> Vec<F> {
    bytes.chunks_exact(F::BYTES).map(|bytes| F::from_le_bytes(bytes).unwrap()).collect()
}

pub fn points_g1<E: Curves>(bytes: &[u8]) -> Vec<Affine<E::G1>> {
    points(bytes, E::BYTES)
}

pub fn points_g2<E: Curves>(bytes: &[u8]) -> Vec<Affine<E::G2>> {
    points(bytes, E::BYTES)
}

/// Reads points of the curve from Montgomery form.
fn points<C: curve::Curve<Base: Coordinate>>(bytes: &[u8], prime_bytes: usize) -> Vec<Affine<C>> {
    let radix = (0..8 * prime_bytes).fold(C::Base::ONE, |power, _| power.double());
    let inverse = radix.invert_vartime().unwrap();
    let coordinate = |bytes: &[u8]| C::Base::read_le(bytes).unwrap() * inverse;
    let each = C::Base::BYTES;
    let point =
        |bytes: &[u8]| Affine::new(coordinate(&bytes[..each]), coordinate(&bytes[each..])).unwrap();
    bytes.chunks_exact(2 * each).map(point).collect()
}

/// Computes the sum of k_i P_i.
pub fn sum<C: curve::Curve>(points: &[Affine<C>], scalars: &[C::Scalar]) -> Projective<C> {
    assert_eq!(points.len(), scalars.len());
    let terms = points.iter().zip(scalars);
    terms.fold(Projective::IDENTITY, |sum, (point, k)| {
        sum + Projective::from(*point).times_vartime(k)
    })
}

/// Returns whether the product of these pairings is 1.
pub fn is_one<E: Curves>(pairs: &[Pair<E>]) -> bool {
    product::<E>(Isa::best(), pairs) == Fp12::ONE
}

/// Returns whether e(P, Q) = e(P', Q').
pub fn equal<E: Curves>((p, q): Pair<E>, other: Pair<E>) -> bool {
    is_one::<E>(&[(-p, q), other])
}

/// Returns the root of order 2^log that circom's keys use.
pub fn root<F: PrimeField>(log: u32) -> F {
    (log..F::TWO_ADICITY).fold(least_non_residue_root(), |root: F, _| root.square())
}

/// Returns the values at the odd powers of the root of order 2n of the polynomial with these n at the even ones.
pub fn between<F: PrimeField>(values: &[F]) -> Vec<F> {
    let n = values.len() as u64;
    let (root, over_n) = (root::<F>(n.ilog2() + 1), F::from(n).invert_vartime().unwrap());
    let power = |i: u64| root.pow_vartime(&[i % (2 * n)]);
    let sum = |terms: &[F], factor: &dyn Fn(u64) -> F| {
        (0..).zip(terms).fold(F::ZERO, |sum, (i, term)| sum + factor(i) * term)
    };
    let coefficients: Vec<F> =
        (0..n).map(|k| over_n * sum(values, &|i| power(2 * n - 2 * i * k % (2 * n)))).collect();
    (0..n).map(|i| sum(&coefficients, &|k| power((2 * i + 1) * k))).collect()
}
