//! Consensus rules that follow from a block alone, without proofs, signatures and the chain's state: protocol specification (version 2025.6),
//! sections 7.1.2, 7.6 and 3.11; ZIP 203, 213, 225.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use proofmill::ecdsa::Hash;
use sapling_crypto::note_encryption::{Zip212Enforcement, try_sapling_output_recovery};
use zcash_primitives::transaction::{Transaction, TransactionData, TxVersion};
use zcash_protocol::consensus::{BranchId, Network, NetworkUpgrade, Parameters};
use zcash_protocol::value::{BalanceError, ZatBalance};
use zcash_transparent::bundle::OutPoint;

use super::report::{Findings, Part};
use crate::block::{Block, MAX_BLOCK_BYTES};
use crate::transparent::{Signed, Spending};

/// Signature operations of a block, counted as before P2SH.
const MAX_SIGNATURE_OPERATIONS: u32 = 20_000;

/// The hashes of the genesis blocks, the last byte first.
const GENESIS: [&str; 2] = [
    "00040fe8ec8471911baa1db1266ea15dd06b4a8a5c453883c000b031973dce08",
    "05a60a92d99d85997cce3b87616c089f6124d7342af37106edc76126334a2c38",
];

/// Heights from which, until NU6.2, a soft fork forbids Orchard actions: mainnet, testnet.
const ORCHARD_DISABLED: [u32; 2] = [3_363_426, 4_048_500];

/// All money, in zatoshi.
const MAX_MONEY: u64 = 21_000_000 * 100_000_000;

/// The largest transaction before Sapling, in bytes.
const MAX_TRANSACTION_BYTES_BEFORE_SAPLING: usize = 100_000;

/// The largest expiry height (ZIP 203).
const MAX_EXPIRY_HEIGHT: u32 = 499_999_999;

/// Lock times of at least this are seconds, smaller ones are heights.
const LOCK_TIME_IS_SECONDS: u32 = 500_000_000;

/// Seconds by which a block may be ahead of the clock.
const MAX_FUTURE_SECONDS: u64 = 2 * 60 * 60;

/// The position of a transaction in the chain.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub network: Network,
    pub height: u32,
    pub branch: BranchId,
    /// The block's time, in seconds from 1970.
    pub time: u32,
}

impl Context {
    pub fn new(block: &Block, network: Network) -> Self {
        let branch = BranchId::for_height(&network, block.height.into());
        Self { network, height: block.height, branch, time: block.header.time }
    }

    /// Returns whether an upgrade is active.
    pub fn is_active(&self, upgrade: NetworkUpgrade) -> bool {
        self.network.is_nu_active(upgrade, self.height.into())
    }
}

/// Checks version, time and length of a block, and that its first transaction alone is a coinbase. `now` is in seconds from 1970.
pub fn check_block(block: &Block, network: Network, now: u64, findings: &mut Findings) {
    let version = block.header.version;
    findings.require(version >= 4, Part::Header, || format!("version {version}, below 4"));
    let time = u64::from(block.header.time);
    findings.require(time <= now + MAX_FUTURE_SECONDS, Part::Header, || {
        format!("time {time}, more than two hours after the clock's {now}")
    });
    findings.require(block.bytes <= MAX_BLOCK_BYTES, Part::Structure, || {
        format!("{} bytes, more than {MAX_BLOCK_BYTES}", block.bytes)
    });
    for (number, (transaction, _)) in block.transactions.iter().enumerate() {
        let coinbase = is_coinbase(transaction);
        findings.require(coinbase == (number == 0), Part::Structure, || {
            format!("transaction {number} is {} coinbase", if coinbase { "a second" } else { "no" })
        });
    }
    let hash = block.hash().to_string();
    let genesis = GENESIS[network as usize];
    findings.require((block.height == 0) == (hash == genesis), Part::Structure, || {
        format!("height {} and no previous block; the genesis block is {genesis}", block.height)
    });
    let operations: u32 = block.transactions.iter().map(|(it, _)| signature_operations(it)).sum();
    findings.require(operations <= MAX_SIGNATURE_OPERATIONS, Part::Structure, || {
        format!("{operations} signature operations, more than {MAX_SIGNATURE_OPERATIONS}")
    });
    if network.is_nu_active(NetworkUpgrade::Nu7, block.height.into()) {
        findings.not_checked(Part::Structure, "the limits of a block from NU7 on (ZIP 218)");
    }
}

fn signature_operations(transaction: &Transaction) -> u32 {
    let bundle = transaction.transparent_bundle();
    let inputs = bundle.iter().flat_map(|bundle| &bundle.vin).map(|input| &input.script_sig().0);
    let outputs =
        bundle.iter().flat_map(|bundle| &bundle.vout).map(|output| &output.script_pubkey().0);
    inputs.chain(outputs).map(|script| script.sig_op_count(false)).sum()
}

