//! The cases of `equihash_verify`: headers, either complete or as changes of a base.

use std::collections::BTreeMap;

use proofmill_op::equihash_verify::{Network, Params, Personalisation, Request, Verdict};
use serde::Deserialize;

/// A case of `equihash_verify`.
#[derive(Clone, Debug)]
pub struct EquihashCase {
    /// Unique in its file.
    pub id: String,
    /// The purpose of the case.
    pub comment: String,
    /// Topics of the case.
    pub tags: Vec<String>,
    /// The parameter set.
    pub params: Params,
    /// The first 8 bytes of the personalisation.
    pub personalisation: Personalisation,
    /// Difficulty rule.
    pub network: Network,
    /// The whole header.
    pub header: Vec<u8>,
    /// The expected verdict.
    pub verdict: Verdict,
}

impl EquihashCase {
    /// Returns the request for this case alone.
    pub fn request(&self) -> Request {
        let request = Request::new(self.params, self.network, &self.header[..]);
        Request { personalisation: self.personalisation, ..request }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema", alias = "$schema")]
    _schema: Option<String>,
    op: String,
    #[serde(rename = "comment")]
    _comment: Option<String>,
    instance: Instance,
    #[serde(default)]
    bases: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Instance {
    n: u32,
    k: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(default)]
    comment: String,
    base: Option<String>,
    #[serde(default)]
    edits: Vec<Edit>,
    header: Option<String>,
    personalisation: String,
    network: String,
    mask: u8,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    offset: usize,
    xor: String,
}

/// Returns every embedded case, file by file. An error names the file and the case.
pub fn cases() -> Result<Vec<EquihashCase>, String> {
    super::read_all("equihash_verify/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<EquihashCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.op != "equihash_verify" {
        return Err(format!("op is {}, not equihash_verify", file.op));
    }
    let params =
        Params::new(file.instance.n, file.instance.k).map_err(|error| error.to_string())?;
    let cases = file.cases.iter();
    cases
        .map(|case| {
            read(case, params, &file.bases).map_err(|problem| format!("{}: {problem}", case.id))
        })
        .collect()
}

fn read(
    case: &Case,
    params: Params,
    bases: &BTreeMap<String, String>,
) -> Result<EquihashCase, String> {
    let hex = match (&case.base, &case.header) {
        (Some(base), None) => bases.get(base).ok_or_else(|| format!("no base {base}"))?,
        (None, Some(header)) if case.edits.is_empty() => header,
        _ => return Err("needs either a base, perhaps with edits, or a header".into()),
    };
    let mut header = hex::decode(hex).map_err(|error| format!("header: {error}"))?;
    for edit in &case.edits {
        let xor = hex::decode(&edit.xor).map_err(|error| format!("edit: {error}"))?;
        let end = edit.offset.saturating_add(xor.len());
        let target = header.get_mut(edit.offset..end).ok_or("an edit past the header's end")?;
        target.iter_mut().zip(xor).for_each(|(byte, change)| *byte ^= change);
    }
    if header.len() != params.header_bytes() {
        return Err(format!("a header of {} bytes, not {}", header.len(), params.header_bytes()));
    }
    let personalisation = case.personalisation.as_bytes().try_into();
    Ok(EquihashCase {
        id: case.id.clone(),
        comment: case.comment.clone(),
        tags: case.tags.clone(),
        params,
        personalisation: Personalisation(
            personalisation.map_err(|_| "a personalisation not of 8 bytes")?,
        ),
        network: network(&case.network)?,
        header,
        verdict: Verdict::from_mask(case.mask),
    })
}

/// Parses a network's name, or `limit:0x` and the limit as a number of 64 hex digits.
fn network(text: &str) -> Result<Network, String> {
    let Some(digits) = text.strip_prefix("limit:0x") else {
        return text.parse().map_err(|error: proofmill_op::Error| error.to_string());
    };
    let mut limit = [0; 32];
    hex::decode_to_slice(digits, &mut limit).map_err(|error| format!("network: {error}"))?;
    limit.reverse();
    Ok(Network::Limit(limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{"schema": "../schema.json", "op": "equihash_verify", "instance": {"n": 48, "k": 5},
        "bases": {"zeros": "HEADER"},
        "cases": [{"id": "edited", "comment": "c", "base": "zeros", "edits": [{"offset": 3, "xor": "0102"}],
            "personalisation": "ZcashPoW", "network": "limit:0x00000000000000000000000000000000000000000000000000000000000000ff",
            "mask": 3, "tags": ["t"]}]}"#;

    #[test]
    fn a_case_is_its_base_with_its_edits() {
        let text = EXAMPLE.replace("HEADER", &"00".repeat(177));
        let cases = parse(&text).unwrap();
        assert_eq!(cases[0].header[..6], [0, 0, 0, 1, 2, 0]);
        assert_eq!(cases[0].verdict.mask(), 3);
        let Network::Limit(limit) = cases[0].network else { panic!("not a limit") };
        assert_eq!((limit[0], limit[31]), (0xff, 0));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(
            parse(&EXAMPLE.replace("HEADER", "00")).unwrap_err().contains("edited: an edit past")
        );
        assert!(
            parse(&EXAMPLE.replace("HEADER", &"00".repeat(176))).unwrap_err().contains("not 177")
        );
        assert!(parse(&EXAMPLE.replace("HEADER", "zz")).unwrap_err().contains("edited: header"));
        assert!(parse("{").is_err());
    }

    #[test]
    fn every_embedded_file_can_be_read() {
        let cases = cases().unwrap();
        let mut ids: Vec<_> =
            cases.iter().map(|case| (case.params.n(), case.params.k(), &case.id)).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), cases.len(), "two cases have one id");
    }
}
