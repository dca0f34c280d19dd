//! The digest that a transparent input's signature signs. Before Overwinter: that of Bitcoin, extended by the JoinSplits (Zcash
//! protocol specification, 4.10); from then on ZIP 143, 243 and 244, as the Zcash crates implement them.

use proofmill::ecdsa::Hash;
use zcash_encoding::CompactSize;
use zcash_primitives::transaction::sighash::{PrecomputedSighashData, SignableInput};
use zcash_primitives::transaction::{Authorization, Authorized, Transaction, TransactionData};
use zcash_protocol::value::Zatoshis;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{self, MapAuth, TxOut};
use zcash_transparent::sighash::{self, SighashType, TransparentAuthorizingContext};

const UNKNOWN_OUTPUTS: &str =
    "it signs the amounts of all spent outputs (ZIP 244), and some are unknown";

/// A transaction whose signatures are looked at, as the Zcash crates want it: with the outputs that it spends.
#[derive(Debug)]
pub struct Spending;

impl Authorization for Spending {
    type TransparentAuth = Spent;
    type SaplingAuth = <Authorized as Authorization>::SaplingAuth;
    type OrchardAuth = <Authorized as Authorization>::OrchardAuth;
}

/// The outputs that a transaction spends, in the order of its inputs; none if some are not known.
#[derive(Clone, Debug)]
pub struct Spent(Option<Vec<TxOut>>);

impl bundle::Authorization for Spent {
    type ScriptSig = Script;
}

impl MapAuth<bundle::Authorized, Spent> for Spent {
    fn map_script_sig(&self, script: Script) -> Script {
        script
    }

    fn map_authorization(&self, _: bundle::Authorized) -> Spent {
        self.clone()
    }
}

/// Only ZIP 244 requires these, and [`Digests::of`] calls it only if all outputs are known.
impl TransparentAuthorizingContext for Spent {
    fn input_amounts(&self) -> Vec<Zatoshis> {
        self.0.iter().flatten().map(TxOut::value).collect()
    }

    fn input_scriptpubkeys(&self) -> Vec<Script> {
        self.0.iter().flatten().map(|output| output.script_pubkey().clone()).collect()
    }
}

/// The digests of one transaction.
#[derive(Debug)]
pub struct Digests {
    data: PrecomputedSighashData<Spending>,
    all_known: bool,
}

impl Digests {
    /// Prepares the digests of a transaction from the outputs that it spends; unknown ones are `None`.
    pub fn new(transaction: Transaction, spent: &[Option<TxOut>]) -> Self {
        let spent = Spent(spent.iter().cloned().collect());
        let all_known = spent.0.is_some();
        let data = transaction.into_data().map_authorization(spent, (), ());
        Self { data: PrecomputedSighashData::new(data), all_known }
    }

    /// The transaction.
    pub fn transaction(&self) -> &TransactionData<Spending> {
        self.data.tx()
    }

