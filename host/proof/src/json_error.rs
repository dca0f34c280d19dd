//! Descriptions of errors in JSON text, in the terms of RFC 8259 instead of those of the parser and of Rust types.

use serde_json::Error;

/// Returns the problem without its position.
pub fn problem(error: &Error) -> String {
    let said = error.to_string();
    let said = said.rsplit_once(" at line ").map_or(&*said, |(problem, _)| problem);
    syntax(said)
        .map(str::to_owned)
        .or_else(|| field(said))
        .or_else(|| kind(said))
        .unwrap_or_else(|| said.to_owned())
}

/// Returns the number of bytes of the text before the problem.
pub fn offset(text: &[u8], error: &Error) -> usize {
    // Lines and columns count from 1, columns in bytes.
    let lines = text.split_inclusive(|&byte| byte == b'\n').take(error.line().max(1) - 1);
    let before: usize = lines.map(<[u8]>::len).sum();
    (before + error.column().saturating_sub(1)).min(text.len())
}

/// Replaces messages about the grammar.
fn syntax(said: &str) -> Option<&'static str> {
    Some(match said {
        "EOF while parsing a list" => "the text ends inside an array",
        "EOF while parsing an object" => "the text ends inside an object",
        "EOF while parsing a string" => "the text ends inside a string",
        "EOF while parsing a value" => "the text ends where a value is expected",
        "expected value" | "expected ident" => "not a value",
        "trailing characters" => "more text after the value",
        "key must be a string" => "the name of a member must be a string",
        "recursion limit exceeded" => "more than 127 levels of arrays and objects",
        "lone leading surrogate in hex escape" => "half of a surrogate pair in a string",
        "unexpected end of hex escape" => "an incomplete escape in a string",
        _ if said.starts_with("control character ") => "an unescaped control character in a string",
        _ => return None,
    })
}

/// Replaces messages about the members of an object.
fn field(said: &str) -> Option<String> {
    let (what, rest) = said.split_once(" field `")?;
    let (name, rest) = rest.split_once('`')?;
    match what {
        "missing" => Some(format!("'{name}' is missing")),
        "duplicate" => Some(format!("'{name}' occurs twice")),
        "unknown" => Some(format!("'{name}' is unknown{}", rest.replace('`', "'"))),
        _ => None,
    }
}

/// Replaces messages about a value of another type or length.
fn kind(said: &str) -> Option<String> {
    let (found, expected) = said.split_once(", expected ")?;
    let found = match found.split_once(": ").or(found.split_once("length "))? {
        ("invalid ", length) => format!("an array of length {length}"),
        (_, "map") => "an object".to_owned(),
        (_, "sequence") => "an array".to_owned(),
        (_, other) => other.to_owned(),
    };
    let expected = match expected {
        "a sequence" => "an array",
        "a map" => "an object",
        "u32" => "an integer below 2^32",
        "a borrowed string" => "a string",
        _ if expected.starts_with("struct") => "an object with the documented members",
        other => other,
    };
    Some(format!("{found}; expected {expected}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only errors are read")]
    struct Record {
        id: u32,
        list: [u32; 2],
    }

    #[test]
    fn messages_have_no_term_of_the_parser() {
        for (text, at, expected) in [
            ("", 0, "the text ends where a value is expected"),
            ("{", 0, "the text ends inside an object"),
            ("{\"id\": 1, \"list\": [1", 19, "the text ends inside an array"),
            ("{\"id", 3, "the text ends inside a string"),
            ("{1: 2}", 1, "the name of a member must be a string"),
            ("{\n\n}", 3, "'id' is missing"),
            ("{\"id\": 1, \"id\": 2}", 13, "'id' occurs twice"),
            ("{\"x\": 1}", 3, "'x' is unknown, expected 'id' or 'list'"),
            ("{\"id\": []}", 7, "an array; expected an integer below 2^32"),
            ("{\"id\": 1, \"list\": {}}", 18, "an object; expected an array of length 2"),
            ("7", 0, "integer `7`; expected an object with the documented members"),
            ("{\"id\": 1, \"list\": [1, 2]} x", 26, "more text after the value"),
        ] {
            let error = serde_json::from_str::<Record>(text).expect_err(text);
            assert_eq!(problem(&error), expected, "{text}");
            assert!(offset(text.as_bytes(), &error).abs_diff(at) <= 1, "{text}: {error}");
        }
        for (text, expected) in [
            ("{\"a\": \"\u{1}\"}", "an unescaped control character in a string"),
            ("{\"a\": \"\\ud800\\u0041\"}", "half of a surrogate pair in a string"),
            ("{\"a\": ?}", "not a value"),
        ] {
            let error = serde_json::from_str::<HashMap<String, String>>(text).expect_err(text);
            assert_eq!(problem(&error), expected, "{text}");
        }
    }
}
