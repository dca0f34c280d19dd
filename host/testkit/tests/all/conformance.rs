//! Runs the suite on every device: the CPU, a software model of the card with verdicts of the CPU, and every simulation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support;
use proofmill_card::{Card, Options};
use proofmill_op::equihash_verify::{Params, Verdict};
use proofmill_op::msm::Curve;
use proofmill_op::ntt::Field;
use proofmill_op::{Capability, Device, DeviceKind, Error, ecdsa_verify};
use proofmill_testkit::conformance::{Outcome, conformance};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{MsmGeometry, Order, SoftCard, SoftEngine, first_byte};
use proofmill_testkit::vectors;

/// Runs the suite and returns the number of checks.
pub fn conforms(device: &dyn Device) -> usize {
    let report = conformance(device, "");
    for check in report.failures() {
        let Outcome::Failed(problem) = &check.outcome else { continue };
        eprintln!("FAILED on {}: {}: {problem}", device.caps().uri, check.name);
    }
    assert!(report.is_success(), "{} checks failed", report.failures().count());
    // A card that only hashes, transforms, squares or solves has the vectors of one instance.
    let enough = match &device.caps().capabilities[..] {
        [Capability::Vdf | Capability::EquihashSolve(_)] => 2,
        [Capability::Poseidon(_) | Capability::Ntt(_)] => 15,
        all => 20 * all.len(),
    };
    assert!(report.passed() > enough, "only {} checks", report.passed());
    report.checks.len()
}

const EQUIHASH: [Params; 3] = [Params::N200_K9, Params::N144_K5, Params::N48_K5];

pub fn engines() -> Vec<SoftEngine> {
    let queues = EQUIHASH.into_iter().zip([3, 8, 5]);
    let equihash = queues.map(|(params, queue)| SoftEngine::equihash(params, queue));
    equihash
        .chain([
            SoftEngine::ecdsa(9),
            SoftEngine::poseidon(7),
            SoftEngine::ntt(Field::Goldilocks, 6),
        ])
        .collect()
}

#[test]
fn the_processor_conforms_and_a_filter_chooses_checks() {
    let cpu = proofmill_device::open("cpu:").unwrap();
    let all = conforms(&*cpu);
    let some = conformance(&*cpu, "48,5");
    assert!(some.checks.iter().all(|check| check.name.contains("48,5")));
    assert!(some.checks.len() > 5 && some.checks.len() < all);
    assert!(!conformance(&*cpu, "no such check").is_success());
}

#[test]
fn the_processor_conforms_on_one_thread() {
    conforms(&*proofmill_device::open("cpu:?threads=1").unwrap());
}

#[test]
fn the_driver_conforms_over_cards_that_transform() {
    for field in [Field::Bn254Fr, Field::Bls12_381Fr] {
        let card = SoftCard::new(&[SoftEngine::ntt(field, 3)], support::judge());
        conforms(&Card::open(Box::new(card), Options::new("soft:", DeviceKind::Card)).unwrap());
    }
}

/// Each card has an engine for G1 and one for G2.
#[test]
fn the_driver_conforms_over_cards_that_compute_msms() {
    for curve in [Curve::Bn254, Curve::Bls12_381, Curve::Bls12_377] {
        let g1 = MsmGeometry::new(curve);
        let engines = [g1, g1.in_g2()].map(|geometry| SoftEngine::msm(geometry, 5));
        let order = Order::Shuffled(Random::new(6));
        let card = SoftCard::new(&engines, support::judge()).with_order(order);
        conforms(&Card::open(Box::new(card), Options::new("soft:", DeviceKind::Card)).unwrap());
    }
}

#[test]
fn the_driver_conforms_over_a_card_in_software() {
    for order in [Order::InOrder, Order::Shuffled(Random::new(5))] {
        let card = SoftCard::new(&engines(), support::judge()).with_order(order);
        let log = card.log();
        conforms(&Card::open(Box::new(card), Options::new("soft:", DeviceKind::Card)).unwrap());
        let log = log.lock().unwrap();
        assert_eq!((log.overruns, log.writes_while_busy), (0, 0));
    }
}

