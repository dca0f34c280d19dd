//! Real blocks of both networks, from the published crate `zebra-test`.

use crate::support;
use proofmill::equihash::{self, Network, Params, read};
use proofmill::{Capability, Device};
use proofmill_testkit::zebra::{self, Block};

const PARAMS: Params = Params::N200_K9;

fn blocks() -> Option<Vec<Block>> {
    zebra::blocks().map(|blocks| blocks.unwrap_or_else(|problem| panic!("{problem}")))
}

fn verify(device: &dyn Device, blocks: &[Block]) {
    for Block { name, network, bytes } in blocks {
        let headers =
            read::headers(bytes, PARAMS).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(headers.len(), 1, "{name}");
        let verdicts = equihash::verify_many(device, PARAMS, *network, headers.as_bytes()).unwrap();
        assert!(verdicts[0].is_valid(), "{name} on {}: {}", device.caps().uri, verdicts[0]);
    }
}

#[test]
fn every_block_is_valid_on_the_processor() {
    let Some(blocks) = blocks() else { return };
    let count = |network| blocks.iter().filter(|block| block.network == network).count();
    assert_eq!((count(Network::Main), count(Network::Test)), (42, 47));
    verify(&*proofmill::open("cpu:").unwrap(), &blocks);
}

#[test]
fn blocks_of_both_networks_are_valid_on_a_simulation() {
    let Some(blocks) = blocks() else { return };
    for simulation in support::simulations() {
        let device = proofmill::open(&simulation.uri()).unwrap();
        if device.caps().offers(&Capability::EquihashVerify(PARAMS)) {
            let some: Vec<_> = blocks.iter().step_by(5).cloned().collect();
            assert!(some.len() >= 10);
            verify(&*device, &some);
        }
    }
}

/// A block of one network is not one of the other where its target is above the other's limit.
#[test]
fn the_network_matters() {
    let Some(blocks) = blocks() else { return };
    let genesis = blocks.iter().find(|block| block.name == "block-test-0-000-000.txt").unwrap();
    let headers = read::headers(&genesis.bytes, PARAMS).unwrap();
    let cpu = proofmill::open("cpu:").unwrap();
    let verdicts = equihash::verify_many(&*cpu, PARAMS, Network::Main, headers.as_bytes()).unwrap();
    assert_eq!(verdicts[0].to_string(), "invalid: difficulty_fail");
}
