//! Signatures of real blocks: every transparent input of the blocks in the crate `zebra-test` that can be checked from
//! these blocks alone.

use std::collections::BTreeMap;

use crate::zebra::{blocks, simulated};
use proofmill::ecdsa::{self, Policy};
use proofmill_testkit::random::Random;
use proofmill_zcash::transparent::{Check, Digests, Finding, Outputs, Signed, check_inputs};
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::{BranchId, Network};
use zcash_transparent::address::Script;

/// A transparent input.
#[derive(Clone)]
struct Input {
    /// The transaction's identifier and the input's number in it.
    name: String,
    rule: &'static str,
    finding: Finding,
}

/// The transactions of a network's blocks.
fn of(network: Network) -> Option<Vec<Transaction>> {
    let transactions = blocks(network)?.into_iter().flat_map(|(_, block)| block.transactions);
    Some(transactions.map(|(transaction, _)| transaction).collect())
}

fn examined(transactions: Vec<Transaction>) -> Vec<Input> {
    let mut outputs = Outputs::default();
    transactions.iter().for_each(|transaction| outputs.add_all(transaction));
    let txids: Vec<_> = transactions.iter().map(|transaction| transaction.txid()).collect();
    let signed: Vec<_> = transactions
        .into_iter()
        .map(|it| {
            let spent = outputs.take_spent_by(&it);
            Signed::new(it, spent)
        })
        .collect();
    let findings = check_inputs(&*proofmill::open("cpu:").unwrap(), &signed).unwrap();
    let inputs = txids.iter().zip(&signed).zip(findings).flat_map(|((txid, signed), findings)| {
        let rule = signed.digests.rule();
        let name = move |number| format!("{txid}:{number}");
        (0..).zip(findings).map(move |(number, finding)| Input {
            name: name(number),
            rule,
            finding,
        })
    });
    inputs.collect()
}

/// The checks of all inputs, in their order.
fn checks(inputs: &[Input]) -> Vec<&Check> {
    let checks = inputs.iter().filter_map(|input| match &input.finding {
        Finding::Checked { checks, .. } => Some(checks),
        _ => None,
    });
    checks.flatten().collect()
}

/// Counts the valid inputs by the rule for their digests. Other findings are printed; none may be invalid.
fn valid(network: &str, inputs: &[Input]) -> Vec<(&'static str, usize)> {
    let (mut counts, mut types) = (BTreeMap::new(), BTreeMap::new());
    let mut valid = BTreeMap::new();
    for input in inputs {
        let what = match &input.finding {
            Finding::Coinbase => "coinbase",
            Finding::NotCheckable(reason) => reason,
            Finding::Checked { valid: true, .. } => {
                *valid.entry(input.rule).or_insert(0) += 1;
                "valid"
            }
            Finding::Checked { valid: false, .. } => panic!("{} is invalid", input.name),
        };
        *counts.entry(what).or_insert(0) += 1;
    }
    let checks = checks(inputs);
    checks.iter().for_each(|check| *types.entry(check.hash_type).or_insert(0) += 1);
    let good = checks.iter().filter(|check| check.valid).count();
    eprintln!("{network}: {} transparent inputs: {counts:?}", inputs.len());
    eprintln!(
        "{network}: {} signatures verified, {good} good; by hash type {types:?}",
        checks.len()
    );
    valid.into_iter().collect()
}

#[test]
fn every_input_that_can_be_checked_is_valid_on_the_processor() {
    let Some(main) = of(Network::MainNetwork) else { return };
    let rules = [("ZIP 243", 5), ("ZIP 244", 2), ("before Overwinter", 14)];
    assert_eq!(valid("mainnet", &examined(main)), rules);
    let test = of(Network::TestNetwork).unwrap();
    assert_eq!(valid("testnet", &examined(test)), [("before Overwinter", 4830)]);
}

/// `examples/signatures/mainnet.jsonl` is what these blocks have.
#[test]
fn the_examples_are_the_signatures_of_mainnet() {
    let Some(main) = of(Network::MainNetwork) else { return };
    let file = include_bytes!("../../../../examples/signatures/mainnet.jsonl");
    let entries = ecdsa::file::Reader::new(&file[..]).unwrap().map(|entry| entry.unwrap());
    let (mut names, mut items) = (Vec::new(), Vec::new());
    for entry in entries {
        names.push(entry.id.unwrap());
        items.push(entry.item.unwrap());
    }
    let inputs = examined(main);
    let checked = inputs.iter().filter(|it| matches!(it.finding, Finding::Checked { .. }));
    assert_eq!(names, checked.map(|input| input.name.clone()).collect::<Vec<_>>());
    assert_eq!(items, checks(&inputs).iter().map(|check| check.item.clone()).collect::<Vec<_>>());
}

