//! Transparent inputs of Zcash blocks: each is checked as far as the blocks alone allow. Scripts are run by the
//! interpreter of the crate `zcash_script`, so OP_CHECKMULTISIG tries signatures and keys in its order; the signatures
//! are verified by a device of ours.

use std::cell::RefCell;
use std::collections::HashMap;

use proofmill::ecdsa::{self, Encoded, Item, Policy};
use proofmill::{Device, Result};
use zcash_primitives::block::{Block, BlockHeader};
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::Parameters;
use zcash_script::interpreter::{Flags, SignatureChecker};
use zcash_script::script::{Code, Component, Evaluable as _, Raw};
use zcash_script::solver::{self, ScriptKind};
use zcash_script::{Opcode, opcode::PushValue, pattern, script, signature};
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{OutPoint, TxOut};

use super::digest::Digests;

/// The result of checking an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It spends nothing.
    Coinbase,
    /// Its script ran with these signatures, in the order of the checks, and came out true or false.
    Checked { checks: Vec<Check>, valid: bool },
    /// The input cannot be checked, with the reason.
    NotCheckable(&'static str),
}

/// A signature that a script checked, with the device's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub item: Item,
    pub valid: bool,
    /// The byte behind the signature.
    pub hash_type: u8,
}

/// A transparent input.
#[derive(Clone, Debug)]
pub struct Input {
    /// The transaction's name and the input's number in it.
    pub name: String,
    /// The rule for its digests: [`Digests::rule`].
    pub rule: &'static str,
    pub finding: Finding,
}

/// The transactions of a block. None of a genesis block, which the Zcash crates do not read: it has a coinbase only.
pub fn transactions<P: Parameters>(bytes: &[u8], network: &P) -> std::io::Result<Vec<Transaction>> {
    if BlockHeader::read(bytes)?.prev_block.0 == [0; 32] {
        return Ok(Vec::new());
    }
    let (_, transactions) = Block::read(bytes, network)?.into_parts();
    Ok(transactions.into_iter().collect())
}

/// Every transparent input of these transactions; what one of them spends from another is known.
pub fn examine(device: &dyn Device, transactions: Vec<Transaction>) -> Result<Vec<Input>> {
    let mut outputs = HashMap::new();
    for transaction in &transactions {
        let bundle = transaction.transparent_bundle();
        for (number, output) in (0..).zip(bundle.iter().flat_map(|bundle| &bundle.vout)) {
            let point = OutPoint::new(*transaction.txid().as_ref(), number);
            outputs.insert(point, output.clone());
        }
    }
    let mut found = Vec::new();
    for transaction in transactions {
        let Some(bundle) = transaction.transparent_bundle() else { continue };
        let (txid, coinbase) = (transaction.txid(), bundle.is_coinbase());
        let spent =
            |input: &zcash_transparent::bundle::TxIn<_>| outputs.get(input.prevout()).cloned();
        let spent: Vec<Option<TxOut>> = bundle.vin.iter().map(spent).collect();
        let digests = Digests::new(transaction, &spent);
        for (index, spent) in spent.iter().enumerate() {
            let finding = match coinbase {
                true => Finding::Coinbase,
                false => check(device, &digests, index, spent.as_ref())?,
            };
            found.push(Input { name: format!("{txid}:{index}"), rule: digests.rule(), finding });
        }
    }
    Ok(found)
}

/// Runs the script of one input, where it and its digests are known.
fn check(
    device: &dyn Device,
    digests: &Digests,
    index: usize,
    spent: Option<&TxOut>,
) -> Result<Finding> {
    if let Some(problem) = digests.problem(spent.is_some()) {
        return Ok(Finding::NotCheckable(problem));
    }
    let transaction = digests.transaction();
    let Some(input) = transaction.transparent_bundle().and_then(|bundle| bundle.vin.get(index))
    else {
        return Ok(Finding::NotCheckable("there is no such input"));
    };
    let sig = input.script_sig().0.clone();
    let pub_key = match spent {
        Some(output) => output.script_pubkey().0.clone(),
        None => match implied(&sig) {
            Some(script) => script,
            None => {
                return Ok(Finding::NotCheckable(
                    "the spent output's script is unknown, and the input does not imply it",
                ));
            }
        },
    };
    let checker = Checker {
        device,
        digests,
        index,
        spent,
        is_final: input.sequence() == u32::MAX,
        checks: RefCell::default(),
        lost: RefCell::default(),
    };
    let flags = Flags::P2SH | Flags::CHECKLOCKTIMEVERIFY; // consensus, from the first block on
    let valid = Raw { sig, pub_key }.eval(flags, &checker).unwrap_or(false);
    if let Some(error) = checker.lost.into_inner() {
        return Err(error);
    }
    let checks = checker.checks.into_inner();
    Ok(match checks.is_empty() {
        true => Finding::NotCheckable("its script checks no signature"),
        false => Finding::Checked { checks, valid },
    })
}

/// The script of the spent output, where the input's own script has all that it hashes: a key (P2PKH), or a redeem script
/// with the keys of a multisignature (P2SH). Its hash is then that of the output, or the network would not have
/// accepted the block.
fn implied(sig: &Code) -> Option<Code> {
    let component = sig.to_component().ok()?.refine::<PushValue>().ok()?;
    let pushes: Vec<Vec<u8>> = component.0.iter().map(PushValue::value).collect();
    let last = pushes.last()?;
    let opcodes: Vec<Opcode> = match (pushes.len(), last.first(), last.len()) {
        (2, Some(2 | 3), 33) | (2, Some(4), 65) => pattern::pay_to_pubkey_hash(last),
        _ => {
            let redeem = Code(last.clone()).to_component().ok()?.refine::<Opcode>().ok()?;
            let ScriptKind::MultiSig { .. } = solver::standard(&redeem)? else { return None };
            pattern::pay_to_script_hash(&redeem)
        }
    };
    let script: script::PubKey = Component(opcodes);
    Some(Code(script.to_bytes()))
}

/// Implements the interpreter's signature checks and records them.
struct Checker<'a> {
    device: &'a dyn Device,
    digests: &'a Digests,
    index: usize,
    spent: Option<&'a TxOut>,
    is_final: bool,
    checks: RefCell<Vec<Check>>,
    /// Why the device gave no answer.
    lost: RefCell<Option<proofmill::Error>>,
}

impl SignatureChecker for Checker<'_> {
    fn check_sig(&self, decoded: &signature::Decoded, key: &[u8], script: &Code) -> bool {
        let hash_type = decoded.sighash_type().raw_bits() as u8;
        let script = Script(script.clone());
        let Some(digest) = self.digests.of(self.index, &script, hash_type, self.spent) else {
            return false;
        };
        let signature = Encoded::Der(decoded.sig().serialize_der().to_vec());
        let item = Item { key: key.to_vec(), signature, digest };
        match ecdsa::verify(self.device, &item, Policy::default()) {
            Ok(outcome) => {
                let valid = outcome.is_valid();
                self.checks.borrow_mut().push(Check { item, valid, hash_type });
                valid
            }
            Err(error) => {
                self.lost.replace(Some(error));
                false
            }
        }
    }

    /// BIP 65: both are heights, or both are times; the transaction's is not earlier; and the input is not final.
    fn check_lock_time(&self, wanted: i64) -> bool {
        const THRESHOLD: i64 = 500_000_000;
        let own = i64::from(self.digests.transaction().lock_time());
        (own < THRESHOLD) == (wanted < THRESHOLD) && wanted <= own && !self.is_final
    }
}
