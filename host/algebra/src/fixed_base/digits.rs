//! Scalars as signed digits.

/// The division of scalars into digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Windows {
    /// Bits of a window, from 1 to [`WIDEST`].
    bits: u32,
    /// How many there are: one bit more than a scalar's, for the last carry.
    pub(super) count: usize,
}

/// The widest window. Wider ones save additions, but their tables (20 MB for BLS12-381's G2 with this one) leave the caches,
/// and no gain was measured.
const WIDEST: u32 = 13;

impl Windows {
    /// Windows of so many bits.
    pub(super) fn of_bits(scalar_bits: u32, bits: u32) -> Self {
        Self { bits, count: (scalar_bits / bits + 1) as usize }
    }

    /// Those with the fewest additions, to make the table and so many multiples.
    pub(super) fn best(scalar_bits: u32, scalars: usize) -> Self {
        let all = (1..=WIDEST).map(|bits| Self::of_bits(scalar_bits, bits));
        all.min_by_key(|windows| windows.count.saturating_mul(windows.largest() + scalars))
            .expect("there are some")
    }

    /// The largest digit, 2^(c-1).
    pub(super) fn largest(self) -> usize {
        1 << (self.bits - 1)
    }

    /// Bits of a window.
    pub(super) fn bits(self) -> u32 {
        self.bits
    }

    /// The digits of a number of no more bits than a scalar has, lowest first.
    pub(super) fn digits(self, limbs: &[u64]) -> impl Iterator<Item = i32> {
        let limb = |i: usize| u128::from(limbs.get(i).copied().unwrap_or(0));
        let mut carry = 0;
        (0..self.count).map(move |window| {
            let at = window * self.bits as usize;
            let from = (limb(at / 64 + 1) << 64 | limb(at / 64)) >> (at % 64);
            let digit = (from as u32 & ((1 << self.bits) - 1)) as i32 + carry;
            carry = i32::from(digit > self.largest() as i32);
            digit - (carry << self.bits)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_make_the_number() {
        for bits in 1..=WIDEST {
            let windows = Windows::of_bits(100, bits);
            for number in [0_u128, 1, 2, (1 << 100) - 1, 0xaaaa_bbbb_8000_ffff_0000_1111, 1 << 99] {
                let limbs = [number as u64, (number >> 64) as u64];
                let digits: Vec<_> = windows.digits(&limbs).collect();
                assert!(digits.iter().all(|d| d.unsigned_abs() as usize <= windows.largest()));
                let sum =
                    digits.iter().rev().fold(0, |sum: i128, &d| (sum << bits) + i128::from(d));
                assert_eq!(sum, number as i128, "{bits} bits");
            }
        }
    }

    #[test]
    fn more_scalars_have_wider_windows() {
        let widths = [1, 100, 10_000, 1_000_000].map(|count| Windows::best(254, count).bits);
        assert!(widths.is_sorted() && widths[0] < 4 && widths[3] == WIDEST, "{widths:?}");
    }
}
