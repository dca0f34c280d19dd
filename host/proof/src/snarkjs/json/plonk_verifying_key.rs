//! `verification_key.json` of PLONK.

use std::path::Path;

use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
use proofmill_op::msm::Curve;
use serde::{Deserialize, Serialize};

use super::document::{self, Document, Text};
use super::point::{G1, G2, g1, g1_text, g2, g2_text, not_identity};
use super::{PLONK, facts, number};
use crate::error::counted;
use crate::groth16::quotient::root;
use crate::plonk::{Scalar, VerifyingKey};
use crate::snarkjs::curve::Facts;
use crate::{Error, Result};

/// Maximum bytes of a file: some dozen times those of a key.
pub const MAX_BYTES: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
#[expect(non_snake_case, reason = "the file's words")]
struct File<T, W> {
    protocol: W,
    curve: W,
    nPublic: u32,
    power: u32,
    k1: T,
    k2: T,
    Qm: G1<T>,
    Ql: G1<T>,
    Qr: G1<T>,
    Qo: G1<T>,
    Qc: G1<T>,
    S1: G1<T>,
    S2: G1<T>,
    S3: G1<T>,
    X_2: G2<T>,
    w: T,
}

/// Reads a file.
pub fn open(path: impl AsRef<Path>) -> Result<VerifyingKey> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes)
}

/// Reads bytes, under a name for errors. All points are points of their groups, and X_2 is not the identity. w is the root of unity of the
/// domain, a power of 5.
pub fn parse(name: &str, bytes: &[u8]) -> Result<VerifyingKey> {
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let file: File<Text<'_>, Option<Text<'_>>> = document.parse()?;
    let facts = document.facts(PLONK, file.protocol, file.curve)?;
    check_sizes(&document, facts, file.nPublic, file.power)?;
    let point = |path, texts| g1(&document, facts, path, texts);
    let scalar = |path, text| number::scalar(&document, facts, path, text);
    let expected = omega(facts, file.power);
    if scalar("w", file.w)? != expected {
        let problem =
            format!("not {}, the root of unity of 2^{}", number::text(&expected), file.power);
        return Err(document.wrong(file.w, "w", problem).into());
    }
    let x_g2 = g2(&document, facts, "X_2", &file.X_2)?;
    Ok(VerifyingKey {
        curve: facts.curve,
        public_inputs: file.nPublic as usize,
        domain_log: file.power,
        k1: scalar("k1", file.k1)?,
        k2: scalar("k2", file.k2)?,
        q_m: point("Qm", &file.Qm)?,
        q_l: point("Ql", &file.Ql)?,
        q_r: point("Qr", &file.Qr)?,
        q_o: point("Qo", &file.Qo)?,
        q_c: point("Qc", &file.Qc)?,
        s1: point("S1", &file.S1)?,
        s2: point("S2", &file.S2)?,
        s3: point("S3", &file.S3)?,
        x_g2: not_identity(&document, "X_2", x_g2, file.X_2.as_flattened())?,
    })
}

/// Formats the file of a key. Returns an error if the length of a point does not fit the curve, or the domain is larger than the field has.
pub fn text(key: &VerifyingKey) -> Result<String> {
    let facts = facts(key.curve)?;
    if key.domain_log > facts.two_adicity {
        let problem = format!("2^{}, where the field has 2^{}", key.domain_log, facts.two_adicity);
        return Err(Error::argument("domain_log", problem));
    }
    let too_many = |_| Error::argument("public_inputs", key.public_inputs.to_string());
    Ok(document::text(&File {
        protocol: PLONK,
        curve: facts.word,
        nPublic: key.public_inputs.try_into().map_err(too_many)?,
        power: key.domain_log,
        k1: number::text(&key.k1),
        k2: number::text(&key.k2),
        Qm: g1_text(facts, "q_m", &key.q_m)?,
        Ql: g1_text(facts, "q_l", &key.q_l)?,
        Qr: g1_text(facts, "q_r", &key.q_r)?,
        Qo: g1_text(facts, "q_o", &key.q_o)?,
        Qc: g1_text(facts, "q_c", &key.q_c)?,
        S1: g1_text(facts, "s1", &key.s1)?,
        S2: g1_text(facts, "s2", &key.s2)?,
        S3: g1_text(facts, "s3", &key.s3)?,
        X_2: g2_text(facts, "x_g2", &key.x_g2)?,
        w: number::text(&omega(facts, key.domain_log)),
    }))
}

/// Checks log2 of the size of the domain, and the number of public values in it.
pub(super) fn check_sizes(
    document: &Document<'_>,
    facts: &Facts,
    public_inputs: u32,
    power: u32,
) -> Result<()> {
    if power > facts.two_adicity {
        let problem = format!("{power}, where the field has 2^{}", facts.two_adicity);
        return Err(document.wrong_at_end("power", problem).into());
    }
    if u64::from(public_inputs) > 1 << power {
        let problem =
            format!("{} in 2^{power} rows", counted(public_inputs.into(), "public value"));
        return Err(document.wrong_at_end("nPublic", problem).into());
    }
    Ok(())
}

/// Returns the root of unity of order 2^log.
pub(super) fn omega(facts: &Facts, log: u32) -> Scalar {
    let bytes = |bytes: &[u8]| bytes.try_into().expect("a scalar's bytes");
    match facts.curve {
        Curve::Bn254 => bytes(root::<Bn254Fr>(log).to_le_bytes().as_ref()),
        Curve::Bls12_381 => bytes(root::<Bls12381Fr>(log).to_le_bytes().as_ref()),
        _ => unreachable!("a curve without files"),
    }
}
