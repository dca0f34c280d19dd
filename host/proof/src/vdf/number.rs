//! Numbers as people write them.

use num_bigint::BigUint;

use crate::{Error, Result};

/// The characters of a wrong number that an error shows.
const SHOWN: usize = 20;

/// Returns the little-endian bytes of a number in decimal digits, or in hex digits after `0x`; none for other text.
pub fn parse_number(text: &str) -> Option<Vec<u8>> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    let value = is_number.then(|| BigUint::parse_bytes(digits.as_bytes(), radix)).flatten()?;
    Some(value.to_bytes_le())
}

/// Returns the little-endian bytes of a number as [`parse_number`] does. An error names the argument.
pub fn number(name: &'static str, text: &str) -> Result<Vec<u8>> {
    parse_number(text).ok_or_else(|| {
        let shown: String = text.chars().take(SHOWN).collect();
        let problem =
            format!("'{shown}' is no number; expected decimal digits, or 0x and hex digits");
        Error::argument(name, problem)
    })
}

/// Formats a number of little-endian bytes: `0x` and hex digits.
pub fn format_number(bytes: &[u8]) -> String {
    format!("{:#x}", BigUint::from_bytes_le(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, bytes, formatted) in [
            ("0", &[0][..], "0x0"),
            ("258", &[2, 1], "0x102"),
            ("0x0102", &[2, 1], "0x102"),
            ("0xfF", &[255], "0xff"),
        ] {
            assert_eq!(parse_number(text).as_deref(), Some(bytes), "{text}");
            assert_eq!(format_number(bytes), formatted);
        }
        for wrong in ["", "0x", "-1", "+1", "1_000", "ff", "0xg", " 1"] {
            assert_eq!(parse_number(wrong), None, "{wrong}");
        }
    }
}
