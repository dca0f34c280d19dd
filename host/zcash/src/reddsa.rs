//! Batch verification of RedDSA signatures: RedJubjub of Sapling and RedPallas of Orchard (Zcash Protocol Specification,
//! section 5.4.7).
//!
//! A signature (R, S) of a message by the key vk is valid if `[h] (R + c vk - S P) = 0`: c is the challenge, h the cofactor
//! and P the base of the signature's kind. Many are checked by one sum for each curve (section B.1): with random z_i,
//!
//! ```text
//! [h] (sum of z_i R_i + sum of z_i c_i vk_i - sum of z_i S_i P_i) = 0
//! ```
//!
//! The z_i have 128 bits, are secret, and are drawn after the signatures are known, so an invalid signature passes with a
//! probability of at most 2^-127. If a batch does not pass, its halves are checked.

mod claim;
mod redjubjub;
mod redpallas;
mod scheme;

use proofmill_algebra::Isa;

use crate::Result;
use claim::find_invalid_of;
use redjubjub::RedJubjub;
use redpallas::RedPallas;

/// The kind of a signature. It determines the curve and the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureKind {
    /// Sapling: the owner of a note authorizes its Spend.
    SaplingSpendAuth,
    /// Sapling: the values of a transaction's Spends and Outputs balance.
    SaplingBinding,
    /// Orchard: the owner of a note authorizes the Action that spends it.
    OrchardSpendAuth,
    /// Orchard: the values of a transaction's Actions balance.
    OrchardBinding,
}

/// A signature with its key and message, as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The kind.
    pub kind: SignatureKind,
    /// The encoding of the verification key: rk or bvk.
    pub key: [u8; 32],
    /// R and S.
    pub signature: [u8; 64],
    /// The message: the SIGHASH of the transaction.
    pub message: [u8; 32],
}

/// Returns the indices of the invalid signatures in ascending order: with one sum for each curve if all are valid. Runs in the
/// caller's rayon pool.
///
/// A signature whose key, R or S is no canonical encoding is invalid. Keys of small order are accepted, as section 5.4.7
/// requires. Consensus rejects them as rk of a Sapling Spend (section 4.4); the caller checks that.
///
/// Returns an error if the system returns no random bytes.
pub fn find_invalid(signatures: &[Signature], isa: Isa) -> Result<Vec<usize>> {
    let mut invalid = find_invalid_of::<RedJubjub>(signatures, isa)?;
    invalid.extend(find_invalid_of::<RedPallas>(signatures, isa)?);
    invalid.sort_unstable();
    Ok(invalid)
}
