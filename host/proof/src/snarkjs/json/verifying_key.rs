//! `verification_key.json`.

use std::path::Path;

use proofmill_algebra::Isa;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::pairing::{Bls12381, Bn254, Pairing, pairing};
use proofmill_algebra::tower::{Fp6, Tower};
use proofmill_op::msm::Curve;
use proofmill_op::process::parallel;
use rayon::prelude::*;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document::{self, Document, Text};
use super::point::{G1, G2, g1, g1_text, g2, g2_text, not_identity};
use super::{PROTOCOL, facts, number};
use crate::deep::deep;
use crate::groth16::VerifyingKey;
use crate::{Error, Result};

/// Maximum bytes of a file: 200,000 public inputs.
pub const MAX_BYTES: usize = 1 << 26;

/// The fields that are read.
#[derive(Serialize, Deserialize)]
#[expect(non_snake_case, reason = "the file's word")]
struct Points<T, W> {
    protocol: W,
    curve: W,
    nPublic: u32,
    vk_alpha_1: G1<T>,
    vk_beta_2: G2<T>,
    vk_gamma_2: G2<T>,
    vk_delta_2: G2<T>,
    IC: Vec<G1<T>>,
}

/// An element of Fp12: two elements of Fp6 with three of Fp2 each, from the coefficient of 1 on.
type Fp12Text = [[[String; 2]; 3]; 2];

/// The fields that are written, in snarkjs's order.
#[derive(Serialize)]
#[expect(non_snake_case, reason = "the file's word")]
struct Written {
    protocol: &'static str,
    curve: &'static str,
    nPublic: u32,
    vk_alpha_1: G1<String>,
    vk_beta_2: G2<String>,
    vk_gamma_2: G2<String>,
    vk_delta_2: G2<String>,
    vk_alphabeta_12: Fp12Text,
    IC: Vec<G1<String>>,
}

/// Reads a file.
pub fn open(path: impl AsRef<Path>) -> Result<VerifyingKey> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes)
}

/// Reads bytes, under a name for errors. All points are points of their groups, and alpha, beta, gamma and delta are not
/// the identity. The pairing of alpha and beta, which follows from them, is not read.
pub fn parse(name: &str, bytes: &[u8]) -> Result<VerifyingKey> {
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let file: Points<Text<'_>, Option<Text<'_>>> = document.parse()?;
    let facts = document.facts(PROTOCOL, file.protocol, file.curve)?;
    if file.IC.len() as u64 != u64::from(file.nPublic) + 1 {
        let problem = format!("{} points for {} public values and 1", file.IC.len(), file.nPublic);
        return Err(document.wrong_at_end("IC", problem).into());
    }
    let in_g1 = |path, texts: &G1<Text<'_>>| {
        not_identity(&document, path, g1(&document, facts, path, texts)?, texts)
    };
    let in_g2 = |path, texts: &G2<Text<'_>>| {
        not_identity(&document, path, g2(&document, facts, path, texts)?, texts.as_flattened())
    };
    let ic = file.IC.par_iter().enumerate();
    let ic = ic.map(|(i, texts)| g1(&document, facts, &format!("IC[{i}]"), texts));
    Ok(VerifyingKey {
        curve: facts.curve,
        alpha_g1: in_g1("vk_alpha_1", &file.vk_alpha_1)?,
        beta_g2: in_g2("vk_beta_2", &file.vk_beta_2)?,
        gamma_g2: in_g2("vk_gamma_2", &file.vk_gamma_2)?,
        delta_g2: in_g2("vk_delta_2", &file.vk_delta_2)?,
        ic: parallel(|| ic.collect::<Result<_>>())?,
    })
}

/// Formats the file of a key. Returns an error if the length of a point does not fit the curve, or alpha or beta is not in
/// its group. The pairing of alpha and beta takes the best code path of this process.
pub fn text(key: &VerifyingKey) -> Result<String> {
    let points = points(key)?;
    Ok(document::text(&Written {
        protocol: points.protocol,
        curve: points.curve,
        nPublic: points.nPublic,
        vk_alpha_1: points.vk_alpha_1,
        vk_beta_2: points.vk_beta_2,
        vk_gamma_2: points.vk_gamma_2,
        vk_delta_2: points.vk_delta_2,
        vk_alphabeta_12: match key.curve {
            Curve::Bn254 => alphabeta::<Bn254>(Isa::best(), key)?,
            Curve::Bls12_381 => alphabeta::<Bls12381>(Isa::best(), key)?,
            _ => unreachable!("refused above"),
        },
        IC: points.IC,
    }))
}

fn points(key: &VerifyingKey) -> Result<Points<String, &'static str>> {
    let facts = facts(key.curve)?;
    let too_many = |_| Error::argument("ic", format!("{} points", key.ic.len()));
    Ok(Points {
        protocol: PROTOCOL,
        curve: facts.word,
        nPublic: key.public_inputs().try_into().map_err(too_many)?,
        vk_alpha_1: g1_text(facts, "alpha_g1", &key.alpha_g1)?,
        vk_beta_2: g2_text(facts, "beta_g2", &key.beta_g2)?,
        vk_gamma_2: g2_text(facts, "gamma_g2", &key.gamma_g2)?,
        vk_delta_2: g2_text(facts, "delta_g2", &key.delta_g2)?,
        IC: key.ic.iter().map(|point| g1_text(facts, "ic", point)).collect::<Result<_>>()?,
    })
}

/// Serializes an object with the fields of snarkjs's file, without `vk_alphabeta_12`, which follows from them.
impl Serialize for VerifyingKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        points(self).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Checks everything that [`parse`] checks.
impl<'de> Deserialize<'de> for VerifyingKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let points = Points::<String, String>::deserialize(deserializer)?;
        parse("verifying key", document::text(&points).as_bytes()).map_err(D::Error::custom)
    }
}

/// Computes e(alpha, beta). snarkjs uses the same power of p^12 - 1 over r as [`proofmill_algebra::pairing`].
fn alphabeta<E: Pairing>(isa: Isa, key: &VerifyingKey) -> Result<Fp12Text> {
    let wrong = |argument| move |error| Error::argument(argument, format!("{error}"));
    let alpha = pair::decode::<E::G1>(&key.alpha_g1).map_err(wrong("alpha_g1"))?;
    let beta = pair::decode::<E::G2>(&key.beta_g2).map_err(wrong("beta_g2"))?;
    let value = deep(|| pairing::<E>(isa, &alpha, &beta));
    Ok([value.c0, value.c1].map(fp6_text))
}

fn fp6_text<T: Tower>(element: Fp6<T>) -> [[String; 2]; 3] {
    [element.c0, element.c1, element.c2].map(|coefficient| {
        [coefficient.c0, coefficient.c1].map(|number| {
            let mut bytes = vec![0; <T::Base as Coordinate>::BYTES];
            number.write_le(&mut bytes);
            self::number::text(&bytes)
        })
    })
}
