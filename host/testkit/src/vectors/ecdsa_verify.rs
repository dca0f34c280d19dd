//! The cases of `ecdsa_verify`: signatures, with each integer given separately.

use proofmill_op::ecdsa_verify::{Request, Signature, Verdict};
use serde::Deserialize;

use super::integer;

/// A case of `ecdsa_verify`.
#[derive(Clone, Debug)]
pub struct EcdsaCase {
    /// Unique in its file.
    pub id: String,
    /// The purpose of the case.
    pub comment: String,
    /// Topics of the case.
    pub tags: Vec<String>,
    /// The input.
    pub signature: Signature,
    /// The expected verdict.
    pub verdict: Verdict,
}

impl EcdsaCase {
    /// Returns the request for this case alone.
    pub fn request(&self) -> Request {
        Request::new(&self.signature.to_bytes()[..])
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema")]
    _schema: String,
    op: String,
    #[serde(rename = "curve")]
    _curve: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    comment: String,
    s: String,
    r: String,
    hash: String,
    qx: String,
    qy: String,
    mask: u8,
    tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<EcdsaCase>, String> {
    super::read_all("ecdsa_verify/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<EcdsaCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.op != "ecdsa_verify" {
        return Err(format!("op is {}, not ecdsa_verify", file.op));
    }
    let read = |case: Case| {
        let wrong = |problem| format!("{}: {problem}", case.id);
        Ok(EcdsaCase {
            signature: signature(&case).map_err(wrong)?,
            verdict: Verdict::from_mask(case.mask),
            id: case.id,
            comment: case.comment,
            tags: case.tags,
        })
    };
    file.cases.into_iter().map(read).collect()
}

fn signature(case: &Case) -> Result<Signature, String> {
    Ok(Signature {
        s: integer(&case.s)?,
        r: integer(&case.r)?,
        hash: integer(&case.hash)?,
        qx: integer(&case.qx)?,
        qy: integer(&case.qy)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{"schema": "../schema.json", "op": "ecdsa_verify", "curve": "secp256k1", "cases": [
        {"id": "one", "comment": "c", "s": "0x102", "r": "0x0", "hash": "0xf", "qx": "0x1", "qy": "QY", "mask": 9, "tags": ["t"]}]}"#;

    #[test]
    fn integers_are_little_endian() {
        let cases = parse(&EXAMPLE.replace("QY", &format!("0x{}", "1".repeat(64)))).unwrap();
        let signature = cases[0].signature;
        assert_eq!((signature.s[..3].to_vec(), signature.qy), (vec![2, 1, 0], [0x11; 32]));
        assert_eq!((signature.r, signature.hash[0]), ([0; 32], 15));
        assert_eq!(cases[0].verdict.mask(), 9);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for qy in ["12", "0xg", &format!("0x{}", "1".repeat(65))] {
            let problem = parse(&EXAMPLE.replace("QY", qy)).unwrap_err();
            assert!(problem.starts_with("one: ") && problem.contains(qy), "{problem}");
        }
        assert!(parse(&EXAMPLE.replace("ecdsa", "eddsa")).unwrap_err().contains("eddsa_verify"));
        assert!(parse("{").is_err());
    }

    #[test]
    fn the_embedded_file_can_be_read() {
        let cases = cases().unwrap();
        assert!(cases.len() >= 300, "{} cases", cases.len());
        let mut ids: Vec<_> = cases.iter().map(|case| &case.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), cases.len(), "two cases have one id");
    }
}
