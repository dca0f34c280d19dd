//! Faults of cards: bits flipped in packets, replies lost, repeated and exchanged, resets, silence.

use std::time::Duration;

use proofmill_card::{Card, Options, SimLibrary, SimTransport, Transport};
use proofmill_cpu::CpuDevice;
use proofmill_device::{Confirmed, Share};
use proofmill_op::equihash_verify::Params;
use proofmill_op::msm::Curve;
use proofmill_op::ntt::Field;
use proofmill_op::{AnyResponse, Cancel, Device, DeviceKind, Error};
use proofmill_pool::Pool;
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{MsmGeometry, SoftCard, SoftEngine, VerdictFn};

use crate::requests::{cpu, expected, random};
use crate::{Case, End, judge};

/// The time-out of a card with a fault that only silence reveals. A healthy card that needs longer on a busy machine is refused, too.
const SILENCE: Duration = Duration::from_millis(700);

/// Faults at random commands and replies.
fn fault(random: &mut Random) -> Fault {
    let (at, bit) = (random.below(4), random.bits());
    *random.pick(&[
        Fault::FlipsReply(at, bit),
        Fault::FlipsReply(at, bit),
        Fault::FlipsReply(at, bit),
        Fault::FlipsCommand(at, bit),
        Fault::FlipsCommand(at, bit),
        Fault::Repeats(at),
        Fault::Duplicates(at),
        Fault::UnknownIndex(at),
        Fault::ShortReply(at),
        Fault::LongReply(at),
        Fault::Garbage(at),
        Fault::Ignores(at),
        Fault::Dies(at),
        Fault::Panics(at),
        Fault::RefusesSend(at),
        Fault::ResetsAt(at),
        Fault::Loses(at),
        Fault::Stalls(at),
    ])
}

fn judge_of_items() -> VerdictFn {
    let cpu = cpu();
    Box::new(move |request| {
        match cpu.submit_any(request.clone()).and_then(|ticket| ticket.wait()).unwrap() {
            AnyResponse::EquihashVerify(response) => response.verdicts[0].mask(),
            AnyResponse::EcdsaVerify(response) => response.verdicts[0].mask(),
            other => panic!("another response: {other:?}"),
        }
    })
}

fn soft() -> Box<dyn Transport> {
    let engines = [
        SoftEngine::equihash(Params::N48_K5, 8),
        SoftEngine::ecdsa(9),
        SoftEngine::poseidon(7),
        SoftEngine::ntt(Field::Goldilocks, 6),
        SoftEngine::msm(MsmGeometry::new(Curve::Bn254), 6),
    ];
    Box::new(SoftCard::new(&engines, judge_of_items()))
}

/// Opens a card that confirms its results.
fn open(
    card: Box<dyn Transport>,
    fault: Fault,
    uri: &str,
) -> proofmill_op::Result<Box<dyn Device>> {
    let timeout = match fault {
        Fault::NONE => Duration::from_secs(60),
        _ => SILENCE,
    };
    let options = Options { timeout, ..Options::new(uri, DeviceKind::Card) };
    let card = Card::open(Box::new(Faulty::new(card, fault)), options)?;
    Ok(Box::new(Confirmed::new(Box::new(card), CpuDevice::new(Some(1))?, Share::ALL)?))
}

/// One faulty card alone, or beside a healthy one.
fn case(
    place: &'static str,
    random_numbers: &mut Random,
    card: impl Fn() -> Box<dyn Transport>,
) -> Case {
    let fault = fault(random_numbers);
    let beside = random_numbers.below(2) == 1;
    let faulty = match open(card(), fault, "faulty:") {
        Ok(faulty) => faulty,
        // The fault counts commands and replies of engines: opening has none.
        Err(Error::TimedOut { .. }) => return Case::new(place, fault, Ok(End::Refused)),
        Err(error) => return Case::new(place, fault, Err(format!("opening: {error}"))),
    };
    if !beside {
        let Some(request) = random(&*faulty, random_numbers) else {
            return Case::new(place, fault, Err("nothing to request".into()));
        };
        let found = faulty.execute_any(request.clone(), &Cancel::new());
        return Case::new(place, fault, judge(found, &expected(&request)));
    }
    let healthy = open(card(), Fault::NONE, "healthy:").unwrap();
    let pool = Pool::new("both:", vec![faulty, healthy]).unwrap();
    let request = random(&pool, random_numbers).unwrap();
    let found = pool.execute_any(request.clone(), &Cancel::new());
    let lost = pool.lost();
    let end = match judge(found, &expected(&request)) {
        Ok(End::Right) if !lost.is_empty() => match &lost[..] {
            [(uri, _)] if uri == "faulty:" => Ok(End::Repeated),
            _ => Err(format!("a healthy card was lost: {lost:?}")),
        },
        // A card that fails at a request is not lost, and the request is not repeated.
        end => end,
    };
    Case::new(place, fault, end)
}

/// The software model of a card.
pub fn in_software(random: &mut Random) -> Case {
    case("soft card", random, soft)
}

/// A simulated circuit, if it was built.
pub fn simulated(random: &mut Random) -> Case {
    let found: Vec<_> = proofmill_device::list()
        .into_iter()
        .filter_map(|it| it.simulation)
        .filter(|it| ["toy", "ecdsa"].contains(&&it.name[..]))
        .collect();
    if found.is_empty() {
        return in_software(random);
    }
    let path = random.pick(&found).path.clone();
    case("sim", random, || Box::new(SimTransport::new(&SimLibrary::load(&path).unwrap()).unwrap()))
}
