//! Each rule on a transaction or block that violates it, beside one that does not.

use zcash_transparent::bundle::TxOut;

use super::*;
use crate::transparent::output;

/// Heights at which Sprout's and Sapling's rules hold, on mainnet.
const SPROUT: u32 = 100_000;
const SAPLING: u32 = 500_000;
const TIME: u32 = 1_600_000_000;

/// A transparent transaction.
#[derive(Clone)]
struct Draft {
    version: u32,
    /// Point, script and sequence number of each input.
    inputs: Vec<([u8; 36], Vec<u8>, u32)>,
    outputs: Vec<u64>,
    lock_time: u32,
    expiry: u32,
    /// Sapling's value balance, without Spends and Outputs.
    balance: i64,
}

impl Draft {
    fn new(version: u32) -> Self {
        let inputs = vec![([7; 36], vec![0x51], 0)];
        Self { version, inputs, outputs: vec![5], lock_time: 0, expiry: 0, balance: 0 }
    }

    fn coinbase(script: Vec<u8>) -> Self {
        let mut null = [0; 36];
        null[32..].fill(0xff);
        Self { inputs: vec![(null, script, u32::MAX)], ..Self::new(1) }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = match self.version {
            4 => [0x8000_0004_u32, 0x892f_2085].map(u32::to_le_bytes).concat(),
            version => version.to_le_bytes().to_vec(),
        };
        bytes.push(self.inputs.len() as u8);
        for (point, script, sequence) in &self.inputs {
            bytes.extend(point);
            bytes.push(253);
            bytes.extend((script.len() as u16).to_le_bytes());
            if script.len() < 253 {
                bytes.truncate(bytes.len() - 3);
                bytes.push(script.len() as u8);
            }
            bytes.extend(script);
            bytes.extend(sequence.to_le_bytes());
        }
        bytes.push(self.outputs.len() as u8);
        for value in &self.outputs {
            bytes.extend(value.to_le_bytes());
            bytes.extend([1, 0x51]);
        }
        bytes.extend(self.lock_time.to_le_bytes());
        if self.version == 4 {
            bytes.extend(self.expiry.to_le_bytes());
            bytes.extend(self.balance.to_le_bytes());
            bytes.extend([0; 3]);
        }
        bytes
    }

    fn transaction(&self) -> Transaction {
        Transaction::read(&self.bytes()[..], BranchId::Sprout).unwrap()
    }

    /// Returns the invalid parts at a height.
    fn examine(&self, height: u32) -> Vec<Part> {
        let network = Network::MainNetwork;
        let branch = BranchId::for_height(&network, height.into());
        let context = Context { network, height, branch, time: TIME };
        let bytes = self.bytes();
        let transaction = Transaction::read(&bytes[..], branch).unwrap();
        let mut findings = Findings::default();
        check_transaction(&transaction, bytes.len(), &context, &mut findings);
        findings.invalid.iter().map(|finding| finding.part).collect()
    }
}

fn changed(version: u32, change: impl FnOnce(&mut Draft)) -> Draft {
    let mut draft = Draft::new(version);
    change(&mut draft);
    draft
}

#[test]
fn versions_belong_to_their_time() {
    assert_eq!(Draft::new(1).examine(SPROUT), []);
    assert_eq!(Draft::new(4).examine(SAPLING), []);
    assert_eq!(Draft::new(1).examine(SAPLING), [Part::Format]);
    assert_eq!(Draft::new(4).examine(SPROUT), [Part::Format]);
}

#[test]
fn lock_times_are_heights_or_times() {
    let locked = |lock_time: u32, sequence: u32| {
        let draft = changed(1, |it| (it.lock_time, it.inputs[0].2) = (lock_time, sequence));
        draft.examine(SPROUT)
    };
    for (lock_time, valid) in [(SPROUT - 1, true), (SPROUT, false), (TIME - 1, true), (TIME, false)]
    {
        let expected: &[Part] = if valid { &[] } else { &[Part::Time] };
        assert_eq!(locked(lock_time, 0), expected, "{lock_time}");
        assert_eq!(locked(lock_time, u32::MAX), [], "{lock_time}");
    }
}

#[test]
fn expiry_heights_are_not_past() {
    let expiring = |expiry: u32| changed(4, |it| it.expiry = expiry).examine(SAPLING);
    assert_eq!([0, SAPLING, 499_999_999].map(expiring), [vec![], vec![], vec![]]);
    assert_eq!(expiring(SAPLING - 1), [Part::Time]);
    assert_eq!(expiring(500_000_000), [Part::Time]);
}