fn is_coinbase(transaction: &Transaction) -> bool {
    transaction.transparent_bundle().is_some_and(|bundle| bundle.is_coinbase())
}

/// Checks a transaction by itself.
pub fn check_transaction(
    transaction: &Transaction,
    length: usize,
    context: &Context,
    findings: &mut Findings,
) {
    format(transaction, length, context, findings);
    time(transaction, context, findings);
    amounts(transaction, context, findings);
    orchard(transaction, context, findings);
    if is_coinbase(transaction) {
        coinbase(transaction, context, findings);
    } else {
        let inputs = transaction.transparent_bundle().map_or(&[][..], |bundle| &bundle.vin);
        let null = inputs.iter().any(|input| *input.prevout() == OutPoint::NULL);
        findings.require(!null, Part::Coinbase, || "an input of several spends nothing".into());
    }
}

/// 7.1.2: version, branch, inputs and outputs; and the encoding is the only one of this transaction.
fn format(transaction: &Transaction, length: usize, context: &Context, findings: &mut Findings) {
    let (version, branch) = (transaction.version(), context.branch);
    findings.require(version.valid_in_branch(branch), Part::Format, || {
        format!("version {version:?} is not allowed in {branch:?}")
    });
    let own = transaction.consensus_branch_id();
    findings.require(own == branch, Part::Format, || {
        format!("consensus branch {own:?} at a height of {branch:?}")
    });
    let before_sapling = !context.is_active(NetworkUpgrade::Sapling);
    let fits = !before_sapling || length <= MAX_TRANSACTION_BYTES_BEFORE_SAPLING;
    findings.require(fits, Part::Format, || {
        format!("{length} bytes, more than {MAX_TRANSACTION_BYTES_BEFORE_SAPLING}")
    });
    let mut encoding = Vec::with_capacity(length);
    let written = transaction.write(&mut encoding).is_ok() && encoding.len() == length;
    // The identifier of older versions is the hash of the bytes that were read. Of later ones, every field is written as it was read.
    let same = match version {
        TxVersion::Sprout(_) | TxVersion::V3 | TxVersion::V4 => {
            Hash::Sha256d.digest(&encoding) == *transaction.txid().as_ref()
        }
        _ => true,
    };
    findings.require(written && same, Part::Format, || {
        "the encoding is not canonical, or a value balance has no Spends and Outputs".into()
    });
    let (inputs, outputs) = has_inputs_and_outputs(transaction);
    findings.require(inputs, Part::Format, || "it has no inputs".into());
    findings.require(outputs, Part::Format, || "it has no outputs".into());
}

fn has_inputs_and_outputs(transaction: &Transaction) -> (bool, bool) {
    let transparent = transaction.transparent_bundle();
    let joinsplits = transaction.sprout_bundle().is_some();
    let sapling = transaction.sapling_bundle();
    let orchard = [transaction.orchard_bundle(), transaction.ironwood_bundle()];
    let actions = || orchard.iter().flatten();
    let inputs = transparent.is_some_and(|bundle| !bundle.vin.is_empty())
        || joinsplits
        || sapling.is_some_and(|bundle| !bundle.shielded_spends().is_empty())
        || actions().any(|bundle| bundle.flags().spends_enabled());
    let outputs = transparent.is_some_and(|bundle| !bundle.vout.is_empty())
        || joinsplits
        || sapling.is_some_and(|bundle| !bundle.shielded_outputs().is_empty())
        || actions().any(|bundle| bundle.flags().outputs_enabled());
    (inputs, outputs)
}

/// Lock time (a height or a time, unless every input is final) and expiry height.
fn time(transaction: &Transaction, context: &Context, findings: &mut Findings) {
    let lock_time = transaction.lock_time();
    let limit = if lock_time < LOCK_TIME_IS_SECONDS { context.height } else { context.time };
    let inputs = transaction.transparent_bundle().map_or(&[][..], |bundle| &bundle.vin);
    let all_final = inputs.iter().all(|input| input.sequence() == u32::MAX);
    findings.require(lock_time == 0 || lock_time < limit || all_final, Part::Time, || {
        format!("lock time {lock_time} is not before {limit}")
    });
    if !transaction.version().has_overwinter() {
        return;
    }
    let expiry = u32::from(transaction.expiry_height());
    if is_coinbase(transaction) && context.is_active(NetworkUpgrade::Nu5) {
        findings.require(expiry == context.height, Part::Time, || {
            format!("expiry height {expiry} of a coinbase at height {}", context.height)
        });
        return;
    }
    findings.require(expiry <= MAX_EXPIRY_HEIGHT, Part::Time, || {
        format!("expiry height {expiry}, more than {MAX_EXPIRY_HEIGHT}")
    });
    let expired = !is_coinbase(transaction) && expiry != 0 && expiry < context.height;
    findings.require(!expired, Part::Time, || format!("expired at height {expiry}"));
}

