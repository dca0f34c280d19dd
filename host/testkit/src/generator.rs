//! A witness generator for tests, as WebAssembly text: it copies its inputs to the witness.

/// The generator. Its witness has 4 values, as that of the chain of 2 constraints over BN254: 1, a\[0\], a\[1\], b. For b = 0 an
/// assertion fails, for b = 1 it never ends, for b = 2 it requests memory without end, and for b = 3 it traps.
pub const WAT: &str = include_str!("generator.wat");

/// Returns the inputs, as JSON, to which the generator returns this witness.
pub fn inputs(witness: &[[u8; 32]]) -> String {
    let hex = |value: &[u8; 32]| {
        value.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
    };
    format!(
        r#"{{"a": ["{}", "{}"], "b": "{}"}}"#,
        hex(&witness[1]),
        hex(&witness[2]),
        hex(&witness[3])
    )
}