    /// The rule that makes the digests of this transaction's version.
    pub fn rule(&self) -> &'static str {
        let version = self.transaction().version();
        match (version.has_overwinter(), version.has_sapling(), self.is_zip_244()) {
            (false, ..) => "before Overwinter",
            (true, false, _) => "ZIP 143",
            (true, true, false) => "ZIP 243",
            (true, true, true) => "ZIP 244",
        }
    }

    /// Computes the digest that JoinSplit, Spend, action and binding signatures sign. The error is the reason why it is unknown.
    pub fn shielded(&self) -> Result<[u8; 32], &'static str> {
        let transaction = self.transaction();
        if !transaction.version().has_overwinter() {
            let all = sighash::SIGHASH_ALL;
            let digest = before_overwinter(transaction, usize::MAX, &Script::default(), all);
            return digest.ok_or("it cannot be serialized");
        }
        let inputs = transaction.transparent_bundle();
        if self.is_zip_244() && !self.all_known && inputs.is_some_and(|it| !it.is_coinbase()) {
            return Err(UNKNOWN_OUTPUTS);
        }
        Ok(*self.data.signature_hash(&SignableInput::Shielded).as_ref())
    }

    fn is_zip_244(&self) -> bool {
        let version = self.transaction().version();
        version.has_orchard() || version.has_ironwood()
    }

    /// Returns the reason why the digest of an input cannot be computed. `known` is true if the output that the input spends is known.
    pub fn problem(&self, known: bool) -> Option<&'static str> {
        if self.is_zip_244() && !self.all_known {
            Some(UNKNOWN_OUTPUTS)
        } else if self.transaction().version().has_overwinter() && !known {
            Some("it signs the spent output's amount (ZIP 143, 243), and that output is unknown")
        } else {
            None
        }
    }

    /// Computes the digest that a signature of input number `index` signs, for its script and the hash type that follows the signature; `spent`
    /// is needed from Overwinter on. Returns `None` where no signature can be valid: SIGHASH_SINGLE without an output of that number
    /// (which ZIP 143 and 243 allow), or a hash type that ZIP 244 does not define.
    pub fn of(
        &self,
        index: usize,
        script: &Script,
        hash_type: u8,
        spent: Option<&TxOut>,
    ) -> Option<[u8; 32]> {
        let transaction = self.transaction();
        let version = transaction.version();
        if !version.has_overwinter() {
            return before_overwinter(transaction, index, script, hash_type);
        }
        let strict = SighashType::parse(hash_type);
        let hash_type = match self.is_zip_244() {
            true => strict?,
            false => SighashType::from_raw(hash_type),
        };
        let (bundle, spent) = (transaction.transparent_bundle()?, spent?);
        let single = hash_type.encode() & sighash::SIGHASH_MASK == sighash::SIGHASH_SINGLE;
        if self.is_zip_244() && single && index >= bundle.vout.len() {
            return None; // ZIP 143 and 243 sign zeros in place of that output
        }
        let input = sighash::SignableInput::from_parts(
            bundle,
            hash_type,
            index,
            script,
            spent.script_pubkey(),
            spent.value(),
        );
        let input = SignableInput::Transparent(input.ok()?);
        Some(*self.data.signature_hash(&input).as_ref())
    }
}

/// SHA-256d of the transaction as the hash type wants it: inputs without their scripts but for the one that is signed;
/// all outputs, none, or those up to the input's own, the ones before it blank.
fn before_overwinter(
    transaction: &TransactionData<Spending>,
    index: usize,
    script: &Script,
    hash_type: u8,
) -> Option<[u8; 32]> {
    let bundle = transaction.transparent_bundle();
    let inputs = bundle.map_or(&[][..], |bundle| &bundle.vin);
    let all_outputs = bundle.map_or(&[][..], |bundle| &bundle.vout);
    let outputs = hash_type & sighash::SIGHASH_MASK;
    let (none, single) = (outputs == sighash::SIGHASH_NONE, outputs == sighash::SIGHASH_SINGLE);
    if single && index >= all_outputs.len() {
        return None; // zcashd makes this an error; Bitcoin signs the number 1
    }
    let alone = hash_type & sighash::SIGHASH_ANYONECANPAY != 0;
    let mut bytes = transaction.version().header().to_le_bytes().to_vec();
    let out = &mut bytes;

    let count = if alone { 1 } else { inputs.len() };
    let inputs = inputs.iter().enumerate().filter(|(at, _)| !alone || *at == index);
    CompactSize::write(&mut *out, count).ok()?;
    for (at, input) in inputs {
        input.prevout().write(&mut *out).ok()?;
        let signed = at == index;
        if signed {
            script.write(&mut *out).ok()?
        } else {
            Script::default().write(&mut *out).ok()?
        }
        let sequence = if signed || !(none || single) { input.sequence() } else { 0 };
        out.extend(sequence.to_le_bytes());
    }

    let count = if none {
        0
    } else if single {
        index + 1
    } else {
        all_outputs.len()
    };
    CompactSize::write(&mut *out, count).ok()?;
    for (at, output) in all_outputs.iter().enumerate().take(count) {
        if single && at < index {
            out.extend((-1i64).to_le_bytes());
            Script::default().write(&mut *out).ok()?;
        } else {
            output.write(&mut *out).ok()?;
        }
    }
    out.extend(transaction.lock_time().to_le_bytes());

    if transaction.version().has_sprout() {
        let joinsplits = transaction.sprout_bundle();
        let descriptions = joinsplits.map_or(&[][..], |sprout| &sprout.joinsplits);
        CompactSize::write(&mut *out, descriptions.len()).ok()?;
        descriptions.iter().try_for_each(|description| description.write(&mut *out)).ok()?;
        if let Some(sprout) = joinsplits.filter(|sprout| !sprout.joinsplits.is_empty()) {
            out.extend(sprout.joinsplit_pubkey);
            out.extend([0; 64]); // in place of the JoinSplits' signature
        }
    }
    out.extend(u32::from(hash_type).to_le_bytes());
    Some(Hash::Sha256d.digest(&bytes))
}
