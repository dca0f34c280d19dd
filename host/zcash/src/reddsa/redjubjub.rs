//! RedJubjub: RedDSA on Jubjub, for Sapling.

use proofmill_algebra::Isa;
use proofmill_algebra::encoding::jubjub as encoding;
use proofmill_algebra::jubjub::{Affine, Extended, Fr, sum_vartime};

use super::SignatureKind;
use super::scheme::{Scheme, scalar};

pub struct RedJubjub;

impl Scheme for RedJubjub {
    const KINDS: [SignatureKind; 2] =
        [SignatureKind::SaplingSpendAuth, SignatureKind::SaplingBinding];

    /// FindGroupHash("Zcash_G_", "") and FindGroupHash("Zcash_cv", "r"): sections 5.4.7.1 and 5.4.8.3.
    const BASES: [[u8; 32]; 2] = [
        [
            0x30, 0xb5, 0xf2, 0xaa, 0xad, 0x32, 0x56, 0x30, 0xbc, 0xdd, 0xdb, 0xce, 0x4d, 0x67,
            0x65, 0x6d, 0x05, 0xfd, 0x1c, 0xc2, 0xd0, 0x37, 0xbb, 0x53, 0x75, 0xb6, 0xe9, 0x6d,
            0x9e, 0x01, 0xa1, 0xd7,
        ],
        [
            0x8b, 0x6a, 0x0b, 0x38, 0xb9, 0xfa, 0xae, 0x3c, 0x3b, 0x80, 0x3b, 0x47, 0xb0, 0xf1,
            0x46, 0xad, 0x50, 0xab, 0x22, 0x1e, 0x6e, 0x2a, 0xfb, 0xe6, 0xdb, 0xde, 0x45, 0xcb,
            0xa9, 0xd3, 0x81, 0xed,
        ],
    ];

    const PERSONALIZATION: &'static [u8; 16] = b"Zcash_RedJubjubH";

    type Scalar = Fr;
    type Point = Affine;
    type Sum = Extended;

    fn decode_each(isa: Isa, encodings: &[[u8; 32]]) -> Vec<Option<Affine>> {
        encoding::decode_each(isa, encodings).into_iter().map(Result::ok).collect()
    }

    /// A negative factor becomes a positive one of the negative point, which is short.
    fn sum(_: Isa, long: &[(Affine, Fr)], short: &[(Affine, i128)]) -> Extended {
        let short = short.iter().map(|(point, factor)| {
            let point = if *factor < 0 { -*point } else { *point };
            (point, scalar(factor.abs()))
        });
        let (points, scalars): (Vec<_>, Vec<_>) = long.iter().copied().chain(short).unzip();
        sum_vartime(&points, &scalars)
    }

    fn is_small_order(sums: Vec<Extended>) -> bool {
        let total = sums.into_iter().fold(Extended::IDENTITY, |total, sum| total + sum);
        total.is_small_order()
    }
}
