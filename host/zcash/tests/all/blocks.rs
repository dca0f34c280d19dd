//! Whole blocks.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::zebra::{blocks, raw_blocks, simulated};
use proofmill_zcash::verify::{BlockReport, Part, Verdict};
use proofmill_zcash::{Block, BlockVerifier, OutPoint, VerifierDevices, output};
use zcash_protocol::consensus::Network;

/// A verifier that also verifies the transactions of blocks whose header a test has changed.
fn verifier(network: Network) -> BlockVerifier {
    let device = Arc::from(proofmill::open("cpu:").unwrap());
    BlockVerifier::new(device, network).allow_unmined()
}

/// Counts the findings by part and text.
fn counts(reports: &[BlockReport]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for report in reports {
        let transactions = report.transactions.iter().map(|it| &it.findings);
        for findings in [&report.findings].into_iter().chain(transactions) {
            for (what, list) in
                [("INVALID", &findings.invalid), ("not checked", &findings.not_checked)]
            {
                for finding in list {
                    *counts
                        .entry(format!("{what} {}: {}", finding.part.name(), finding.text))
                        .or_insert(0) += 1;
                }
            }
        }
    }
    counts
}

#[test]
fn no_part_of_a_valid_block_is_invalid() {
    for network in [Network::MainNetwork, Network::TestNetwork] {
        let Some(blocks) = blocks(network) else { return };
        let (names, blocks): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
        let reports = verifier(network).verify(blocks).unwrap();
        let transactions: usize = reports.iter().map(|report| report.transactions.len()).sum();
        eprintln!("{network:?}: {} blocks, {transactions} transactions", reports.len());
        for (what, count) in counts(&reports) {
            eprintln!("{count:>6} {what}");
        }
        for (name, report) in names.iter().zip(&reports) {
            assert_ne!(report.verdict(), Verdict::Invalid, "{name}: {report:#?}");
        }
    }
}

/// A part of a block that a test damages, with the bytes in which a bit is changed.
type Target = (Part, Vec<u8>);

/// The first of each kind of part in a block.
fn targets(block: &Block) -> Vec<Target> {
    let mut targets: Vec<Target> = vec![
        (Part::MerkleRoot, block.header.merkle_root.to_vec()),
        (Part::ProofOfWork, block.header.solution.clone()),
    ];
    let mut add = |part: Part, bytes: &[u8]| {
        let new = targets.iter().all(|(known, _)| known.name() != part.name());
        new.then(|| targets.push((part, bytes.to_vec())));
    };
    for (transaction, _) in &block.transactions {
        if let Some(sprout) = transaction.sprout_bundle() {
            add(Part::JoinSplitSignature, &sprout.joinsplit_sig);
            let proof = sprout.joinsplits[0].groth_proof_bytes();
            proof.into_iter().for_each(|proof| add(Part::JoinSplitProof(0), proof));
        }
        if let Some(sapling) = transaction.sapling_bundle() {
            for spend in sapling.shielded_spends().iter().take(1) {
                add(Part::SpendProof(0), spend.zkproof());
                add(Part::SpendSignature(0), &<[u8; 64]>::from(*spend.spend_auth_sig()));
            }
            for output in sapling.shielded_outputs().iter().take(1) {
                add(Part::OutputProof(0), output.zkproof());
            }
            add(Part::SaplingBinding, &<[u8; 64]>::from(sapling.authorization().binding_sig));
        }
        if let Some(orchard) = transaction.orchard_bundle() {
            add(Part::ActionsProof, orchard.authorization().proof().as_ref());
            let action = orchard.actions().first();
            add(Part::ActionSignature(0), &<[u8; 64]>::from(action.authorization()));
            let binding = orchard.authorization().binding_signature();
            add(Part::OrchardBinding, &<[u8; 64]>::from(binding));
        }
    }
    targets
}

/// Changes a bit in the middle of the first occurrence of these bytes.
fn damaged(block: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut block = block.to_vec();
    let at = block.windows(bytes.len()).position(|window| window == bytes).unwrap();
    block[at + bytes.len() / 2] ^= 1;
    block
}

