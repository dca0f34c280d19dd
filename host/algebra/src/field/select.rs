//! Choices that the compiler must not turn into branches.

#[cfg(target_arch = "x86_64")]
use super::x86_64 as machine;

#[cfg(not(target_arch = "x86_64"))]
mod machine {
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

/// All ones if `bit` is 1, 0 if it is 0.
#[inline(always)]
pub fn mask(bit: u64) -> u64 {
    machine::mask(bit)
}
