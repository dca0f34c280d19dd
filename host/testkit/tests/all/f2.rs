//! The suite over the host's real F2 transport, with simulated cards behind the files of emulated slots.

use crate::conformance::conforms;
use crate::support;
use proofmill_device::Uri;
use proofmill_testkit::f2::F2;

fn uri(slot: &F2, slots: &str) -> String {
    let uri: Uri = format!("f2:{slots}").parse().unwrap();
    let folder = slot.folder().to_str().unwrap();
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
    conforms(&*proofmill_device::open(&uri(&first, "0,1")).unwrap());
    let ways = proofmill_device::ways(&uri(&first, "0,1").parse().unwrap()).unwrap();
    let [(zero, way), (one, _)] = &ways[..] else { panic!("{ways:?}") };
    assert_eq!((zero, one), (&uri(&first, "0"), &uri(&first, "1")));
    assert!(way.round_trip > way.register && way.bytes_per_second > 0.0, "{way:?}");
    // And left as it was found.
    assert!(proofmill_device::open(&uri(&first, "0")).is_ok());
}

/// Points and scalars go through the door to the memory.
#[test]
fn sums_on_a_card_with_memory_conform() {
    let Some(slot) = in_slot("xdma_msm_toy") else { return };
    conforms(&*proofmill_device::open(&uri(&slot, "0")).unwrap());
}
