//! BLAKE2b (RFC 7693): the compression function, from which hashes of a fixed shape are built.
//!
//! The rounds are written once, in the macro `rounds`, over any type that has the four word operations `add`, `xor`
//! and `rotr32 rotr24 rotr16 rotr63` in scope: a `u64` in this file, a vector of them in an instruction-set file.

/// Initialisation vector: the fractional parts of the square roots of the first eight primes (RFC 7693, 2.6).
pub const IV: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// Message word order of each round (RFC 7693, 2.7); rounds 10 and 11 repeat 0 and 1.
pub(crate) const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The first half of the mixing function G, up to the rotation by 24 (RFC 7693, 3.1), on each of the listed words
/// a b c d with its message word. They are independent of each other and go step by step side by side: one
/// after the other takes a (144,5) solution 470 ns instead of 450 with AVX-512.
macro_rules! g_first_half {
    ($v:ident, $($a:literal $b:literal $c:literal $d:literal: $x:expr),*) => {
        $($v[$a] = add(add($v[$a], $v[$b]), $x);)*
        $($v[$d] = rotr32(xor($v[$d], $v[$a]));)*
        $($v[$c] = add($v[$c], $v[$d]);)*
        $($v[$b] = rotr24(xor($v[$b], $v[$c]));)*
    };
}

/// The second half of G, likewise.
macro_rules! g_second_half {
    ($v:ident, $($a:literal $b:literal $c:literal $d:literal: $y:expr),*) => {
        $($v[$a] = add(add($v[$a], $v[$b]), $y);)*
        $($v[$d] = rotr16(xor($v[$d], $v[$a]));)*
        $($v[$c] = add($v[$c], $v[$d]);)*
        $($v[$b] = rotr63(xor($v[$b], $v[$c]));)*
    };
}

/// Gs number i of a round, on words a b c d.
macro_rules! four_g {
    ($v:ident, $m:ident, $s:expr, $($i:literal: $a:literal $b:literal $c:literal $d:literal),*) => {
        g_first_half!($v, $($a $b $c $d: $m[$s[2 * $i]]),*);
        g_second_half!($v, $($a $b $c $d: $m[$s[2 * $i + 1]]),*);
    };
}

/// Gs on the columns of the 4 x 4 state.
macro_rules! columns {
    ($v:ident, $m:ident, $s:expr) => {
        four_g!($v, $m, $s, 0: 0 4 8 12, 1: 1 5 9 13, 2: 2 6 10 14, 3: 3 7 11 15)
    };
}

/// Gs on its diagonals.
macro_rules! diagonals {
    ($v:ident, $m:ident, $s:expr) => {
        four_g!($v, $m, $s, 4: 0 5 10 15, 5: 1 6 11 12, 6: 2 7 8 13, 7: 3 4 9 14)
    };
}

/// The listed rounds on state `v` with message words `m`. The order of the words is known when this is
/// compiled, so a word that is known to be zero costs nothing.
macro_rules! rounds {
    ($v:ident, $m:ident, $($r:literal)*) => {$({
        const S: [usize; 16] = $crate::blake2b::SIGMA[$r % 10];
        columns!($v, $m, S);
        diagonals!($v, $m, S);
    })*};
}

/// All rounds on state `v` with message words `m`, as a loop: for what runs rarely. Rounds one behind the other take the
/// compiler twenty times as long.
macro_rules! looped_rounds {
    ($v:ident, $m:ident) => {
        for round in 0..12 {
            let s = &$crate::blake2b::SIGMA[round % 10];
            columns!($v, $m, s);
            diagonals!($v, $m, s);
        }
    };
}

pub(crate) use {columns, diagonals, four_g, g_first_half, g_second_half, looped_rounds, rounds};

/// The word operations on one `u64`.
pub(crate) mod words {
    pub(crate) fn add(a: u64, b: u64) -> u64 {
        a.wrapping_add(b)
    }
    pub(crate) fn xor(a: u64, b: u64) -> u64 {
        a ^ b
    }
    pub(crate) fn rotr32(a: u64) -> u64 {
        a.rotate_right(32)
    }
    pub(crate) fn rotr24(a: u64) -> u64 {
        a.rotate_right(24)
    }
    pub(crate) fn rotr16(a: u64) -> u64 {
        a.rotate_right(16)
    }
    pub(crate) fn rotr63(a: u64) -> u64 {
        a.rotate_right(63)
    }
}

/// The chaining value before the first block, for a digest of `digest_bytes` (1 to 64) without a key, salt or
/// tree, with this personalisation.
pub fn start(digest_bytes: usize, personalisation: &[u8; 16]) -> [u64; 8] {
    debug_assert!((1..=64).contains(&digest_bytes));
    let (low, high) = personalisation.split_at(8);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, &byte| w << 8 | u64::from(byte));
    let mut h = IV;
    h[0] ^= 0x0101_0000 ^ digest_bytes as u64;
    h[6] ^= word(low);
    h[7] ^= word(high);
    h
}

/// The state of the compression function before its first round: `bytes` counts the message up to and with
/// this block, `last` marks the last one.
pub(crate) fn before_rounds(h: &[u64; 8], bytes: u64, last: bool) -> [u64; 16] {
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..].copy_from_slice(&IV);
    v[12] ^= bytes;
    if last {
        v[14] = !v[14];
    }
    v
}

#[cfg(test)]
mod tests {
    use super::words::{add, rotr16, rotr24, rotr32, rotr63, xor};
    use super::*;

    /// The compression function F (RFC 7693, 3.2): one block of 16 little-endian words into the chaining value.
    fn compress(h: &mut [u64; 8], m: &[u64; 16], bytes: u64, last: bool) {
        let mut v = before_rounds(h, bytes, last);
        rounds!(v, m, 0 1 2 3 4 5 6 7 8 9 10 11);
        for i in 0..8 {
            h[i] ^= v[i] ^ v[i + 8];
        }
    }

    /// The 16 message words of a block.
    fn message(block: &[u8; 128]) -> [u64; 16] {
        let (words, _) = block.as_chunks::<8>();
        std::array::from_fn(|i| u64::from_le_bytes(words[i]))
    }

    #[test]
    fn abc_as_in_rfc_7693_appendix_a() {
        let mut block = [0; 128];
        block[..3].copy_from_slice(b"abc");
        let mut h = start(64, &[0; 16]);
        compress(&mut h, &message(&block), 3, true);
        let digest: Vec<u8> = h.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(digest[..8], [0xba, 0x80, 0xa5, 0x3f, 0x98, 0x1c, 0x4d, 0x0d]);
        assert_eq!(digest[56..], [0xb9, 0x23, 0x86, 0xed, 0xd4, 0x00, 0x99, 0x23]);
    }
}
