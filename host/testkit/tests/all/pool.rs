//! Two simulated cards as one device, over the host's real PCIe transport: the suite, and the loss of one during its work.
//! Every ticket ends with the correct response, or with an error that names the card; the other card continues alone.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::conformance::{conforms, engines};
use crate::support;
use proofmill_card::{Card, Options};
use proofmill_device::Uri;
use proofmill_op::equihash_verify::{self, Params};
use proofmill_op::msm::{Bases, Curve, Group, Instance, Request, Response};
use proofmill_op::{Data, Device, DeviceKind, Error, Result, Submit, Ticket};
use proofmill_pool::Pool;
use proofmill_testkit::boards::faults::Board as _;
use proofmill_testkit::conformance::conformance;
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{MsmGeometry, Order, SoftCard, SoftEngine};
use proofmill_testkit::vectors;
use proofmill_testkit::xdma::Xdma;

const PATIENCE: Duration = Duration::from_secs(300);

/// Returns the URI of cards 0 and 1, with a time-out so long that a busy machine does not matter.
fn uri(xdma: &Xdma) -> String {
    uri_within(xdma, 60)
}

/// Returns the URI of cards 0 and 1 with this time-out in seconds.
fn uri_within(xdma: &Xdma, timeout: u32) -> String {
    let uri: Uri = "pcie:0,1".parse().unwrap();
    let uri = uri.with_option("prefix", &xdma.prefix());
    uri.with_option("timeout", &timeout.to_string()).to_string()
}

/// Returns cards 0 and 1.
fn two(name: &str) -> Option<[Xdma; 2]> {
    let simulation = support::simulation(name)?;
    let card = || Box::new(support::transport(&simulation));
    let first = Xdma::new(card()).unwrap();
    let second = first.beside(1, card()).unwrap();
    Some([first, second])
}

fn end<T>(ticket: Ticket<T>) -> Result<T> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// A way to lose a card.
type Death = fn(&Xdma);
/// Each with the time-out of the cards, which is how long the host waits for a hung one.
const DEATHS: [(&str, Death, u32); 2] =
    [("leaves the bus", Xdma::vanish, 60), ("hangs", |it| it.hang(true), 10)];

#[test]
fn two_cards_on_pcie_conform_as_one_device() {
    for name in ["toy", "xdma_toy"] {
        let Some(cards) = two(name) else { continue };
        let device = proofmill_device::open(&uri(&cards[0])).unwrap();
        assert_eq!(device.caps().uri, uri(&cards[0]));
        conforms(&*device);
        drop(device);
        let ways = proofmill_device::ways(&uri(&cards[0]).parse().unwrap()).unwrap();
        let measured: Vec<_> = ways.iter().map(|(uri, _)| &uri[..6]).collect();
        assert_eq!(measured, ["pcie:0", "pcie:1"]);
    }
}

#[test]
fn two_simulations_conform_as_one_device() {
    let Some(simulation) = support::simulation("toy") else { return };
    let name = &simulation.name;
    conforms(&*proofmill_device::open(&format!("sim:{name},{name}")).unwrap());
}

/// Tests every operation of the software model of the card.
#[test]
fn three_cards_in_software_conform_as_one_device() {
    let engines: Vec<_> =
        engines().into_iter().chain([SoftEngine::msm(MsmGeometry::new(Curve::Bn254), 6)]).collect();
    let card = |number| {
        let order = Order::Shuffled(Random::new(number));
        let card = SoftCard::new(&engines, support::judge()).with_order(order);
        let options = Options::new(format!("soft:{number}"), DeviceKind::Card);
        Box::new(Card::open(Box::new(card), options).unwrap()) as Box<dyn Device>
    };
    conforms(&Pool::new("soft:", (0..3).map(card).collect()).unwrap());
}

