//! The simulated card with the ECDSA engine.

use proofmill::{Capability, Device};

/// The configuration that has it.
const CONFIGURATION: &str = "ecdsa";

/// Opens the simulation. If it is not built, the tests report that and end; if the environment names the folder of simulations, that is a
/// failure.
pub fn open() -> Option<Box<dyn Device>> {
    let found = proofmill::devices().into_iter().filter_map(|listed| listed.simulation);
    let Some(simulation) = found.into_iter().find(|it| it.name == CONFIGURATION && !it.traced)
    else {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no '{CONFIGURATION}'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: no simulation '{CONFIGURATION}'; `make sim CONFIG={CONFIGURATION}`");
        return None;
    };
    let device = proofmill::open(&simulation.uri()).unwrap_or_else(|error| panic!("{error}"));
    assert!(device.caps().offers(&Capability::EcdsaVerify), "{}", device.caps().description);
    Some(device)
}