/// Simulations that have the same engines as others for the host: one with another memory, those with one adder and with one core, one without the
/// bridge for PCIe, and those with one engine each. The suite of the last one runs over PCIe (`pcie`).
const LONG: [&str; 7] = [
    "coprocessor_1024_twin",
    "ecdsa_two",
    "msm_bn254_two_twin",
    "xdma_msm_bls12_381_twin",
    "groth16_bn254_small_twin",
    "groth16_bls12_381_small_twin",
    "xdma_ntt_poseidon_small_twin",
];

#[test]
fn every_simulation_conforms() {
    simulations_conform(|name| !LONG.contains(&name));
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn neighbours_of_other_cards_conform() {
    simulations_conform(|name| LONG.contains(&name));
}

/// Runs as many simulations at a time as there are cores: this is the longest test, and the last to end.
fn simulations_conform(chosen: impl Fn(&str) -> bool) {
    let mut simulations = support::simulations();
    simulations.retain(|simulation| chosen(&simulation.name));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(simulation) = simulations.get(next.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            conforms(&*proofmill_device::open(&simulation.uri()).unwrap());
            eprintln!("{}: {:?}", simulation.name, start.elapsed());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

#[test]
fn an_emulated_gpu_conforms() {
    if support::emulates_gpus() {
        conforms(&*proofmill_device::open("cuda:emulated").unwrap());
    }
}

#[test]
fn two_emulated_gpus_conform_as_one() {
    if support::emulates_gpus() {
        conforms(&*proofmill_device::open("cuda:emulated,emulated").unwrap());
    }
}

/// Uses the smallest memory limit that can be set.
#[test]
fn an_emulated_gpu_of_little_memory_conforms() {
    if support::emulates_gpus() {
        conforms(&*proofmill_device::open("cuda:emulated?max_bytes=1048576").unwrap());
    }
}

#[test]
fn a_simulation_conforms_when_its_stream_stutters() {
    let Some(simulation) = support::simulation("toy") else { return };
    for (gap, stall) in [(0, 200), (200, 0), (128, 128)] {
        let mut transport = support::transport(&simulation);
        transport.jitter(6, gap, stall);
        let options = Options {
            timeout: Duration::from_secs(120),
            ..Options::new("sim:toy", DeviceKind::Sim)
        };
        conforms(&Card::open(Box::new(transport), options).unwrap());
    }
}

#[test]
fn a_card_that_is_wrong_does_not_conform() {
    let card = SoftCard::new(&engines(), first_byte());
    let card = Card::open(Box::new(card), Options::new("soft:", DeviceKind::Card)).unwrap();
    let report = conformance(&card, "");
    assert!(report.failures().count() > 10);
    assert!(report.lost.is_none());
}

#[test]
fn the_suite_ends_where_the_device_is_lost() {
    let card = SoftCard::new(&engines(), support::judge());
    let card = Box::new(Faulty::new(card, Fault::Dies(7)));
    let card = Card::open(card, Options::new("soft:", DeviceKind::Card)).unwrap();
    let report = conformance(&card, "");
    assert_eq!((report.passed(), report.checks.len()), (7, 8));
    assert!(matches!(report.lost, Some(Error::Lost { .. })) && !report.is_success());
}

/// Checks that each error bit is produced for each parameter set.
#[test]
fn every_error_bit_is_in_the_vectors() {
    let cases = vectors::equihash_verify().unwrap();
    for params in EQUIHASH {
        let cases: Vec<_> = cases.iter().filter(|case| case.params == params).collect();
        assert!(cases.iter().any(|case| case.verdict.is_valid()), "({params}): none is valid");
        for (bit, name) in Verdict::NAMES {
            let found = cases.iter().any(|case| case.verdict.mask() & bit != 0);
            assert!(found, "({params}): {name} is never produced");
        }
    }
    let cases = vectors::ecdsa_verify().unwrap();
    assert!(cases.iter().any(|case| case.verdict.is_valid()));
    for (bit, name) in ecdsa_verify::Verdict::NAMES {
        let found = cases.iter().any(|case| case.verdict.mask() & bit != 0);
        assert_eq!(found, bit != ecdsa_verify::Verdict::TIMEOUT_FAIL, "{name}");
    }
}
