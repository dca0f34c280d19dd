//! The cases of `msm`: points by their index in a file's list, scalars, and the result.

use proofmill_op::msm::{Bases, Instance, Request, SCALAR_BYTES};
use serde::Deserialize;

/// A case of `msm`.
#[derive(Clone, Debug)]
pub struct MsmCase {
    /// Unique in its file.
    pub id: String,
    /// The purpose of the case.
    pub comment: String,
    /// Topics of the case.
    pub tags: Vec<String>,
    /// The group.
    pub instance: Instance,
    /// The points, concatenated.
    pub points: Vec<u8>,
    /// One scalar for each point.
    pub scalars: Vec<u8>,
    /// The expected result.
    pub sum: Vec<u8>,
}

impl MsmCase {
    /// Returns the request for this case alone.
    pub fn request(&self) -> Request {
        Request::new(Bases::new(self.instance, &self.points[..]), &self.scalars[..])
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema")]
    _schema: String,
    op: String,
    curve: String,
    group: String,
    points: Vec<Option<[Element; 2]>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    comment: String,
    points: Vec<usize>,
    scalars: Vec<String>,
    sum: Option<[Element; 2]>,
    tags: Vec<String>,
}

/// An element of Fp, or the coefficients of one of Fp2, that of 1 first.
#[derive(Deserialize)]
#[serde(untagged)]
enum Element {
    Prime(String),
    Extended([String; 2]),
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<MsmCase>, String> {
    super::read_all("msm/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<MsmCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.op != "msm" {
        return Err(format!("op is {}, not msm", file.op));
    }
    let name = format!("{}_{}", file.curve, file.group);
    let instance: Instance =
        name.parse().map_err(|error: proofmill_op::Error| error.to_string())?;
    let points: Vec<_> =
        file.points.iter().map(|point| encode(instance, point)).collect::<Result<_, _>>()?;
    let read = |case: Case| {
        let wrong = |problem| format!("{}: {problem}", case.id);
        let chosen = case.points.iter().map(|&number| {
            points.get(number).map(Vec::as_slice).ok_or_else(|| format!("no point {number}"))
        });
        let scalars = case.scalars.iter().map(|scalar| integer(scalar, SCALAR_BYTES));
        Ok(MsmCase {
            points: chosen.collect::<Result<Vec<_>, _>>().map_err(wrong)?.concat(),
            scalars: scalars.collect::<Result<Vec<_>, _>>().map_err(wrong)?.concat(),
            sum: encode(instance, &case.sum).map_err(wrong)?,
            id: case.id,
            comment: case.comment,
            tags: case.tags,
            instance,
        })
    };
    file.cases.into_iter().map(read).collect()
}

/// Encodes x and y; the identity as zeros.
fn encode(instance: Instance, point: &Option<[Element; 2]>) -> Result<Vec<u8>, String> {
    let Some(coordinates) = point else { return Ok(vec![0; instance.point_bytes()]) };
    let integers: Vec<&String> = coordinates
        .iter()
        .flat_map(|element| match element {
            Element::Prime(value) => std::slice::from_ref(value),
            Element::Extended(values) => &values[..],
        })
        .collect();
    let each = instance.point_bytes() / integers.len();
    Ok(integers.iter().map(|value| integer(value, each)).collect::<Result<Vec<_>, _>>()?.concat())
}

/// Parses `0x` and hex digits as a little-endian integer of `bytes` bytes.
fn integer(text: &str, bytes: usize) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{text} is not 0x and digits"))?;
    let mut found = vec![0; bytes];
    hex::decode_to_slice(format!("{digits:0>width$}", width = 2 * bytes), &mut found)
        .map_err(|error| format!("{text}: {error}"))?;
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{"schema": "../schema.json", "op": "msm", "curve": "bn254", "group": "g1",
        "points": [null, ["0x1", "0x2"]],
        "cases": [{"id": "one", "comment": "c", "points": [1, 0], "scalars": ["0x102", "0x0"], "sum": null, "tags": ["t"]}]}"#;

    #[test]
    fn a_case_has_its_points_and_scalars() {
        let case = &parse(EXAMPLE).unwrap()[0];
        assert_eq!((case.points[0], case.points[32], case.points.len()), (1, 2, 128));
        assert_eq!((case.scalars[..3].to_vec(), case.scalars.len()), (vec![2, 1, 0], 64));
        assert_eq!((case.sum.clone(), case.instance.name()), (vec![0; 64], "bn254_g1"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let problem = |from: &str, to: &str| parse(&EXAMPLE.replace(from, to)).unwrap_err();
        assert_eq!(problem("[1, 0]", "[1, 2]"), "one: no point 2");
        assert!(problem("0x102", "102").starts_with("one: 102"));
        assert!(problem("0x102", &format!("0x{}", "1".repeat(65))).starts_with("one: 0x111"));
        assert!(problem("bn254", "bn255").contains("bn255_g1"));
        assert!(problem("\"msm\"", "\"sum\"").contains("op is sum"));
    }

    #[test]
    fn every_embedded_file_can_be_read() {
        let cases = cases().unwrap();
        for instance in Instance::ALL {
            let mut ids: Vec<_> = cases.iter().filter(|case| case.instance == instance).collect();
            assert!(ids.len() > 30, "{instance}: {} cases", ids.len());
            ids.sort_by_key(|case| &case.id);
            ids.dedup_by_key(|case| &case.id);
            assert!(ids.len() > 30, "{instance}: ids stand twice");
        }
    }
}
