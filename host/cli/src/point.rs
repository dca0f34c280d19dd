//! Points for people and other tools: coordinates as numbers, most significant digit first. Files have little-endian bytes.

use proofmill::msm::{Group, Instance};
use serde_json::{Value, json};

/// Returns a point as JSON: `{"x": "0x…", "y": "0x…"}`, in G2 with a list of two coefficients for each coordinate, that of 1 first; `null` for
/// the identity.
pub fn to_json(instance: Instance, bytes: &[u8]) -> Value {
    if is_identity(bytes) {
        return Value::Null;
    }
    let [x, y] = coordinates(instance, bytes).map(|coordinate| match &coordinate[..] {
        [number] => json!(number),
        coefficients => json!(coefficients),
    });
    json!({ "x": x, "y": y })
}

/// Returns a point as text: `x y`, in G2 with the coefficients of each coordinate joined by a comma; `identity` for the identity.
pub fn to_text(instance: Instance, bytes: &[u8]) -> String {
    if is_identity(bytes) {
        return "identity".into();
    }
    coordinates(instance, bytes).map(|coordinate| coordinate.join(",")).join(" ")
}

fn is_identity(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

fn coordinates(instance: Instance, bytes: &[u8]) -> [Vec<String>; 2] {
    let coefficients = if instance.group == Group::G2 { 2 } else { 1 };
    let (x, y) = bytes.split_at(bytes.len() / 2);
    [x, y].map(|bytes| bytes.chunks(bytes.len() / coefficients).map(number).collect())
}

fn number(le: &[u8]) -> String {
    let be: Vec<u8> = le.iter().rev().copied().collect();
    format!("0x{}", hex::encode(be))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_most_significant_digit_first() {
        let g1: Instance = "bn254_g1".parse().unwrap();
        let mut bytes = [0; 64];
        (bytes[0], bytes[1], bytes[32]) = (1, 0xab, 2);
        let zeros = "0".repeat(60);
        assert_eq!(to_text(g1, &bytes), format!("0x{zeros}ab01 0x{zeros}0002"));
        assert_eq!(to_json(g1, &bytes)["x"], format!("0x{zeros}ab01"));
        assert_eq!(
            (to_text(g1, &[0; 64]), to_json(g1, &[0; 64])),
            ("identity".into(), Value::Null)
        );
        let g2: Instance = "bn254_g2".parse().unwrap();
        let mut bytes = [0; 128];
        bytes[32] = 5;
        assert_eq!(to_json(g2, &bytes)["x"][1], format!("0x{zeros}0005"));
        assert_eq!(to_text(g2, &bytes).split([' ', ',']).count(), 4);
    }
}
