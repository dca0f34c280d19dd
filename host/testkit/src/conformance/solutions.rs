//! Checks of `equihash_solve`.

use proofmill_op::equihash_solve::{HEADER_BYTES, Params, Request};
use proofmill_op::equihash_verify::{self, Network};
use proofmill_op::{Capability, Device, Submit};

use super::refused;
use crate::random::Random;
use crate::vectors;

/// Runs the vectors of a parameter set, all headers of a personalisation in one request.
pub(super) fn vectors(device: &dyn Device, params: Params) -> Result<(), String> {
    let mut cases = vectors::equihash_solve()?;
    cases.retain(|case| case.params == params);
    for batch in cases.chunk_by(|a, b| a.personalisation == b.personalisation) {
        let headers: Vec<u8> = batch.iter().flat_map(|case| case.header).collect();
        let personalisation = batch[0].personalisation;
        let request = Request { personalisation, ..Request::new(params, headers) };
        let found = device.submit(request).and_then(|ticket| ticket.wait());
        let found = found.map_err(|error| error.to_string())?.solutions;
        for (case, found) in batch.iter().zip(&found) {
            if *found != case.solutions {
                return Err(format!("{}: {} solutions", case.id, found.len()));
            }
        }
        if found.len() != batch.len() {
            return Err(format!("{} lists for {} headers", found.len(), batch.len()));
        }
    }
    refused(device.submit(Request::new(params, vec![0; HEADER_BYTES + 1])), "headers")
}

/// Solves random headers and verifies every solution on the same device.
pub(super) fn verified(device: &dyn Device, params: Params) -> Result<(), String> {
    if !device.caps().offers(&Capability::EquihashVerify(params)) {
        return Ok(());
    }
    let count = if params.n() <= 48 { 8 } else { 1 };
    let mut random = Random::new(0x5eed);
    let headers = random.bytes(count * HEADER_BYTES);
    let ticket = device.submit(Request::new(params, headers.clone()));
    let found = ticket.and_then(|ticket| ticket.wait()).map_err(|error| error.to_string())?;
    let whole: Vec<u8> = headers
        .chunks_exact(HEADER_BYTES)
        .zip(&found.solutions)
        .flat_map(|(header, solutions)| {
            let whole = |solution: &Vec<u8>| [header, &params.compact_size(), solution].concat();
            solutions.iter().flat_map(whole).collect::<Vec<_>>()
        })
        .collect();
    let request = equihash_verify::Request::new(params, Network::None, whole);
    let verdicts = device.submit(request).and_then(|ticket| ticket.wait());
    let verdicts = verdicts.map_err(|error| error.to_string())?.verdicts;
    match verdicts.iter().find(|verdict| !verdict.is_valid()) {
        Some(verdict) => Err(format!("a solution is not valid: {verdict:?}")),
        None => Ok(()),
    }
}
