//! The transaction of the example, by the builder of `zcash_primitives`.

#[path = "../../examples/shielded/wallet.rs"]
mod payment;

use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::BranchId;

use crate::wallet::generator;
use crate::{PROVER, REFERENCE};

#[test]
fn a_transaction_with_two_spends_and_two_outputs_is_accepted() {
    let keys = (REFERENCE.0.verifying_key(), REFERENCE.1.verifying_key());
    let is_accepted = |bytes: &[u8]| payment::is_accepted(bytes, &keys, generator()).unwrap();
    let bytes = payment::pay(&PROVER, &mut generator()).unwrap();
    assert!(is_accepted(&bytes));

    let transaction = Transaction::read(&bytes[..], BranchId::Nu5).unwrap();
    let bundle = transaction.sapling_bundle().unwrap();
    assert_eq!((bundle.shielded_spends().len(), bundle.shielded_outputs().len()), (2, 2));
    // Proofs are not part of the identifier, so that only the proof is wrong.
    let proofs = bundle.shielded_spends().iter().map(|spend| spend.zkproof());
    let proofs = proofs.chain(bundle.shielded_outputs().iter().map(|output| output.zkproof()));
    for (number, proof) in proofs.enumerate() {
        let at = bytes.windows(192).position(|part| part == &proof[..]).unwrap();
        let mut altered = bytes.clone();
        altered.copy_within(at..at + 48, at + 144); // A in place of C
        assert!(!is_accepted(&altered), "proof {number}");
    }
}
