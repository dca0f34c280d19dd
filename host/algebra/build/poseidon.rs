//! The primary numbers of Poseidon, from `spec/hashes`.

use toml::{Table, Value};

const FILE: &str = "poseidon_bls12_381";

/// Writes `poseidon.rs`.
pub fn generate() {
    let text = proofmill_spec::text(proofmill_spec::HASHES, FILE).expect("the file is in spec");
    let table: Table = text.parse().unwrap_or_else(|e| panic!("spec/hashes/{FILE}.toml: {e}"));
    let mut code =
        code(&table).unwrap_or_else(|| panic!("spec/hashes/{FILE}.toml: a number is missing"));
    for (module, file) in PLAIN {
        let text = proofmill_spec::text(proofmill_spec::HASHES, file).expect("the file is in spec");
        let table: Table = text.parse().unwrap_or_else(|e| panic!("spec/hashes/{file}.toml: {e}"));
        let inside =
            plain(&table).unwrap_or_else(|| panic!("spec/hashes/{file}.toml: a number is missing"));
        code += &format!("pub mod {module} {{\n{inside}}}\n");
    }
    crate::write("poseidon.rs", &code);
}

/// Modules of the instances in scalar code, and their files.
const PLAIN: [(&str, &str); 3] = [
    ("circom", "poseidon_circom"),
    ("poseidon2_bn254", "poseidon2_bn254"),
    ("poseidon2_goldilocks", "poseidon2_goldilocks"),
];

/// The numbers of one of them.
fn plain(table: &Table) -> Option<String> {
    let integer = |table: &Table, key: &str| table.get(key).and_then(Value::as_integer);
    let integers = |value: &Value| {
        Some(value.as_array()?.iter().filter_map(Value::as_integer).collect::<Vec<_>>())
    };
    let mut code = format!(
        "pub const ALPHA: u32 = {};\npub const FULL_ROUNDS: usize = {};\n",
        integer(table, "alpha")?,
        integer(table, "full_rounds")?
    );
    if let Some(widths) = table.get("widths") {
        let widths = widths.as_array()?.iter().map(|width| {
            let width = width.as_table()?;
            let inner = match width.get("diagonal") {
                Some(diagonal) => format!("Diagonal(&{:?})", integers(diagonal)?),
                None => format!("Candidate({})", integer(width, "candidate")?),
            };
            let (size, partial) = (integer(width, "width")?, integer(width, "partial_rounds")?);
            Some(format!("({size}, {partial}, Inner::{inner}), "))
        });
        let widths = widths.collect::<Option<Vec<_>>>()?;
        code += "use crate::poseidon::plain::Inner;\n";
        code += &format!(
            "pub const WIDTHS: [(usize, usize, Inner); {}] = [{}];\n",
            widths.len(),
            widths.concat()
        );
    } else {
        let partial = integers(table.get("partial_rounds")?)?;
        code += &format!(
            "pub const MIN_ARITY: usize = {};\npub const PARTIAL_ROUNDS: [usize; {}] = {partial:?};\n",
            integer(table, "least_arity")?,
            partial.len()
        );
    }
    Some(code)
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
         pub const MIN_ARITY: usize = {};\n\
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
