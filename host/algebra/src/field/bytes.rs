//! Integers of limbs as bytes and as text.

use std::fmt;

/// The number of up to 8 N bytes, lowest first.
pub fn limbs_of_le_bytes<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut limbs = [0; N];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks(8)) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        *limb = u64::from_le_bytes(word);
    }
    limbs
}

/// Writes the lowest bytes, as many as `bytes` holds.
pub fn le_bytes_of_limbs(limbs: &[u64], bytes: &mut [u8]) {
    for (limb, chunk) in limbs.iter().zip(bytes.chunks_mut(8)) {
        chunk.copy_from_slice(&limb.to_le_bytes()[..chunk.len()]);
    }
}

/// Writes `0x…` without leading zeros.
pub fn write_hex(f: &mut fmt::Formatter<'_>, limbs: &[u64]) -> fmt::Result {
    let highest = limbs.iter().rposition(|&limb| limb != 0).unwrap_or(0);
    write!(f, "{:#x}", limbs[highest])?;
    limbs[..highest].iter().rev().try_for_each(|limb| write!(f, "{limb:016x}"))
}
