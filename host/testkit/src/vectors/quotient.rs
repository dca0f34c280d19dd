//! The cases of quotients: the values of a, b and c, and the quotient of a b - c on a coset.

use proofmill_op::Data;
use proofmill_op::ntt::{Field, Quotient};
use serde::Deserialize;

/// A case of [`Quotient`].
#[derive(Clone, Debug)]
pub struct QuotientCase {
    /// Unique in its field.
    pub id: String,
    /// The field of the elements.
    pub field: Field,
    /// A root of unity other than the standard one.
    pub root: Option<Vec<u8>>,
    /// The shift of the coset.
    pub coset: Vec<u8>,
    /// The values of a, b and c.
    pub lists: [Vec<u8>; 3],
    /// The expected result.
    pub result: Vec<u8>,
}

impl QuotientCase {
    /// Returns the request.
    pub fn request(&self) -> Quotient {
        let lists = self.lists.clone().map(Data::from);
        let mut request = Quotient::new(self.field, lists, &self.coset[..]);
        request.root.clone_from(&self.root);
        request
    }

    /// Returns the base-2 logarithm of the number of elements of a list.
    pub fn log_size(&self) -> u32 {
        (self.result.len() / self.field.bytes()).ilog2()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    root: Option<String>,
    coset: String,
    lists: [Vec<String>; 3],
    result: Vec<String>,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<QuotientCase>, String> {
    super::read_all("quotient/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<QuotientCase>, String> {
    let (field, cases) = super::of_field::<Case>(text)?;
    let read = |case: Case| {
        let wrong = |problem| format!("{}: {problem}", case.id);
        let [a, b, c] = case.lists.each_ref().map(|list| super::elements(field, list));
        let root = case.root.as_ref().map(|text| super::element(field, text)).transpose();
        Ok(QuotientCase {
            field,
            root: root.map_err(wrong)?,
            coset: super::element(field, &case.coset).map_err(wrong)?,
            lists: [a.map_err(wrong)?, b.map_err(wrong)?, c.map_err(wrong)?],
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
            assert!(mine.len() > 10 && mine.iter().any(|case| case.root.is_some()), "{field}");
            for case in mine {
                let log = case.request().log_size().unwrap();
                assert_eq!(log, case.log_size(), "{field} {}", case.id);
            }
        }
    }
}
