//! The signatures of one curve: decoded, and checked by one sum.

use std::ops::Neg;

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_op::process::{parallel, parallel_map};
use proofmill_proof::{bisection, halves};

use super::Signature;
use super::scheme::{Scheme, challenge, scalar};
use crate::Result;

/// The fewest signatures for which a thread computes a sum of its own.
const LEAST: usize = 64;

/// A well-formed signature.
struct Claim<S: Scheme> {
    /// The signature's index among all.
    index: usize,
    /// The number of the base.
    base: usize,
    key: S::Point,
    r: S::Point,
    s: S::Scalar,
    challenge: S::Scalar,
}

/// Returns the indices of the invalid signatures of this curve, in any order.
pub fn find_invalid_of<S: Scheme>(signatures: &[Signature], isa: Isa) -> Result<Vec<usize>> {
    let of_curve: Vec<_> = (0..signatures.len())
        .filter_map(|index| {
            let base = S::KINDS.iter().position(|kind| *kind == signatures[index].kind)?;
            Some((index, base))
        })
        .collect();
    if of_curve.is_empty() {
        return Ok(vec![]);
    }
    let each = halves::each(&of_curve, |places| claims_of_each::<S>(isa, signatures, places));
    let (mut claims, mut invalid) = (vec![], vec![]);
    for (claim, (index, _)) in each.into_iter().zip(of_curve) {
        match claim {
            Some(claim) => claims.push(claim),
            None => invalid.push(index),
        }
    }
    let bases = S::decode_each(isa, &S::BASES);
    let bases: Vec<_> = bases.into_iter().map(|base| base.expect("an encoding")).collect();
    let wrong = bisection::find_invalid(claims.len(), |some| hold(isa, &bases, &claims[some]))?;
    invalid.extend(wrong.into_iter().map(|at| claims[at].index));
    Ok(invalid)
}

/// Decodes the signatures with these indices and bases; none for a malformed one.
fn claims_of_each<S: Scheme>(
    isa: Isa,
    signatures: &[Signature],
    places: &[(usize, usize)],
) -> Vec<Option<Claim<S>>> {
    let each = || places.iter().map(|(index, _)| &signatures[*index]);
    let keys = each().map(|signature| signature.key);
    let encodings: Vec<_> = keys.chain(each().map(|signature| *halves_of(signature)[0])).collect();
    let points = S::decode_each(isa, &encodings);
    let (keys, rs) = points.split_at(places.len());
    let claim = |i: usize| {
        let (index, base) = places[i];
        let signature = &signatures[index];
        let s = S::Scalar::from_le_bytes(halves_of(signature)[1]).ok()?;
        Some(Claim {
            index,
            base,
            key: keys[i]?,
            r: rs[i]?,
            s,
            challenge: challenge::<S>(signature),
        })
    };
    (0..places.len()).map(claim).collect()
}

/// R and S.
fn halves_of(signature: &Signature) -> [&[u8; 32]; 2] {
    let (halves, _) = signature.signature.as_chunks();
    [&halves[0], &halves[1]]
}

/// Returns whether all claims are true.
fn hold<S: Scheme>(
    isa: Isa,
    bases: &[S::Point],
    claims: &[Claim<S>],
) -> proofmill_proof::Result<bool> {
    let numbers = halves::random_numbers(claims.len())?;
    // The least integer has no negative.
    let factors: Vec<_> =
        numbers.into_iter().map(|bytes| i128::from_le_bytes(bytes).max(-i128::MAX)).collect();
    let of_bases = coefficients(claims, &factors);
    let of_bases: Vec<_> = bases.iter().copied().zip(of_bases).collect();
    let threads = parallel(rayon::current_num_threads);
    let at_a_time = claims.len().div_ceil(threads).max(LEAST);
    let parts: Vec<_> = claims.chunks(at_a_time).zip(factors.chunks(at_a_time)).collect();
    let sums = parallel_map(parts.len(), &|i| {
        let (claims, factors) = parts[i];
        let each = || claims.iter().zip(factors);
        let keys = each().map(|(claim, z)| (claim.key, scalar::<S::Scalar>(*z) * claim.challenge));
        let long: Vec<_> = of_bases.iter().copied().filter(|_| i == 0).chain(keys).collect();
        let short: Vec<_> = each().map(|(claim, z)| (claim.r, *z)).collect();
        S::sum(isa, &long, &short)
    });
    Ok(S::is_small_order(sums))
}

/// The factors of the bases: minus the sum of z S over the claims of each.
fn coefficients<S: Scheme>(claims: &[Claim<S>], factors: &[i128]) -> [S::Scalar; 2] {
    let mut sums = [S::Scalar::ZERO; 2];
    for (claim, z) in claims.iter().zip(factors) {
        sums[claim.base] += scalar::<S::Scalar>(*z) * claim.s;
    }
    sums.map(Neg::neg)
}
