//! Replaces `card.rs` in a build without the feature `card`, and on systems other than Unix.

use std::path::Path;

use proofmill_op::{Device, Error, Result, not_in_this_build};

use crate::{Uri, Way};

/// Returns the reason why no card can be opened.
pub fn problem() -> Option<String> {
    Some(text())
}

/// Returns an error: there is no library to read.
pub fn manifest(_: &Path) -> Result<String> {
    Err(Error::argument("device", text()))
}

/// Returns an error: no card can be opened.
pub fn open(_: &Uri) -> Result<Box<dyn Device>> {
    Err(Error::argument("device", text()))
}

/// Returns nothing: no card can be used.
pub fn serial_ports() -> Vec<(String, String)> {
    Vec::new()
}

/// Returns nothing: no card can be used.
pub fn pcie_cards() -> Vec<(String, String)> {
    Vec::new()
}

/// Returns nothing: no card can be used.
pub fn f2_slots() -> Vec<(String, String)> {
    Vec::new()
}

/// Returns an error: there is no card to measure.
pub fn ways(_: &Uri) -> Result<Vec<(String, Way)>> {
    Err(Error::argument("device", text()))
}

fn text() -> String {
    let driver = "the driver of cards (sim:, uart:, pcie:, f2:)";
    match cfg!(unix) {
        true => not_in_this_build(driver, "card"),
        false => format!("{driver} needs a Unix system"),
    }
}
