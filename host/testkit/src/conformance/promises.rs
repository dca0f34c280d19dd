//! Guarantees of every device, for any request.

use proofmill_op::equihash_verify::{Network, Params, Request as Equihash, Verdict};
use proofmill_op::{
    AnyRequest, Capability, Data, Device, Error, ResidentData, ResponseOf, Submit, Ticket,
    ecdsa_verify, ntt,
};

use super::subject::{Subject, Verification};
use super::{hashes, msm, programs, refused, solutions, transforms};

type Promise<R> = fn(&dyn Device, &Subject<R>) -> Result<(), String>;

/// Returns the guarantees for every subject, each with its name.
pub(super) fn always<R: Verification>() -> [(&'static str, Promise<R>); 3] {
    [
        ("no item, no verdict", nothing),
        ("part of an item is refused", part),
        ("bytes resident on another device are refused", resident_on_another_device),
    ]
}

/// Returns the guarantees that are checked with vectors.
pub(super) fn with_vectors<R: Verification>() -> [(&'static str, Promise<R>); 4] {
    [
        ("verdicts keep the order of the items", in_order),
        ("resident items are verified", resident),
        ("a cancelled request affects no other", cancelled),
        ("requests are counted", counted),
    ]
}

fn nothing<R: Verification>(device: &dyn Device, subject: &Subject<R>) -> Result<(), String> {
    subject.expect(&ask(device, subject.request(vec![]))?, &[])
}

fn part<R: Verification>(device: &dyn Device, subject: &Subject<R>) -> Result<(), String> {
    let part = vec![0; subject.item_bytes * 2 - 1];
    refused(device.submit(subject.request(part)), R::ARGUMENT)
}

fn resident_on_another_device<R: Verification>(
    device: &dyn Device,
    subject: &Subject<R>,
) -> Result<(), String> {
    let elsewhere =
        ResidentData::new(ResidentData::fresh_identity(), vec![0; subject.item_bytes].into());
    refused(device.submit(subject.request(Data::Resident(elsewhere))), "data")
}

/// Submits all items that fit into one request, twice.
fn in_order<R: Verification>(device: &dyn Device, subject: &Subject<R>) -> Result<(), String> {
    let twice = || subject.like_first().chain(subject.like_first());
    let items: Vec<u8> = twice().flat_map(|case| case.item.iter().copied()).collect();
    let masks: Vec<u8> = twice().map(|case| case.mask).collect();
    subject.expect(&ask(device, subject.request(items))?, &masks)
}

fn resident<R: Verification>(device: &dyn Device, subject: &Subject<R>) -> Result<(), String> {
    let first = &subject.cases[0];
    let resident = device.load(first.item.clone().into()).map_err(|error| error.to_string())?;
    subject.expect(&ask(device, subject.request(Data::Resident(resident)))?, &[first.mask])
}

fn cancelled<R: Verification>(device: &dyn Device, subject: &Subject<R>) -> Result<(), String> {
    let first = &subject.cases[0];
    let ticket = device.submit(first.request.clone()).map_err(|error| error.to_string())?;
    ticket.cancel();
    // The response may precede the cancellation; no other outcome is allowed.
    match masks::<R>(ticket) {
        Err(Error::Cancelled) => {}
        Ok(masks) => subject.expect(&masks, &[first.mask])?,
        Err(error) => return Err(error.to_string()),
    }
    subject.expect(&ask(device, first.request.clone())?, &[first.mask])
}

fn counted<R: Verification>(device: &dyn Device, subject: &Subject<R>) -> Result<(), String> {
    let before = device.metrics().requests;
    ask(device, subject.cases[0].request.clone())?;
    let counted = device.metrics().requests - before;
    if counted >= 1 { Ok(()) } else { Err(format!("{counted} counted for 1")) }
}

/// Submits the same header under three difficulty rules alternately. Limit 0 allows no target.
pub(super) fn settings(device: &dyn Device, subject: &Subject<Equihash>) -> Result<(), String> {
    let first = &subject.cases[0];
    let others = first.mask & !Verdict::DIFFICULTY_FAIL;
    let rules = [
        (first.request.network, first.mask),
        (Network::None, others),
        (Network::Limit([0; 32]), others | Verdict::DIFFICULTY_FAIL),
    ];
    let questions: Vec<_> = rules.iter().cycle().take(2 * rules.len()).collect();
    let submit = |network| device.submit(Equihash { network, ..first.request.clone() });
    let tickets: Vec<_> = questions.iter().map(|(network, _)| submit(*network)).collect();
    for (ticket, (network, mask)) in tickets.into_iter().zip(questions) {
        let masks = ticket.and_then(masks::<Equihash>).map_err(|error| error.to_string())?;
        subject.expect(&masks, &[*mask]).map_err(|problem| format!("{network:?}: {problem}"))?;
    }
    Ok(())
}

/// Checks that a request for something outside the device's capabilities is refused.
pub(super) fn refuses_the_unknown(device: &dyn Device) -> Result<(), String> {
    let sets = [(200, 9), (144, 5), (48, 5), (96, 5), (96, 3), (192, 7), (32, 3)];
    let equihash = sets.into_iter().filter_map(|(n, k)| Params::new(n, k).ok()).map(|params| {
        let headers = vec![0; params.header_bytes()];
        AnyRequest::from(Equihash::new(params, Network::None, headers))
    });
    let signatures = vec![0; ecdsa_verify::SIGNATURE_BYTES];
    let ecdsa = AnyRequest::from(ecdsa_verify::Request::new(signatures));
    let msms = proofmill_op::msm::Instance::ALL.into_iter().map(msm::nothing);
    let transforms = ntt::Field::ALL.into_iter().map(transforms::nothing);
    let solving = [Params::N200_K9, Params::N144_K5, Params::N96_K5, Params::N48_K5];
    let solving = solving.map(solutions::nothing);
    let others = [ecdsa, hashes::nothing(), programs::nothing()];
    for request in equihash.chain(solving).chain(others).chain(msms).chain(transforms) {
        let asked: Capability = request.capability();
        if device.caps().offers(&asked) {
            continue;
        }
        match device.submit_any(request) {
            Err(Error::Unsupported { .. }) => {}
            Err(error) => {
                return Err(format!("{asked}: {error}, where Unsupported was expected"));
            }
            Ok(_) => return Err(format!("{asked} is not among its capabilities, and was taken")),
        }
    }
    Ok(())
}

fn ask<R: Verification>(device: &dyn Device, request: R) -> Result<Vec<u8>, String> {
    device.submit(request).and_then(masks::<R>).map_err(|error| error.to_string())
}

/// Returns the masks of a response, one per item.
pub(super) fn masks<R: Verification>(ticket: Ticket<ResponseOf<R>>) -> Result<Vec<u8>, Error> {
    R::masks(ticket.wait()?)
}
