//! In place of `card.rs`, in a build without the feature `card`.

use std::path::Path;

use proofmill_op::{Device, Error, Result, not_in_this_build};

use crate::{Uri, Way};

/// Why no card can be opened.
pub fn problem() -> Option<String> {
    Some(text())
}

/// There is none to be read.
pub fn manifest(_: &Path) -> Result<String> {
    Err(Error::argument("device", text()))
}

/// There is none to be opened.
pub fn open(_: &Uri) -> Result<Box<dyn Device>> {
    Err(Error::argument("device", text()))
}

/// None can be used.
pub fn serial_ports() -> Vec<(String, String)> {
    Vec::new()
}

/// None can be used.
pub fn pcie_cards() -> Vec<(String, String)> {
    Vec::new()
}

/// None can be used.
pub fn f2_slots() -> Vec<(String, String)> {
    Vec::new()
}

/// There is none to be measured.
pub fn ways(_: &Uri) -> Result<Vec<(String, Way)>> {
    Err(Error::argument("device", text()))
}

fn text() -> String {
    not_in_this_build("the driver of cards (sim:, uart:, pcie:, f2:)", "card")
}
