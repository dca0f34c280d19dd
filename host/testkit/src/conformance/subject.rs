//! An operation that verifies items of a fixed size, with one mask each.

use proofmill_op::ecdsa_verify::{self, SIGNATURE_BYTES};
use proofmill_op::equihash_verify::{self, Network, Params};
use proofmill_op::{Capability, Data, Error, RequestOf, ResponseOf};

use crate::vectors;

/// A request to verify a list of items.
pub(super) trait Verification: RequestOf + Clone {
    /// The name of the argument with the items.
    const ARGUMENT: &'static str;

    /// Returns a request with the same settings for other items.
    fn with_items(&self, items: Data) -> Self;

    /// Returns whether the settings besides the items are the same.
    fn has_settings_of(&self, _other: &Self) -> bool {
        true
    }

    /// Returns the mask of each item.
    fn masks(response: ResponseOf<Self>) -> Result<Vec<u8>, Error>;

    /// Formats a mask as text.
    fn describe(mask: u8) -> String;
}

impl Verification for equihash_verify::Request {
    const ARGUMENT: &'static str = "headers";

    fn with_items(&self, headers: Data) -> Self {
        Self { headers, ..self.clone() }
    }

    fn has_settings_of(&self, other: &Self) -> bool {
        (self.network, self.personalisation) == (other.network, other.personalisation)
    }

    fn masks(response: ResponseOf<Self>) -> Result<Vec<u8>, Error> {
        Ok(response.verdicts.iter().map(|verdict| verdict.mask()).collect())
    }

    fn describe(mask: u8) -> String {
        equihash_verify::Verdict::from_mask(mask).to_string()
    }
}

impl Verification for ecdsa_verify::Request {
    const ARGUMENT: &'static str = "signatures";

    fn with_items(&self, signatures: Data) -> Self {
        Self::new(signatures)
    }

    fn masks(response: ResponseOf<Self>) -> Result<Vec<u8>, Error> {
        let verdicts = response.verdicts.len();
        match response.cycles {
            Some(cycles) if cycles.len() != verdicts => {
                let problem = format!("{} counts of cycles for {verdicts} verdicts", cycles.len());
                Err(Error::argument("response", problem))
            }
            _ => Ok(response.verdicts.iter().map(|verdict| verdict.mask()).collect()),
        }
    }

    fn describe(mask: u8) -> String {
        ecdsa_verify::Verdict::from_mask(mask).to_string()
    }
}

/// The data for the checks of one capability.
pub(super) struct Subject<R> {
    /// The capability's name.
    pub name: String,
    /// Bytes of one item.
    pub item_bytes: usize,
    /// A request without items, with the settings of the first case.
    base: R,
    /// The vectors; empty for an instance without vectors.
    pub cases: Vec<Case<R>>,
}

/// An item with its verdict.
pub(super) struct Case<R> {
    /// The vector's name.
    pub id: String,
    /// The request for this item alone.
    pub request: R,
    /// The item.
    pub item: Vec<u8>,
    /// The verdict's mask.
    pub mask: u8,
}

impl<R: Verification> Subject<R> {
    /// Returns a request for these items, with the settings of the first case.
    pub fn request(&self, items: impl Into<Data>) -> R {
        self.base.with_items(items.into())
    }

    /// Returns the cases that can share a request with the first.
    pub fn like_first(&self) -> impl Iterator<Item = &Case<R>> + Clone {
        self.cases.iter().filter(|case| case.request.has_settings_of(&self.base))
    }

    /// Compares masks. The error names the first item that differs.
    pub fn expect(&self, found: &[u8], wanted: &[u8]) -> Result<(), String> {
        if found.len() != wanted.len() {
            return Err(format!("{} verdicts for {} items", found.len(), wanted.len()));
        }
        match found.iter().zip(wanted).position(|(found, wanted)| found != wanted) {
            None => Ok(()),
            Some(at) => {
                let [found, wanted] = [found[at], wanted[at]].map(R::describe);
                Err(format!("item {at}: {found}, where the vector has {wanted}"))
            }
        }
    }
}

/// Returns the subject of `equihash_verify` with these parameters.
pub(super) fn equihash(params: Params) -> Result<Subject<equihash_verify::Request>, String> {
    let mut cases = vectors::equihash_verify()?;
    cases.retain(|case| case.params == params);
    let nothing = || equihash_verify::Request::new(params, Network::None, vec![]);
    let base = cases.first().map_or_else(nothing, vectors::EquihashCase::request);
    Ok(Subject {
        name: Capability::EquihashVerify(params).to_string(),
        item_bytes: params.header_bytes(),
        base: base.with_items(vec![].into()),
        cases: cases
            .into_iter()
            .map(|case| Case {
                request: case.request(),
                id: case.id,
                item: case.header,
                mask: case.verdict.mask(),
            })
            .collect(),
    })
}

/// Returns the subject of `ecdsa_verify`.
pub(super) fn ecdsa() -> Result<Subject<ecdsa_verify::Request>, String> {
    let case = |case: vectors::EcdsaCase| Case {
        request: case.request(),
        item: case.signature.to_bytes().to_vec(),
        id: case.id,
        mask: case.verdict.mask(),
    };
    Ok(Subject {
        name: Capability::EcdsaVerify.to_string(),
        item_bytes: SIGNATURE_BYTES,
        base: ecdsa_verify::Request::new(vec![]),
        cases: vectors::ecdsa_verify()?.into_iter().map(case).collect(),
    })
}
