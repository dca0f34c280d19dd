//! Choices that the compiler must not turn into branches, and hints to the processor.

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use self::portable as machine;
#[cfg(target_arch = "aarch64")]
use super::aarch64 as machine;
#[cfg(target_arch = "x86_64")]
use super::x86_64 as machine;

#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "x86_64"))))]
mod portable {
    use std::hint::black_box;

    #[inline(always)]
    pub fn select(bit: u64, chosen: u64, otherwise: u64) -> u64 {
        otherwise ^ (otherwise ^ chosen) & mask(bit)
    }

    #[inline(always)]
    pub fn mask(bit: u64) -> u64 {
        black_box(bit.wrapping_neg())
    }
}

/// `chosen` if `bit` is 1, `otherwise` if it is 0.
#[inline(always)]
pub fn select<const N: usize>(bit: u64, chosen: &[u64; N], otherwise: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|i| machine::select(bit, chosen[i], otherwise[i]))
}

/// Returns all ones if `bit` is 1, and 0 if it is 0.
#[inline(always)]
pub fn mask(bit: u64) -> u64 {
    machine::mask(bit)
}

/// A hint that this value's memory is needed soon.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    machine::prefetch(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_and_the_portable_file_choose_the_same() {
        for (chosen, otherwise) in [(0, u64::MAX), (u64::MAX, 0), (5, 5), (1 << 63, 1)] {
            for (bit, expected) in [(0, otherwise), (1, chosen)] {
                assert_eq!(select(bit, &[chosen], &[otherwise]), [expected]);
                assert_eq!(portable::select(bit, chosen, otherwise), expected);
            }
        }
        assert_eq!([mask(0), mask(1)], [0, u64::MAX]);
        assert_eq!([portable::mask(0), portable::mask(1)], [0, u64::MAX]);
    }
}
