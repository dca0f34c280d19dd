//! The cases of `spec/vectors`: one file an operation and instance, made by `make vectors`, embedded at build time.

use std::collections::BTreeMap;

use proofmill_op::equihash_verify::{Network, Params, Personalisation, Request, Verdict};
use serde::Deserialize;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/vectors.rs"));
}

/// A case of `equihash_verify`.
#[derive(Clone, Debug)]
pub struct EquihashCase {
    /// Unique in its file.
    pub id: String,
    /// Why it is there.
    pub comment: String,
    /// What it is about.
    pub tags: Vec<String>,
    /// The question.
    pub params: Params,
    /// First 8 bytes of the personalisation.
    pub personalisation: Personalisation,
    /// Difficulty rule.
    pub network: Network,
    /// The whole header.
    pub header: Vec<u8>,
    /// The one right answer.
    pub verdict: Verdict,
}

impl EquihashCase {
    /// The request for this case alone.
    pub fn request(&self) -> Request {
        let request = Request::new(self.params, self.network, &self.header[..]);
        Request { personalisation: self.personalisation, ..request }
    }
}

/// A case of the command stream.
#[derive(Clone, Debug)]
pub struct ShellCase {
    /// The engines that the card has: this case is for no other.
    pub engines: Vec<Params>,
    /// Unique in its file.
    pub id: String,
    /// What is sent and answered, in turn.
    pub exchanges: Vec<Exchange>,
}

/// A packet and its reply.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// What is sent.
    pub packet: Vec<u8>,
    /// What is answered.
    pub reply: Vec<u8>,
    /// Bytes of the reply that name the build, from and to: any value is right.
    pub free: Vec<(usize, usize)>,
}

impl Exchange {
    /// True for the right reply.
    pub fn is_met_by(&self, reply: &[u8]) -> bool {
        let free = |at| self.free.iter().any(|&(from, to)| (from..to).contains(&at));
        let mut pairs = reply.iter().zip(&self.reply).enumerate();
        reply.len() == self.reply.len()
            && pairs.all(|(at, (found, wanted))| found == wanted || free(at))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellFile {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    engines: Vec<String>,
    cases: Vec<ShellCaseText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellCaseText {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    exchanges: Vec<ExchangeText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExchangeText {
    packet: String,
    reply: String,
    #[serde(default)]
    free: Vec<(usize, usize)>,
}

/// Every embedded case of the command stream. An error names the file and the case.
pub fn shell() -> Result<Vec<ShellCase>, String> {
    let mut cases = Vec::new();
    for (name, text) in embedded::FILES.iter().filter(|(name, _)| name.starts_with("wire/shell")) {
        let wrong = |problem: String| format!("spec/vectors/{name}: {problem}");
        let file: ShellFile =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let engines: Result<Vec<Params>, _> =
            file.engines.iter().map(|name| name.replace('_', ",").parse::<Params>()).collect();
        let engines = engines.map_err(|error| wrong(error.to_string()))?;
        for case in &file.cases {
            let exchanges: Result<_, _> = case.exchanges.iter().map(read_exchange).collect();
            let exchanges =
                exchanges.map_err(|problem| wrong(format!("{}: {problem}", case.id)))?;
            cases.push(ShellCase { engines: engines.clone(), id: case.id.clone(), exchanges });
        }
    }
    Ok(cases)
}

fn read_exchange(text: &ExchangeText) -> Result<Exchange, String> {
    let bytes = |hex: &String| hex::decode(hex).map_err(|error| error.to_string());
    Ok(Exchange {
        packet: bytes(&text.packet)?,
        reply: bytes(&text.reply)?,
        free: text.free.clone(),
    })
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

/// Every embedded case of `equihash_verify`, file by file. An error names the file and the case.
pub fn equihash_verify() -> Result<Vec<EquihashCase>, String> {
    let mut cases = Vec::new();
    for (name, text) in embedded::FILES {
        if name.starts_with("equihash_verify/") {
            cases.extend(parse(text).map_err(|problem| format!("spec/vectors/{name}: {problem}"))?);
        }
    }
    Ok(cases)
}

/// The cases of one file's text.
pub fn parse(text: &str) -> Result<Vec<EquihashCase>, String> {
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

/// A network's name, or `limit:0x` and the limit as a number of 64 hex digits.
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
        let cases = equihash_verify().unwrap();
        let mut ids: Vec<_> =
            cases.iter().map(|case| (case.params.n(), case.params.k(), &case.id)).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), cases.len(), "two cases have one id");
    }
}
