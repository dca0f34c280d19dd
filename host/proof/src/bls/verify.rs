//! The verification equations.

use std::collections::{HashMap, HashSet};

use proofmill_algebra::Isa;
use proofmill_algebra::batch::{Batched, Factors};
use proofmill_algebra::bls12_381::{Fr, G1, G2};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::hash_to_curve::Mapped;
use proofmill_algebra::pairing::{Bls12381, Pair};
use proofmill_algebra::tower::Fp12;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::hash::hash_each_to_group;
use super::keys::Point;
use super::{PublicKey, Scheme, Signature, Variant, possession_tag};
use crate::{Error, Pairings, Result, bisection, halves};

/// Calls [`Verifier::verify`] on this processor.
pub fn verify(
    scheme: Scheme,
    key: &PublicKey,
    message: &[u8],
    signature: &Signature,
) -> Result<bool> {
    Verifier::default().verify(scheme, key, message, signature)
}

/// Calls [`Verifier::aggregate_verify`] on this processor.
pub fn aggregate_verify(
    scheme: Scheme,
    claims: &[(&PublicKey, &[u8])],
    signature: &Signature,
) -> Result<bool> {
    Verifier::default().aggregate_verify(scheme, claims, signature)
}

/// Calls [`Verifier::fast_aggregate_verify`] on this processor.
pub fn fast_aggregate_verify(
    keys: &[&PublicKey],
    message: &[u8],
    signature: &Signature,
) -> Result<bool> {
    Verifier::default().fast_aggregate_verify(keys, message, signature)
}

/// Calls [`Verifier::pop_verify`] on this processor.
pub fn pop_verify(key: &PublicKey, proof: &Signature) -> Result<bool> {
    Verifier::default().pop_verify(key, proof)
}

/// Calls [`Verifier::find_invalid`] on this processor.
pub fn find_invalid(
    scheme: Scheme,
    claims: &[(&PublicKey, &[u8], &Signature)],
) -> Result<Vec<usize>> {
    Verifier::default().find_invalid(scheme, claims)
}

/// A verifier whose pairings run on a processor or a device. A failure of the device is an error.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    /// The processor or device for pairings.
    pub pairings: Pairings,
}

impl Verifier {
    /// Returns whether this is the key's signature of the message. Returns an error if their variants differ.
    pub fn verify(
        &self,
        scheme: Scheme,
        key: &PublicKey,
        message: &[u8],
        signature: &Signature,
    ) -> Result<bool> {
        let tag = scheme.tag(key.variant());
        self.holds(&[(key, signed(scheme, key, message))], &tag, signature)
    }

    /// Returns whether this is the aggregate of one signature of each key for its message. Returns false without keys and, in the basic scheme, for equal messages.
    pub fn aggregate_verify(
        &self,
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
        self.holds(&claims, &tag, signature)
    }

    /// Returns whether this is the aggregate of one signature of each key for the same message. Returns false without keys. Each key must have proved
    /// possession: the scheme is [`Scheme::ProofOfPossession`].
    pub fn fast_aggregate_verify(
        &self,
        keys: &[&PublicKey],
        message: &[u8],
        signature: &Signature,
    ) -> Result<bool> {
        let Some(first) = keys.first() else { return Ok(false) };
        let key = PublicKey::aggregate(keys)?;
        demand(first.variant(), first, signature)?;
        // The identity is no public key, even as a sum of keys.
        if key.0.is_identity() {
            return Ok(false);
        }
        self.verify(Scheme::ProofOfPossession, &key, message, signature)
    }

    /// Returns whether this proves that the key's owner has the secret.
    pub fn pop_verify(&self, key: &PublicKey, proof: &Signature) -> Result<bool> {
        self.holds(&[(key, key.to_bytes())], &possession_tag(key.variant()), proof)
    }

    /// Returns the indices of the invalid signatures, each of one key and one message, in ascending order. One equation with secret random factors
    /// checks all of them; if it does not hold, its halves are checked. Signatures of the same message share a pairing. An invalid signature
    /// passes with a probability of at most 2^-128. Runs in the caller's rayon pool.
    ///
    /// Returns an error for different variants, or if the system returns no random bytes.
    pub fn find_invalid(
        &self,
        scheme: Scheme,
        claims: &[(&PublicKey, &[u8], &Signature)],
    ) -> Result<Vec<usize>> {
        let Some((first, ..)) = claims.first() else { return Ok(vec![]) };
        for (key, _, signature) in claims {
            demand(first.variant(), key, signature)?;
        }
        match first.variant() {
            Variant::MinPk => invalid::<MinPk>(&self.pairings, scheme, claims),
            Variant::MinSig => invalid::<MinSig>(&self.pairings, scheme, claims),
        }
    }

