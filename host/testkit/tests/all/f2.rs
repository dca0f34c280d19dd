//! The suite over the host's real F2 transport, with simulated cards behind the files of emulated slots.

use std::path::Path;
use std::time::Duration;

use crate::conformance::conforms;
use crate::support;
use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::commands;
use proofmill_card::{Event, Place, SimLibrary, SimSlot};
use proofmill_device::Uri;
use proofmill_op::msm::Curve;
use proofmill_testkit::boards::faults::{self, Board as _, Cards};
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
    // The measurement leaves the card usable.
    assert!(proofmill_device::open(&uri(first.folder(), "0")).is_ok());
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

/// Points of both groups and the elements of the quotient. The quotient stays on the card as the scalars of an MSM.
#[test]
fn a_proof_on_bn254_on_the_boards_top() {
    let Some(library) = library("f2_groth16_bn254_small_twin") else { return };
    let slot = Top::new(card(&library)).unwrap();
    // Closing resets its counters.
    let _open = crate::groth16::proved_alone_on(Curve::Bn254, 30, &uri(slot.folder(), "0"));
    support::await_memory_port_beats(&slot.file("resource0"), false); // the points
}

/// Transfers of more pages than a ring has, while packets are answered.
#[test]
fn the_memory_of_the_boards_top_is_written_and_read_through_its_port() {
    let Some(library) = library("f2_msm_toy") else { return };
    let slot = Top::new(card(&library)).unwrap();
    let mut transport = slot.transport(Duration::from_secs(60)).unwrap();
    let bytes: Vec<u8> = (0..3 << 14).map(|i: u32| (i.pow(2) >> 7) as u8).collect();
    for (place, beats) in
        [(Place::new(0, 1 << 14), bytes.len() / 64), (Place::new(1, 0).packed(), bytes.len() / 48)]
    {
        transport.begin_write(place, bytes.clone().into()).unwrap();
        transport.send(&bare(commands::status::NUMBER)).unwrap();
        let mut seen = [false; 2];
        while seen != [true; 2] {
            match transport.event(Duration::from_secs(60)).unwrap().unwrap() {
                Event::Reply(_) => seen[0] = true,
                Event::Written(done) => seen[1] = done.is_ok(),
                Event::Read(_) => panic!("nothing was read"),
            }
        }
        let mut back = vec![0; beats * 64];
        transport.read_memory(Place::new(place.channel, place.address), &mut back).unwrap();
        let slice = place.slice as usize;
        for (beat, bytes) in back.chunks(64).zip(bytes.chunks(slice)) {
            assert!(beat[..slice] == *bytes && beat[slice..].iter().all(|it| *it == 0));
        }
    }
}

/// The same faults as with the software model of the card: rings, clock crossings and the reset are those of the circuit.
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