#[test]
fn there_are_inputs_and_outputs() {
    assert_eq!(changed(1, |it| it.inputs.clear()).examine(SPROUT), [Part::Format]);
    assert_eq!(changed(1, |it| it.outputs.clear()).examine(SPROUT), [Part::Format]);
}

#[test]
fn a_transaction_before_sapling_is_small() {
    let script = vec![0x51; 50_000];
    let inputs = vec![([7; 36], script, 0); 2];
    assert_eq!(changed(1, |it| it.inputs = inputs.clone()).examine(SPROUT), [Part::Format]);
    assert_eq!(changed(4, |it| it.inputs = inputs).examine(SAPLING), []);
}

/// The parser drops the value; the identifier is that of the bytes.
#[test]
fn a_value_balance_has_spends_or_outputs() {
    assert_eq!(changed(4, |it| it.balance = 1).examine(SAPLING), [Part::Format]);
}

#[test]
fn outputs_are_at_most_all_money() {
    assert_eq!(changed(1, |it| it.outputs = vec![MAX_MONEY - 1, 1]).examine(SPROUT), []);
    let more = changed(1, |it| it.outputs = vec![MAX_MONEY, 1]);
    assert_eq!(more.examine(SPROUT), [Part::Amounts]);
}

#[test]
fn coinbases_have_a_form() {
    for (length, expected) in [(1, 1), (2, 0), (100, 0), (101, 1)] {
        let found = Draft::coinbase(vec![0x51; length]).examine(SPROUT);
        assert_eq!(found, vec![Part::Coinbase; expected], "{length}");
    }
    let mut two = Draft::coinbase(vec![0x51; 2]);
    two.inputs.push(([7; 36], vec![], 0));
    assert_eq!(two.examine(SPROUT), [Part::Coinbase]);
}

#[test]
fn no_value_is_created() {
    let spent = |value: Option<u64>| -> Vec<Option<TxOut>> {
        vec![value.map(|value| output(value, vec![0x51]).unwrap())]
    };
    for (value, expected) in [(Some(5), 0), (Some(6), 0), (None, 0), (Some(4), 1)] {
        let signed = Signed::new(Draft::new(1).transaction(), spent(value));
        let mut findings = Findings::default();
        check_fee(&signed, &mut findings);
        assert_eq!(findings.invalid.len(), expected, "{value:?}");
    }
}

/// Returns the invalid parts of a block with these transactions, without those of the header's proof of work.
fn examine_block(previous: u8, transactions: &[Draft]) -> Vec<Part> {
    let mut bytes = vec![4, 0, 0, 0];
    bytes.extend([previous; 32]);
    bytes.extend([0; 104]);
    bytes.extend([0xfd, 0x40, 0x05]);
    bytes.extend([0; 1344]);
    bytes.push(transactions.len() as u8);
    transactions.iter().for_each(|it| bytes.extend(it.bytes()));
    let block = Block::from_bytes(&bytes, Network::MainNetwork).unwrap();
    let mut findings = Findings::default();
    check_block(&block, Network::MainNetwork, 0, &mut findings);
    findings.invalid.iter().map(|finding| finding.part).collect()
}

#[test]
fn the_first_transaction_alone_is_a_coinbase() {
    let (coinbase, other) = (Draft::coinbase(vec![0x51; 2]), Draft::new(1));
    let blocks = [vec![coinbase.clone()], vec![coinbase.clone(), other.clone()]];
    assert_eq!(blocks.map(|block| examine_block(1, &block)), [vec![], vec![]]);
    assert_eq!(examine_block(1, &[coinbase.clone(), coinbase.clone()]), [Part::Structure]);
    // Without a previous block: it is not the genesis block, and the first transaction may be any.
    assert_eq!(examine_block(0, &[coinbase]), [Part::Structure]);
    assert_eq!(examine_block(0, &[other]), [Part::Structure, Part::Structure]);
}

#[test]
fn signature_operations_are_limited() {
    // OP_CHECKSIG counts 1, OP_CHECKMULTISIG 20.
    let with = |count: usize| {
        let input = |script: Vec<u8>| ([7; 36], script, 0);
        let script = [vec![0xae; count / 20], vec![0xac; count % 20]].concat();
        vec![Draft::coinbase(vec![0x51; 2]), changed(1, |it| it.inputs = vec![input(script)])]
    };
    assert_eq!(examine_block(1, &with(20_000)), []);
    assert_eq!(examine_block(1, &with(20_001)), [Part::Structure]);
}
