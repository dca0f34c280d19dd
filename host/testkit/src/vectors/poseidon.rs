//! The cases of `poseidon`: a preimage and its digest.

use proofmill_op::poseidon::{Domain, ELEMENT_BYTES, Request, Strength};
use serde::Deserialize;

/// A case of `poseidon`.
#[derive(Clone, Debug)]
pub struct PoseidonCase {
    /// Unique in its strength.
    pub id: String,
    /// The number of elements of a preimage.
    pub arity: usize,
    /// The strength, which determines the number of rounds.
    pub strength: Strength,
    /// The kind of preimage.
    pub domain: Domain,
    /// One preimage.
    pub preimage: Vec<u8>,
    /// The expected digest.
    pub digest: [u8; ELEMENT_BYTES],
}

impl PoseidonCase {
    /// Returns the request for other preimages with the parameters of this case.
    pub fn request(&self, preimages: impl Into<proofmill_op::Data>) -> Request {
        Request::new(self.arity, preimages).in_domain(self.domain).with_strength(self.strength)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    #[serde(rename = "instance")]
    _instance: String,
    strength: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    arity: usize,
    domain: String,
    preimage: Vec<String>,
    digest: String,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<PoseidonCase>, String> {
    super::read_all("poseidon/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<PoseidonCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let strength = match &file.strength[..] {
        "standard" => Strength::Standard,
        "strengthened" => Strength::Strengthened,
        other => return Err(format!("strength {other}")),
    };
    let read = |case: Case| {
        let wrong = |problem| format!("{}: {problem}", case.id);
        let elements = case.preimage.iter().map(|text| super::integer(text));
        let elements = elements.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        Ok(PoseidonCase {
            arity: case.arity,
            strength,
            domain: domain(&case.domain).map_err(wrong)?,
            preimage: elements.concat(),
            digest: super::integer(&case.digest).map_err(wrong)?,
            id: case.id,
        })
    };
    file.cases.into_iter().map(read).collect()
}

fn domain(text: &str) -> Result<Domain, String> {
    match text.split_once(' ') {
        Some(("constant_length", length)) => {
            let length = length.parse().map_err(|_| format!("{text} is no length"))?;
            Ok(Domain::ConstantLength(length))
        }
        None if text == "merkle_tree" => Ok(Domain::MerkleTree),
        None if text == "variable_length" => Ok(Domain::VariableLength),
        None if text == "encryption" => Ok(Domain::Encryption),
        _ => Err(format!("no domain {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_can_be_read() {
        let cases = cases().unwrap();
        for strength in [Strength::Standard, Strength::Strengthened] {
            for arity in [2, 4, 8, 11] {
                let found =
                    cases.iter().filter(|case| (case.arity, case.strength) == (arity, strength));
                assert!(found.count() >= 9, "arity {arity}, {strength:?}");
            }
        }
        for case in cases {
            let elements = case.domain.elements(case.arity).unwrap();
            assert_eq!(case.preimage.len(), elements * ELEMENT_BYTES, "{}", case.id);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = r#"{"schema": "s", "op": "poseidon", "instance": "i", "strength": "standard", "cases": [
            {"id": "one", "comment": "c", "arity": 2, "domain": "DOMAIN", "preimage": ["0x1"], "digest": "0x2", "tags": []}]}"#;
        assert_eq!(parse(&text.replace("DOMAIN", "constant_length 1")).unwrap().len(), 1);
        for wrong in ["tree", "constant_length x", "constant_length"] {
            assert!(parse(&text.replace("DOMAIN", wrong)).unwrap_err().starts_with("one: "));
        }
        assert!(parse(&text.replace("standard", "weak")).unwrap_err().contains("weak"));
    }
}
