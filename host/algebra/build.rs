//! Turns `spec/fields/*.toml` into Rust: one module of constants a field, with its `NAME`, `MODULUS` (limbs of 64
//! bits, lowest first) and `GENERATOR`, and the list of all fields. All else that a field needs is computed from these, in
//! Rust.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use toml::{Table, Value};

#[path = "build/curves.rs"]
mod curves;
#[path = "build/hash_to_curve.rs"]
mod hash_to_curve;
#[path = "build/kernels.rs"]
mod kernels;
#[path = "build/poseidon.rs"]
mod poseidon;

fn main() {
    curves::generate();
    hash_to_curve::generate();
    poseidon::generate();
    kernels::choose();
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=build.rs");
    let (mut code, mut types) = (String::new(), String::from("fields! {\n"));
    for (name, text) in proofmill_spec::FIELDS {
        let table: Table = text.parse().unwrap_or_else(|e| panic!("spec/fields/{name}.toml: {e}"));
        field(&mut code, &table).unwrap_or_else(|what| panic!("spec/fields/{name}.toml: {what}"));
        let about = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or(name);
        let rust = rust_name(name);
        let _ = writeln!(types, "/// {about}\n{rust}: {rust}Modulus = {name};");
    }
    write("fields.rs", &code);
    write("field_types.rs", &(types + "}\n"));
}

/// Writes a file that the crate includes.
fn write(name: &str, code: &str) {
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(name);
    fs::write(&out, code).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// The Rust type of a field: `Bn254Fp` of `bn254_fp`.
fn rust_name(name: &str) -> String {
    let (first, rest) = (|part: &str| part[..1].to_uppercase(), |part: &str| part[1..].to_owned());
    name.split('_').map(|part| first(part) + &rest(part)).collect()
}

fn field(code: &mut String, table: &Table) -> Result<(), String> {
    let name = table.get("name").and_then(Value::as_str).ok_or("no name")?;
    let modulus = table.get("modulus").and_then(Value::as_str).ok_or("no modulus")?;
    let limbs = limbs(modulus)?;
    let generator = match table.get("generator") {
        None => None,
        Some(value) => {
            Some(value.as_integer().and_then(|g| u64::try_from(g).ok()).ok_or("bad generator")?)
        }
    };
    writeln!(
        code,
        "/// From `spec/fields/{name}.toml`.\n\
         pub mod {name} {{\n\
         /// What the specification calls this field.\n\
         pub const NAME: &str = {name:?};\n\
         /// The prime, in limbs of 64 bits, lowest first.\n\
         pub const MODULUS: [u64; {}] = {limbs:#x?};\n\
         /// A generator of the multiplicative group.\n\
         pub const GENERATOR: Option<u64> = {generator:?};\n\
         }}",
        limbs.len(),
    )
    .map_err(|error| error.to_string())
}

/// A number `0x…` in as few limbs of 64 bits as hold it, lowest first.
fn limbs(hex: &str) -> Result<Vec<u64>, String> {
    let digits = hex.strip_prefix("0x").ok_or_else(|| format!("{hex}: not 0x…"))?;
    digits
        .as_bytes()
        .rchunks(16)
        .map(|chunk| std::str::from_utf8(chunk).expect("pieces of a text in ASCII"))
        .map(|chunk| u64::from_str_radix(chunk, 16).map_err(|error| format!("{hex}: {error}")))
        .collect()
}
