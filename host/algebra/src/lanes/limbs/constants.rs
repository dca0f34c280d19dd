//! The constants that the kernels need for a modulus, computed from it by the compiler.

use crate::lanes::backend::{LIMB_BITS, LIMB_MASK};

/// A modulus p in L limbs of 52 bits, with R = 2^(52 L).
#[derive(Clone, Copy, Debug)]
pub struct Constants<const L: usize> {
    /// `multiples[k]` is k p, in limbs.
    pub multiples: [[u64; L]; 7],
    /// -1/p modulo 2^52.
    pub negative_inverse: u64,
    /// R mod p: the form of 1.
    pub one: [u64; L],
    /// R^2 / K mod p, where scalar code keeps x as x K: what brings that to its form.
    pub from_kept: [u64; L],
    /// K mod p: what brings it back.
    pub to_kept: [u64; L],
}

impl<const L: usize> Constants<L> {
    /// Computes the constants of an odd p with 16 p < R, for which scalar code stores x as x 2^`kept_bits` mod p, which is at most R^2.
    pub const fn of(modulus: &[u64], kept_bits: usize) -> Self {
        let p = limbs::<L>(modulus);
        assert!(p[0] % 2 == 1, "an odd modulus");
        let mut multiples = [[0; L]; 7];
        let mut k = 1;
        while k < 7 {
            multiples[k] = add(&multiples[k - 1], &p);
            k += 1;
        }
        let mut sixteen = p;
        k = 0;
        while k < 4 {
            sixteen = add(&sixteen, &sixteen);
            k += 1;
        }
        assert!(sixteen[L - 1] >> LIMB_BITS == 0, "16 p < R");
        let mut one = [0; L];
        one[0] = 1;
        let r_bits = LIMB_BITS as usize * L;
        Self {
            multiples,
            negative_inverse: negative_inverse(p[0]),
            one: shifted(one, r_bits, &p),
            from_kept: shifted(one, 2 * r_bits - kept_bits, &p),
            to_kept: shifted(one, kept_bits, &p),
        }
    }
}

/// An integer's limbs; the last one takes all that is left.
pub const fn limbs<const L: usize>(words: &[u64]) -> [u64; L] {
    let mut limbs = [0; L];
    let mut j = 0;
    while j < L {
        let (word, low) = (LIMB_BITS as usize * j / 64, LIMB_BITS * j as u32 % 64);
        if word < words.len() {
            limbs[j] = words[word] >> low;
            if low > 64 - LIMB_BITS && word + 1 < words.len() {
                limbs[j] |= words[word + 1] << (64 - low);
            }
            limbs[j] &= LIMB_MASK;
        }
        j += 1;
    }
    limbs
}

/// a + b, all limbs but the last below 2^52.
const fn add<const L: usize>(a: &[u64; L], b: &[u64; L]) -> [u64; L] {
    let mut sum = [0; L];
    let (mut carry, mut j) = (0, 0);
    while j < L {
        let limb = a[j] + b[j] + carry;
        sum[j] = if j + 1 < L { limb & LIMB_MASK } else { limb };
        carry = limb >> LIMB_BITS;
        j += 1;
    }
    sum
}

/// a - p where a >= p, and a itself where not.
const fn reduced<const L: usize>(a: [u64; L], p: &[u64; L]) -> [u64; L] {
    let mut difference = [0; L];
    let (mut borrow, mut j) = (0, 0);
    while j < L {
        let limb = a[j].wrapping_sub(p[j]).wrapping_sub(borrow);
        borrow = limb >> 63;
        difference[j] = limb & LIMB_MASK;
        j += 1;
    }
    if borrow == 1 { a } else { difference }
}

/// 2^bits a mod p, by doubling.
const fn shifted<const L: usize>(a: [u64; L], bits: usize, p: &[u64; L]) -> [u64; L] {
    let mut product = a;
    let mut bit = 0;
    while bit < bits {
        product = reduced(add(&product, &product), p);
        bit += 1;
    }
    product
}

/// -1/p modulo 2^52 of an odd p: Newton's iteration doubles the bits that are right, of which there are 3.
const fn negative_inverse(p: u64) -> u64 {
    let mut inverse = p;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg() & LIMB_MASK
}
