//! The cases of `vdf`: claims of repeated squaring, with proofs.

use serde::Deserialize;

/// A case of `vdf`. Numbers are in little-endian bytes, without zeros at the end.
#[derive(Clone, Debug)]
pub struct VdfCase {
    /// Unique in its file.
    pub id: String,
    /// The modulus N.
    pub modulus: Vec<u8>,
    /// The input x.
    pub input: Vec<u8>,
    /// The number t of squarings.
    pub squarings: u64,
    /// x^(2^t) modulo N.
    pub output: Vec<u8>,
    /// Wesolowski's prime and proof.
    pub wesolowski: Option<(Vec<u8>, Vec<u8>)>,
    /// Pietrzak's proof.
    pub halvings: Option<Vec<Vec<u8>>>,
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
    modulus: String,
    input: String,
    squarings: u64,
    output: String,
    challenge: Option<String>,
    proof: Option<String>,
    halvings: Option<Vec<String>>,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<VdfCase>, String> {
    super::read_all("vdf/", parse)
}

fn parse(text: &str) -> Result<Vec<VdfCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    file.cases
        .into_iter()
        .map(|case| read(&case).map_err(|error| format!("{}: {error}", case.id)))
        .collect()
}

fn read(case: &Case) -> Result<VdfCase, String> {
    let all = |texts: &Vec<String>| texts.iter().map(|text| number(text)).collect();
    let both = case.challenge.as_deref().zip(case.proof.as_deref());
    let both = both.map(|(challenge, proof)| Ok::<_, String>((number(challenge)?, number(proof)?)));
    Ok(VdfCase {
        id: case.id.clone(),
        modulus: number(&case.modulus)?,
        input: number(&case.input)?,
        squarings: case.squarings,
        output: number(&case.output)?,
        wesolowski: both.transpose()?,
        halvings: case.halvings.as_ref().map(all).transpose()?,
    })
}

/// Parses 0x and hex digits.
fn number(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{text}: expected 0x"))?;
    let even = if digits.len() % 2 == 0 { digits.into() } else { format!("0{digits}") };
    let mut bytes = hex::decode(even).map_err(|error| error.to_string())?;
    bytes.reverse();
    bytes.truncate(bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
    Ok(bytes)
}