/// Returns every part that is invalid.
fn invalid(report: &BlockReport) -> Vec<Part> {
    let transactions = report.transactions.iter().map(|it| &it.findings);
    let all = [&report.findings].into_iter().chain(transactions);
    all.flat_map(|findings| findings.invalid.iter().map(|finding| finding.part)).collect()
}

/// In the first block with each kind of part: a flipped bit is found, and nothing else but what it implies.
#[test]
fn a_flipped_bit_is_found_and_named() {
    let mut done: Vec<&str> = Vec::new();
    for network in [Network::MainNetwork, Network::TestNetwork] {
        let Some(blocks) = raw_blocks(network) else { return };
        let mut verifier = verifier(network);
        for raw in blocks {
            let block = Block::from_bytes(&raw.bytes, network).unwrap();
            for (part, bytes) in targets(&block) {
                if done.contains(&part.name()) {
                    continue;
                }
                let damaged = damaged(&raw.bytes, &bytes);
                let block = Block::from_bytes(&damaged, network).unwrap();
                let report = verifier.verify(vec![block]).unwrap().remove(0);
                let found = invalid(&report);
                let signed = report.transactions.iter().all(|transaction| {
                    let not_checked = &transaction.findings.not_checked;
                    not_checked.iter().all(|finding| finding.part.name() != part.name())
                });
                if !signed {
                    continue; // the digest of this signature needs outputs of other blocks
                }
                assert!(found.contains(&part), "{}: {part} in {found:?}", raw.name);
                // Signatures before ZIP 244 sign the proofs.
                let proof = part.name().ends_with("proof");
                let implied = |it: &Part| {
                    let name = it.name();
                    *it == part
                        || ["equihash", "merkle_root"].contains(&name)
                        || name == "structure" && report.height == 0 // another genesis block
                        || proof && name.ends_with("signature")
                };
                assert!(found.iter().all(implied), "{}: {part} in {found:?}", raw.name);
                done.push(part.name());
            }
        }
    }
    done.sort_unstable();
    let expected = [
        "equihash",
        "joinsplit_proof",
        "joinsplit_signature",
        "merkle_root",
        "orchard_action_signature",
        "orchard_binding_signature",
        "orchard_proof",
        "sapling_binding_signature",
        "sapling_output_proof",
        "sapling_spend_proof",
        "sapling_spend_signature",
    ];
    assert_eq!(done, expected);
}

/// A block with its last transaction twice.
#[test]
fn a_duplicated_transaction_is_found() {
    let Some(blocks) = raw_blocks(Network::MainNetwork) else { return };
    let mut verifier = verifier(Network::MainNetwork);
    let mut pools = Vec::new();
    for raw in blocks {
        let block = Block::from_bytes(&raw.bytes, Network::MainNetwork).unwrap();
        let (_, length) = block.transactions.last().unwrap();
        let count = block.transactions.len();
        if !(2..200).contains(&count) {
            continue;
        }
        let mut bytes = raw.bytes.clone();
        bytes.extend_from_within(bytes.len() - length..);
        bytes[block.header_bytes.len()] += 1;
        let block = Block::from_bytes(&bytes, Network::MainNetwork).unwrap();
        let report = verifier.verify(vec![block]).unwrap().remove(0);
        let merkle = report.findings.invalid.iter().any(|it| it.part == Part::MerkleRoot);
        assert!(merkle, "{}: {report:#?}", raw.name);
        let findings = &report.transactions[count].findings;
        assert!(!findings.invalid.is_empty());
        for finding in &findings.invalid {
            assert_eq!(finding.part, Part::DoubleSpend, "{}: {finding}", raw.name);
            pools.push(finding.text.split(' ').next().unwrap_or_default().to_owned());
        }
    }
    pools.sort();
    pools.dedup();
    assert_eq!(pools, ["Orchard", "Sapling", "Sprout", "output"]);
}

