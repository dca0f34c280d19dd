//! Signed integers in limbs of 62 bits, for products with words that are sums of two products, without overflow.

/// Bits of a limb.
pub const LIMB_BITS: u32 = 62;
/// The bits of a limb.
pub const MASK: i64 = (1 << LIMB_BITS) - 1;

/// N limbs from 0 to 2^62 - 1, lowest first, and a signed one on top: N + 1 limbs of 62 bits hold N of 64, for the N
/// up to 30 for which 2 N bits fit a limb.
#[derive(Clone, Copy, Debug)]
pub struct Signed62<const N: usize> {
    pub low: [i64; N],
    pub top: i64,
}

impl<const N: usize> Signed62<N> {
    /// 0.
    pub const ZERO: Self = Self { low: [0; N], top: 0 };

    /// The number of N limbs of 64 bits.
    #[inline(always)]
    pub const fn new(limbs: &[u64; N]) -> Self {
        let mut low = [0; N];
        low[0] = limbs[0] as i64 & MASK;
        let mut i = 1;
        while i < N {
            // Limb i begins 2 i bits below word i.
            low[i] = (limbs[i - 1] >> (64 - 2 * i) | limbs[i] << (2 * i)) as i64 & MASK;
            i += 1;
        }
        Self { low, top: (limbs[N - 1] >> (64 - 2 * N)) as i64 }
    }

    /// Returns limbs of 64 bits; the number is not negative and fits.
    #[inline(always)]
    pub fn limbs(&self) -> [u64; N] {
        std::array::from_fn(|i| {
            let next = if i + 1 < N { self.low[i + 1] } else { self.top };
            (self.low[i] >> (2 * i) | next << (62 - 2 * i)) as u64
        })
    }

    /// Returns all ones for a negative number, and 0 otherwise.
    #[inline(always)]
    pub fn sign(&self) -> i64 {
        self.top >> 63
    }

    /// Returns whether the number is 0.
    #[inline(always)]
    pub fn is_zero_vartime(&self) -> bool {
        self.low.iter().fold(self.top, |bits, limb| bits | limb) == 0
    }

    /// The sum of word times number of all terms, divided by 2^62 and rounded down. The absolute values of the words
    /// add up to less than 2^64.
    #[inline(always)]
    pub fn combination<const TERMS: usize>(terms: [(i64, &Self); TERMS]) -> Self {
        let sum = |carry: i128, limb: &dyn Fn(&Self) -> i64| {
            terms.iter().fold(carry, |sum, (word, x)| sum + i128::from(*word) * i128::from(limb(x)))
        };
        let mut low = [0; N];
        let mut carry = sum(0, &|x| x.low[0]) >> LIMB_BITS;
        for i in 1..N {
            carry = sum(carry, &|x| x.low[i]);
            low[i - 1] = carry as i64 & MASK;
            carry >>= LIMB_BITS;
        }
        carry = sum(carry, &|x| x.top);
        low[N - 1] = carry as i64 & MASK;
        Self { low, top: (carry >> LIMB_BITS) as i64 }
    }

    /// A number above -2 p and below p, negated if `sign` is all ones, modulo p: from 0 to p - 1.
    #[inline(always)]
    pub fn normalized(&self, sign: i64, p: &Self) -> Self {
        // Above -p and below p, before and after the change of sign.
        let small = self.plus_masked(p, self.sign());
        let mut signed = small;
        for limb in signed.low.iter_mut().chain([&mut signed.top]) {
            *limb = (*limb ^ sign) - sign;
        }
        let signed = signed.carried();
        signed.plus_masked(p, signed.sign())
    }

    fn plus_masked(mut self, p: &Self, mask: i64) -> Self {
        self.low.iter_mut().zip(p.low).for_each(|(limb, p)| *limb += p & mask);
        self.top += p.top & mask;
        self.carried()
    }

    fn carried(mut self) -> Self {
        let mut carry = 0;
        for limb in &mut self.low {
            carry += *limb;
            *limb = carry & MASK;
            carry >>= LIMB_BITS;
        }
        self.top += carry;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_come_back() {
        let mut limbs = [0x8000_0000_0000_0001, u64::MAX, 0x0123_4567_89ab_cdef, 0, 1, 5 << 61];
        for _ in 0..6 {
            limbs.rotate_left(1);
            assert_eq!(Signed62::new(&limbs).limbs(), limbs);
        }
        assert_eq!(Signed62::new(&[u64::MAX]).limbs(), [u64::MAX]);
    }

    #[test]
    fn a_combination_of_negative_words_rounds_down() {
        let one = Signed62::new(&[1, 0]);
        let minus_one = Signed62::combination([(-1, &one)]);
        assert_eq!((minus_one.low, minus_one.top), ([MASK, MASK], -1));
        let p = Signed62::new(&[97, 0]);
        assert_eq!(minus_one.normalized(0, &p).limbs(), [96, 0]);
        assert_eq!(minus_one.normalized(-1, &p).limbs(), [1, 0]);
    }
}
