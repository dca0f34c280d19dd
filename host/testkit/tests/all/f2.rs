//! The suite over the host's real F2 transport, with simulated cards behind the files of emulated slots.

use std::path::Path;
use std::time::Duration;

use crate::conformance::conforms;
use crate::support;
use proofmill_card::{SimLibrary, SimSlot};
use proofmill_device::Uri;
use proofmill_testkit::boards::faults::{self, Cards};
use proofmill_testkit::f2::{F2, Top};

fn uri(folder: &Path, slots: &str) -> String {
    let uri: Uri = format!("f2:{slots}").parse().unwrap();
    let folder = folder.to_str().unwrap();
    uri.with_option("emulated", folder).with_option("timeout", "60").to_string()
}

fn in_slot(name: &str) -> Option<F2> {
    let simulation = support::simulation(name)?;
    Some(F2::new(Box::new(support::transport(&simulation))).unwrap())
}

#[test]
fn two_simulated_cards_in_slots_conform_as_one_device() {
    let Some(first) = in_slot("toy") else { return };
    let simulation = support::simulation("toy").unwrap();
    let _second = first.beside(1, Box::new(support::transport(&simulation))).unwrap();
    conforms(&*proofmill_device::open(&uri(first.folder(), "0,1")).unwrap());
    let ways = proofmill_device::ways(&uri(first.folder(), "0,1").parse().unwrap()).unwrap();
    let [(zero, way), (one, _)] = &ways[..] else { panic!("{ways:?}") };
    assert_eq!((zero, one), (&uri(first.folder(), "0"), &uri(first.folder(), "1")));
    assert!(way.round_trip > way.register && way.bytes_per_second > 0.0, "{way:?}");
    // And left as it was found.
    assert!(proofmill_device::open(&uri(first.folder(), "0")).is_ok());
}

/// Points and scalars go through the door to the memory.
#[test]
fn sums_on_a_card_with_memory_conform() {
    let Some(slot) = in_slot("xdma_msm_toy") else { return };
    conforms(&*proofmill_device::open(&uri(slot.folder(), "0")).unwrap());
}

/// The board's top itself: packets, registers and the memory cross to the clocks of the engines and of the memory.
fn library(name: &str) -> Option<SimLibrary> {
    let simulation = support::simulation(name)?;
    Some(SimLibrary::load(&simulation.path).unwrap())
}

fn card(library: &SimLibrary) -> SimSlot {
    SimSlot::new(library).unwrap()
}

#[test]
fn two_of_the_boards_tops_conform_as_one_device() {
    let Some(library) = library("f2_toy") else { return };
    let first = Top::new(card(&library)).unwrap();
    let _second = first.beside(1, card(&library)).unwrap();
    conforms(&*proofmill_device::open(&uri(first.folder(), "0,1")).unwrap());
}

#[test]
fn sums_on_the_boards_top_conform() {
    let Some(library) = library("f2_msm_toy") else { return };
    let slot = Top::new(card(&library)).unwrap();
    conforms(&*proofmill_device::open(&uri(slot.folder(), "0")).unwrap());
}

/// The same faults as with a card in software: rings, crossings and the reset are those of the circuit.
#[test]
fn the_boards_top_survives_what_happens_to_cards() {
    let Some(library) = library("f2_toy") else { return };
    let make = || Box::new(card(&library));
    let cards = Cards::<Top>::new(&make, Duration::from_secs(3));
    for check in
        [faults::hung, faults::full, faults::gone, faults::reset_in_the_middle, faults::wrong_image]
    {
        check(&cards);
    }
}
