//! ECDSA verification (SEC 1 version 2.0, section 4.1.4) from the digest on.
//!
//! For a digest z, a signature (r, s) and a key Q: u1 = z / s and u2 = r / s modulo n, R = u1 G + u2 Q, and the
//! signature is good if R is not the identity and its x is r modulo n. That comparison needs no affine R: x is below p
//! and n < p < 2 n, so x is r, or r + n where that is below p.

use super::Fn;
use crate::Isa;
use crate::field::spec::{secp256k1_fn::MODULUS as N, secp256k1_fp::MODULUS as P};
use crate::field::{Field, PrimeField, batch_invert, limbs};
use crate::lanes::{self, AnyMachine, WIDTH};
use eight::{EightClaims, Outcome, Prepared};

mod digits;
mod eight;
mod generator;
mod one;
mod point;

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

/// The verdict on a claim.
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

impl Claim {
    /// r + n, the other x that is r modulo n; none if that is not below p.
    fn other_x(&self) -> Option<[u64; 4]> {
        let (sum, carry) = limbs::add(&self.r, &N);
        (carry == 0 && limbs::below(&sum, &P) == 1).then_some(sum)
    }

    /// The verdict if a number is out of range.
    fn out_of_range(&self) -> Option<Verdict> {
        let scalar = |x: &[u64; 4]| *x != [0; 4] && limbs::below(x, &N) == 1;
        let (r, s) = (!scalar(&self.r), !scalar(&self.s));
        let key = [&self.qx, &self.qy].iter().any(|x| limbs::below(x, &P) == 0);
        (r || s || key).then_some(Verdict::OutOfRange { r, s, key })
    }
}

/// Verifies claims. There are as many verdicts as claims; anything else is a bug of the caller.
pub fn verify_batch_vartime(isa: Isa, claims: &[Claim], verdicts: &mut [Verdict]) {
    assert_eq!(claims.len(), verdicts.len(), "a verdict a claim");
    let mut places = Vec::with_capacity(claims.len());
    for (place, (claim, verdict)) in claims.iter().zip(&mut *verdicts).enumerate() {
        match claim.out_of_range() {
            Some(wrong) => *verdict = wrong,
            None => places.push(place),
        }
    }
    let mut inverses: Vec<Fn> = places.iter().map(|&place| Fn::reduced(claims[place].s)).collect();
    batch_invert(&mut inverses, |product| product.invert_vartime().expect("no s is 0"));
    for (places, inverses) in places.chunks(WIDTH).zip(inverses.chunks(WIDTH)) {
        // Eight take less time than two one by one.
        if let Some(lanes) = isa.machine()
            && places.len() > 1
        {
            verify_eight(lanes, claims, places, inverses, verdicts);
            continue;
        }
        for (&place, inverse) in places.iter().zip(inverses) {
            verdicts[place] = verify_one(&claims[place], inverse);
        }
    }
}

/// The verdicts on up to eight claims whose numbers are in range, with 1 / s of each.
fn verify_eight(
    lanes: AnyMachine,
    claims: &[Claim],
    places: &[usize],
    inverses: &[Fn],
    verdicts: &mut [Verdict],
) {
    // Lanes without a claim do what the last one does.
    let eight = std::array::from_fn(|lane| {
        let lane = lane.min(places.len() - 1);
        Prepared::new(&claims[places[lane]], &inverses[lane])
    });
    let outcome = lanes::choose(lanes, EightClaims(eight));
    for (lane, (&place, inverse)) in places.iter().zip(inverses).enumerate() {
        verdicts[place] =
            verdict(&outcome, lane).unwrap_or_else(|| verify_one(&claims[place], inverse));
    }
}

/// The verdict of a lane; none if it is an exceptional one.
fn verdict(outcome: &Outcome, lane: usize) -> Option<Verdict> {
    let is = |mask: lanes::Mask| mask >> lane & 1 == 1;
    if !is(outcome.on_curve) {
        Some(Verdict::NotOnCurve)
    } else if is(outcome.exceptional) {
        None
    } else {
        Some(if is(outcome.matching) { Verdict::Valid } else { Verdict::Mismatch })
    }
}

/// Verifies a claim. The time depends on all of it.
pub fn verify_vartime(claim: &Claim) -> Verdict {
    if let Some(wrong) = claim.out_of_range() {
        return wrong;
    }
    let inverse = Fn::reduced(claim.s).invert_vartime().expect("s is not 0");
    verify_one(claim, &inverse)
}

/// The verdict on a claim whose numbers are in range, with 1 / s.
fn verify_one(claim: &Claim, inverse: &Fn) -> Verdict {
    if !one::is_on_curve(claim) {
        return Verdict::NotOnCurve;
    }
    let [u1, u2] = [claim.z, claim.r].map(|x| (Fn::reduced(x) * inverse).to_canonical());
    match one::multiple(claim, &u1, &u2) {
        None => Verdict::Identity,
        Some(sum) if sum.has_x(&claim.r) => Verdict::Valid,
        Some(sum) if claim.other_x().is_some_and(|x| sum.has_x(&x)) => Verdict::Valid,
        Some(_) => Verdict::Mismatch,
    }
}

#[cfg(test)]
mod tests;
