//! `proof.json`.

use std::path::Path;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document::{self, Document, Text};
use super::point::{G1, G2, g1, g1_text, g2, g2_text};
use super::{PROTOCOL, facts};
use crate::Result;
use crate::groth16::Proof;

/// Maximum bytes of a file: some dozen times those of a proof.
pub const MAX_BYTES: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct File<T, W> {
    pi_a: G1<T>,
    pi_b: G2<T>,
    pi_c: G1<T>,
    protocol: W,
    curve: W,
}

/// Reads a file.
pub fn open(path: impl AsRef<Path>) -> Result<Proof> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes)
}

/// Reads bytes, under a name for errors. The three points are points of their groups.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Proof> {
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let file: File<Text<'_>, Option<Text<'_>>> = document.parse()?;
    let facts = document.facts(PROTOCOL, file.protocol, file.curve)?;
    Ok(Proof {
        curve: facts.curve,
        a: g1(&document, facts, "pi_a", &file.pi_a)?,
        b: g2(&document, facts, "pi_b", &file.pi_b)?,
        c: g1(&document, facts, "pi_c", &file.pi_c)?,
    })
}

/// Formats the file of a proof. Returns an error if the length of a point does not fit the curve.
pub fn text(proof: &Proof) -> Result<String> {
    file(proof).map(|file| document::text(&file))
}

fn file(proof: &Proof) -> Result<File<String, &'static str>> {
    let facts = facts(proof.curve)?;
    Ok(File {
        pi_a: g1_text(facts, "a", &proof.a)?,
        pi_b: g2_text(facts, "b", &proof.b)?,
        pi_c: g1_text(facts, "c", &proof.c)?,
        protocol: PROTOCOL,
        curve: facts.word,
    })
}

/// Serializes an object with the fields of snarkjs's file.
impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        file(self).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Checks everything that [`parse`] checks.
impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let file = File::<String, String>::deserialize(deserializer)?;
        parse("proof", document::text(&file).as_bytes()).map_err(D::Error::custom)
    }
}
