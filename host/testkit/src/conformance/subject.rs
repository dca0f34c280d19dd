//! An operation and an instance of it, reduced to items of a fixed size with one mask each.

use proofmill_op::ecdsa_verify::{self, SIGNATURE_BYTES};
use proofmill_op::equihash_verify::{self, Network, Params};
use proofmill_op::{AnyRequest, Capability, Data};

use crate::vectors;

/// The data for the checks of one capability.
pub(super) struct Subject {
    /// The capability's name.
    pub name: String,
    /// The name of the argument with the items.
    pub argument: &'static str,
    /// Bytes of one item.
    pub item_bytes: usize,
    /// Formats a mask as text.
    pub describe: fn(u8) -> String,
    /// A request without items, with the settings of the first case.
    base: AnyRequest,
    /// The vectors; empty for an instance without vectors.
    pub cases: Vec<Case>,
}

/// An item with its verdict.
pub(super) struct Case {
    /// The vector's name.
    pub id: String,
    /// The request for this item alone.
    pub request: AnyRequest,
    /// The item.
    pub item: Vec<u8>,
    /// The verdict's mask.
    pub mask: u8,
}

impl Subject {
    /// Returns the subject for a capability, or `None` if the suite does not cover it.
    pub fn of(capability: &Capability) -> Result<Option<Self>, String> {
        let name = capability.to_string();
        Ok(Some(match capability {
            Capability::EquihashVerify(params) => equihash(name, *params)?,
            Capability::EcdsaVerify => ecdsa(name)?,
            _ => return Ok(None),
        }))
    }

    /// Returns a request for these items, with the settings of the first case.
    pub fn request(&self, items: impl Into<Data>) -> AnyRequest {
        with_items(&self.base, items.into())
    }

    /// Returns the cases that can share a request with the first.
    pub fn like_first(&self) -> impl Iterator<Item = &Case> + Clone {
        let first = settings(&self.base);
        self.cases.iter().filter(move |case| settings(&case.request) == first)
    }

    /// Returns whether requests have settings besides items.
    pub fn has_settings(&self) -> bool {
        settings(&self.base).is_some()
    }

    /// Compares masks. The error names the first item that differs.
    pub fn expect(&self, found: &[u8], wanted: &[u8]) -> Result<(), String> {
        if found.len() != wanted.len() {
            return Err(format!("{} verdicts for {} items", found.len(), wanted.len()));
        }
        match found.iter().zip(wanted).position(|(found, wanted)| found != wanted) {
            None => Ok(()),
            Some(at) => {
                let [found, wanted] = [found[at], wanted[at]].map(self.describe);
                Err(format!("item {at}: {found}, where the vector has {wanted}"))
            }
        }
    }
}

fn equihash(name: String, params: Params) -> Result<Subject, String> {
    let mut cases = vectors::equihash_verify()?;
    cases.retain(|case| case.params == params);
    let request = |case: &vectors::EquihashCase| AnyRequest::from(case.request());
    let base = cases.first().map_or_else(|| nothing(params), request);
    Ok(Subject {
        name,
        argument: "headers",
        item_bytes: params.header_bytes(),
        describe: |mask| equihash_verify::Verdict::from_mask(mask).to_string(),
        base: with_items(&base, vec![].into()),
        cases: cases
            .into_iter()
            .map(|case| Case {
                request: request(&case),
                id: case.id,
                item: case.header,
                mask: case.verdict.mask(),
            })
            .collect(),
    })
}

fn ecdsa(name: String) -> Result<Subject, String> {
    let case = |case: vectors::EcdsaCase| Case {
        request: AnyRequest::from(case.request()),
        item: case.signature.to_bytes().to_vec(),
        id: case.id,
        mask: case.verdict.mask(),
    };
    Ok(Subject {
        name,
        argument: "signatures",
        item_bytes: SIGNATURE_BYTES,
        describe: |mask| ecdsa_verify::Verdict::from_mask(mask).to_string(),
        base: AnyRequest::from(ecdsa_verify::Request::new(vec![])),
        cases: vectors::ecdsa_verify()?.into_iter().map(case).collect(),
    })
}

fn with_items(request: &AnyRequest, items: Data) -> AnyRequest {
    match request.clone() {
        AnyRequest::EquihashVerify(request) => {
            AnyRequest::from(equihash_verify::Request { headers: items, ..request })
        }
        AnyRequest::EcdsaVerify(_) => AnyRequest::from(ecdsa_verify::Request::new(items)),
        other => panic!("{other:?}: not a subject's"),
    }
}

/// Returns the settings of a request besides its items.
fn settings(request: &AnyRequest) -> Option<(Network, equihash_verify::Personalisation)> {
    match request {
        AnyRequest::EquihashVerify(request) => Some((request.network, request.personalisation)),
        _ => None,
    }
}

/// Returns a request without headers and without a difficulty check.
fn nothing(params: Params) -> AnyRequest {
    AnyRequest::from(equihash_verify::Request::new(params, Network::None, vec![]))
}
