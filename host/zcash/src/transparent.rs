//! Transparent inputs. Scripts are run by the interpreter of the crate `zcash_script`, so OP_CHECKMULTISIG tries signatures and keys in its
//! order; the signatures are verified by a device, those of all inputs in one batch.
//!
//! 1. Run each script. A signature that was not verified yet is assumed to be valid.
//! 2. Verify the assumed signatures of all inputs in one batch.
//! 3. A script is done if nothing was assumed, or every assumption was right. The others run again with what is known.

mod digest;
mod run;

use std::collections::{HashMap, VecDeque};

pub use digest::{Digests, Spending};
use proofmill::ecdsa::{self, Item, Policy};
use proofmill::{Device, Result};
use rayon::prelude::*;
use run::Run;
use zcash_primitives::transaction::Transaction;
use zcash_protocol::value::Zatoshis;
use zcash_script::script::Code;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{OutPoint, TxOut};

use crate::block::malformed;

/// Unspent transparent outputs by the points that inputs refer to. Holds the latest ones up to a limit.
#[derive(Debug, Default)]
pub struct Outputs {
    outputs: HashMap<OutPoint, TxOut>,
    /// The points in the order in which they were added, also those of spent outputs.
    order: VecDeque<OutPoint>,
    bytes: usize,
}

impl Outputs {
    /// The largest number of bytes: about a million outputs with usual scripts.
    pub const LIMIT: usize = 256 << 20;

    /// Adds an output.
    pub fn add(&mut self, point: OutPoint, output: TxOut) {
        self.bytes += bytes(&output);
        self.order.push_back(point.clone());
        let replaced = self.outputs.insert(point, output);
        self.bytes -= replaced.as_ref().map_or(0, bytes);
        while self.bytes > Self::LIMIT || self.order.len() > Self::LIMIT / BYTES {
            let Some(point) = self.order.pop_front() else { return };
            self.take(&point);
        }
    }

    /// Adds the outputs of a transaction.
    pub fn add_all(&mut self, transaction: &Transaction) {
        let bundle = transaction.transparent_bundle();
        for (number, output) in (0..).zip(bundle.iter().flat_map(|bundle| &bundle.vout)) {
            self.add(OutPoint::new(*transaction.txid().as_ref(), number), output.clone());
        }
    }

    fn take(&mut self, point: &OutPoint) -> Option<TxOut> {
        let output = self.outputs.remove(point)?;
        self.bytes -= bytes(&output);
        Some(output)
    }

    /// Removes the outputs that a transaction spends. Returns them in the order of its inputs; `None` for an unknown one.
    pub fn take_spent_by(&mut self, transaction: &Transaction) -> Vec<Option<TxOut>> {
        let bundle = transaction.transparent_bundle();
        let inputs = bundle.iter().flat_map(|bundle| &bundle.vin);
        inputs.map(|input| self.take(input.prevout())).collect()
    }
}

/// Bytes of an output without its script.
const BYTES: usize = 256;

/// Returns the bytes of an output in memory.
fn bytes(output: &TxOut) -> usize {
    BYTES + output.script_pubkey().0.0.len()
}

/// Returns the point of an output: the transaction's identifier in 64 hexadecimal digits, as block explorers show it, and the number of the
/// output.
pub fn out_point(txid: &str, index: u32) -> crate::Result<OutPoint> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(txid, &mut bytes)
        .map_err(|error| malformed("txid", format!("{error}; expected 64 hexadecimal digits")))?;
    bytes.reverse();
    Ok(OutPoint::new(bytes, index))
}

/// Returns an output of a value in zatoshi and a script. Returns an error for more than all money.
pub fn output(value: u64, script: Vec<u8>) -> crate::Result<TxOut> {
    let value = Zatoshis::from_u64(value)
        .map_err(|_| malformed("value", format!("{value} zatoshi are more than all money")))?;
    Ok(TxOut::new(value, Script(Code(script))))
}

/// The result of checking an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It spends nothing.
    Coinbase,
    /// Its script was run.
    Checked {
        /// The signatures, in the order in which the script checked them.
        checks: Vec<Check>,
        /// The script's result.
        valid: bool,
        /// The script is not that of the spent output, which is unknown: the input implies it.
        implied: bool,
    },
    /// The input cannot be checked, with the reason.
    NotCheckable(&'static str),
}

/// A signature that a script checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The signature with its key and digest.
    pub item: Item,
    /// The device's verdict.
    pub valid: bool,
    /// The byte after the signature.
    pub hash_type: u8,
}

/// A transaction with the digests that its signatures sign.
#[derive(Debug)]
pub struct Signed {
    /// The digests.
    pub digests: Digests,
    /// The outputs that the inputs spend, in their order; `None` for an unknown one.
    pub spent: Vec<Option<TxOut>>,
}

impl Signed {
    /// Prepares the digests of a transaction, with the outputs that it spends.
    pub fn new(transaction: Transaction, spent: Vec<Option<TxOut>>) -> Self {
        Self { digests: Digests::new(transaction, &spent), spent }
    }
}

/// Checks every transparent input of these transactions as far as the spent outputs are known. Returns a list for each transaction. Scripts run in
/// the caller's rayon pool.
///
/// The flags are those of consensus from the first block on: P2SH and OP_CHECKLOCKTIMEVERIFY.
pub fn check_inputs(device: &dyn Device, transactions: &[Signed]) -> Result<Vec<Vec<Finding>>> {
    let mut findings: Vec<Vec<Finding>> = Vec::with_capacity(transactions.len());
    let mut runs = Vec::new();
    for (number, transaction) in transactions.iter().enumerate() {
        let bundle = transaction.digests.transaction().transparent_bundle();
        let coinbase = bundle.is_some_and(|bundle| bundle.is_coinbase());
        let each = (0..transaction.spent.len()).map(|input| {
            if coinbase {
                return Finding::Coinbase;
            }
            match Run::new(transaction, (number, input)) {
                Ok(run) => runs.push(run),
                Err(reason) => return Finding::NotCheckable(reason),
            }
            Finding::NotCheckable("its script did not end")
        });
        findings.push(each.collect());
    }
    for run in finish(device, transactions, runs)? {
        let (transaction, input) = run.place;
        let Run { checks, valid, implied, .. } = run;
        findings[transaction][input] = Finding::Checked { checks, valid, implied };
    }
    Ok(findings)
}

/// Repeats the rounds until every script is done.
fn finish(device: &dyn Device, transactions: &[Signed], mut runs: Vec<Run>) -> Result<Vec<Run>> {
    let mut done = Vec::with_capacity(runs.len());
    while !runs.is_empty() {
        runs.par_iter_mut().for_each(|run| run.evaluate(&transactions[run.place.0]));
        let items: Vec<_> = runs.iter().flat_map(|run| &run.assumed).cloned().collect();
        let mut outcomes = ecdsa::verify_batch(device, &items, Policy::default())?.into_iter();
        for mut run in std::mem::take(&mut runs) {
            let valid = outcomes.by_ref().map(|outcome| outcome.is_valid());
            let list = if run.learn(valid) { &mut done } else { &mut runs };
            list.push(run);
        }
    }
    Ok(done)
}