/// Rules on Orchard's and Ironwood's actions: flags, the soft fork before NU6.2, and no new value in Orchard from NU6.3 on (ZIP 229).
fn orchard(transaction: &Transaction, context: &Context, findings: &mut Findings) {
    let bundles = [transaction.orchard_bundle(), transaction.ironwood_bundle()];
    for bundle in bundles.into_iter().flatten() {
        let flags = bundle.flags();
        let any = flags.spends_enabled() || flags.outputs_enabled();
        findings.require(any, Part::Format, || "actions neither spend nor create notes".into());
    }
    let Some(bundle) = transaction.orchard_bundle() else { return };
    let disabled = context.height >= ORCHARD_DISABLED[context.network as usize]
        && !context.is_active(NetworkUpgrade::Nu6_2);
    findings.require(!disabled, Part::Format, || {
        "Orchard actions are disabled from a soft fork to NU6.2".into()
    });
    if context.is_active(NetworkUpgrade::Nu6_3) {
        let balance = i64::from(*bundle.value_balance());
        findings.require(balance >= 0, Part::Amounts, || {
            format!("{} zatoshi enter Orchard after NU6.3", -balance)
        });
    }
}

/// The sum of outputs, and the public values of JoinSplits: one of both is zero, and from Canopy on no value enters (ZIP 211).
fn amounts(transaction: &Transaction, context: &Context, findings: &mut Findings) {
    let outputs = transaction.transparent_bundle().map_or(&[][..], |bundle| &bundle.vout);
    let sum = outputs.iter().try_fold(0u64, |sum, output| sum.checked_add(output.value().into()));
    let joinsplits = transaction.sprout_bundle().map_or(&[][..], |bundle| &bundle.joinsplits);
    let balances = [
        transaction.sapling_bundle().map(|bundle| i64::from(*bundle.value_balance())),
        transaction.orchard_bundle().map(|bundle| i64::from(*bundle.value_balance())),
        transaction.ironwood_bundle().map(|bundle| i64::from(*bundle.value_balance())),
    ];
    let balances = || balances.iter().flatten().map(|&balance| i128::from(balance));
    let public = |values: &mut dyn Iterator<Item = ZatBalance>| -> i128 {
        values.map(|value| i128::from(i64::from(value))).sum()
    };
    let entering = public(&mut joinsplits.iter().map(|it| it.vpub_old()));
    let leaving = public(&mut joinsplits.iter().map(|it| it.vpub_new()));
    let into_pools: i128 = balances().filter(|balance| *balance < 0).map(|balance| -balance).sum();
    let from_pools: i128 = balances().filter(|balance| *balance > 0).sum();
    let all = i128::from(MAX_MONEY);
    let fits = sum.is_some_and(|sum| i128::from(sum) + entering + into_pools <= all);
    findings.require(fits, Part::Amounts, || "the outputs are more than all money".into());
    findings.require(leaving + from_pools <= all, Part::Amounts, || {
        "more than all money leaves the shielded pools".into()
    });
    for (number, joinsplit) in joinsplits.iter().enumerate() {
        let (old, new) = (i64::from(joinsplit.vpub_old()), i64::from(joinsplit.vpub_new()));
        findings.require(old == 0 || new == 0, Part::Amounts, || {
            format!("both public values of JoinSplit {number} are not zero")
        });
        let may_enter = old == 0 || !context.is_active(NetworkUpgrade::Canopy);
        findings.require(may_enter, Part::Amounts, || {
            format!("value enters JoinSplit {number} after Canopy")
        });
    }
}

fn coinbase(transaction: &Transaction, context: &Context, findings: &mut Findings) {
    let bundle = transaction.transparent_bundle();
    let script = bundle.and_then(|bundle| bundle.vin.first()).map(|input| input.script_sig());
    let length = script.map_or(0, |script| script.0.0.len());
    findings.require((2..=100).contains(&length), Part::Coinbase, || {
        format!("its script has {length} bytes, not 2 to 100")
    });
    findings.require(transaction.sprout_bundle().is_none(), Part::Coinbase, || {
        "it has JoinSplits".into()
    });
    if let Some(sapling) = transaction.sapling_bundle() {
        findings.require(sapling.shielded_spends().is_empty(), Part::Coinbase, || {
            "it has Sapling Spends".into()
        });
        let allowed = context.is_active(NetworkUpgrade::Heartwood);
        let none = sapling.shielded_outputs().is_empty();
        findings.require(allowed || none, Part::Coinbase, || {
            "it has Sapling Outputs before Heartwood".into()
        });
    }
    let orchard = [transaction.orchard_bundle(), transaction.ironwood_bundle()];
    let spends = orchard.iter().flatten().any(|bundle| bundle.flags().spends_enabled());
    findings.require(!spends, Part::Coinbase, || "its Orchard actions may spend".into());
    let frozen = context.is_active(NetworkUpgrade::Nu6_3) && orchard[0].is_some();
    findings.require(!frozen, Part::Coinbase, || "it has Orchard actions after NU6.3".into());
    findings.require(is_decryptable(transaction, context), Part::Coinbase, || {
        "a shielded output does not decrypt with the key of zeros (ZIP 213)".into()
    });
}

