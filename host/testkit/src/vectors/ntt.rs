//! The cases of `ntt`: elements before and after a transform.

use proofmill_op::ntt::{Direction, Field, Request};
use serde::Deserialize;

/// A case of `ntt`.
#[derive(Clone, Debug)]
pub struct NttCase {
    /// Unique in its field.
    pub id: String,
    /// The field of the elements.
    pub field: Field,
    /// Forward or inverse.
    pub direction: Direction,
    /// A root of unity other than the standard one.
    pub root: Option<Vec<u8>>,
    /// The shift of a coset.
    pub coset: Option<Vec<u8>>,
    /// The elements to transform.
    pub elements: Vec<u8>,
    /// The expected result.
    pub result: Vec<u8>,
}

impl NttCase {
    /// Returns the request for other elements with the parameters of this case.
    pub fn request(&self, elements: impl Into<proofmill_op::Data>) -> Request {
        let mut request = Request::forward(self.field, elements);
        request.direction = self.direction;
        (request.root, request.coset) = (self.root.clone(), self.coset.clone());
        request
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    direction: String,
    root: Option<String>,
    coset: Option<String>,
    elements: Vec<String>,
    result: Vec<String>,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<NttCase>, String> {
    super::read_all("ntt/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<NttCase>, String> {
    let (field, cases) = super::of_field::<Case>(text)?;
    let read = |case: Case| {
        let wrong = |problem| format!("{}: {problem}", case.id);
        let one = |text: &Option<String>| {
            text.as_ref().map(|text| super::element(field, text)).transpose()
        };
        Ok(NttCase {
            field,
            direction: match &case.direction[..] {
                "forward" => Direction::Forward,
                "inverse" => Direction::Inverse,
                other => return Err(wrong(format!("direction {other}"))),
            },
            root: one(&case.root).map_err(wrong)?,
            coset: one(&case.coset).map_err(wrong)?,
            elements: super::elements(field, &case.elements).map_err(wrong)?,
            result: super::elements(field, &case.result).map_err(wrong)?,
            id: case.id,
        })
    };
    cases.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_can_be_read() {
        let cases = cases().unwrap();
        for field in [Field::Goldilocks, Field::Bn254Fr, Field::Bls12_381Fr] {
            let mine: Vec<_> = cases.iter().filter(|case| case.field == field).collect();
            assert!(mine.len() > 20, "{field}");
            assert!(mine.iter().any(|case| case.root.is_some()), "{field}");
            assert!(mine.iter().all(|case| case.elements.len() == case.result.len()), "{field}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = r#"{"schema": "s", "op": "ntt", "field": "goldilocks", "cases": [
            {"id": "one", "comment": "c", "direction": "forward", "root": null, "coset": "SHIFT", "elements": ["0x1"], "result": ["0x2"], "tags": []}]}"#;
        assert_eq!(parse(&text.replace("SHIFT", "0x7")).unwrap().len(), 1);
        let problem = parse(&text.replace("SHIFT", "0x10000000000000000")).unwrap_err();
        assert_eq!(problem, "one: 0x10000000000000000 has more than 8 bytes");
        assert!(parse(&text.replace("forward", "back")).unwrap_err().starts_with("one: "));
        assert!(parse(&text.replace("goldilocks", "silver")).unwrap_err().contains("silver"));
    }
}
