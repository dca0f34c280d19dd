//! Generates Rust constants from `spec/wire/*.toml`, so that the driver contains no numbers of the wire format.
//!
//! A table becomes a module, an integer a `u32`, a text a `&str`, a truth value a `bool`. A list of tables
//! that have a `name` becomes a module with one module for each entry. Other lists are ignored. So the address of
//! a register in `spec/wire/x.toml` is `wire::x::block::registers::<name>::OFFSET`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use toml::{Table, Value};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut code = String::new();
    for (name, text) in proofmill_spec::WIRE {
        let table: Table = text.parse().unwrap_or_else(|e| panic!("spec/wire/{name}.toml: {e}"));
        module(&mut code, name, &table);
    }
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("wire.rs");
    fs::write(&out, code).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

fn module(code: &mut String, name: &str, table: &Table) {
    let doc = table.get("doc").and_then(Value::as_str).unwrap_or("From the specification.");
    writeln!(code, "#[doc = {doc:?}]\npub mod {name} {{").expect("writing to a string");
    for (key, value) in table {
        let constant = key.to_uppercase();
        match value {
            Value::Integer(number) => {
                let number = u32::try_from(*number)
                    .unwrap_or_else(|_| panic!("{key} = {number}: not 32 bits"));
                writeln!(code, "pub const {constant}: u32 = {number:#x};")
                    .expect("writing to a string");
            }
            Value::Boolean(truth) => {
                writeln!(code, "pub const {constant}: bool = {truth};")
                    .expect("writing to a string");
            }
            Value::String(text) if key != "doc" && key != "name" => {
                writeln!(code, "pub const {constant}: &str = {text:?};")
                    .expect("writing to a string");
            }
            Value::Table(inner) => module(code, key, inner),
            Value::Array(entries) => named_entries(code, key, entries),
            _ => {}
        }
    }
    code.push_str("}\n");
}

fn named_entries(code: &mut String, key: &str, entries: &[Value]) {
    let named: Table = entries
        .iter()
        .filter_map(|entry| {
            let name = entry.get("name")?.as_str()?;
            Some((name.to_owned(), entry.clone()))
        })
        .collect();
    if !named.is_empty() {
        module(code, key, &named);
    }
}
