//! Hashes in the suite: preimages and digests. A device may support some arities and strengths only.

use proofmill_op::poseidon::{ELEMENT_BYTES, Instance, Layers, Output, Request, Response};
use proofmill_op::{
    AnyRequest, Argument, Capability, Data, Device, Error, ResidentData, Submit, Ticket, keccak256,
};

use super::refused;
use crate::vectors::{self, PoseidonCase};

/// Returns the vectors that the device must answer, without those that it may and does refuse.
pub(super) fn cases(device: &dyn Device, instance: Instance) -> Result<Vec<PoseidonCase>, String> {
    let mut cases = match instance {
        Instance::Bls12_381 => vectors::poseidon()?,
        _ => vec![],
    };
    let offered = |case: &PoseidonCase| {
        let answer = device.submit(case.request(vec![]));
        !matches!(answer, Err(Error::Unsupported { .. }))
    };
    cases.retain(offered);
    if cases.is_empty() { Err("it has none of the vectors' arities".into()) } else { Ok(cases) }
}

/// Returns a request without preimages.
pub(super) fn nothing() -> AnyRequest {
    AnyRequest::from(Request::new(2, vec![]))
}

/// Returns the name of a case's check.
pub(super) fn name(instance: Instance, case: &PoseidonCase) -> String {
    format!("{}: {:?} {}", Capability::Poseidon(instance), case.strength, case.id)
}

/// Compares digests with the expected ones.
pub(super) fn judge(ticket: Ticket<Response>, wanted: &[u8]) -> Result<(), String> {
    let found = digests(ticket).map_err(|error| error.to_string())?;
    if found.len() != wanted.len() {
        return Err(format!("{} bytes of digests, not {}", found.len(), wanted.len()));
    }
    let pairs = found.chunks(ELEMENT_BYTES).zip(wanted.chunks(ELEMENT_BYTES));
    match pairs.enumerate().find(|(_, (found, wanted))| found != wanted) {
        None => Ok(()),
        Some((at, (found, wanted))) => {
            let [found, wanted] = [found, wanted].map(hex::encode);
            Err(format!("digest {at}: {found}, where the vector has {wanted}"))
        }
    }
}

fn digests(ticket: Ticket<Response>) -> Result<Vec<u8>, Error> {
    Ok(ticket.wait()?.digests)
}

type Promise = fn(&dyn Device, &PoseidonCase) -> Result<(), String>;

/// Guarantees of every device, each with its name. The checks use one vector.
pub(super) const PROMISES: [(&str, Promise); 10] = [
    ("no preimage, no digest", |device, case| ask(device, case, vec![], &[])),
    ("part of a preimage is refused", |device, case| {
        refused(submit(device, case, vec![0; 2 * case.preimage.len() - 1]), "preimages")
    }),
    ("bytes resident on another device are refused", |device, case| {
        let elsewhere =
            ResidentData::new(ResidentData::fresh_identity(), case.preimage.clone().into());
        refused(submit(device, case, Data::Resident(elsewhere)), "data")
    }),
    ("an element that is too large is named", too_large),
    ("digests keep the order of the preimages", in_order),
    ("layers are hashes of hashes", layers),
    ("what makes no trees is refused", no_trees),
    ("resident preimages are hashed", |device, case| {
        let resident = device.load(case.preimage.clone().into()).map_err(|e| e.to_string())?;
        ask(device, case, Data::Resident(resident), &case.digest)
    }),
    ("a cancelled request affects no other", cancelled),
    ("requests are counted", |device, case| {
        let before = device.metrics().requests;
        ask(device, case, case.preimage.clone(), &case.digest)?;
        let counted = device.metrics().requests - before;
        if counted >= 1 { Ok(()) } else { Err(format!("{counted} counted for 1")) }
    }),
];

/// Submits sixty preimages, every third of which differs, and checks that the digests alternate alike.
fn in_order(device: &dyn Device, case: &PoseidonCase) -> Result<(), String> {
    let other = vec![0; case.preimage.len()];
    let ticket = submit(device, case, other.clone()).map_err(|error| error.to_string())?;
    let digest = digests(ticket).map_err(|error| error.to_string())?;
    let odd = |i: usize| i.is_multiple_of(3);
    let preimages =
        (0..60).flat_map(|i| if odd(i) { other.clone() } else { case.preimage.clone() });
    let wanted = (0..60).flat_map(|i| if odd(i) { digest.clone() } else { case.digest.to_vec() });
    ask(device, case, preimages.collect::<Vec<_>>(), &wanted.collect::<Vec<_>>())
}

