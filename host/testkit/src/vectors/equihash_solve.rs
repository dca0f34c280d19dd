//! The cases of `equihash_solve`: headers with all of their solutions.

use proofmill_op::equihash_solve::{HEADER_BYTES, Params, Personalisation};
use serde::Deserialize;

/// A case of `equihash_solve`.
#[derive(Clone, Debug)]
pub struct SolveCase {
    /// Unique in its file.
    pub id: String,
    /// The parameter set.
    pub params: Params,
    /// The personalisation.
    pub personalisation: Personalisation,
    /// The header without its solution.
    pub header: [u8; HEADER_BYTES],
    /// Every solution, packed.
    pub solutions: Vec<Vec<u8>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    instance: Instance,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Instance {
    n: u32,
    k: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    header: String,
    personalisation: String,
    solutions: Vec<String>,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<SolveCase>, String> {
    super::read_all("equihash_solve/", parse)
}

fn parse(text: &str) -> Result<Vec<SolveCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let params =
        Params::new(file.instance.n, file.instance.k).map_err(|error| error.to_string())?;
    let named = |case: Case| read(params, &case).map_err(|error| format!("{}: {error}", case.id));
    file.cases.into_iter().map(named).collect()
}

fn read(params: Params, case: &Case) -> Result<SolveCase, String> {
    let mut header = [0; HEADER_BYTES];
    hex::decode_to_slice(&case.header, &mut header).map_err(|error| error.to_string())?;
    let personalisation = case.personalisation.as_bytes().try_into();
    let solutions = case.solutions.iter().map(hex::decode).collect::<Result<_, _>>();
    Ok(SolveCase {
        id: case.id.clone(),
        params,
        personalisation: Personalisation(
            personalisation.map_err(|_| "a personalisation of 8 bytes")?,
        ),
        header,
        solutions: solutions.map_err(|error| error.to_string())?,
    })
}
