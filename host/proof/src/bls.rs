//! BLS signatures on BLS12-381, verified: draft-irtf-cfrg-bls-signature-05, with hashing to curves of RFC 9380.
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
//! Keys and signatures are in the compressed form of the draft. Reading one checks that it is a point of the subgroup, a key also that it is not the identity, so whatever
//! is here can be verified: [`PublicKey`], [`Signature`]. A signature that does not verify is an answer, not an error.

mod hash;
mod keys;
mod verify;

pub use hash::{expand_message_xmd, hash_to_curve};
pub use keys::{PublicKey, Signature};
pub use verify::{
    Verifier, aggregate_verify, fast_aggregate_verify, find_invalid, pop_verify, verify,
};

/// Which group has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Short keys, in G1.
    #[default]
    MinPk,
    /// Short signatures, in G1.
    MinSig,
}

/// What keeps a key from being made of others' keys: section 3 of the draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Messages of an aggregate differ: `NUL`.
    #[default]
    Basic,
    /// What is signed is the key and the message: `AUG`.
    MessageAugmentation,
    /// Each key came with a proof that its owner has the secret ([`pop_verify`]): `POP`.
    ProofOfPossession,
}

impl Variant {
    /// Both.
    pub const ALL: [Self; 2] = [Self::MinPk, Self::MinSig];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MinPk => "min-pk",
            Self::MinSig => "min-sig",
        }
    }

    /// Bytes of a public key.
    pub const fn key_bytes(self) -> usize {
        match self {
            Self::MinPk => 48,
            Self::MinSig => 96,
        }
    }

    /// Bytes of a signature.
    pub const fn signature_bytes(self) -> usize {
        144 - self.key_bytes()
    }

    /// The part of a tag that says where messages are hashed to.
    const fn suite(self) -> &'static str {
        match self {
            Self::MinPk => "BLS12381G2_XMD:SHA-256_SSWU_RO_",
            Self::MinSig => "BLS12381G1_XMD:SHA-256_SSWU_RO_",
        }
    }
}

impl Scheme {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Basic, Self::MessageAugmentation, Self::ProofOfPossession];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::MessageAugmentation => "augmented",
            Self::ProofOfPossession => "possession",
        }
    }

    /// The domain separation tag of signatures: the ciphersuite's name, section 4.2.
    pub fn tag(self, variant: Variant) -> String {
        let scheme = match self {
            Self::Basic => "NUL",
            Self::MessageAugmentation => "AUG",
            Self::ProofOfPossession => "POP",
        };
        format!("BLS_SIG_{}{scheme}_", variant.suite())
    }
}

/// The tag of proofs of possession: section 4.2.3.
fn possession_tag(variant: Variant) -> String {
    format!("BLS_POP_{}POP_", variant.suite())
}
