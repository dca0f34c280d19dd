//! The primary numbers of Poseidon, from `spec/hashes`.

use toml::{Table, Value};

const FILE: &str = "poseidon_bls12_381";

/// Writes `poseidon.rs`.
pub fn generate() {
    let text = proofmill_spec::text(proofmill_spec::HASHES, FILE).expect("the file is in spec");
    let table: Table = text.parse().unwrap_or_else(|e| panic!("spec/hashes/{FILE}.toml: {e}"));
    let code =
        code(&table).unwrap_or_else(|| panic!("spec/hashes/{FILE}.toml: a number is missing"));
    crate::write("poseidon.rs", &code);
}

fn code(table: &Table) -> Option<String> {
    let number = |key: &str| table.get(key).and_then(Value::as_integer);
    let partial = table.get("partial_rounds")?.as_array()?;
    let (times, over) = table.get("strengthened")?.as_str()?.split_once('/')?;
    let tags = table.get("tags")?.as_table()?;
    let tag = |key: &str| tags.get(key).and_then(Value::as_str);
    assert_eq!(number("alpha"), Some(5), "the S-box that the code has");
    Some(format!(
        "pub const FULL_ROUNDS: usize = {};\n\
         pub const LEAST_ARITY: usize = {};\n\
         pub const PARTIAL_ROUNDS: [usize; {}] = {partial:?};\n\
         pub const STRENGTHENED: (usize, usize) = ({times}, {over});\n\
         pub const VARIABLE_LENGTH: u128 = {};\n\
         pub const CONSTANT_LENGTH: u128 = {};\n\
         pub const ENCRYPTION: u128 = {};\n",
        number("full_rounds")?,
        number("least_arity")?,
        partial.len(),
        tag("variable_length")?,
        tag("constant_length")?,
        tag("encryption")?,
        partial = partial.iter().filter_map(Value::as_integer).collect::<Vec<_>>(),
    ))
}
