//! Integers: decimal strings, or numbers of JSON of any size.

use num_bigint::BigUint;

use super::document::{Document, Text};
use crate::Result;
use crate::groth16::Scalar;
use crate::snarkjs::curve::{Facts, is_below};

/// More digits than any number of these files has.
const MAX_DIGITS: usize = 128;

/// The decimal digits of an integer, lowest byte first.
pub(super) fn text(integer: &[u8]) -> String {
    BigUint::from_bytes_le(integer).to_string()
}

/// Reads an integer below a modulus into as many bytes as that has, lowest first.
pub(super) fn parse(
    document: &Document<'_>,
    path: &str,
    text: Text<'_>,
    modulus: &[u64],
) -> Result<Vec<u8>> {
    let value = text.value();
    let digits = value.len() <= MAX_DIGITS && value.bytes().all(|byte| byte.is_ascii_digit());
    let integer = digits.then(|| BigUint::parse_bytes(value.as_bytes(), 10)).flatten();
    let Some(integer) = integer else {
        let shown: String = value.chars().take(MAX_DIGITS / 2).collect();
        let problem = format!("'{}' is not a decimal number", shown.escape_debug());
        return Err(document.wrong(text, path, problem).into());
    };
    let mut bytes = integer.to_bytes_le();
    let fits = bytes.len() <= 8 * modulus.len();
    bytes.resize(8 * modulus.len(), 0);
    if !fits || !is_below(&bytes, modulus) {
        let modulus: Vec<u8> = modulus.iter().flat_map(|word| word.to_le_bytes()).collect();
        let problem = format!("not below {}", self::text(&modulus));
        return Err(document.wrong(text, path, problem).into());
    }
    Ok(bytes)
}

/// Reads a scalar, which is below r.
pub(super) fn scalar(
    document: &Document<'_>,
    facts: &Facts,
    path: &str,
    text: Text<'_>,
) -> Result<Scalar> {
    let value = parse(document, path, text, facts.scalar)?;
    Ok(value.try_into().expect("a scalar's bytes"))
}