/// Blocks before Overwinter and after Canopy, with Equihash and ECDSA on simulated cards.
#[test]
fn simulations_agree_with_the_processor() {
    let names =
        ["block-main-0-000-396.txt", "block-main-0-949-496.txt", "block-main-1-687-113.txt"];
    let Some(blocks) = raw_blocks(Network::MainNetwork) else { return };
    let (Some(card), Some(ecdsa)) = (simulated("card"), simulated("ecdsa")) else { return };
    let cpu = proofmill::open("cpu:").unwrap();
    let devices = [ecdsa, card, cpu].map(Arc::<dyn proofmill::Device>::from);
    let devices = VerifierDevices::choose(&devices).unwrap();
    for device in [&devices.ecdsa, &devices.equihash] {
        assert!(device.caps().uri.starts_with("sim:"), "{devices}");
    }
    let parsed = || {
        let some = blocks.iter().filter(|block| names.contains(&&*block.name));
        some.map(|it| Block::from_bytes(&it.bytes, Network::MainNetwork).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(parsed().len(), names.len());
    let mut simulated = BlockVerifier::with_devices(devices, Network::MainNetwork);
    let expected = verifier(Network::MainNetwork).verify(parsed()).unwrap();
    assert_eq!(simulated.verify(parsed()).unwrap(), expected);
}

/// A block without a valid proof of work is not worth the time that its transactions take.
#[test]
fn transactions_of_unmined_blocks_are_not_verified() {
    let Some(blocks) = raw_blocks(Network::MainNetwork) else { return };
    let mut raw = blocks.into_iter().find(|raw| raw.name.contains("0-419-201")).unwrap();
    raw.bytes[200] ^= 1;
    let block = Block::from_bytes(&raw.bytes, Network::MainNetwork).unwrap();
    let device = Arc::from(proofmill::open("cpu:").unwrap());
    let report = BlockVerifier::new(device, Network::MainNetwork).verify(vec![block]).unwrap();
    let invalid = invalid(&report[0]);
    assert!(
        !invalid.is_empty() && invalid.iter().all(|it| *it == Part::ProofOfWork),
        "{invalid:?}"
    );
    for transaction in &report[0].transactions {
        let [finding] = &transaction.findings.not_checked[..] else { panic!("{transaction:?}") };
        assert_eq!(finding.part, Part::Authorization);
    }
}

/// An input is checked if its output is given, and invalid for another output: a transaction of version 5 signs the value.
#[test]
fn an_input_is_checked_with_its_output() {
    let Some(raws) = raw_blocks(Network::MainNetwork) else { return };
    let parsed = |raw: &proofmill_testkit::zebra::Block| {
        Block::from_bytes(&raw.bytes, Network::MainNetwork).unwrap()
    };
    let mut outputs: HashMap<OutPoint, (u64, Vec<u8>)> = HashMap::new();
    let mut found = 0;
    for raw in &raws {
        let block = parsed(raw);
        for (number, (transaction, _)) in block.transactions.iter().enumerate() {
            let bundle = transaction.transparent_bundle();
            let inputs = bundle.map_or(&[][..], |bundle| &bundle.vin);
            let known: Vec<_> = inputs
                .iter()
                .filter_map(|input| outputs.get(input.prevout()).map(|it| (input.prevout(), it)))
                .collect();
            let version_5 = transaction.version().has_orchard();
            if inputs.is_empty() || known.len() < inputs.len() || !version_5 {
                continue;
            }
            for change in [0_u64, 1] {
                let mut verifier = verifier(Network::MainNetwork);
                for (point, (value, script)) in known.iter().cloned() {
                    let output = output(*value + change, script.clone()).unwrap();
                    verifier.add_output(point.clone(), output);
                }
                let report = verifier.verify(vec![parsed(raw)]).unwrap().remove(0);
                let findings = &report.transactions[number].findings;
                let expected = if change == 0 { Verdict::Valid } else { Verdict::Invalid };
                assert_eq!(findings.verdict(), expected, "{}: {findings:?}", raw.name);
            }
            found += 1;
        }
        for (transaction, _) in &block.transactions {
            let bundle = transaction.transparent_bundle();
            for (n, it) in (0..).zip(bundle.iter().flat_map(|bundle| &bundle.vout)) {
                let point = OutPoint::new(*transaction.txid().as_ref(), n);
                let value: u64 = it.value().into();
                outputs.insert(point, (value, it.script_pubkey().0.0.clone()));
            }
        }
    }
    assert!(found > 0);
}
