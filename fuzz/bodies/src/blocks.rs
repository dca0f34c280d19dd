//! Zcash blocks in streams: the first byte chooses the network.

use std::sync::{Arc, LazyLock, Mutex};

use proofmill_zcash::{BlockReader, BlockVerifier, Network};

use crate::choose;

const NETWORKS: [Network; 2] = [Network::MainNetwork, Network::TestNetwork];

/// Reads every block and verifies it: each gets a report, and nothing panics.
pub(crate) fn run(input: &[u8]) {
    static VERIFIERS: LazyLock<[Mutex<BlockVerifier>; 2]> = LazyLock::new(|| {
        let device = proofmill::open("cpu:?threads=1").expect("the processor");
        let device: Arc<dyn proofmill::Device> = device.into();
        NETWORKS.map(|network| {
            let verifier = BlockVerifier::new(device.clone(), network);
            Mutex::new(verifier.allow_unmined())
        })
    });
    let Some((network, content)) = choose(&NETWORKS, input) else { return };
    let verifier = NETWORKS.iter().position(|known| *known == network).expect("one of both");
    for block in BlockReader::new(content, network) {
        match block {
            Ok(block) => {
                let transactions = block.transactions.len();
                let mut verifier = VERIFIERS[verifier].lock().expect("no holder panics");
                let reports = verifier.verify(vec![block]).expect("the processor does not fail");
                assert_eq!(reports[0].transactions.len(), transactions);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Returns a block with a coinbase and a block with a transaction of each version: raw, twice, as hex, and framed.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let header = [&[4; 140][..], &[0xfd, 0x40, 0x05], &[7; 1344]].concat();
    let input =
        |point: [u8; 36]| [&[1][..], &point, &[3, 2, 0x11, 0x22, 0xff, 0xff, 0xff, 0xff]].concat();
    let output = [&[1][..], &1000u64.to_le_bytes(), &[1, 0x51]].concat();
    let mut null = [0; 36];
    null[32..].fill(0xff);
    let coinbase = [&[1, 0, 0, 0][..], &input(null), &output, &[0; 4]].concat();
    let [v1, v2] = [1, 2].map(|version: u32| {
        let joinsplits = &[0][..usize::from(version == 2)];
        [&version.to_le_bytes()[..], &input([9; 36]), &output, &[0; 4], joinsplits].concat()
    });
    let v4 = [
        &[4, 0, 0, 0x80, 0x85, 0x20, 0x2f, 0x89][..],
        &input([8; 36]),
        &output,
        &[0; 4 + 4 + 8],
        &[0; 3],
    ]
    .concat();
    let v5 = [
        &[5, 0, 0, 0x80, 0x0a, 0x27, 0xa7, 0x26, 0xb4, 0xd0, 0xd6, 0xc2][..],
        &[0; 8],
        &input([7; 36]),
        &output,
        &[0; 3],
    ]
    .concat();
    let one = [&header[..], &[1], &coinbase].concat();
    let all = [&header[..], &[5], &coinbase, &v1, &v2, &v4, &v5].concat();
    let mut seeds = Vec::new();
    for (number, magic) in (0u8..).zip([[0x24, 0xe9, 0x27, 0x64], [0xfa, 0x1a, 0xf9, 0xbf]]) {
        for block in [&one, &all] {
            let framed =
                [&magic, &(block.len() as u32).to_le_bytes()[..], block, &[0; 16]].concat();
            let hex = hex::encode(block).into_bytes();
            let lines = [&hex[..], b"\n", &hex].concat();
            for content in [block.clone(), block.repeat(2), framed, lines] {
                seeds.push([vec![number], content].concat());
            }
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_has_blocks() {
        for seed in seeds() {
            let (network, content) = choose(&NETWORKS, &seed).unwrap();
            let blocks: Vec<_> = BlockReader::new(content, network).collect();
            assert!(!blocks.is_empty() && blocks.iter().all(Result::is_ok), "{blocks:?}");
        }
    }
}
