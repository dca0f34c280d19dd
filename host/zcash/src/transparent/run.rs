//! The script of one input.

use std::cell::RefCell;

use proofmill::ecdsa::{Encoded, Item};
use zcash_script::interpreter::{Flags, SignatureChecker};
use zcash_script::script::{Code, Component, Evaluable as _, Raw};
use zcash_script::solver::{self, ScriptKind};
use zcash_script::{Opcode, opcode::PushValue, pattern, script, signature};
use zcash_transparent::address::Script;

use super::{Check, Signed};

/// The run of an input's script. Some signatures are verified, later ones are assumed to be valid.
pub struct Run {
    /// The numbers of the transaction and of the input.
    pub place: (usize, usize),
    script: Raw,
    /// The script is not that of the spent output: the input implies it.
    pub implied: bool,
    /// The checks that the script requested; `None` for one without a digest, which fails.
    checks: Vec<Option<Check>>,
    /// The number of those whose result is known, which come first.
    known: usize,
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
            checks: Vec::new(),
            known: 0,
            valid: false,
        })
    }

    /// Runs the script with what is known. P2SH and OP_CHECKLOCKTIMEVERIFY are consensus from the first block on.
    pub fn evaluate(&mut self, signed: &Signed) {
        let checks = RefCell::new((0, std::mem::take(&mut self.checks)));
        let checker = Checker { signed, input: self.place.1, checks };
        let flags = Flags::P2SH | Flags::CHECKLOCKTIMEVERIFY;
        self.valid = self.script.eval(flags, &checker).unwrap_or(false);
        (_, self.checks) = checker.checks.into_inner();
    }

    /// Returns the signatures that are assumed to be valid.
    pub fn assumed(&self) -> impl Iterator<Item = &Item> {
        self.checks[self.known..].iter().flatten().map(|check| &check.item)
    }

    /// Takes the validity of the assumed signatures, in their order. Returns whether the script is done; if not, it must run again.
    pub fn learn(&mut self, valid: impl IntoIterator<Item = bool>) -> bool {
        let mut valid = valid.into_iter();
        while let Some(check) = self.checks.get_mut(self.known) {
            self.known += 1;
            let Some(check) = check else { continue };
            check.valid = valid.next().unwrap_or(false);
            if !check.valid {
                self.checks.truncate(self.known);
                return false;
            }
        }
        true
    }

    /// Returns the signatures that the script checked.
    pub fn into_checks(self) -> Vec<Check> {
        self.checks.into_iter().flatten().collect()
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

/// Answers the interpreter's signature checks: with what is known, then with the assumption that a signature is valid.
struct Checker<'a> {
    signed: &'a Signed,
    input: usize,
    /// The number of checks so far, and those of this run and earlier ones.
    checks: RefCell<(usize, Vec<Option<Check>>)>,
}

impl Checker<'_> {
    fn new_check(&self, decoded: &signature::Decoded, key: &[u8], script: &Code) -> Option<Check> {
        let hash_type = decoded.sighash_type().raw_bits() as u8;
        let spent = self.signed.spent[self.input].as_ref();
        let script = Script(script.clone());
        let digest = self.signed.digests.of(self.input, &script, hash_type, spent)?;
        let signature = Encoded::Der(decoded.sig().serialize_der().to_vec());
        Some(Check { item: Item { key: key.to_vec(), signature, digest }, valid: true, hash_type })
    }
}

impl SignatureChecker for Checker<'_> {
    fn check_sig(&self, decoded: &signature::Decoded, key: &[u8], script: &Code) -> bool {
        let (count, checks) = &mut *self.checks.borrow_mut();
        if *count == checks.len() {
            checks.push(self.new_check(decoded, key, script));
        }
        *count += 1;
        checks[*count - 1].as_ref().is_some_and(|check| check.valid)
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
