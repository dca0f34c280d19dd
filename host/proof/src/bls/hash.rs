//! Hashing to the curve: RFC 9380 with SHA-256.

use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::zcash::encode_compressed;
use proofmill_algebra::hash_to_curve::{FromBytes, Mapped, each_to_group_vartime};
use sha2::{Digest, Sha256};

use super::Variant;
use crate::halves;

/// Bytes of a block and of a digest of SHA-256.
const BLOCK: usize = 64;
const DIGEST: usize = 32;
/// Maximum length of a tag; longer tags are hashed.
const LONGEST_TAG: usize = 255;
/// Maximum number of digests.
const MOST: usize = 255 * DIGEST;

/// Returns uniform bytes for a message, section 5.3.1; a tag of more than 255 bytes is hashed first. Panics above 8160 bytes.
pub fn expand_message_xmd(message: &[u8], tag: &[u8], count: usize) -> Vec<u8> {
    assert!(count <= MOST, "{count} bytes; expected at most {MOST}");
    let hash = |parts: &[&[u8]]| -> [u8; DIGEST] {
        parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize().into()
    };
    let hashed;
    let tag = if tag.len() > LONGEST_TAG {
        hashed = hash(&[b"H2C-OVERSIZE-DST-", tag]);
        &hashed[..]
    } else {
        tag
    };
    let tag = [tag, &[tag.len() as u8]].concat();
    let length = (count as u16).to_be_bytes();
    let first = hash(&[&[0; BLOCK], message, &length, &[0], &tag]);
    let mut block = hash(&[&first, &[1], &tag]);
    let mut bytes = Vec::with_capacity(count + DIGEST);
    for number in 2.. {
        bytes.extend_from_slice(&block);
        if bytes.len() >= count {
            break;
        }
        let mixed: Vec<u8> = first.iter().zip(&block).map(|(a, b)| a ^ b).collect();
        block = hash(&[&mixed, &[number], &tag]);
    }
    bytes.truncate(count);
    bytes
}

/// Hashes a message to a point in compressed form, in the group of the variant's signatures. Takes the best code path of this process.
pub fn hash_to_curve(variant: Variant, message: &[u8], tag: &[u8]) -> Vec<u8> {
    let isa = Isa::best();
    match variant {
        Variant::MinPk => encode_compressed(&hash_to_group::<G2>(isa, message, tag)).to_vec(),
        Variant::MinSig => encode_compressed(&hash_to_group::<G1>(isa, message, tag)).to_vec(),
    }
}

/// Hashes a message to a point of the subgroup: section 3.
fn hash_to_group<C: Mapped>(isa: Isa, message: &[u8], tag: &[u8]) -> Affine<C> {
    each_to_group_vartime::<C>(isa, &[elements::<C>(message, tag)])[0]
}

/// Hashes messages to points of the subgroup. Runs in the caller's rayon pool.
pub(super) fn hash_each_to_group<C: Mapped>(
    isa: Isa,
    messages: &[&[u8]],
    tag: &[u8],
) -> Vec<Affine<C>> {
    halves::each(messages, |messages| {
        let elements: Vec<_> = messages.iter().map(|message| elements::<C>(message, tag)).collect();
        each_to_group_vartime::<C>(isa, &elements)
    })
}

/// Hashes a message to two field elements: section 5.2.
fn elements<C: Mapped>(message: &[u8], tag: &[u8]) -> [C::Base; 2] {
    let bytes = expand_message_xmd(message, tag, 2 * C::Base::HASHED);
    let (first, second) = bytes.split_at(C::Base::HASHED);
    [first, second].map(C::Base::from_hash)
}
