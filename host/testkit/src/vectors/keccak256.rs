//! The cases of `keccak256`: messages and digests.

use serde::Deserialize;

/// A case of `keccak256`.
#[derive(Clone, Debug)]
pub struct Keccak256Case {
    /// Unique in its file.
    pub id: String,
    /// The message.
    pub message: Vec<u8>,
    /// Its digest.
    pub digest: [u8; 32],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    message: String,
    digest: String,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<Keccak256Case>, String> {
    super::read_all("keccak256/", parse)
}

fn parse(text: &str) -> Result<Vec<Keccak256Case>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let read = |case: Case| {
        let wrong = |error: hex::FromHexError| format!("{}: {error}", case.id);
        let message = hex::decode(&case.message).map_err(wrong)?;
        let mut digest = [0; 32];
        hex::decode_to_slice(&case.digest, &mut digest).map_err(wrong)?;
        Ok(Keccak256Case { id: case.id, message, digest })
    };
    file.cases.into_iter().map(read).collect()
}
