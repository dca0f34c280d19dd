//! The equations.

use std::collections::{HashMap, HashSet};

use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::{Fr, G1, G2};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::hash_to_curve::Mapped;
use proofmill_algebra::pairing::{Bls12381, Pair, final_exponentiation_on};
use proofmill_algebra::tower::Fp12;
use rayon::prelude::*;

use super::hash::hash_to_group;
use super::keys::Point;
use super::{PublicKey, Scheme, Signature, Variant, possession_tag};
use crate::{Error, Result, halves};

/// Is this the key's signature of the message? An error if they are of different variants.
pub fn verify(
    scheme: Scheme,
    key: &PublicKey,
    message: &[u8],
    signature: &Signature,
) -> Result<bool> {
    let tag = scheme.tag(key.variant());
    holds(&[(key, signed(scheme, key, message))], &tag, signature)
}

/// Is this the sum of a signature of each key for its message? Without keys it is not, nor, in the basic scheme, where two messages are equal.
pub fn aggregate_verify(
    scheme: Scheme,
    claims: &[(&PublicKey, &[u8])],
    signature: &Signature,
) -> Result<bool> {
    let Some((first, _)) = claims.first() else { return Ok(false) };
    let mut seen = HashSet::new();
    let differ = claims.iter().all(|(_, message)| seen.insert(message));
    if scheme == Scheme::Basic && !differ {
        return Ok(false);
    }
    let tag = scheme.tag(first.variant());
    let claims: Vec<_> =
        claims.iter().map(|(key, message)| (*key, signed(scheme, key, message))).collect();
    holds(&claims, &tag, signature)
}

/// Is this the sum of a signature of each key for the one message? Without keys it is not. Each key has to have proved possession: the scheme
/// is [`Scheme::ProofOfPossession`].
pub fn fast_aggregate_verify(
    keys: &[&PublicKey],
    message: &[u8],
    signature: &Signature,
) -> Result<bool> {
    let Some(first) = keys.first() else { return Ok(false) };
    let key = PublicKey::aggregate(keys)?;
    demand(first.variant(), first, signature)?;
    // The identity is no public key, were it a sum of some.
    if key.0.is_identity() {
        return Ok(false);
    }
    verify(Scheme::ProofOfPossession, &key, message, signature)
}

/// Is this the proof that somebody has the secret of the key?
pub fn pop_verify(key: &PublicKey, proof: &Signature) -> Result<bool> {
    holds(&[(key, key.to_bytes())], &possession_tag(key.variant()), proof)
}

/// Which of these signatures, each of one key and one message, are not valid, by their place, the first one first: none if all are. All
/// are checked by one equation with secret random factors, and its halves where it does not hold; signatures of the same message share a pairing.
/// Wrong ones pass with a chance of 2^-128 at most. Runs in the caller's rayon pool.
///
/// An error if they are of different variants, or if the system gives no random bytes.
pub fn find_invalid(
    scheme: Scheme,
    claims: &[(&PublicKey, &[u8], &Signature)],
) -> Result<Vec<usize>> {
    let Some((first, ..)) = claims.first() else { return Ok(vec![]) };
    for (key, _, signature) in claims {
        demand(first.variant(), key, signature)?;
    }
    match first.variant() {
        Variant::MinPk => invalid::<MinPk>(scheme, claims),
        Variant::MinSig => invalid::<MinSig>(scheme, claims),
    }
}

/// What a key signs.
fn signed(scheme: Scheme, key: &PublicKey, message: &[u8]) -> Vec<u8> {
    match scheme {
        Scheme::MessageAugmentation => [&key.to_bytes(), message].concat(),
        Scheme::Basic | Scheme::ProofOfPossession => message.to_vec(),
    }
}

fn demand(variant: Variant, key: &PublicKey, signature: &Signature) -> Result<()> {
    for (argument, found) in [("public key", key.variant()), ("signature", signature.variant())] {
        if found != variant {
            let problem = format!("is of {}, expected {}", found.name(), variant.name());
            return Err(Error::argument(argument, problem));
        }
    }
    Ok(())
}

/// The product of e(key, H(message)) over all claims, and that of the signature.
fn holds(claims: &[(&PublicKey, Vec<u8>)], tag: &str, signature: &Signature) -> Result<bool> {
    let variant = claims[0].0.variant();
    for (key, _) in claims {
        demand(variant, key, signature)?;
    }
    Ok(match variant {
        Variant::MinPk => all_hold::<MinPk>(claims, tag, signature),
        Variant::MinSig => all_hold::<MinSig>(claims, tag, signature),
    })
}

/// A variant: the groups of keys and signatures.
trait Sides: Sized {
    type Key: Mapped<Scalar = Fr>;
    type Signature: Mapped<Scalar = Fr>;

