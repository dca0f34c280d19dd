//! Keys and signatures: points of either group, validated when they are decoded.

use proofmill_algebra::Isa;
use proofmill_algebra::batch::{Batched, Roots};
use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::EncodingError;
use proofmill_algebra::encoding::zcash::{
    Zcash, decode_compressed, decode_each_compressed, encode_compressed,
};

use super::Variant;
use crate::{Error, Result, halves};

/// A public key: a point of the subgroup other than the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(pub(super) Point);

/// A signature, or the sum of several: a point of the subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub(super) Point);

/// Returns the error of an invalid point.
fn is(argument: &'static str, problem: EncodingError) -> Error {
    Error::argument(argument, format!("is {problem}"))
}

/// A point of one of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    G1(Affine<G1>),
    G2(Affine<G2>),
}

impl PublicKey {
    /// Decodes the compressed form. An error names the argument `public key`.
    pub fn from_bytes(variant: Variant, bytes: &[u8]) -> Result<Self> {
        Self::of(match variant {
            Variant::MinPk => Point::one("public key", bytes, Point::G1)?,
            Variant::MinSig => Point::one("public key", bytes, Point::G2)?,
        })
    }

    /// Decodes several keys, as [`Signature::each_from_bytes`] does.
    pub fn each_from_bytes(isa: Isa, variant: Variant, keys: &[&[u8]]) -> Vec<Result<Self>> {
        let points = match variant {
            Variant::MinPk => Point::each(isa, "public key", keys, Point::G1),
            Variant::MinSig => Point::each(isa, "public key", keys, Point::G2),
        };
        points.into_iter().map(|point| Self::of(point?)).collect()
    }

    /// Wraps a point other than the identity.
    fn of(point: Point) -> Result<Self> {
        if point.is_identity() {
            return Err(Error::argument("public key", "is the identity"));
        }
        Ok(Self(point))
    }

    /// Encodes the compressed form.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    /// Adds keys. The sum may be the identity.
    pub(super) fn aggregate(keys: &[&Self]) -> Result<Self> {
        let points: Vec<_> = keys.iter().map(|key| key.0).collect();
        Point::sum("public keys", &points).map(Self)
    }

    /// Returns the group of the key.
    pub fn variant(&self) -> Variant {
        match self.0 {
            Point::G1(_) => Variant::MinPk,
            Point::G2(_) => Variant::MinSig,
        }
    }
}

impl Signature {
    /// Decodes the compressed form. An error names the argument `signature`.
    pub fn from_bytes(variant: Variant, bytes: &[u8]) -> Result<Self> {
        Ok(Self(match variant {
            Variant::MinPk => Point::one("signature", bytes, Point::G2)?,
            Variant::MinSig => Point::one("signature", bytes, Point::G1)?,
        }))
    }

    /// Decodes several signatures at once, which is faster than one by one. Runs in the caller's rayon pool. Uses the code path `isa`.
    pub fn each_from_bytes(isa: Isa, variant: Variant, signatures: &[&[u8]]) -> Vec<Result<Self>> {
        let points = match variant {
            Variant::MinPk => Point::each(isa, "signature", signatures, Point::G2),
            Variant::MinSig => Point::each(isa, "signature", signatures, Point::G1),
        };
        points.into_iter().map(|point| point.map(Self)).collect()
    }

    /// Encodes the compressed form.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    /// Returns the variant.
    pub fn variant(&self) -> Variant {
        match self.0 {
            Point::G1(_) => Variant::MinSig,
            Point::G2(_) => Variant::MinPk,
        }
    }

    /// Aggregates signatures: returns their sum. Returns an error for an empty list and for different variants.
    pub fn aggregate(signatures: &[Self]) -> Result<Self> {
        let points: Vec<_> = signatures.iter().map(|signature| signature.0).collect();
        Point::sum("signatures", &points).map(Self)
    }
}

impl Point {
    /// Decodes one point.
    fn one<C: Zcash>(
        argument: &'static str,
        bytes: &[u8],
        of: fn(Affine<C>) -> Self,
    ) -> Result<Self> {
        decode_compressed(bytes).map(of).map_err(|problem| is(argument, problem))
    }

    /// Decodes several points.
    fn each<C: Zcash<Base: Roots> + Batched>(
        isa: Isa,
        argument: &'static str,
        bytes: &[&[u8]],
        of: fn(Affine<C>) -> Self,
    ) -> Vec<Result<Self>> {
        let points = halves::each(bytes, |bytes| decode_each_compressed(isa, bytes));
        let points = points.into_iter();
        points.map(|point| point.map(of).map_err(|problem| is(argument, problem))).collect()
    }

    /// Adds one or more points of one group.
    fn sum(argument: &'static str, points: &[Self]) -> Result<Self> {
        let (mut g1, mut g2) = (Projective::<G1>::IDENTITY, Projective::<G2>::IDENTITY);
        for point in points {
            match point {
                Self::G1(point) => g1 += *point,
                Self::G2(point) => g2 += *point,
            }
        }
        let in_g1 = points.iter().filter(|point| matches!(point, Self::G1(_))).count();
        match (in_g1, points.len()) {
            (_, 0) => Err(Error::argument(argument, "are none")),
            (0, _) => Ok(Self::G2(g2.into())),
            (some, all) if some == all => Ok(Self::G1(g1.into())),
            _ => Err(Error::argument(argument, "are of different variants")),
        }
    }

    pub(super) fn is_identity(&self) -> bool {
        match self {
            Self::G1(point) => point.is_identity().into(),
            Self::G2(point) => point.is_identity().into(),
        }
    }

    fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::G1(point) => encode_compressed(&point).to_vec(),
            Self::G2(point) => encode_compressed(&point).to_vec(),
        }
    }
}
