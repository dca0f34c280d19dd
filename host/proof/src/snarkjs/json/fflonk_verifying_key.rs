//! `verification_key.json` of FFLONK.

use std::path::Path;

use proofmill_op::msm::Curve;
use serde::{Deserialize, Serialize};

use super::document::{self, Document, Text};
use super::plonk_verifying_key::{check_sizes, omega};
use super::point::{G1, G2, g1, g1_text, g2, g2_text, not_identity};
use super::{FFLONK, facts, fflonk_facts, number};
use crate::fflonk::{Roots, VerifyingKey};
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
    w: T,
    w3: T,
    w4: T,
    w8: T,
    wr: T,
    X_2: G2<T>,
    C0: G1<T>,
}

/// Reads a file.
pub fn open(path: impl AsRef<Path>) -> Result<VerifyingKey> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes)
}

/// Reads bytes, under a name for errors. Both points are points of their groups, and X_2 is not the identity. The roots of unity are those of the
/// domain.
pub fn parse(name: &str, bytes: &[u8]) -> Result<VerifyingKey> {
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let file: File<Text<'_>, Option<Text<'_>>> = document.parse()?;
    let facts = fflonk_facts(&document, file.protocol, file.curve)?;
    check_sizes(&document, facts, file.nPublic, file.power)?;
    let scalar = |path, text| number::scalar(&document, facts, path, text);
    let (roots, omega) = (Roots::new(file.power), ("w", omega(facts, file.power)));
    let texts = [file.w, file.w3, file.w4, file.w8, file.wr];
    for ((name, expected), text) in [omega].into_iter().chain(roots.named()).zip(texts) {
        if scalar(name, text)? != expected {
            let expected = number::text(&expected);
            let problem = format!("not {expected}, the root of unity of 2^{} rows", file.power);
            return Err(document.wrong(text, name, problem).into());
        }
    }
    let x_g2 = g2(&document, facts, "X_2", &file.X_2)?;
    Ok(VerifyingKey {
        public_inputs: file.nPublic as usize,
        domain_log: file.power,
        k1: scalar("k1", file.k1)?,
        k2: scalar("k2", file.k2)?,
        c0: g1(&document, facts, "C0", &file.C0)?,
        x_g2: not_identity(&document, "X_2", x_g2, file.X_2.as_flattened())?,
    })
}

/// Formats the file of a key. Returns an error if the length of a point does not fit the curve, or the domain is larger than the field has.
pub fn text(key: &VerifyingKey) -> Result<String> {
    let facts = facts(Curve::Bn254)?;
    if key.domain_log > facts.two_adicity {
        let problem = format!("2^{}, where the field has 2^{}", key.domain_log, facts.two_adicity);
        return Err(Error::argument("domain_log", problem));
    }
    let too_many = |_| Error::argument("public_inputs", key.public_inputs.to_string());
    let [w3, w4, w8, wr] = Roots::new(key.domain_log).named().map(|(_, root)| number::text(&root));
    Ok(document::text(&File {
        protocol: FFLONK,
        curve: facts.word,
        nPublic: key.public_inputs.try_into().map_err(too_many)?,
        power: key.domain_log,
        k1: number::text(&key.k1),
        k2: number::text(&key.k2),
        w: number::text(&omega(facts, key.domain_log)),
        w3,
        w4,
        w8,
        wr,
        X_2: g2_text(facts, "x_g2", &key.x_g2)?,
        C0: g1_text(facts, "c0", &key.c0)?,
    }))
}