/// Hashes two trees of two layers, returns all layers or the last one, and refuses a node that is not below the modulus.
fn layers(device: &dyn Device, case: &PoseidonCase) -> Result<(), String> {
    let arity = case.arity;
    let leaf =
        |i: usize| std::array::from_fn(|byte| if byte < 2 { (i >> (8 * byte)) as u8 } else { 0 });
    let leaves: Vec<[u8; ELEMENT_BYTES]> = (0..2 * arity * arity).map(leaf).collect();
    let leaves = leaves.as_flattened();
    let ask = |request: Layers| {
        let ticket = device.submit(request).map_err(|error| error.to_string())?;
        Ok::<_, String>(ticket.wait().map_err(|error| error.to_string())?.digests)
    };
    let hash = |nodes: &[u8]| {
        device
            .submit(Request::new(arity, nodes))
            .and_then(digests)
            .map_err(|error| error.to_string())
    };
    let below = hash(leaves)?;
    let above = hash(&below)?;
    let request = Layers::new(arity, 2, leaves);
    if ask(request.clone().with_output(Output::Last))? != above {
        return Err("other roots than those of hashes".into());
    }
    if ask(request)? != [below, above].concat() {
        return Err("other nodes than hashes".into());
    }
    let mut leaves = leaves.to_vec();
    let wrong = 2 * arity * arity - 2;
    leaves[wrong * ELEMENT_BYTES..].fill(0xff);
    let problem = ask(Layers::new(arity, 2, leaves)).err().unwrap_or("it was hashed".into());
    let wanted = format!("nodes: number {wrong} is not below the modulus");
    if problem == wanted { Ok(()) } else { Err(format!("{problem}, not {wanted}")) }
}

fn no_trees(device: &dyn Device, case: &PoseidonCase) -> Result<(), String> {
    let submit = |request| device.submit(request);
    let node = vec![0; ELEMENT_BYTES];
    refused(submit(Layers::new(case.arity, 1, vec![])), "nodes")?;
    refused(submit(Layers::new(case.arity, 1, node.repeat(case.arity + 1))), "nodes")?;
    refused(submit(Layers::new(case.arity, 2, node.repeat(case.arity))), "nodes")?;
    refused(submit(Layers::new(case.arity, 0, node.clone())), "arities")?;
    refused(submit(Layers::new(37, 1, node.repeat(37))), "arities")
}

/// Sets the last element of the fourth of nine preimages too large.
fn too_large(device: &dyn Device, case: &PoseidonCase) -> Result<(), String> {
    let mut preimages = case.preimage.repeat(9);
    let end = 4 * case.preimage.len();
    preimages[end - ELEMENT_BYTES..end].fill(0xff);
    preimages[end + ELEMENT_BYTES - 1] = 0xff;
    let element = case.preimage.len() / ELEMENT_BYTES - 1;
    let wanted = format!("element {element} of preimage 3 is not below the modulus");
    match submit(device, case, preimages).and_then(digests) {
        Err(Error::Argument { argument: Argument::Preimages, problem }) => {
            if problem == wanted {
                Ok(())
            } else {
                Err(format!("{problem}, not {wanted}"))
            }
        }
        Err(error) => Err(format!("{error}, where an error about 'preimages' was expected")),
        Ok(_) => Err("it was hashed".into()),
    }
}

fn cancelled(device: &dyn Device, case: &PoseidonCase) -> Result<(), String> {
    let ticket = submit(device, case, case.preimage.repeat(50)).map_err(|e| e.to_string())?;
    ticket.cancel();
    // The response may precede the cancellation; no other outcome is allowed.
    match digests(ticket) {
        Err(Error::Cancelled) => {}
        Ok(found) if found == case.digest.repeat(50) => {}
        Ok(_) => return Err("wrong digests".into()),
        Err(error) => return Err(error.to_string()),
    }
    ask(device, case, case.preimage.clone(), &case.digest)
}

fn submit(
    device: &dyn Device,
    case: &PoseidonCase,
    preimages: impl Into<Data>,
) -> Result<Ticket<Response>, Error> {
    device.submit(case.request(preimages))
}

fn ask(
    device: &dyn Device,
    case: &PoseidonCase,
    preimages: impl Into<Data>,
    wanted: &[u8],
) -> Result<(), String> {
    judge(submit(device, case, preimages).map_err(|error| error.to_string())?, wanted)
}

/// Runs the vectors of `keccak256`, each alone and all of a length in one batch, and checks that wrong lengths are refused.
pub(super) fn keccak256(device: &dyn Device) -> Result<(), String> {
    let cases = vectors::keccak256()?;
    for case in &cases {
        let batch: Vec<_> =
            cases.iter().filter(|it| it.message.len() == case.message.len()).collect();
        let messages: Vec<u8> = batch.iter().flat_map(|it| it.message.clone()).collect();
        let wanted: Vec<u8> = batch.iter().flat_map(|it| it.digest).collect();
        let ticket = device.submit(keccak256::Request::new(case.message.len(), messages));
        let found = ticket.and_then(Ticket::wait).map_err(|error| error.to_string())?.digests;
        if found != wanted {
            return Err(format!("{}: {}", case.id, hex::encode(found)));
        }
    }
    refused(device.submit(keccak256::Request::new(4, vec![0; 6])), "messages")?;
    refused(device.submit(keccak256::Request::new(0, vec![])), "message_bytes")
}
