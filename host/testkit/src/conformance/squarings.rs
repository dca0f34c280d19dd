//! Checks of `vdf`.

use proofmill_op::vdf::Request;
use proofmill_op::{Cancel, Device, Error, Submit};

use super::refused;
use crate::vectors;

/// Squarings that a check makes of a case. Published claims are longer: tests of their proofs use them.
const MAX_SQUARINGS: u64 = 1000;

/// Bytes of a modulus that every device supports.
const SMALL_BYTES: usize = 8;

/// Runs the vectors, each with a state after every third squaring.
pub(super) fn vectors(device: &dyn Device) -> Result<(), String> {
    let cases = vectors::vdf()?.into_iter().filter(|case| case.squarings <= MAX_SQUARINGS);
    let mut checked = 0;
    for case in cases {
        let request = Request::new(case.modulus.clone(), case.input, case.squarings);
        let found = device.submit(Request { stride: 3, ..request.clone() });
        // A card has a largest modulus.
        if matches!(found, Err(Error::Unsupported { .. })) && case.modulus.len() > SMALL_BYTES {
            continue;
        }
        checked += 1;
        let found = found.and_then(|ticket| ticket.wait()).map_err(|error| error.to_string())?;
        let bytes = case.modulus.len();
        let mut wanted = case.output.clone();
        wanted.resize(bytes, 0);
        let count = case.squarings.div_ceil(3) as usize;
        if found.state_bytes != bytes || found.states.len() != count * bytes {
            return Err(format!("{}: {} bytes of states", case.id, found.states.len()));
        }
        if found.output() != wanted {
            return Err(format!("{}: {}", case.id, hex::encode(found.output())));
        }
        // Continuing from the first state gives the same output.
        if case.squarings > 3 {
            let rest = Request::new(case.modulus, &found.states[..bytes], case.squarings - 3);
            let rest = device.submit(rest).and_then(|ticket| ticket.wait());
            if rest.map_err(|error| error.to_string())?.states != wanted {
                return Err(format!("{}: continued from its first state", case.id));
            }
        }
    }
    if checked == 0 {
        return Err("no vector has a modulus that it supports".into());
    }
    Ok(())
}

pub(super) fn wrong_arguments(device: &dyn Device) -> Result<(), String> {
    refused(device.submit(Request::new([34], [3], 1)), "modulus")?;
    refused(device.submit(Request::new([35], [35], 1)), "input")?;
    refused(device.submit(Request::new([35], [3], 0)), "squarings")?;
    refused(device.submit(Request { stride: 0, ..Request::new([35], [3], 1) }), "stride")
}

/// A request of centuries ends soon after it is cancelled.
pub(super) fn cancelled(device: &dyn Device) -> Result<(), String> {
    let cancel = Cancel::new();
    let ticket = device.submit(Request::new([35], [3], u64::MAX >> 8));
    let ticket = ticket.map_err(|error| error.to_string())?.linked_to(&cancel);
    cancel.cancel();
    match ticket.wait() {
        Err(Error::Cancelled) => Ok(()),
        other => Err(format!("cancelled: {other:?}")),
    }
}
