//! Defects of the published card (docs/design/wire.md), one test each: the vectors of these names, on the CPU and on
//! every simulation that has the engine.

use crate::support;
use proofmill_op::ecdsa_verify::Verdict;
use proofmill_op::{Capability, Submit};
use proofmill_testkit::vectors;

const VALID: u8 = 0;
const FAILED: u8 = Verdict::FAILED_SIG_VER;
const RANGE_R: u8 = FAILED | Verdict::OUT_OF_RANGE_R;
const RANGE_S: u8 = FAILED | Verdict::OUT_OF_RANGE_S;
const INFINITY: u8 = FAILED | Verdict::X_INFINITY_POINT;
const KEY: u8 = FAILED | Verdict::INVALID_KEY;

/// Maximum cycles until a card rejects values that are out of range: a small part of a verification.
const AT_ONCE: u16 = 256;

/// Checks that all vectors whose names begin with `begins`, each alone on every device, have this mask. Returns the maximum of the cycles.
fn answered(begins: &str, mask: u8) -> Option<u16> {
    let mut cases = vectors::ecdsa_verify().unwrap();
    cases.retain(|case| case.id.starts_with(begins));
    assert!(!cases.is_empty(), "no vector begins with {begins}");
    let simulations = support::offering(&Capability::EcdsaVerify);
    let uris = simulations.iter().map(|simulation| simulation.uri()).chain(["cpu:".into()]);
    let mut most = None;
    for uri in uris {
        let device = proofmill_device::open(&uri).unwrap();
        for case in &cases {
            let ticket = device.submit(case.request()).unwrap();
            let response = ticket.wait().unwrap();
            assert_eq!(response.verdicts, [Verdict::from_mask(mask)], "{} on {uri}", case.id);
            most = most.max(response.cycles.map(|cycles| cycles[0]));
        }
    }
    most
}

/// Checks the mask and, on devices that count cycles, that the rejection is immediate.
fn answered_at_once(begins: &str, mask: u8) {
    if let Some(cycles) = answered(begins, mask) {
        assert!(cycles <= AT_ONCE, "{begins}: {cycles} cycles");
    }
}

#[test]
fn r_plus_n_that_wraps_is_rejected() {
    answered("r-plus-n-wraps", FAILED);
    answered("r-plus-n-modulo-p", FAILED);
}

#[test]
fn equal_multiples_are_accepted() {
    answered("sum-is-a-doubling", VALID);
}

#[test]
fn a_digest_of_zero_or_n_is_accepted() {
    answered("digest-zero", VALID);
    answered("digest-n", VALID);
}

#[test]
fn s_zero_is_flagged_at_once() {
    answered_at_once("s-zero", RANGE_S);
}

#[test]
fn r_zero_is_flagged_at_once() {
    answered_at_once("r-zero", RANGE_R);
}

#[test]
fn the_command_that_stopped_the_published_card_is_answered_at_once() {
    answered_at_once("tv5", RANGE_R | RANGE_S);
}

#[test]
fn r_and_s_not_below_n_are_flagged_at_once() {
    answered_at_once("r-is-n", RANGE_R);
    answered_at_once("s-is-n", RANGE_S);
    answered_at_once("r-is-all-ones", RANGE_R);
    answered_at_once("s-is-all-ones", RANGE_S);
}

#[test]
fn a_key_off_the_curve_is_an_invalid_key() {
    answered("q-zero", KEY);
    answered("q-of-order", KEY);
    answered("other-curve", KEY);
}

#[test]
fn a_key_not_reduced_is_an_invalid_key_at_once() {
    for begins in ["qx-is-p", "qy-is-p", "qx-plus-p", "qy-plus-p"] {
        answered_at_once(begins, KEY);
    }
}

#[test]
fn a_sum_at_infinity_is_flagged() {
    answered("sum-is-the-identity", INFINITY);
}
