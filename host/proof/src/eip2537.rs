//! The precompiled contracts of EIP-2537: additions, multiplications, pairings and maps on BLS12-381, with the names and encodings of the proposal. Gas is not counted.
//!
//! A number below p has 64 bytes, big-endian, of which the first 16 are zeros. An element of Fp2 has the coefficient of 1 first. A point is x and y; the
//! identity is all zeros. A scalar has 32 bytes and may be any number. A [`Failure`] is the reason for a rejected input.

use std::fmt;

use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::{Fp, Fp2, G1, G2};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::hash_to_curve::{Mapped, map_to_curve_vartime};
use proofmill_algebra::msm::{self, Group, affine_sum_vartime};
use proofmill_algebra::pairing::{Bls12381, Pair, product};
use proofmill_algebra::tower::Fp12;

use crate::Pairings;
use crate::deep::deep;

/// Bytes of a number, and of its leading zeros.
const NUMBER: usize = 64;
const PADDING: usize = 16;
const SCALAR: usize = 32;

/// A contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// BLS12_G1ADD: adds two points of the curve.
    G1Add,
    /// BLS12_G1MSM: adds multiples of points of the subgroup.
    G1Msm,
    /// BLS12_G2ADD.
    G2Add,
    /// BLS12_G2MSM.
    G2Msm,
    /// BLS12_PAIRING_CHECK: tests whether a product of pairings is 1.
    PairingCheck,
    /// BLS12_MAP_FP_TO_G1: maps a number to a point of the subgroup.
    MapFpToG1,
    /// BLS12_MAP_FP2_TO_G2.
    MapFp2ToG2,
}

/// The reason for a rejected input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Failure {
    /// The number of bytes does not fit the operation, or a list is empty.
    Length,
    /// Some of the first 16 bytes of a number are not zero.
    Padding,
    /// A number that is not below p.
    NotReduced,
    /// A point that is not on the curve.
    NotOnCurve,
    /// A point of the curve that is not in the required subgroup.
    NotInSubgroup,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "input of a length that the operation does not take",
            Self::Padding => "a number whose first 16 bytes are not zeros",
            Self::NotReduced => "a number that is not below the modulus",
            Self::NotOnCurve => "a point that is not on the curve",
            Self::NotInSubgroup => "a point that is not in the subgroup",
        })
    }
}

impl std::error::Error for Failure {}

impl Operation {
    /// Every operation, in the order of their addresses.
    pub const ALL: [Self; 7] = [
        Self::G1Add,
        Self::G1Msm,
        Self::G2Add,
        Self::G2Msm,
        Self::PairingCheck,
        Self::MapFpToG1,
        Self::MapFp2ToG2,
    ];

    /// Returns its name in the proposal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::G1Add => "BLS12_G1ADD",
            Self::G1Msm => "BLS12_G1MSM",
            Self::G2Add => "BLS12_G2ADD",
            Self::G2Msm => "BLS12_G2MSM",
            Self::PairingCheck => "BLS12_PAIRING_CHECK",
            Self::MapFpToG1 => "BLS12_MAP_FP_TO_G1",
            Self::MapFp2ToG2 => "BLS12_MAP_FP2_TO_G2",
        }
    }

    /// Returns the contract's address: 0x0b to 0x11.
    pub const fn address(self) -> u8 {
        0x0b + self as u8
    }

    /// Computes the contract's output. Uses the best code path of this process.
    pub fn run(self, input: &[u8]) -> Result<Vec<u8>, Failure> {
        self.run_on(Isa::best(), input)
    }

    fn run_on(self, isa: Isa, input: &[u8]) -> Result<Vec<u8>, Failure> {
        match self {
            Self::G1Add => add::<G1>(input),
            Self::G1Msm => multiples::<G1>(isa, input),
            Self::G2Add => add::<G2>(input),
            Self::G2Msm => multiples::<G2>(isa, input),
            Self::PairingCheck => {
                let pairs = pairs(input)?;
                let product = deep(|| product::<Bls12381>(isa, &pairs));
                Ok(checked(product == Fp12::ONE))
            }
            Self::MapFpToG1 => map::<G1>(input),
            Self::MapFp2ToG2 => map::<G2>(input),
        }
    }

    /// Computes the output with pairings on another device. The outer error is a failure of the device. Uses the code path `isa`.
    pub fn run_with(
        self,
        pairings: &Pairings,
        input: &[u8],
    ) -> crate::Result<Result<Vec<u8>, Failure>> {
        if self != Self::PairingCheck {
            return Ok(self.run_on(pairings.isa(), input));
        }
        let pairs = match pairs(input) {
            Ok(pairs) => pairs,
            Err(failure) => return Ok(Err(failure)),
        };
        let product = pairings.product::<Bls12381>(&pairs)?;
        Ok(Ok(checked(product == Fp12::ONE)))
    }
}

