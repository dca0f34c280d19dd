//! The script of one input.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use proofmill::ecdsa::{Encoded, Item};
use zcash_script::interpreter::{Flags, SignatureChecker};
use zcash_script::script::{Code, Component, Evaluable as _, Raw};
use zcash_script::solver::{self, ScriptKind};
use zcash_script::{Opcode, opcode::PushValue, pattern, script, signature};
use zcash_transparent::address::Script;

use super::{Check, Signed};

/// The run of an input's script.
pub struct Run {
    /// The numbers of the transaction and of the input.
    pub place: (usize, usize),
    script: Raw,
    /// The script is not that of the spent output: the input implies it.
    pub implied: bool,
    /// Verified signatures, with their validity.
    known: HashMap<Item, bool>,
    /// Signatures that the last run assumed to be valid, each once.
    pub assumed: Vec<Item>,
    /// The signatures that the last run checked.
    pub checks: Vec<Check>,
    /// The script's result, if the assumptions are right.
    pub valid: bool,
}

impl Run {
    /// Prepares the script of an input that is not a coinbase. The error is the reason why it cannot be run.
    pub fn new(signed: &Signed, place: (usize, usize)) -> Result<Self, &'static str> {
        let (digests, spent) = (&signed.digests, &signed.spent[place.1]);
        if let Some(problem) = digests.problem(spent.is_some()) {
            return Err(problem);
        }
        let bundle = digests.transaction().transparent_bundle();
        let input = bundle.and_then(|bundle| bundle.vin.get(place.1));
        let sig = input.ok_or("there is no such input")?.script_sig().0.clone();
        let pub_key = match spent {
            Some(output) => output.script_pubkey().0.clone(),
            None => implied(&sig)
                .ok_or("the spent output's script is unknown, and the input does not imply it")?,
        };
        Ok(Self {
            place,
            script: Raw { sig, pub_key },
            implied: spent.is_none(),
            known: HashMap::new(),
            assumed: Vec::new(),
            checks: Vec::new(),
            valid: false,
        })
    }

    /// Runs the script with what is known. P2SH and OP_CHECKLOCKTIMEVERIFY are consensus from the first block on.
    pub fn evaluate(&mut self, signed: &Signed) {
        let (input, checks) = (self.place.1, RefCell::default());
        let checker = Checker { signed, input, known: &self.known, checks };
        let flags = Flags::P2SH | Flags::CHECKLOCKTIMEVERIFY;
        self.valid = self.script.eval(flags, &checker).unwrap_or(false);
        self.checks = checker.checks.into_inner();
        let unknown = self.checks.iter().filter(|check| !self.known.contains_key(&check.item));
        let assumed: HashSet<_> = unknown.map(|check| check.item.clone()).collect();
        self.assumed = assumed.into_iter().collect();
    }

    /// Takes the validity of the assumed signatures from the front of an iterator. Returns whether the script is done; if not, it must run again.
    pub fn learn(&mut self, valid: impl Iterator<Item = bool>) -> bool {
        let before = self.known.len();
        self.known.extend(std::mem::take(&mut self.assumed).into_iter().zip(valid));
        let right =
            self.checks.iter().all(|check| self.known.get(&check.item) == Some(&check.valid));
        // Without progress, the script would run forever; a missing answer counts as invalid.
        if !right && self.known.len() == before {
            self.valid = false;
            return true;
        }
        right
    }
}

/// Returns the script of the spent output if the input's script contains all that it hashes: a key (P2PKH), or a redeem script with the keys of a
/// multisignature (P2SH).
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

/// Answers the interpreter's signature checks: with what is known, otherwise with the assumption that a signature is valid.
struct Checker<'a> {
    signed: &'a Signed,
    input: usize,
    known: &'a HashMap<Item, bool>,
    checks: RefCell<Vec<Check>>,
}

impl SignatureChecker for Checker<'_> {
    fn check_sig(&self, decoded: &signature::Decoded, key: &[u8], script: &Code) -> bool {
        let hash_type = decoded.sighash_type().raw_bits() as u8;
        let spent = self.signed.spent[self.input].as_ref();
        let script = Script(script.clone());
        let Some(digest) = self.signed.digests.of(self.input, &script, hash_type, spent) else {
            return false;
        };
        let signature = Encoded::Der(decoded.sig().serialize_der().to_vec());
        let item = Item { key: key.to_vec(), signature, digest };
        let valid = self.known.get(&item).copied().unwrap_or(true);
        self.checks.borrow_mut().push(Check { item, valid, hash_type });
        valid
    }

    /// BIP 65: both are heights, or both are times; the transaction's is not earlier; and the input is not final.
    fn check_lock_time(&self, wanted: i64) -> bool {
        const THRESHOLD: i64 = 500_000_000;
        let transaction = self.signed.digests.transaction();
        let own = i64::from(transaction.lock_time());
        let bundle = transaction.transparent_bundle();
        let input = bundle.and_then(|bundle| bundle.vin.get(self.input));
        let is_final = input.is_none_or(|input| input.sequence() == u32::MAX);
        (own < THRESHOLD) == (wanted < THRESHOLD) && wanted <= own && !is_final
    }
}
