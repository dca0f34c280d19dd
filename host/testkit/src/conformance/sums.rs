//! Sums of multiples of points, as the suite sees them: a request and the one point that answers it.

use proofmill_op::msm::{Bases, Instance, Request, Response, Sums};
use proofmill_op::{Answer, Capability, Ticket};

use crate::vectors::{self, MsmCase};

/// The vectors of a group.
pub(super) fn cases(instance: Instance) -> Result<Vec<MsmCase>, String> {
    let mut cases = vectors::msm()?;
    cases.retain(|case| case.instance == instance);
    Ok(cases)
}

/// Asks for the sum of no points.
pub(super) fn nothing(instance: Instance) -> proofmill_op::Request {
    let sums = Sums::one(Bases::new(instance, vec![]), vec![]);
    proofmill_op::Request::Msm(Request::Sums(sums))
}

/// The name of a case's check.
pub(super) fn name(case: &MsmCase) -> String {
    format!("{}: {}", Capability::Msm(case.instance), case.id)
}

/// Compares an answer with the vector.
pub(super) fn judge(ticket: Ticket, case: &MsmCase) -> Result<(), String> {
    match ticket.wait().map_err(|error| error.to_string())? {
        Answer::Msm(Response::Sums { points, .. }) if points == [&case.sum[..]] => Ok(()),
        Answer::Msm(Response::Sums { points, .. }) => {
            let found: Vec<_> = points.iter().map(hex::encode).collect();
            let wanted = hex::encode(&case.sum);
            Err(format!("{}, where the vector says {wanted}", found.join(", ")))
        }
        answer => Err(format!("an answer to another question: {answer:?}")),
    }
}
