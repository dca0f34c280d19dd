//! RedPallas: RedDSA on Pallas, for Orchard. The order of Pallas is prime, so the cofactor is 1.

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pasta;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::{affine_sum_vartime, short_sum_vartime, stored};
use proofmill_algebra::pallas::{Fr, G1};

use super::SignatureKind;
use super::scheme::Scheme;

pub struct RedPallas;

/// Bits of the short factors' magnitude.
const SHORT_BITS: u32 = 127;

impl Scheme for RedPallas {
    const KINDS: [SignatureKind; 2] =
        [SignatureKind::OrchardSpendAuth, SignatureKind::OrchardBinding];

    /// GroupHash("z.cash:Orchard", "G") and GroupHash("z.cash:Orchard-cv", "r"): sections 5.4.7.1 and 5.4.8.3.
    const BASES: [[u8; 32]; 2] = [
        [
            0x63, 0xc9, 0x75, 0xb8, 0x84, 0x72, 0x1a, 0x8d, 0x0c, 0xa1, 0x70, 0x7b, 0xe3, 0x0c,
            0x7f, 0x0c, 0x5f, 0x44, 0x5f, 0x3e, 0x7c, 0x18, 0x8d, 0x3b, 0x06, 0xd6, 0xf1, 0x28,
            0xb3, 0x23, 0x55, 0xb7,
        ],
        [
            0x91, 0x5a, 0x3c, 0x88, 0x68, 0xc6, 0xc3, 0x0e, 0x2f, 0x80, 0x90, 0xee, 0x45, 0xd7,
            0x6e, 0x40, 0x48, 0x20, 0x8d, 0xea, 0x5b, 0x23, 0x66, 0x4f, 0xbb, 0x09, 0xa4, 0x0f,
            0x55, 0x44, 0xf4, 0x07,
        ],
    ];

    const PERSONALIZATION: &'static [u8; 16] = b"Zcash_RedPallasH";

    type Scalar = Fr;
    type Point = Affine<G1>;
    type Sum = Projective<G1>;

    fn decode_each(isa: Isa, encodings: &[[u8; 32]]) -> Vec<Option<Affine<G1>>> {
        pasta::decode_each(isa, encodings).into_iter().map(Result::ok).collect()
    }

    fn sum(isa: Isa, long: &[(Affine<G1>, Fr)], short: &[(Affine<G1>, i128)]) -> Projective<G1> {
        let (points, scalars): (Vec<_>, Vec<_>) =
            long.iter().map(|(point, k)| (*point, k.to_le_bytes())).unzip();
        let long = affine_sum_vartime(isa, &points, &scalars).expect("scalars are below r");
        let (points, factors): (Vec<_>, Vec<_>) = short.iter().copied().unzip();
        long + short_sum_vartime(isa, &stored(isa, &points), &factors, SHORT_BITS)
    }

    fn is_small_order(sums: Vec<Projective<G1>>) -> bool {
        let total = sums.into_iter().fold(Projective::IDENTITY, |total, sum| total + sum);
        total.is_identity().into()
    }
}
