//! Transparent inputs whose outputs are known, with libsecp256k1.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use secp256k1::ecdsa::{self, Signature};
use secp256k1::{Message, PublicKey};
use zcash_primitives::transaction::sighash::{PrecomputedSighashData, SignableInput};
use zcash_primitives::transaction::{Authorization, Authorized, Transaction, TransactionData};
use zcash_protocol::value::Zatoshis;
use zcash_script::interpreter::{Flags, SignatureChecker};
use zcash_script::script::{Code, Raw};
use zcash_script::signature::Decoded;
use zcash_transparent::address::Script;
use zcash_transparent::bundle::{self, MapAuth, OutPoint, TxOut};
use zcash_transparent::sighash::{self, SighashType, TransparentAuthorizingContext};

/// The outputs of the blocks so far.
#[derive(Default)]
pub struct Outputs(HashMap<OutPoint, TxOut>);

impl Outputs {
    pub fn add(&mut self, transaction: &Transaction) {
        let bundle = transaction.transparent_bundle();
        for (number, output) in (0..).zip(bundle.iter().flat_map(|bundle| &bundle.vout)) {
            self.0.insert(OutPoint::new(*transaction.txid().as_ref(), number), output.clone());
        }
    }

    pub fn spent_by(&self, transaction: &Transaction) -> Vec<Option<TxOut>> {
        let bundle = transaction.transparent_bundle();
        let inputs = bundle.iter().flat_map(|bundle| &bundle.vin);
        inputs.map(|input| self.0.get(input.prevout()).cloned()).collect()
    }
}

/// The authorization of a transaction with the outputs that it spends.
#[derive(Debug)]
pub struct Spending;

impl Authorization for Spending {
    type TransparentAuth = Spent;
    type SaplingAuth = <Authorized as Authorization>::SaplingAuth;
    type OrchardAuth = <Authorized as Authorization>::OrchardAuth;
}

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

impl TransparentAuthorizingContext for Spent {
    fn input_amounts(&self) -> Vec<Zatoshis> {
        self.0.iter().flatten().map(TxOut::value).collect()
    }

    fn input_scriptpubkeys(&self) -> Vec<Script> {
        self.0.iter().flatten().map(|output| output.script_pubkey().clone()).collect()
    }
}

/// A transaction with the digests that its signatures sign.
pub struct Signed {
    data: PrecomputedSighashData<Spending>,
    spent: Vec<Option<TxOut>>,
}

impl Signed {
    pub fn new(transaction: Transaction, spent: Vec<Option<TxOut>>) -> Self {
        let all = Spent(spent.iter().cloned().collect());
        let data = transaction.into_data().map_authorization(all, (), ());
        Self { data: PrecomputedSighashData::new(data), spent }
    }

    pub fn transaction(&self) -> &TransactionData<Spending> {
        self.data.tx()
    }

    fn is_known(&self) -> bool {
        let version = self.transaction().version();
        let zip_244 = version.has_orchard() || version.has_ironwood();
        version.has_overwinter() && (!zip_244 || self.spent.iter().all(Option::is_some))
    }

    /// The digest of shielded signatures, if it is known.
    pub fn shielded(&self) -> Option<[u8; 32]> {
        let coinbase = self.transaction().transparent_bundle().is_some_and(|it| it.is_coinbase());
        let known = self.is_known() || coinbase && self.transaction().version().has_overwinter();
        known.then(|| *self.data.signature_hash(&SignableInput::Shielded).as_ref())
    }

    pub fn verify_inputs(&self) -> Result<()> {
        let Some(bundle) = self.transaction().transparent_bundle() else { return Ok(()) };
        if bundle.is_coinbase() || !self.is_known() {
            return Ok(());
        }
        for (index, (input, spent)) in bundle.vin.iter().zip(&self.spent).enumerate() {
            let Some(spent) = spent else { continue };
            let script =
                Raw { sig: input.script_sig().0.clone(), pub_key: spent.script_pubkey().0.clone() };
            let checker = Checker { signed: self, index, spent };
            let flags = Flags::P2SH | Flags::CHECKLOCKTIMEVERIFY;
            ensure!(script.eval(flags, &checker).unwrap_or(false), "a transparent input");
        }
        Ok(())
    }
}

struct Checker<'a> {
    signed: &'a Signed,
    index: usize,
    spent: &'a TxOut,
}

impl Checker<'_> {
    fn check(&self, decoded: &Decoded, key: &[u8], script: &Code) -> Option<bool> {
        let bundle = self.signed.transaction().transparent_bundle()?;
        let hash_type = SighashType::from_raw(decoded.sighash_type().raw_bits() as u8);
        let (script, spent) = (Script(script.clone()), self.spent);
        let input = sighash::SignableInput::from_parts(
            bundle,
            hash_type,
            self.index,
            &script,
            spent.script_pubkey(),
            spent.value(),
        );
        let input = SignableInput::Transparent(input.ok()?);
        let digest = *self.signed.data.signature_hash(&input).as_ref();
        let mut signature = Signature::from_der_lax(&decoded.sig().serialize_der()).ok()?;
        signature.normalize_s();
        let key = PublicKey::from_slice(key).ok()?;
        Some(ecdsa::verify(&signature, Message::from_digest(digest), &key).is_ok())
    }
}

impl SignatureChecker for Checker<'_> {
    fn check_sig(&self, decoded: &Decoded, key: &[u8], script: &Code) -> bool {
        self.check(decoded, key, script).unwrap_or(false)
    }

    fn check_lock_time(&self, wanted: i64) -> bool {
        wanted <= i64::from(self.signed.transaction().lock_time())
    }
}
