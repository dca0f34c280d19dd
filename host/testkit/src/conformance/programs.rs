//! Coprocessor programs in the suite: memories before and after a run.

use std::sync::{Arc, Mutex};

use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::pairing::{Bls12381, product};
use proofmill_op::coprocessor::{
    Instruction, Opcode, Receiver, Request, Response, SLOT_BYTES, Sizes, Stop, pairings,
    pairings::Ready,
};
use proofmill_op::{AnyRequest, Capability, Data, Device, Error, ResidentData, Submit, Ticket};

use super::refused;
use crate::vectors::{CoprocessorCase, slot_text};

/// Returns a request without instructions.
pub(super) fn nothing() -> AnyRequest {
    AnyRequest::from(Request::new(vec![], vec![], 0))
}

/// Returns the name of a case's check.
pub(super) fn name(case: &CoprocessorCase) -> String {
    format!("{}: {}", Capability::Coprocessor, case.id)
}

/// Returns whether the case needs larger memories than the device has. A device needs no more than the published card.
pub(super) fn is_too_large(case: &CoprocessorCase, error: &Error) -> bool {
    case.request.sizes != Sizes::default() && matches!(error, Error::Unsupported { .. })
}

/// Compares the response of a program with the expected one. A program that its limit stops may have executed a few more instructions.
pub(super) fn judge(ticket: Ticket<Response>, wanted: &Response) -> Result<(), String> {
    let found = response(ticket).map_err(|error| error.to_string())?;
    let stopped = wanted.stop == Stop::Limit && found.stop == Stop::Limit;
    if found == *wanted || stopped && found.steps > wanted.steps {
        return Ok(());
    }
    let slots = |data: &[u8]| data.chunks(SLOT_BYTES).map(slot_text).collect::<Vec<_>>();
    let (left, right) = (slots(&found.data), slots(&wanted.data));
    match left.iter().zip(&right).position(|(found, wanted)| found != wanted) {
        Some(at) => Err(format!("slot {at}: {}, where the vector has {}", left[at], right[at])),
        None => {
            let rest = |of: &Response| Response { data: vec![], ..of.clone() };
            Err(format!("{:?}, where the vector has {:?}", rest(&found), rest(wanted)))
        }
    }
}

fn response(ticket: Ticket<Response>) -> Result<Response, Error> {
    ticket.wait()
}

type Promise = fn(&dyn Device, &CoprocessorCase) -> Result<(), String>;

/// Guarantees of every device, each with its name. The checks use the first vector, which sends twice.
pub(super) const PROMISES: [(&str, Promise); 6] = [
    ("part of a slot is refused", |device, _| {
        refused(submit(device, Request::new(vec![0; 9], vec![], 0)), "program")?;
        refused(submit(device, Request::new(vec![], vec![0; 47], 0)), "data")?;
        refused(submit(device, Request::new(vec![], vec![], 256)), "start")
    }),
    ("bytes resident on another device are refused", |device, case| {
        let data =
            Data::Resident(ResidentData::new(ResidentData::fresh_identity(), vec![0; 48].into()));
        refused(submit(device, Request { data, ..case.request.clone() }), "data")
    }),
    ("interrupts are delivered while the program runs", |device, case| {
        let delivered = Arc::new(Mutex::new(vec![]));
        let sink = delivered.clone();
        let receiver = Receiver(Arc::new(move |sent| {
            sink.lock().expect("no panic under the lock").push(sent.clone());
        }));
        let request = Request { receiver: Some(receiver), ..case.request.clone() };
        judge(submit(device, request).map_err(|e| e.to_string())?, &case.response)?;
        let delivered = delivered.lock().expect("no panic under the lock").clone();
        if delivered == case.response.interrupts {
            Ok(())
        } else {
            Err(format!("{} interrupts were delivered", delivered.len()))
        }
    }),
    ("a loop ends at the limit", |device, _| {
        let request = Request { limit: 1000, ..endless() };
        let found = response(submit(device, request).map_err(|e| e.to_string())?);
        let found = found.map_err(|error| error.to_string())?;
        if found.steps >= 1000 && (found.stop, found.pointer) == (Stop::Limit, 0) {
            Ok(())
        } else {
            Err(format!("{} steps, {:?} at {}", found.steps, found.stop, found.pointer))
        }
    }),
    ("a cancelled program affects no other", |device, case| {
        let request = Request { limit: u64::MAX, ..endless() };
        let ticket = submit(device, request).map_err(|e| e.to_string())?;
        ticket.cancel();
        match response(ticket) {
            Err(Error::Cancelled) => {}
            other => return Err(format!("{other:?}, where it was cancelled")),
        }
        judge(submit(device, case.request.clone()).map_err(|e| e.to_string())?, &case.response)
    }),
    ("products of pairings are those of the processor", |device, _| {
        // None; one; one of a whole program and one pair; identities.
        let multiple = |k: usize| {
            let (p, q) = (Projective::from(G1::GENERATOR), Projective::from(G2::GENERATOR));
            let [k, l] = [[k as u64 + 2], [3 * k as u64 + 1]];
            (p.times_public(&k).into(), q.times_public(&l).into())
        };
        let (p, q) = multiple(0);
        let many: Vec<_> = (0..=pairings::AT_A_TIME).map(multiple).collect();
        let identities = [(p, Affine::IDENTITY), (Affine::IDENTITY, q), (p, q), (-p, q)];
        for pairs in [&[][..], &many[..1], &many, &identities] {
            let found = pairings::product(device, pairs).map_err(|error| error.to_string())?;
            let expected = product::<Bls12381>(Isa::best(), pairs);
            if found != expected {
                return Err(format!("another product of {} pairings", pairs.len()));
            }
            let (rest, last) = pairs.split_at(pairs.len().saturating_sub(2));
            let ready: Vec<_> = last.iter().map(|(p, q)| (*p, Ready::new(*q))).collect();
            let ready: Vec<_> = ready.iter().map(|(p, q)| (*p, q)).collect();
            let found = pairings::product_with(device, rest, &ready);
            if found.map_err(|error| error.to_string())? != expected {
                return Err(format!("another product of {} pairings, two ready", pairs.len()));
            }
        }
        Ok(())
    }),
];

/// Returns a program that jumps to itself.
fn endless() -> Request {
    Request::new(Instruction::new(Opcode::Jump, [0; 3]).to_bytes().to_vec(), vec![], 0)
}

fn submit(device: &dyn Device, request: Request) -> Result<Ticket<Response>, Error> {
    device.submit(request)
}
