//! `public.json`: the public inputs, below r.

use std::path::Path;

use proofmill_op::msm::Curve;

use super::document::{self, Document, Text};
use super::{facts, number};
use crate::Result;
use crate::groth16::Scalar;

/// Maximum bytes of a file: 200,000 values.
pub const MAX_BYTES: usize = 1 << 24;

/// Reads a file of scalars of this curve.
pub fn open(path: impl AsRef<Path>, curve: Curve) -> Result<Vec<Scalar>> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes, curve)
}

/// Reads bytes, under a name for errors.
pub fn parse(name: &str, bytes: &[u8], curve: Curve) -> Result<Vec<Scalar>> {
    let facts = facts(curve)?;
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let texts: Vec<Text<'_>> = document.parse()?;
    let value =
        |(i, text): (usize, &Text<'_>)| number::scalar(&document, facts, &format!("[{i}]"), *text);
    texts.iter().enumerate().map(value).collect()
}

/// Formats the file of public inputs. An empty list is the one that snarkjs's program writes.
pub fn text(values: &[Scalar]) -> String {
    if values.is_empty() {
        return "[\n]".into();
    }
    let texts: Vec<_> = values.iter().map(|value| number::text(value)).collect();
    document::text(&texts)
}
