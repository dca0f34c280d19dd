//! ECDSA verification (SEC 1 version 2.0, section 4.1.4) from the digest on.
//!
//! For a digest z, a signature (r, s) and a key Q: u1 = z / s and u2 = r / s modulo n, R = u1 G + u2 Q, and the
//! signature is good if R is not the identity and its x is r modulo n. That comparison needs no affine R: x is below p
//! and n < p < 2 n, so x is r, or r + n where that is below p.

use super::{Fn, Fp, Secp256k1};
use crate::curve::{Affine, Curve, Projective};
use crate::field::{Field, PrimeField};

/// That (r, s) is a signature of z under the key (qx, qy): five integers of 256 bits, any values, lowest limb first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// s of the signature.
    pub s: [u64; 4],
    /// r of the signature.
    pub r: [u64; 4],
    /// The digest; it counts modulo n.
    pub z: [u64; 4],
    /// x coordinate of the key.
    pub qx: [u64; 4],
    /// y coordinate of the key.
    pub qy: [u64; 4],
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    #[default]
    Valid,
    /// Some of these are wrong: r or s is 0 or not below n, or a coordinate of the key is not below p. Nothing else was
    /// looked at.
    OutOfRange {
        /// r is 0 or not below n.
        r: bool,
        /// s is 0 or not below n.
        s: bool,
        /// A coordinate is not below p.
        key: bool,
    },
    /// The key is not on the curve.
    NotOnCurve,
    /// R is the identity.
    Identity,
    /// The x of R is not r modulo n.
    Mismatch,
}

/// Is the claim true? The time depends on all of it.
pub fn verify_vartime(claim: &Claim) -> Verdict {
    let [r, s] = [claim.r, claim.s].map(nonzero_scalar);
    let [qx, qy] = [claim.qx, claim.qy].map(|x| Option::<Fp>::from(Fp::from_canonical(x)));
    let (Some(r), Some(s), Some(qx), Some(qy)) = (r, s, qx, qy) else {
        let key = qx.is_none() || qy.is_none();
        return Verdict::OutOfRange { r: r.is_none(), s: s.is_none(), key };
    };
    if qy.square() != qx.square() * qx + Secp256k1::B {
        return Verdict::NotOnCurve;
    }
    let inverse = s.invert_vartime().expect("s is not 0");
    let (u1, u2) = (reduced(&claim.z) * inverse, r * inverse);
    let generator = Projective::from(Secp256k1::GENERATOR).times_vartime(&u1);
    let sum = generator + Projective::from(Affine::new_unchecked(qx, qy)).times_vartime(&u2);
    if bool::from(sum.is_identity()) {
        return Verdict::Identity;
    }
    let x = Affine::from(sum).x();
    if reduced(&x.to_canonical()) == r { Verdict::Valid } else { Verdict::Mismatch }
}

/// The scalar that an integer is; none if it is 0 or not below n.
fn nonzero_scalar(integer: [u64; 4]) -> Option<Fn> {
    Option::from(Fn::from_canonical(integer)).filter(|scalar| *scalar != Fn::ZERO)
}

/// Any integer modulo n.
fn reduced(integer: &[u64; 4]) -> Fn {
    let mut bytes = [0; 64];
    for (bytes, limb) in bytes.chunks_exact_mut(8).zip(integer) {
        bytes.copy_from_slice(&limb.to_le_bytes());
    }
    Fn::reduce_wide_le(&bytes)
}