    /// Returns whether the product of e(key, H(message)) over all claims matches that of the signature.
    fn holds(
        &self,
        claims: &[(&PublicKey, Vec<u8>)],
        tag: &str,
        signature: &Signature,
    ) -> Result<bool> {
        let variant = claims[0].0.variant();
        for (key, _) in claims {
            demand(variant, key, signature)?;
        }
        match variant {
            Variant::MinPk => all_hold::<MinPk>(&self.pairings, claims, tag, signature),
            Variant::MinSig => all_hold::<MinSig>(&self.pairings, claims, tag, signature),
        }
    }
}

/// Returns the message that a key signs.
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

/// The groups of a variant's keys and signatures.
trait Sides: Sized {
    type Key: Batched<Scalar = Fr>;
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

fn all_hold<S: Sides>(
    pairings: &Pairings,
    claims: &[(&PublicKey, Vec<u8>)],
    tag: &str,
    signature: &Signature,
) -> Result<bool> {
    let groups = by_message(claims.iter().map(|(_, message)| &message[..]));
    let sum = |(_, places): &(_, Vec<usize>)| {
        let keys = places.iter().map(|&place| S::key(claims[place].0));
        keys.fold(Projective::IDENTITY, |sum, key| sum + key)
    };
    let keys = Affine::batch(&groups.iter().map(sum).collect::<Vec<_>>());
    let messages: Vec<_> = groups.iter().map(|(message, _)| *message).collect();
    is_one::<S>(pairings, &messages, &keys, tag, S::signature(signature))
}

/// Groups the claims by message. Returns their indices.
fn by_message<'a>(messages: impl Iterator<Item = &'a [u8]>) -> Vec<(&'a [u8], Vec<usize>)> {
    let mut numbers = HashMap::new();
    let mut groups: Vec<(&[u8], Vec<usize>)> = vec![];
    for (place, message) in messages.enumerate() {
        let number = *numbers.entry(message).or_insert(groups.len());
        match groups.get_mut(number) {
            Some((_, places)) => places.push(place),
            None => groups.push((message, vec![place])),
        }
    }
    groups
}

/// Returns whether the product of e(key, H(message)), with a different message for each key, equals e(generator, signature).
fn is_one<S: Sides>(
    pairings: &Pairings,
    messages: &[&[u8]],
    keys: &[Affine<S::Key>],
    tag: &str,
    signature: Affine<S::Signature>,
) -> Result<bool> {
    let hashed = hash_each_to_group::<S::Signature>(pairings.isa(), messages, tag.as_bytes());
    let mut pairs: Vec<_> =
        keys.iter().zip(hashed).map(|(key, hashed)| S::pair(*key, hashed)).collect();
    pairs.push(S::pair(-S::Key::GENERATOR, signature));
    Ok(pairings.product::<Bls12381>(&pairs)? == Fp12::ONE)
}

fn invalid<S: Sides>(
    pairings: &Pairings,
    scheme: Scheme,
    claims: &[(&PublicKey, &[u8], &Signature)],
) -> Result<Vec<usize>> {
    let tag = scheme.tag(claims[0].0.variant());
    let messages: Vec<_> =
        claims.iter().map(|(key, message, _)| signed(scheme, key, message)).collect();
    let keys: Vec<_> = claims.iter().map(|(key, ..)| S::key(key)).collect();
    let signatures: Vec<_> =
        claims.iter().map(|(_, _, signature)| S::signature(signature)).collect();
    bisection::find_invalid(claims.len(), |some| {
        let factors = halves::random_factors::<S::Key>(some.len())?;
        let groups = by_message(messages[some.clone()].iter().map(|message| &message[..]));
        let isa = pairings.isa();
        let keys = multiples_of_groups(isa, &factors, &keys[some.clone()], &groups);
        let signature = factors.sum_vartime(isa, &signatures[some]);
        let messages: Vec<_> = groups.iter().map(|(message, _)| *message).collect();
        is_one::<S>(pairings, &messages, &keys, &tag, signature.into())
    })
}

/// Returns the sum of the multiples of the keys of each message.
fn multiples_of_groups<C: Batched<Scalar = Fr>>(
    isa: Isa,
    factors: &Factors<Fr>,
    keys: &[Affine<C>],
    groups: &[(&[u8], Vec<usize>)],
) -> Vec<Affine<C>> {
    if groups.len() == keys.len() {
        let all: Vec<_> = (0..keys.len()).collect();
        return halves::each(&all, |places| {
            let keys: Vec<_> = places.iter().map(|&place| keys[place]).collect();
            factors.of(places).times_each_vartime(isa, &keys)
        });
    }
    let sum = |(_, places): &(_, Vec<usize>)| {
        let keys: Vec<_> = places.iter().map(|&place| keys[place]).collect();
        factors.of(places).sum_vartime(isa, &keys)
    };
    Affine::batch(&parallel(|| groups.par_iter().map(sum).collect::<Vec<_>>()))
}
