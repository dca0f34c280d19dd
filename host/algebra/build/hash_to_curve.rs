//! The primary numbers of hashing to curves, from `spec/hashes`.

use std::fmt::Write as _;

use num_bigint::BigInt;
use toml::{Table, Value};

const FILE: &str = "hash_to_curve_bls12_381";

/// Writes `hash_to_curve.rs`: a module a group, elements of Fp as limbs of 64 bits, those of Fp2 as two of them.
pub fn generate() {
    let message = |key: &str| format!("spec/hashes/{FILE}.toml: {key}");
    let text = proofmill_spec::text(proofmill_spec::HASHES, FILE).expect("the file is in spec");
    let table: Table = text.parse().unwrap_or_else(|e| panic!("{}", message(&format!("{e}"))));
    let field = table.get("curve").and_then(Value::as_str).map(|curve| format!("{curve}_fp"));
    let field = field.unwrap_or_else(|| panic!("{}", message("curve")));
    let field = proofmill_spec::text(proofmill_spec::FIELDS, &field).expect("the curve's field");
    let field: Table = field.parse().expect("a field's file");
    let modulus = crate::curves::number(&field["modulus"]).expect("a modulus");
    let mut code = String::new();
    for (group, kind) in [("g1", "[u64; 6]"), ("g2", "[[u64; 6]; 2]")] {
        let _ = writeln!(code, "pub mod {group} {{");
        for key in ["a", "b", "z", "x_num", "x_den", "y_num", "y_den"] {
            let value = &table[group][key];
            let is_list = key.len() > 1;
            let element = |value: &Value| {
                element(value, &modulus).unwrap_or_else(|| panic!("{}", message(key)))
            };
            let name = key.to_uppercase();
            let _ = if is_list {
                let list: Vec<_> = value.as_array().into_iter().flatten().map(element).collect();
                let (count, list) = (list.len(), list.join(", "));
                writeln!(code, "pub const {name}: [{kind}; {count}] = [{list}];")
            } else {
                writeln!(code, "pub const {name}: {kind} = {};", element(value))
            };
        }
        code += "}\n";
    }
    crate::write("hash_to_curve.rs", &code);
}

fn element(value: &Value, modulus: &BigInt) -> Option<String> {
    match value {
        Value::Array(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|part| element(part, modulus)).collect();
            Some(format!("[{}]", parts?.join(", ")))
        }
        _ => {
            let number = crate::curves::number(value).ok()?;
            let reduced = ((number % modulus) + modulus) % modulus;
            Some(format!("{:?}", crate::curves::limbs(&reduced, 6)))
        }
    }
}
