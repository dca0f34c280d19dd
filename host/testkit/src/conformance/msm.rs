//! MSM vectors: a request and its expected response.

use proofmill_op::msm::{Bases, Instance, Request, Response};
use proofmill_op::{AnyRequest, Capability, Ticket};

use crate::vectors::{self, MsmCase};

/// Returns the vectors of a group.
pub(super) fn cases(instance: Instance) -> Result<Vec<MsmCase>, String> {
    let mut cases = vectors::msm()?;
    cases.retain(|case| case.instance == instance);
    Ok(cases)
}

/// Returns a request for an MSM of no points.
pub(super) fn nothing(instance: Instance) -> AnyRequest {
    Request::new(Bases::new(instance, vec![]), vec![]).into()
}

/// Returns the name of the check of a case.
pub(super) fn name(case: &MsmCase) -> String {
    format!("{}: {}", Capability::Msm(case.instance), case.id)
}

/// Compares the response with the vector.
pub(super) fn judge(ticket: Ticket<Response>, case: &MsmCase) -> Result<(), String> {
    let points = ticket.wait().map_err(|error| error.to_string())?.points;
    if points == [&case.sum[..]] {
        return Ok(());
    }
    let found: Vec<_> = points.iter().map(hex::encode).collect();
    Err(format!("{}, where the vector has {}", found.join(", "), hex::encode(&case.sum)))
}