#[test]
fn a_card_that_is_killed_in_the_middle_of_a_batch_is_dropped() {
    let mut cases = vectors::equihash_verify().unwrap();
    cases.retain(|case| case.params == Params::N48_K5);
    let first = &cases[0].request();
    cases.retain(|case| {
        let request = case.request();
        (request.network, request.personalisation) == (first.network, first.personalisation)
    });
    let batch = |count: usize| cases.iter().cycle().take(count);
    for (how, kill, timeout) in DEATHS {
        let Some(cards) = two("toy") else { return };
        let device = proofmill_device::open(&uri_within(&cards[0], timeout)).unwrap();
        let submit = |count| {
            let headers: Vec<u8> = batch(count).flat_map(|case| case.header.clone()).collect();
            let request = equihash_verify::Request { headers: headers.into(), ..first.clone() };
            device.submit(request).unwrap()
        };
        let judge = |ticket: Ticket<equihash_verify::Response>, count| {
            let found = end(ticket).unwrap();
            assert!(batch(count).map(|case| &case.verdict).eq(&found.verdicts), "{how}");
        };
        let tickets = [1000, 1, 300].map(|count| (count, submit(count)));
        thread::sleep(Duration::from_millis(50));
        kill(&cards[1]);
        tickets.into_iter().for_each(|(count, ticket)| judge(ticket, count));
        let report = conformance(&*device, "48,5");
        assert!(report.is_success(), "{how}: {:?}", report.failures().next());
        // If the other one is lost, too, the error names both.
        cards[0].vanish();
        let error = end(submit(50)).unwrap_err();
        assert!(matches!(error, Error::Lost { .. } | Error::TimedOut { .. }), "{how}: {error}");
        let error = device.submit(first.clone()).unwrap_err().to_string();
        assert!(error.contains("pcie:0?") && error.contains("pcie:1?"), "{how}: {error}");
    }
}

#[test]
fn a_card_that_is_killed_in_the_middle_of_msms_hands_its_points_on() {
    const BN254: Instance = Instance::new(Curve::Bn254, Group::G1);
    const COUNT: usize = 50;
    let cpu = proofmill_device::open("cpu:?threads=1").unwrap();
    let points: Arc<[u8]> = points(COUNT);
    let mut random = Random::new(17);
    let lists: Vec<Data> = (0..2).map(|_| scalars(&mut random, COUNT).into()).collect();
    let submit = |device: &dyn Device, bases: Bases, list: &Data| {
        device.submit(Request::new(bases, list.clone()))
    };
    let msm = |device: &dyn Device, bases: Bases, list: &Data| -> Result<Response> {
        submit(device, bases, list).and_then(end)
    };
    let host = |points: &Arc<[u8]>| Bases::new(BN254, points.clone());
    let right: Vec<_> =
        lists.iter().map(|list| msm(&cpu, host(&points), list).unwrap().points).collect();
    for ((how, kill, timeout), kept) in DEATHS.into_iter().zip([true, false]) {
        let Some(cards) = two("msm_bn254_twin") else { return };
        let device = proofmill_device::open(&uri_within(&cards[0], timeout)).unwrap();
        let own: Arc<[u8]> = points.to_vec().into();
        let resident = end(device.submit(host(&own)).unwrap()).unwrap();
        let own = kept.then_some(own);
        let resident = Bases::resident(BN254, resident);
        let tickets: Vec<_> =
            lists.iter().map(|list| submit(&device, resident.clone(), list).unwrap()).collect();
        thread::sleep(Duration::from_millis(100));
        kill(&cards[1]);
        for (ticket, right) in tickets.into_iter().zip(&right) {
            match end(ticket) {
                Ok(response) => assert_eq!(response.points, *right, "{how}"),
                Err(error) => {
                    let problem = error.to_string();
                    assert!(!kept && problem.contains("pcie:1?"), "{how}: {problem}");
                    assert!(problem.contains("the points 25 to 50 of these bases"), "{problem}");
                }
            }
        }
        let after = msm(&device, resident, &lists[0]);
        assert_eq!(after.is_ok(), kept, "{how}");
        drop(own);
        if !kept {
            // The other card computes new requests alone.
            let alone = msm(&device, host(&points), &lists[1]).unwrap();
            assert_eq!(alone.points, right[1], "{how}");
        }
    }
}

/// Returns 1 G, 2 G and so on.
fn points(count: usize) -> Arc<[u8]> {
    use proofmill_algebra::{bn254::G1, encoding::pair, msm::multiples};
    multiples::<G1>(1, count).iter().flat_map(pair::encode::<G1>).collect()
}

/// Returns scalars below r, because their uppermost bytes are small.
fn scalars(random: &mut Random, count: usize) -> Vec<u8> {
    let mut bytes = random.bytes(count * 32);
    bytes.iter_mut().skip(31).step_by(32).for_each(|high| *high &= 0x1f);
    bytes
}
