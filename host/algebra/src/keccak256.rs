//! Keccak-256 (Bertoni, Daemen, Peeters, Van Assche, *The Keccak reference*, version 3.0): the sponge of Keccak-f\[1600\] with a rate of 1,088
//! bits and the padding 10*1. FIPS 202 adds two bits before the padding, so its SHA3-256 is another function.

/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 32;

/// Bytes that are absorbed before each permutation.
const RATE: usize = 136;

const ROUNDS: usize = 24;

/// The round constants, from the degree-8 linear feedback shift register x^8 + x^6 + x^5 + x^4 + 1 (reference, section 1.2).
const IOTA: [u64; ROUNDS] = {
    let mut constants = [0; ROUNDS];
    let mut register = 1u8;
    let mut round = 0;
    while round < ROUNDS {
        let mut j = 0;
        while j < 7 {
            if register & 1 == 1 {
                constants[round] |= 1 << ((1 << j) - 1);
            }
            register = (register << 1) ^ (if register >> 7 == 1 { 0x71 } else { 0 });
            j += 1;
        }
        round += 1;
    }
    constants
};

/// The path of pi from lane (1, 0), and the rotations of rho along it.
const PATH: [(usize, u32); 24] = {
    let mut path = [(0, 0); 24];
    let (mut x, mut y) = (1, 0);
    let mut t = 0;
    while t < 24 {
        (x, y) = (y, (2 * x + 3 * y) % 5);
        path[t] = (x + 5 * y, ((t + 1) * (t + 2) / 2 % 64) as u32);
        t += 1;
    }
    path
};

/// The state: lane (x, y) at 5 y + x.
type State = [u64; 25];

/// Keccak-f\[1600\].
fn permute(a: &mut State) {
    for constant in IOTA {
        // theta
        let c: [u64; 5] =
            std::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
        let d: [u64; 5] = std::array::from_fn(|x| c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1));
        for (i, lane) in a.iter_mut().enumerate() {
            *lane ^= d[i % 5];
        }
        // rho and pi
        let mut moved = a[1];
        for (to, rotation) in PATH {
            (a[to], moved) = (moved.rotate_left(rotation), a[to]);
        }
        // chi
        for row in a.as_chunks_mut::<5>().0 {
            let b = *row;
            for x in 0..5 {
                row[x] = b[x] ^ (!b[(x + 1) % 5] & b[(x + 2) % 5]);
            }
        }
        // iota
        a[0] ^= constant;
    }
}

fn absorb(state: &mut State, block: &[u8; RATE]) {
    for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
        *lane ^= u64::from_le_bytes(*bytes);
    }
    permute(state);
}

/// Returns the Keccak-256 digest of `message`.
pub fn hash(message: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut state = [0; 25];
    let (blocks, rest) = message.as_chunks::<RATE>();
    blocks.iter().for_each(|block| absorb(&mut state, block));
    let mut last = [0; RATE];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 1;
    last[RATE - 1] |= 0x80;
    absorb(&mut state, &last);
    let mut digest = [0; DIGEST_BYTES];
    for (bytes, lane) in digest.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = lane.to_le_bytes();
    }
    digest
}

#[cfg(test)]
mod tests {
    use sha3::{Digest, Keccak256};

    use super::*;

    #[test]
    fn published_constants() {
        assert_eq!((IOTA[0], IOTA[1], IOTA[23]), (1, 0x8082, 0x8000_0000_8000_8008));
        assert_eq!((PATH[0], PATH[23]), ((10, 1), (1, 44)));
    }

    #[test]
    fn every_length_up_to_four_blocks_is_as_in_another_library() {
        let message: Vec<u8> = (0..4 * RATE + 1).map(|i| (i * i + i / 251) as u8).collect();
        for length in 0..=message.len() {
            let wanted = Keccak256::digest(&message[..length]);
            assert_eq!(hash(&message[..length])[..], wanted[..], "{length} bytes");
        }
    }
}
