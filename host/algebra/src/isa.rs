//! The instruction sets that have a code path of their own, found at run time.

use std::fmt;

/// An instruction set that this processor has. There is no other way to get one than to ask the processor,
/// so a function that is handed an `Isa` may use its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Isa(pub(crate) Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 F, DQ, VL and IFMA.
    #[cfg(target_arch = "x86_64")]
    Avx512Ifma,
}

impl Isa {
    /// Plain Rust, on every processor.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// All that this processor has, slowest first.
    pub fn available() -> Vec<Self> {
        let mut found = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = std::is_x86_feature_detected!("avx2");
            if avx2 {
                found.push(Self(Level::Avx2));
            }
            let avx512 = avx2 && std::is_x86_feature_detected!("avx512f");
            if avx512 {
                found.push(Self(Level::Avx512));
            }
            if avx512
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl")
                && std::is_x86_feature_detected!("avx512ifma")
            {
                found.push(Self(Level::Avx512Ifma));
            }
        }
        found
    }

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::PORTABLE)
    }

    /// Its name, as people and figures know it.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => "avx512ifma",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_last_of_the_available() {
        let all = Isa::available();
        assert_eq!(all[0], Isa::PORTABLE);
        assert!(all.is_sorted());
        assert_eq!(all.last(), Some(&Isa::best()));
    }
}
