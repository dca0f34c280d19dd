//! Checks of `equihash_solve`.

use proofmill_algebra::Isa;
use proofmill_algebra::equihash::solver::{Control, Plan, Workspace, encode, solve};
use proofmill_algebra::equihash::{Indices, Leaves, Shape, is_solution};
use proofmill_op::equihash_solve::{EquihashSolve, HEADER_BYTES, Params, Request};
use proofmill_op::{AnyRequest, Device, Erased as _, Submit};

use super::refused;
use crate::random::Random;
use crate::vectors;

/// Returns a request without headers.
pub(super) fn nothing(params: Params) -> AnyRequest {
    EquihashSolve::erase_request(Request::new(params, vec![]))
}

/// Runs the vectors of a parameter set, all headers of a personalisation in one request.
pub(super) fn vectors(device: &dyn Device, params: Params) -> Result<(), String> {
    let mut cases = vectors::equihash_solve()?;
    cases.retain(|case| case.params == params);
    for batch in cases.chunk_by(|a, b| a.personalisation == b.personalisation) {
        let headers: Vec<u8> = batch.iter().flat_map(|case| case.header).collect();
        let personalisation = batch[0].personalisation;
        let request = Request { personalisation, ..Request::new(params, headers) };
        let found = solutions(device, request)?;
        for (case, found) in batch.iter().zip(&found) {
            if *found != case.solutions {
                return Err(format!("{}: {} solutions", case.id, found.len()));
            }
        }
        if found.len() != batch.len() {
            return Err(format!("{} lists for {} headers", found.len(), batch.len()));
        }
    }
    Ok(())
}

pub(super) fn wrong_arguments(device: &dyn Device, params: Params) -> Result<(), String> {
    refused(device.submit(Request::new(params, vec![0; HEADER_BYTES + 1])), "headers")
}

/// Checks that a request without headers has a response without solutions.
pub(super) fn empty(device: &dyn Device, params: Params) -> Result<(), String> {
    match solutions(device, Request::new(params, vec![]))?.len() {
        0 => Ok(()),
        lists => Err(format!("{lists} lists for no header")),
    }
}

/// Solves random headers, verifies every solution, and compares them with those of a solver on this thread.
pub(super) fn verified(device: &dyn Device, params: Params) -> Result<(), String> {
    let count = if params.n() <= 48 { 8 } else { 1 };
    let headers = Random::new(0x5eed).bytes(count * HEADER_BYTES);
    let request = Request::new(params, headers.clone());
    let shape = Shape::new(params.n(), params.k(), &request.personalisation.0);
    let found = solutions(device, request)?;
    if found.len() != count {
        return Err(format!("{} lists for {count} headers", found.len()));
    }
    let plan = Plan::new(&shape, 1, usize::MAX)
        .map_err(|_| "no solver to compare with has these parameters")?;
    let mut solver = Workspace::new(plan);
    let mut indices = Indices::new(params.indices(), params.index_bits());
    let isa = Isa::best();
    for (number, (header, found)) in headers.as_chunks().0.iter().zip(&found).enumerate() {
        let leaves = Leaves::new(&shape, header);
        for solution in found {
            if solution.len() != params.solution_bytes() {
                return Err(format!("header {number}: a solution of {} bytes", solution.len()));
            }
            indices.read(&[&header[..], solution].concat());
            if !is_solution(isa, &leaves, &mut indices) {
                return Err(format!("header {number}: a solution is not valid"));
            }
        }
        let control = Control {
            execute: &|count, work| (0..count).for_each(work),
            cancelled: &|| false,
            progress: &|_, _| (),
        };
        let wanted = solve(isa, &leaves, &mut solver, &control).map_err(|_| "it was cancelled")?;
        let wanted = wanted.iter().map(|solution| encode(solution, params.index_bits()));
        if !wanted.clone().eq(found.iter().cloned()) {
            let counts = (found.len(), wanted.len());
            return Err(format!("header {number}: {} solutions, not the {}", counts.0, counts.1));
        }
    }
    Ok(())
}

/// Returns the solutions of a request's headers.
fn solutions(device: &dyn Device, request: Request) -> Result<Vec<Vec<Vec<u8>>>, String> {
    let response = device.submit(request).and_then(|ticket| ticket.wait());
    Ok(response.map_err(|error| error.to_string())?.solutions)
}
