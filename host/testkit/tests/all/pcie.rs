//! The suite over the host's real PCIe transport, with simulated cards behind files like the XDMA driver's; and a proof.

use std::time::Duration;

use crate::conformance::conforms;
use crate::support;
use proofmill_card::Transport;
use proofmill_device::Uri;
use proofmill_testkit::boards::faults::{self, Cards};
use proofmill_testkit::xdma::Xdma;

fn uri(xdma: &Xdma) -> String {
    let uri: Uri = "pcie:0".parse().unwrap();
    uri.with_option("prefix", &xdma.prefix()).with_option("timeout", "60").to_string()
}

fn behind_files(name: &str) -> Option<Xdma> {
    let simulation = support::simulation(name)?;
    Some(Xdma::new(Box::new(support::transport(&simulation))).unwrap())
}

#[test]
fn simulated_cards_conform_over_pcie_two_at_once() {
    conform_at_once(["toy", "ntt_small_twin"]);
}

#[test]
#[ignore = "a minute"]
fn the_ecdsa_engine_conforms_over_pcie_beside_a_toy() {
    conform_at_once(["toy", "ecdsa"]);
}

fn conform_at_once(names: [&str; 2]) {
    let cards: Vec<_> = names.into_iter().filter_map(behind_files).collect();
    std::thread::scope(|scope| {
        for xdma in &cards {
            scope.spawn(|| conforms(&*proofmill_device::open(&uri(xdma)).unwrap()));
        }
    });
}

#[test]
fn the_way_to_a_card_is_measured() {
    let Some(xdma) = behind_files("toy") else { return };
    let ways = proofmill_device::ways(&uri(&xdma).parse().unwrap()).unwrap();
    let [(card, way)] = &ways[..] else { panic!("{ways:?}") };
    assert_eq!(*card, uri(&xdma));
    assert!(way.round_trip > way.register && way.bytes_per_second > 0.0, "{way:?}");
    // The measurement leaves the card usable.
    assert!(proofmill_device::open(&uri(&xdma)).is_ok());
    assert!(proofmill_device::ways(&"cpu:".parse().unwrap()).unwrap().is_empty());
}

#[test]
fn a_proof_on_bn254_with_its_sums_behind_pcie() {
    let Some(xdma) = behind_files("msm_bn254_twin") else { return };
    crate::groth16::proved_on(proofmill_op::msm::Curve::Bn254, 30, &uri(&xdma));
}

/// On the board's top level: packets, registers and the memory cross to the clocks of the engines and of the memory.
#[test]
fn a_proof_on_bls12_381_with_its_points_through_the_memory_port() {
    let Some(xdma) = behind_files("xdma_msm_bls12_381_twin") else { return };
    crate::groth16::proved_on(proofmill_op::msm::Curve::Bls12_381, 30, &uri(&xdma));
    support::await_memory_port_beats(&xdma.file("user"), false); // the points
}

/// Transforms and trees, whose elements, nodes and digests pass through the memory port.
#[test]
fn the_boards_top_with_transforms_and_hashes_conforms_over_pcie() {
    let Some(xdma) = behind_files("xdma_ntt_poseidon_small_twin") else { return };
    conforms(&*proofmill_device::open(&uri(&xdma)).unwrap());
    support::await_memory_port_beats(&xdma.file("user"), true);
}

#[test]
fn the_boards_top_conforms_over_pcie() {
    let Some(xdma) = behind_files("xdma_toy") else { return };
    conforms(&*proofmill_device::open(&uri(&xdma)).unwrap());
}

/// The same faults as with the software model of the card: clock crossings, queues and the reset are those of the circuit.
#[test]
fn the_boards_top_survives_what_happens_to_cards() {
    let Some(simulation) = support::simulation("xdma_toy") else { return };
    let make = || Box::new(support::transport(&simulation)) as Box<dyn Transport>;
    let cards = Cards::<Xdma>::new(&make, Duration::from_secs(3));
    for check in
        [faults::hung, faults::full, faults::gone, faults::reset_in_the_middle, faults::wrong_image]
    {
        check(&cards);
    }
}