/// Returns whether all shielded outputs of a coinbase decrypt with the outgoing viewing key of zeros.
fn is_decryptable(coinbase: &Transaction, context: &Context) -> bool {
    let zip_212 = match context.is_active(NetworkUpgrade::Canopy) {
        true => Zip212Enforcement::On,
        false => Zip212Enforcement::Off,
    };
    let key = sapling_crypto::keys::OutgoingViewingKey([0; 32]);
    let outputs = coinbase.sapling_bundle().map_or(&[][..], |bundle| bundle.shielded_outputs());
    let mut sapling =
        outputs.iter().map(|output| try_sapling_output_recovery(&key, output, zip_212).is_some());
    let key = orchard::keys::OutgoingViewingKey::from([0; 32]);
    let bundles = [coinbase.orchard_bundle(), coinbase.ironwood_bundle()];
    let mut actions = bundles.into_iter().flatten().map(|bundle| {
        let mut numbers = 0..bundle.actions().len();
        numbers.all(|number| bundle.recover_output_with_ovk(number, &key).is_some())
    });
    sapling.all(|recovered| recovered) && actions.all(|recovered| recovered)
}

/// Checks that no more value leaves a transaction than enters it, if all spent outputs are known.
pub fn check_fee(signed: &Signed, findings: &mut Findings) {
    let transaction = signed.digests.transaction();
    let transparent = transaction.transparent_bundle();
    if transparent.is_some_and(|bundle| bundle.is_coinbase()) {
        return;
    }
    let inputs = transparent.map_or(&[][..], |bundle| &bundle.vin);
    let spent: HashMap<_, _> = inputs.iter().map(|it| it.prevout()).zip(&signed.spent).collect();
    let fee = transaction.fee_paid(|point| {
        let output = spent.get(point).and_then(|output| output.as_ref());
        Ok::<_, BalanceError>(output.map(|output| output.value()))
    });
    if let Err(problem) = fee {
        findings.invalid(Part::Amounts, format!("the sum of all values: {problem}"));
    }
}

/// Outputs that the transactions of a block spend, and nullifiers that they reveal.
#[derive(Debug, Default)]
pub struct Spent {
    outputs: HashSet<OutPoint>,
    nullifiers: HashSet<(&'static str, [u8; 32])>,
}

impl Spent {
    /// Adds a transaction. Returns an error in the findings for each output and each nullifier that is in the block already.
    pub fn add(&mut self, transaction: &TransactionData<Spending>, findings: &mut Findings) {
        let transparent = transaction.transparent_bundle();
        for input in transparent.iter().flat_map(|bundle| &bundle.vin) {
            let point = input.prevout();
            let new = *point == OutPoint::NULL || self.outputs.insert(point.clone());
            findings.require(new, Part::DoubleSpend, || {
                format!("output {}:{}", point.txid(), point.n())
            });
        }
        for (pool, nullifier) in nullifiers(transaction) {
            findings.require(self.nullifiers.insert((pool, nullifier)), Part::DoubleSpend, || {
                format!("{pool} nullifier {}", hex::encode(nullifier))
            });
        }
    }
}

/// Lists the nullifiers with their pools.
fn nullifiers(transaction: &TransactionData<Spending>) -> Vec<(&'static str, [u8; 32])> {
    let mut all = Vec::new();
    let joinsplits = transaction.sprout_bundle().map_or(&[][..], |bundle| &bundle.joinsplits);
    all.extend(joinsplits.iter().flat_map(|it| it.nullifiers()).map(|it| ("Sprout", *it)));
    let spends = transaction.sapling_bundle().map_or(&[][..], |it| it.shielded_spends());
    all.extend(spends.iter().map(|spend| ("Sapling", spend.nullifier().0)));
    let pools =
        [("Orchard", transaction.orchard_bundle()), ("Ironwood", transaction.ironwood_bundle())];
    for (pool, bundle) in pools {
        let actions = bundle.iter().flat_map(|bundle| bundle.actions());
        all.extend(actions.map(|action| (pool, action.nullifier().to_bytes())));
    }
    all
}