/// All of mainnet's, and the first of testnet's, where three keys are tried for two signatures: good and bad ones.
#[test]
fn a_simulation_agrees_with_the_processor() {
    let Some(main) = of(Network::MainNetwork) else { return };
    let Some(device) = simulated("ecdsa") else { return };
    let inputs = [examined(main), examined(of(Network::TestNetwork).unwrap())].concat();
    let checked = inputs.iter().filter(|input| matches!(input.finding, Finding::Checked { .. }));
    let some: Vec<_> = checked.take(80).cloned().collect();
    let checks = checks(&some);
    let items: Vec<_> = checks.iter().map(|check| check.item.clone()).collect();
    let outcomes = ecdsa::verify_batch(&*device, &items, Policy::default()).unwrap();
    for (check, outcome) in checks.iter().zip(&outcomes) {
        assert_eq!(outcome.is_valid(), check.valid, "{outcome}: {:?}", check.item);
    }
    let good = outcomes.iter().filter(|outcome| outcome.is_valid()).count();
    eprintln!("{} inputs with {} signatures, {good} of them good", some.len(), items.len());
    assert!(good >= 50);
}

/// A transaction that differs from the signed one has no valid input.
#[test]
fn a_changed_transaction_is_not_valid() {
    let Some(main) = of(Network::MainNetwork) else { return };
    let mut changed = Vec::new();
    for transaction in main.iter().filter(|transaction| !transaction.version().has_overwinter()) {
        if transaction.sprout_bundle().is_some() {
            continue; // the lock time is not at its end
        }
        let mut bytes = Vec::new();
        transaction.write(&mut bytes).unwrap();
        let lock_time = bytes.len() - if transaction.version().has_sprout() { 5 } else { 4 };
        bytes[lock_time] ^= 1;
        changed.push(Transaction::read(&bytes[..], BranchId::Sprout).unwrap());
    }
    let inputs = examined(changed);
    let results: Vec<_> = inputs
        .iter()
        .filter_map(|input| match input.finding {
            Finding::Checked { valid, .. } => Some(valid),
            _ => None,
        })
        .collect();
    assert!(results.len() >= 10 && results.iter().all(|valid| !valid), "{results:?}");
}

/// Before Overwinter a signature without JoinSplits signs what Bitcoin's would: compared with the crate `bitcoin` on
/// random transactions, for every hash type. The one difference is an input without an output of its own.
#[test]
fn digests_before_overwinter_are_those_of_bitcoin() {
    let mut random = Random::new(0x7a63_6173_6831);
    let mut without_output = 0;
    for _ in 0..50 {
        let (inputs, outputs) = (1 + random.below(4), 1 + random.below(3));
        let mut bytes = vec![1, 0, 0, 0, inputs as u8];
        let script = |random: &mut Random, bytes: &mut Vec<u8>| {
            let length = random.below(30) as usize;
            bytes.push(length as u8);
            bytes.extend(random.bytes(length));
        };
        for _ in 0..inputs {
            bytes.extend(random.bytes(36));
            script(&mut random, &mut bytes);
            bytes.extend(random.bytes(4));
        }
        bytes.push(outputs as u8);
        for _ in 0..outputs {
            bytes.extend(random.below(21_000_000 * 100_000_000).to_le_bytes());
            script(&mut random, &mut bytes);
        }
        bytes.extend(random.bytes(4));

        let theirs: bitcoin::Transaction = bitcoin::consensus::deserialize(&bytes).unwrap();
        let theirs = bitcoin::sighash::SighashCache::new(theirs);
        let ours = Transaction::read(&bytes[..], BranchId::Sprout).unwrap();
        let ours = Digests::new(ours, &vec![None; inputs as usize]);
        let script = random.bytes(25);
        for index in 0..inputs as usize {
            for hash_type in 0..=255u8 {
                let code = Script(zcash_script::script::Code(script.clone()));
                let found = ours.of(index, &code, hash_type, None);
                let expected = theirs.legacy_signature_hash(
                    index,
                    bitcoin::Script::from_bytes(&script),
                    hash_type.into(),
                );
                let expected: [u8; 32] = *AsRef::<[u8; 32]>::as_ref(&expected.unwrap());
                if hash_type & 0x1f == 3 && index >= outputs as usize {
                    without_output += 1;
                    assert_eq!(found, None);
                } else {
                    assert_eq!(found, Some(expected), "hash type {hash_type:#04x}");
                }
            }
        }
    }
    assert!(without_output > 0);
}
