//! Difficulty: compares a block's hash with the target in its header.
//!
//! The rule is that of the Zcash node (zcashd `src/arith_uint256.cpp` SetCompact, `src/pow.cpp`
//! CheckProofOfWork). The compact form is a byte of size and a sign with 23 bits: target =
//! word * 256^(size - 3). It must not be negative, zero, too large for 256 bits, nor above the network's limit.

use sha2::{Digest, Sha256};

/// A 256-bit little-endian integer.
pub type U256 = [u8; 32];

/// Returns the target that `bits` encodes; `None` for a negative target, zero, or more than 256 bits.
pub fn target(bits: u32) -> Option<U256> {
    let (size, word) = (bits >> 24, bits & 0x007f_ffff);
    let negative = word != 0 && bits & 0x0080_0000 != 0;
    let overflow = size > 34 || (word > 0xff && size > 33) || (word > 0xffff && size > 32);
    if word == 0 || negative || overflow {
        return None;
    }
    let mut target = [0; 32];
    for (i, byte) in word.to_le_bytes().into_iter().enumerate() {
        let place = size as usize + i;
        if (3..35).contains(&place) {
            target[place - 3] = byte;
        }
    }
    (target != [0; 32]).then_some(target)
}

/// Returns whether `bits` encodes an allowed target that the hash does not exceed.
pub fn meets(hash: &U256, bits: u32, limit: &U256) -> bool {
    target(bits).is_some_and(|target| !exceeds(&target, limit) && !exceeds(hash, &target))
}

/// Computes the hash of a block: SHA-256d of the whole header, solution included.
pub fn block_hash(header: &[u8]) -> U256 {
    Sha256::digest(Sha256::digest(header)).into()
}

fn exceeds(a: &U256, b: &U256) -> bool {
    a.iter().rev().gt(b.iter().rev())
}

#[cfg(test)]
mod tests {
    use proofmill_op::equihash_verify::Network;

    use super::*;

    /// A 256-bit integer from its leading hexadecimal digits.
    fn u256(leading: &str) -> U256 {
        let mut value: U256 = hex::decode(format!("{leading:0<64}")).unwrap().try_into().unwrap();
        value.reverse();
        value
    }

    fn meets_on_main(bits: u32) -> bool {
        let hash = u256("000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f");
        meets(&hash, bits, &Network::Main.pow_limit().unwrap())
    }

    /// The hash of Zcash mainnet block 346 against other targets than its own.
    #[test]
    fn block_346_with_other_bits() {
        for (bits, expected) in [
            (0x1e03c3bf, true), // its own
            (0x1f07ffff, true), // the limit
            (0x1f000100, true),
            (0x1e00eff2, true),
            (0x1e00eff1, false),
            (0x1e000100, false),
            (0x1e000001, false),
            (0x1e800001, false), // negative
            (0x1d00ffff, false),
            (0x1d7fffff, false),
            (0x1c7fffff, false),
            (0x00000000, false),
            (0x207fffff, false), // regtest's limit, above mainnet's
            (0x22000001, false),
            (0x23000001, false), // overflow
        ] {
            assert_eq!(meets_on_main(bits), expected, "{bits:08x}");
        }
    }

    #[test]
    fn a_limit_that_allows_it_admits_an_easy_target() {
        let hash = u256("000000eff179fb1e");
        assert!(!meets(&hash, 0x207fffff, &Network::Regtest.pow_limit().unwrap()));
        assert!(meets(&hash, 0x207fffff, &[0xff; 32]));
        assert!(meets(&hash, 0x200f0f0f, &Network::Regtest.pow_limit().unwrap()));
    }

    #[test]
    fn the_limit_and_the_target_themselves_are_allowed() {
        let limit = u256("0007ffff");
        assert!(meets(&u256("0007ffff"), 0x1f07ffff, &limit));
        assert!(!meets(
            &u256("0007ffff00000000000000000000000000000000000000000000000000000001"),
            0x1f07ffff,
            &limit
        ));
        assert!(!meets(&[0; 32], 0x1f080000, &limit));
        assert!(meets(&[0; 32], 0x1f07ffff, &limit));
    }

    #[test]
    fn small_sizes_shift_the_word_down() {
        let low = |value: u32| {
            let mut target = [0; 32];
            target[..4].copy_from_slice(&value.to_le_bytes());
            Some(target)
        };
        assert_eq!(target(0x03123456), low(0x123456));
        assert_eq!(target(0x02123456), low(0x1234));
        assert_eq!(target(0x01123456), low(0x12));
        assert_eq!(target(0x00123456), None, "nothing is left of it");
        assert_eq!(target(0x01003456), None, "nothing is left of it");
        assert_eq!(target(0x04123456), low(0x12345600));
    }

    #[test]
    fn a_sign_counts_only_with_a_word() {
        assert_eq!(target(0x04923456), None);
        assert_eq!(target(0x01fe0000), None);
        assert_eq!(target(0x04800000), None, "zero, whatever its sign");
    }

    #[test]
    fn overflow_begins_beyond_256_bits() {
        assert_eq!(target(0x2000ffff), Some(u256("00ffff")));
        assert_eq!(target(0x207fffff), Some(u256("7fffff")));
        assert_eq!(target(0x2100ffff), Some(u256("ffff")));
        assert_eq!(target(0x220000ff), Some(u256("ff")));
        for bits in
            [0x21010000, 0x217fffff, 0x22000100, 0x2200ffff, 0x23000001, 0xff000001, 0xff7fffff]
        {
            assert_eq!(target(bits), None, "{bits:08x}");
        }
    }
}
