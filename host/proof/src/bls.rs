//! Verification of BLS signatures on BLS12-381: draft-irtf-cfrg-bls-signature-05, with hashing to curves of RFC 9380.
//!
//! | | public keys | signatures |
//! |---|---|---|
//! | [`Variant::MinPk`] (Ethereum, Filecoin) | G1, 48 bytes | G2, 96 bytes |
//! | [`Variant::MinSig`] (drand) | G2, 96 bytes | G1, 48 bytes |
//!
//! ```text
//! e(key, H(message)) = e(generator, signature)      and products of that
//! ```
//!
//! Keys and signatures are in the compressed form of the draft. Decoding checks that a point is in the subgroup, and that a
//! key is not the identity. Every [`PublicKey`] and [`Signature`] is therefore valid input. A signature that does not verify
//! is a result, not an error.

mod hash;
mod keys;
mod verify;

pub use hash::{expand_message_xmd, hash_to_curve};
pub use keys::{PublicKey, Signature};
pub use verify::{
    Verifier, aggregate_verify, fast_aggregate_verify, find_invalid, pop_verify, verify,
};

/// The group of the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Short keys, in G1.
    #[default]
    MinPk,
    /// Short signatures, in G1.
    MinSig,
}

/// The defence against rogue keys: section 3 of the draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `NUL`: the messages of an aggregate differ.
    #[default]
    Basic,
    /// `AUG`: the signed message is the key followed by the message.
    MessageAugmentation,
    /// `POP`: each key comes with a proof that its owner has the secret ([`pop_verify`]).
    ProofOfPossession,
}

impl Variant {
    /// Both variants.
    pub const ALL: [Self; 2] = [Self::MinPk, Self::MinSig];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MinPk => "min-pk",
            Self::MinSig => "min-sig",
        }
    }

    /// Returns the length of a public key in bytes.
    pub const fn key_bytes(self) -> usize {
        match self {
            Self::MinPk => 48,
            Self::MinSig => 96,
        }
    }

    /// Returns the length of a signature in bytes.
    pub const fn signature_bytes(self) -> usize {
        144 - self.key_bytes()
    }

    /// Returns the part of a tag that names the hash to the curve.
    const fn suite(self) -> &'static str {
        match self {
            Self::MinPk => "BLS12381G2_XMD:SHA-256_SSWU_RO_",
            Self::MinSig => "BLS12381G1_XMD:SHA-256_SSWU_RO_",
        }
    }
}

impl Scheme {
    /// Every scheme.
    pub const ALL: [Self; 3] = [Self::Basic, Self::MessageAugmentation, Self::ProofOfPossession];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::MessageAugmentation => "augmented",
            Self::ProofOfPossession => "possession",
        }
    }

    /// Returns the domain separation tag of signatures: the ciphersuite's name, section 4.2.
    pub fn tag(self, variant: Variant) -> String {
        let scheme = match self {
            Self::Basic => "NUL",
            Self::MessageAugmentation => "AUG",
            Self::ProofOfPossession => "POP",
        };
        format!("BLS_SIG_{}{scheme}_", variant.suite())
    }
}

/// Returns the tag of proofs of possession: section 4.2.3.
fn possession_tag(variant: Variant) -> String {
    format!("BLS_POP_{}POP_", variant.suite())
}
