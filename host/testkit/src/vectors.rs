//! The cases of `spec/vectors`: one file per operation and instance, made by `make vectors` and embedded at build time.

mod coprocessor;
mod ecdsa_verify;
mod equihash_solve;
mod equihash_verify;
mod keccak256;
mod msm;
mod ntt;
mod poseidon;
mod quotient;
mod shell;
mod vdf;

pub(crate) use coprocessor::text_of_slot as slot_text;
pub use coprocessor::{CoprocessorCase, cases as coprocessor};
pub use ecdsa_verify::{EcdsaCase, cases as ecdsa_verify};
pub use equihash_solve::{SolveCase, cases as equihash_solve};
pub use equihash_verify::{EquihashCase, cases as equihash_verify};
pub use keccak256::{Keccak256Case, cases as keccak256};
pub use msm::{MsmCase, cases as msm};
pub use ntt::{NttCase, cases as ntt};
pub use poseidon::{PoseidonCase, cases as poseidon};
pub use quotient::{QuotientCase, cases as quotient};
pub use shell::{Exchange, ShellCase, cases as shell};
pub use vdf::{VdfCase, cases as vdf};

use proofmill_op::Error;
use proofmill_op::ntt::Field;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Returns the cases of all files whose names begin with `begins`. An error names the file.
fn read_all<Case>(
    begins: &str,
    parse: impl Fn(&str) -> Result<Vec<Case>, String>,
) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let files = proofmill_spec::VECTORS.iter();
    for (name, text) in files.filter(|(name, _)| name.starts_with(begins)) {
        let wrong = |problem| format!("spec/vectors/{name}.json: {problem}");
        cases.extend(parse(text).map_err(wrong)?);
    }
    if cases.is_empty() {
        return Err(format!("spec/vectors/{begins}: no cases"));
    }
    Ok(cases)
}

/// A file of cases with elements of a field with transforms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfField<Case> {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    field: String,
    cases: Vec<Case>,
}

/// Parses the field and the cases of such a file.
fn of_field<Case: DeserializeOwned>(text: &str) -> Result<(Field, Vec<Case>), String> {
    let file: OfField<Case> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let field = file.field.parse().map_err(|error: Error| error.to_string())?;
    Ok((field, file.cases))
}

/// Parses `0x` and at most 64 hex digits as a little-endian integer.
fn integer(text: &str) -> Result<[u8; 32], String> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{text} is not 0x and digits"))?;
    let mut bytes = [0; 32];
    hex::decode_to_slice(format!("{digits:0>64}"), &mut bytes)
        .map_err(|error| format!("{text}: {error}"))?;
    bytes.reverse();
    Ok(bytes)
}

/// Parses the bytes of an element of a field with transforms.
fn element(field: Field, text: &str) -> Result<Vec<u8>, String> {
    let bytes = integer(text)?;
    let (low, high) = bytes.split_at(field.bytes());
    match high.iter().all(|&byte| byte == 0) {
        true => Ok(low.to_vec()),
        false => Err(format!("{text} has more than {} bytes", field.bytes())),
    }
}

/// Parses the bytes of elements, concatenated.
fn elements(field: Field, texts: &[String]) -> Result<Vec<u8>, String> {
    Ok(texts.iter().map(|text| element(field, text)).collect::<Result<Vec<_>, _>>()?.concat())
}
