//! Tests of the PCIe transport with files like those of the XDMA driver.

use std::fs;
use std::time::Duration;

use proofmill_card::{PcieTransport, Transport};
use proofmill_op::{Error, Result};
use proofmill_testkit::boards::faults::{Board as _, PATIENCE, refused};
use proofmill_testkit::xdma::Xdma;

use crate::boards::cards;

fn files() -> Xdma {
    cards().board()
}

fn transport(xdma: &Xdma) -> Result<Box<dyn Transport>> {
    xdma.transport(PATIENCE)
}

#[test]
fn errors_name_the_missing_file() {
    let xdma = files();
    let problem = refused(PcieTransport::open(&xdma.prefix(), 3, PATIENCE));
    assert!(problem.contains("xdma3_user; `proofmill devices` lists the cards"), "{problem}");
    fs::remove_file(xdma.file("c2h_0")).unwrap();
    let problem = refused(transport(&xdma));
    assert!(problem.contains("its image has no streaming channel"), "{problem}");
}

#[test]
fn interrupts_are_events() {
    let xdma = files();
    let mut transport = transport(&xdma).unwrap();
    assert!(!transport.wait_event(Duration::from_millis(10)).unwrap());
    xdma.interrupt().unwrap();
    assert!(transport.wait_event(PATIENCE).unwrap());
    assert!(!transport.wait_event(Duration::from_millis(10)).unwrap());
    drop(transport);
    fs::remove_file(xdma.file("events_0")).unwrap();
    let mut without = self::transport(&xdma).unwrap();
    assert!(matches!(without.wait_event(PATIENCE), Err(Error::Unsupported { .. })));
}
