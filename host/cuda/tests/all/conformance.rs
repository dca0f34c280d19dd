//! The suite that every device passes.

use proofmill_cuda::Options;
use proofmill_op::Device;
use proofmill_testkit::conformance::{Outcome, conformance};

use crate::support::device;

#[test]
fn the_gpu_conforms() {
    let Some(device) = device(Options::default()) else { return };
    let report = conformance(&device, "");
    for check in report.failures() {
        let Outcome::Failed(problem) = &check.outcome else { continue };
        eprintln!("FAILED: {}: {problem}", check.name);
    }
    assert!(report.is_success(), "{} checks failed", report.failures().count());
    assert!(report.passed() > 20 * device.caps().capabilities.len());
}
