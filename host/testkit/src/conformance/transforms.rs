//! Transforms in the suite: elements before and after. A device may support some sizes, and the standard root only; it
//! supports at least 2^6 elements.

use proofmill_op::ntt::{Direction, Field, QuotientResponse, Request, Response};
use proofmill_op::{
    AnyRequest, Argument, Capability, Data, Device, Error, ResidentData, Submit, Ticket,
};

use super::refused;
use crate::vectors::{self, NttCase, QuotientCase};

/// Elements of the size that every device supports.
const COUNT: usize = 64;

/// Returns the vectors of a field that the device must answer, without those that it may and does refuse.
pub(super) fn cases(device: &dyn Device, field: Field) -> Result<Vec<NttCase>, String> {
    let mut cases = vectors::ntt()?;
    cases.retain(|case| case.field == field);
    cases.retain(|case| {
        let common = case.root.is_none() && case.elements.len() == COUNT * field.bytes();
        let answer = submit(device, case, case.elements.clone());
        let refused = |error: &Error| {
            let size = matches!(error, Error::Argument { argument: Argument::Elements, .. });
            size || matches!(error, Error::Unsupported { .. })
        };
        common || !answer.is_err_and(|error| refused(&error))
    });
    Ok(cases)
}

/// Returns the vectors of quotients that the device supports. A device with the standard root only may refuse others.
pub(super) fn quotients(device: &dyn Device, field: Field) -> Result<Vec<QuotientCase>, String> {
    let mut cases = vectors::quotient()?;
    cases.retain(|case| {
        let offered = case.field == field && device.caps().offers_quotient(field, case.log_size());
        let refused = |answer| matches!(answer, Err(Error::Unsupported { .. }));
        offered && (case.root.is_none() || !refused(submit_quotient(device, case)))
    });
    Ok(cases)
}

/// Returns the name of a quotient's check.
pub(super) fn quotient_name(case: &QuotientCase) -> String {
    format!("{}: quotient {}", Capability::Ntt(case.field), case.id)
}

pub(super) fn submit_quotient(
    device: &dyn Device,
    case: &QuotientCase,
) -> Result<Ticket<QuotientResponse>, Error> {
    device.submit(case.request())
}

/// Returns a request for a small transform.
pub(super) fn nothing(field: Field) -> AnyRequest {
    AnyRequest::from(Request::forward(field, vec![0; COUNT * field.bytes()]))
}

/// Returns the name of a case's check.
pub(super) fn name(case: &NttCase) -> String {
    format!("{}: {}", Capability::Ntt(case.field), case.id)
}

/// Compares elements with the expected ones.
pub(super) fn judge(ticket: Ticket<Response>, field: Field, wanted: &[u8]) -> Result<(), String> {
    compare(&elements(ticket).map_err(|error| error.to_string())?, field, wanted)
}

/// Compares the response to a quotient with the vector.
pub(super) fn judge_quotient(
    ticket: Ticket<QuotientResponse>,
    field: Field,
    wanted: &[u8],
) -> Result<(), String> {
    match ticket.wait().map_err(|error| error.to_string())? {
        QuotientResponse::Elements(found) => compare(&found, field, wanted),
        QuotientResponse::Resident(_) => Err("a handle".into()),
    }
}

fn compare(found: &[u8], field: Field, wanted: &[u8]) -> Result<(), String> {
    if found.len() != wanted.len() {
        return Err(format!("{} bytes of elements, not {}", found.len(), wanted.len()));
    }
    let pairs = found.chunks(field.bytes()).zip(wanted.chunks(field.bytes()));
    match pairs.enumerate().find(|(_, (found, wanted))| found != wanted) {
        None => Ok(()),
        Some((at, (found, wanted))) => {
            let [found, wanted] = [found, wanted].map(hex::encode);
            Err(format!("element {at}: {found}, where {wanted} was expected"))
        }
    }
}

fn elements(ticket: Ticket<Response>) -> Result<Vec<u8>, Error> {
    Ok(ticket.wait()?.elements)
}

type Promise = fn(&dyn Device, &NttCase) -> Result<(), String>;

/// Guarantees of every device, each with its name. The checks use a vector of 2^6 elements.
pub(super) const PROMISES: [(&str, Promise); 9] = [
    ("a count that is no power of two is refused", |device, case| {
        refused(submit(device, case, case.elements.repeat(3)), "elements")
    }),
    ("part of an element is refused", |device, case| {
        refused(submit(device, case, &case.elements[1..]), "elements")
    }),
    ("a shift of 0 is refused", |device, case| {
        let mut shifted = case.clone();
        shifted.coset = Some(vec![0; case.field.bytes()]);
        refused(submit(device, &shifted, case.elements.clone()), "coset")
    }),
    ("bytes resident on another device are refused", |device, case| {
        let elsewhere =
            ResidentData::new(ResidentData::fresh_identity(), case.elements.clone().into());
        refused(submit(device, case, Data::Resident(elsewhere)), "data")
    }),
    ("the first element that is too large is named", too_large),
    ("an inverse transform goes back", |device, case| {
        let back = match case.direction {
            Direction::Forward => Direction::Inverse,
            Direction::Inverse => Direction::Forward,
        };
        let other = NttCase { direction: back, ..case.clone() };
        ask(device, &other, case.result.clone(), &case.elements)
    }),
    ("resident elements are transformed", |device, case| {
        let resident = device.load(case.elements.clone().into()).map_err(|e| e.to_string())?;
        ask(device, case, Data::Resident(resident), &case.result)
    }),
    ("a cancelled request affects no other", cancelled),
    ("requests are counted", |device, case| {
        let before = device.metrics().requests;
        ask(device, case, case.elements.clone(), &case.result)?;
        let counted = device.metrics().requests - before;
        if counted >= 1 { Ok(()) } else { Err(format!("{counted} counted for 1")) }
    }),
];

/// Sets two elements too large and checks that the first one is named.
fn too_large(device: &dyn Device, case: &NttCase) -> Result<(), String> {
    let bytes = case.field.bytes();
    let mut wrong = case.elements.clone();
    for at in [19, 40] {
        wrong[at * bytes..][..bytes].fill(0xff);
    }
    let wanted = "number 19 is not below the modulus";
    match submit(device, case, wrong).and_then(elements) {
        Err(Error::Argument { argument: Argument::Elements, problem }) if problem == wanted => {
            Ok(())
        }
        Err(error) => Err(format!("{error}, not {wanted}")),
        Ok(_) => Err("it was transformed".into()),
    }
}

fn cancelled(device: &dyn Device, case: &NttCase) -> Result<(), String> {
    let ticket = submit(device, case, case.elements.clone()).map_err(|e| e.to_string())?;
    ticket.cancel();
    // The response may precede the cancellation; no other outcome is allowed.
    match elements(ticket) {
        Err(Error::Cancelled) => {}
        Ok(found) if found == case.result => {}
        Ok(_) => return Err("wrong elements".into()),
        Err(error) => return Err(error.to_string()),
    }
    ask(device, case, case.elements.clone(), &case.result)
}

pub(super) fn submit(
    device: &dyn Device,
    case: &NttCase,
    elements: impl Into<Data>,
) -> Result<Ticket<Response>, Error> {
    device.submit(case.request(elements))
}

fn ask(
    device: &dyn Device,
    case: &NttCase,
    elements: impl Into<Data>,
    wanted: &[u8],
) -> Result<(), String> {
    judge(submit(device, case, elements).map_err(|error| error.to_string())?, case.field, wanted)
}