    fn key(key: &PublicKey) -> Affine<Self::Key>;
    fn signature(signature: &Signature) -> Affine<Self::Signature>;
    fn pair(key: Affine<Self::Key>, signature: Affine<Self::Signature>) -> Pair<Bls12381>;
}

struct MinPk;
struct MinSig;

const DEMANDED: &str = "variants were looked at";

impl Sides for MinPk {
    type Key = G1;
    type Signature = G2;

    fn key(key: &PublicKey) -> Affine<G1> {
        let Point::G1(point) = key.0 else { unreachable!("{DEMANDED}") };
        point
    }

    fn signature(signature: &Signature) -> Affine<G2> {
        let Point::G2(point) = signature.0 else { unreachable!("{DEMANDED}") };
        point
    }

    fn pair(key: Affine<G1>, signature: Affine<G2>) -> Pair<Bls12381> {
        (key, signature)
    }
}

impl Sides for MinSig {
    type Key = G2;
    type Signature = G1;

    fn key(key: &PublicKey) -> Affine<G2> {
        let Point::G2(point) = key.0 else { unreachable!("{DEMANDED}") };
        point
    }

    fn signature(signature: &Signature) -> Affine<G1> {
        let Point::G1(point) = signature.0 else { unreachable!("{DEMANDED}") };
        point
    }

    fn pair(key: Affine<G2>, signature: Affine<G1>) -> Pair<Bls12381> {
        (signature, key)
    }
}

fn all_hold<S: Sides>(claims: &[(&PublicKey, Vec<u8>)], tag: &str, signature: &Signature) -> bool {
    let keys = claims.iter().map(|(key, _)| Projective::from(S::key(key)));
    let messages = claims.iter().map(|(_, message)| &message[..]);
    is_one::<S>(by_message::<S>(keys.zip(messages)), tag, S::signature(signature))
}

/// The sum of keys for each message: equal messages are hashed once and share a pairing.
fn by_message<'a, S: Sides>(
    claims: impl Iterator<Item = (Projective<S::Key>, &'a [u8])>,
) -> Vec<(&'a [u8], Projective<S::Key>)> {
    let mut places = HashMap::new();
    let mut sums: Vec<(&[u8], Projective<S::Key>)> = vec![];
    for (key, message) in claims {
        let place = *places.entry(message).or_insert(sums.len());
        match sums.get_mut(place) {
            Some((_, sum)) => *sum += key,
            None => sums.push((message, key)),
        }
    }
    sums
}

/// Is the product of e(key, H(message)) that of e(generator, signature)?
fn is_one<S: Sides>(
    claims: Vec<(&[u8], Projective<S::Key>)>,
    tag: &str,
    signature: Affine<S::Signature>,
) -> bool {
    let isa = Isa::best();
    let keys: Vec<_> = claims.iter().map(|(_, key)| *key).collect();
    let keys = Affine::batch(&keys);
    let of_claim = |((message, _), key): (&(&[u8], _), &Affine<S::Key>)| {
        S::pair(*key, hash_to_group::<S::Signature>(message, tag.as_bytes()))
    };
    let mut pairs: Vec<_> = claims.par_iter().zip(&keys).map(of_claim).collect();
    pairs.push(S::pair(-S::Key::GENERATOR, signature));
    let lines = halves::miller_product::<Bls12381>(isa, &pairs);
    final_exponentiation_on::<Bls12381>(isa, lines) == Fp12::ONE
}

fn invalid<S: Sides>(
    scheme: Scheme,
    claims: &[(&PublicKey, &[u8], &Signature)],
) -> Result<Vec<usize>> {
    let tag = scheme.tag(claims[0].0.variant());
    let messages: Vec<_> =
        claims.iter().map(|(key, message, _)| signed(scheme, key, message)).collect();
    halves::find_invalid(claims.len(), |some| {
        let factors = halves::random_factors::<Fr>(some.len())?;
        let (claims, messages) = (&claims[some.clone()], &messages[some]);
        let multiples: Vec<_> = claims
            .par_iter()
            .zip(&factors)
            .map(|((key, _, signature), r)| {
                let key = Projective::from(S::key(key)).times_vartime(r);
                (key, Projective::from(S::signature(signature)).times_vartime(r))
            })
            .collect();
        let none = Projective::<S::Signature>::IDENTITY;
        let signature = multiples.iter().fold(none, |sum, (_, signature)| sum + *signature);
        let keys = multiples.iter().map(|(key, _)| *key);
        let claims = by_message::<S>(keys.zip(messages.iter().map(|message| &message[..])));
        Ok(is_one::<S>(claims, &tag, signature.into()))
    })
}