/// A coordinate in the padded encoding of the contracts.
trait Padded: Coordinate {
    /// Bytes of a padded coordinate.
    const PADDED: usize;

    fn read(bytes: &[u8]) -> Result<Self, Failure>;

    fn write(&self, to: &mut Vec<u8>);
}

impl Padded for Fp {
    const PADDED: usize = NUMBER;

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let (padding, number) = bytes.split_at(PADDING);
        if padding.iter().any(|byte| *byte != 0) {
            return Err(Failure::Padding);
        }
        Self::from_be_bytes(number).map_err(|_| Failure::NotReduced)
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&[0; PADDING]);
        to.extend_from_slice(&self.to_be_bytes());
    }
}

impl Padded for Fp2 {
    const PADDED: usize = 2 * NUMBER;

    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let (c0, c1) = bytes.split_at(NUMBER);
        Ok(Self::new(Fp::read(c0)?, Fp::read(c1)?))
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.c0.write(to);
        self.c1.write(to);
    }
}

/// Returns the number of bytes of a point.
const fn point_bytes<C: Curve<Base: Padded>>() -> usize {
    2 * C::Base::PADDED
}

/// Decodes a point of the curve.
fn point<C: Curve<Base: Padded>>(bytes: &[u8]) -> Result<Affine<C>, Failure> {
    let (x, y) = bytes.split_at(C::Base::PADDED);
    let point = Affine::new(C::Base::read(x)?, C::Base::read(y)?);
    Option::from(point).ok_or(Failure::NotOnCurve)
}

/// Decodes a point of the subgroup.
fn in_subgroup<C: Curve<Base: Padded>>(bytes: &[u8]) -> Result<Affine<C>, Failure> {
    let point = point::<C>(bytes)?;
    if point.is_in_subgroup().into() { Ok(point) } else { Err(Failure::NotInSubgroup) }
}

fn written<C: Curve<Base: Padded>>(point: impl Into<Affine<C>>) -> Vec<u8> {
    let (point, mut bytes) = (point.into(), Vec::with_capacity(point_bytes::<C>()));
    point.x().write(&mut bytes);
    point.y().write(&mut bytes);
    bytes
}

/// Splits the input into items.
fn items(input: &[u8], bytes: usize) -> Result<impl Iterator<Item = &[u8]>, Failure> {
    if input.is_empty() || !input.len().is_multiple_of(bytes) {
        return Err(Failure::Length);
    }
    Ok(input.chunks_exact(bytes))
}

fn add<C: Curve<Base: Padded>>(input: &[u8]) -> Result<Vec<u8>, Failure> {
    if input.len() != 2 * point_bytes::<C>() {
        return Err(Failure::Length);
    }
    let (p, q) = input.split_at(point_bytes::<C>());
    let (p, q) = (point::<C>(p)?, point::<C>(q)?);
    Ok(written::<C>(Projective::from(p) + q))
}

fn multiples<C: Group<Base: Padded>>(isa: Isa, input: &[u8]) -> Result<Vec<u8>, Failure> {
    let (mut points, mut scalars) = (vec![], vec![]);
    for item in items(input, point_bytes::<C>() + SCALAR)? {
        let (point, scalar) = item.split_at(point_bytes::<C>());
        points.push(in_subgroup::<C>(point)?);
        scalars.push(reduced::<C>(scalar));
    }
    let sum = affine_sum_vartime::<C>(isa, &points, &scalars);
    Ok(written::<C>(sum.expect("scalars are below r")))
}

/// Reduces a scalar modulo r, the order of the subgroup, and returns it little-endian.
fn reduced<C: Curve>(scalar: &[u8]) -> [u8; msm::SCALAR_BYTES] {
    let mut wide = [0; 64];
    wide.iter_mut().zip(scalar.iter().rev()).for_each(|(to, from)| *to = *from);
    let scalar = C::Scalar::reduce_wide_le(&wide).to_le_bytes();
    scalar.as_ref().try_into().expect("32 bytes")
}

fn pairs(input: &[u8]) -> Result<Vec<Pair<Bls12381>>, Failure> {
    let mut pairs = vec![];
    for item in items(input, point_bytes::<G1>() + point_bytes::<G2>())? {
        let (p, q) = item.split_at(point_bytes::<G1>());
        pairs.push((in_subgroup::<G1>(p)?, in_subgroup::<G2>(q)?));
    }
    Ok(pairs)
}

/// Encodes the output of the pairing check.
fn checked(is_one: bool) -> Vec<u8> {
    let mut output = vec![0; SCALAR];
    output[SCALAR - 1] = is_one.into();
    output
}

fn map<C: Mapped<Base: Padded>>(input: &[u8]) -> Result<Vec<u8>, Failure> {
    if input.len() != C::Base::PADDED {
        return Err(Failure::Length);
    }
    let point = map_to_curve_vartime::<C>(C::Base::read(input)?);
    Ok(written::<C>(C::clear_cofactor(&point.into())))
}
