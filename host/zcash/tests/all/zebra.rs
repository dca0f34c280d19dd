//! Real blocks, and simulated cards.

use proofmill::Device;
use proofmill::equihash;
use proofmill_testkit::zebra;
use proofmill_zcash::Block;
use zcash_protocol::consensus::Network;

/// The valid blocks of a network with the names of their files. `None` if the crate with the files is not installed.
pub fn raw_blocks(network: Network) -> Option<Vec<zebra::Block>> {
    let blocks = zebra::blocks()?.unwrap_or_else(|problem| panic!("{problem}"));
    let network = match network {
        Network::MainNetwork => equihash::Network::Main,
        Network::TestNetwork => equihash::Network::Test,
    };
    Some(blocks.into_iter().filter(|block| block.network == network).collect())
}

/// [`raw_blocks`], parsed.
pub fn blocks(network: Network) -> Option<Vec<(String, Block)>> {
    let parsed = |block: zebra::Block| match Block::from_bytes(&block.bytes, network) {
        Ok(parsed) => (block.name, parsed),
        Err(error) => panic!("{}: {error}", block.name),
    };
    Some(raw_blocks(network)?.into_iter().map(parsed).collect())
}

/// Opens the simulated card of a configuration. If it is not built, the test reports that and ends; if the environment names the folder of
/// simulations, that is a failure.
pub fn simulated(configuration: &str) -> Option<Box<dyn Device>> {
    let found = proofmill::devices().into_iter().filter_map(|listed| listed.simulation);
    let Some(simulation) = found.into_iter().find(|it| it.name == configuration && !it.traced)
    else {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no '{configuration}'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: no simulation '{configuration}'; `make sim CONFIG={configuration}`");
        return None;
    };
    Some(proofmill::open(&simulation.uri()).unwrap_or_else(|error| panic!("{error}")))
}
