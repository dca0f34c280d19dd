//! The code paths of this library, by the instructions that they need, detected at run time.
//!
//! | level | implementation |
//! |---|---|
//! | `portable` | 64-bit limbs in portable Rust, on every CPU |
//! | `bmi2` | 64-bit limbs with BMI2 and ADX: two parallel carry chains |
//! | `avx2` | vectors of AVX2 for the operations that have such code, 64-bit limbs for the others |
//! | `avx512` | likewise with vectors of AVX-512 F |
//! | `avx512ifma` | eight lanes of 52-bit limbs with AVX-512 F, DQ, VL and IFMA |
//!
//! A process uses the best level of its CPU, or the one that the environment variable `PROOFMILL_ISA` or
//! [`Isa::limit`] names. This holds for the whole process, single field products included. Below it, an [`Isa`] chooses the
//! path of one call or one device: the scalar path of the process, or any level between it and the best.
//!
//! A build with `PROOFMILL_BUILD=native` has one kind of vectors alone, that of the best level of the processor that compiled it.

use std::env;
use std::error::Error;
use std::fmt;
use std::sync::OnceLock;

/// The environment variable that names a level for the whole process.
pub const VARIABLE: &str = "PROOFMILL_ISA";

/// A code path that this process may use. It can only be obtained by detecting the CPU's features, so a function
/// with an `Isa` argument may use its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Isa(pub(crate) Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// Lanes without an instruction for them: shows on every processor that their algorithms are right.
    #[cfg(any(test, feature = "emulation"))]
    Emulated,
    Portable,
    Bmi2,
    Avx2,
    Avx512,
    Avx512Ifma,
}

use Level::{Avx2, Avx512, Avx512Ifma, Bmi2, Portable};

/// Slowest first.
const LEVELS: [Level; 5] = [Portable, Bmi2, Avx2, Avx512, Avx512Ifma];

/// The reason why a level is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IsaError {
    /// No level is called so.
    Unknown(String),
    /// The processor lacks its instructions.
    Absent(&'static str),
    /// This build has no code for it.
    NotBuilt(&'static str),
    /// It is above what this process was limited to.
    AboveLimit(&'static str, &'static str),
    /// Words without BMI2 are for a whole process.
    BelowWords,
    /// The process has taken another level before.
    Late(&'static str),
}

impl fmt::Display for IsaError {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(
                    text,
                    "there is no level '{name}'; there are portable, bmi2, avx2, avx512 and avx512ifma"
                )
            }
            Self::Absent(level) => {
                write!(text, "this processor has no {level}; it has {}", names(&Isa::present()))
            }
            Self::NotBuilt(level) => write!(
                text,
                "{level} is not in this build, which has the vectors of the processor that compiled it; it has {}; build \
                 without PROOFMILL_BUILD=native",
                names(&Isa::present())
            ),
            Self::AboveLimit(level, limit) => {
                write!(text, "this process is limited to {limit}, and {level} is above it")
            }
            Self::BelowWords => write!(
                text,
                "this process multiplies with BMI2 and ADX; for portable, start it with {VARIABLE}=portable"
            ),
            Self::Late(level) => write!(text, "this process already takes {level}"),
        }
    }
}

impl Error for IsaError {}

/// The best level of this process, once it was determined.
static PROCESS: OnceLock<Result<Level, IsaError>> = OnceLock::new();

impl Isa {
    /// Plain Rust, on every processor.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const PORTABLE: Self = Self(Portable);

    /// Returns all levels of this CPU and this build, slowest first.
    pub fn present() -> Vec<Self> {
        LEVELS.into_iter().filter(|level| level.is_present()).map(Self).collect()
    }

    /// Returns the names of the levels that this CPU has and this build does not.
    pub fn not_compiled() -> Vec<&'static str> {
        LEVELS
            .into_iter()
            .filter(|level| level.is_supported() && !level.is_built())
            .map(Level::name)
            .collect()
    }

    /// The names of all levels, slowest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        LEVELS.into_iter().map(Level::name)
    }

    /// Returns the levels that a call or a device of this process may use, slowest first: its scalar path, and each level above.
    pub fn available() -> Vec<Self> {
        let best = process();
        let above = [Avx2, Avx512, Avx512Ifma].into_iter();
        let above = above.filter(|&level| level <= best && level.is_present());
        let found = std::iter::once(Self::words().0).chain(above).map(Self);
        #[cfg(any(test, feature = "emulation"))]
        let found = std::iter::once(Self(Level::Emulated)).chain(found);
        found.collect()
    }

    /// Returns whether this is the level with IFMA.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_ifma(self) -> bool {
        self.0 == Avx512Ifma
    }

    /// Returns the fastest available level. A `PROOFMILL_ISA` that names no level of this CPU has no effect on it:
    /// [`Isa::requested`] reports the error.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self(Portable))
    }

    /// Returns the fastest level, or the error of `PROOFMILL_ISA`. Programs call this first.
    pub fn requested() -> Result<Self, IsaError> {
        PROCESS.get_or_init(from_environment).clone()?;
        Ok(Self::best())
    }

    /// The level of scalar arithmetic in this process: `portable`, or `bmi2` where the processor has it.
    pub fn words() -> Self {
        Self(if process() >= Bmi2 && Bmi2.is_present() { Bmi2 } else { Portable })
    }

    /// The level of this name, for a call or a device of this process.
    pub fn named(name: &str) -> Result<Self, IsaError> {
        #[cfg(any(test, feature = "emulation"))]
        if name == Level::Emulated.name() {
            return Ok(Self(Level::Emulated));
        }
        let level = present(name)?;
        let (best, words) = (process(), Self::words().0);
        if level > best {
            return Err(IsaError::AboveLimit(level.name(), best.name()));
        }
        if level < words { Err(IsaError::BelowWords) } else { Ok(Self(level)) }
    }

    /// Makes this level the best of the whole process, regardless of `PROOFMILL_ISA`. Must be called before any other function
    /// of this library.
    pub fn limit(name: &str) -> Result<Self, IsaError> {
        let level = present(name)?;
        let taken = PROCESS.get_or_init(|| Ok(level));
        match taken {
            Ok(taken) if *taken == level => Ok(Self::best()),
            _ => Err(IsaError::Late(process().name())),
        }
    }

    /// Its name, as people and figures know it.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

fn present(name: &str) -> Result<Level, IsaError> {
    let level = LEVELS.into_iter().find(|level| level.name() == name);
    let level = level.ok_or_else(|| IsaError::Unknown(name.into()))?;
    match level {
        level if !level.is_supported() => Err(IsaError::Absent(level.name())),
        level if !level.is_built() => Err(IsaError::NotBuilt(level.name())),
        level => Ok(level),
    }
}

fn from_environment() -> Result<Level, IsaError> {
    match env::var(VARIABLE) {
        Ok(name) if !name.is_empty() => present(&name),
        _ => Ok(best_present()),
    }
}

fn best_present() -> Level {
    LEVELS.into_iter().filter(|level| level.is_present()).max().unwrap_or(Portable)
}

/// The best level of this process.
fn process() -> Level {
    PROCESS.get_or_init(from_environment).clone().unwrap_or_else(|_| best_present())
}

fn names(all: &[Isa]) -> String {
    all.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ")
}

impl Level {
    fn is_present(self) -> bool {
        self.is_supported() && self.is_built()
    }

    /// Returns whether this build has the level's kernels of eight lanes.
    fn is_built(self) -> bool {
        match self {
            Avx2 | Avx512 => cfg!(kernels_of_doubles),
            Avx512Ifma => cfg!(kernels_of_limbs),
            _ => true,
        }
    }

    /// Returns whether this CPU has the instructions.
    #[cfg(target_arch = "x86_64")]
    fn is_supported(self) -> bool {
        macro_rules! has {
            ($($feature:tt)*) => { $(std::is_x86_feature_detected!($feature))&&* };
        }
        match self {
            #[cfg(any(test, feature = "emulation"))]
            Self::Emulated => true,
            Portable => true,
            Bmi2 => has!("bmi2" "adx"),
            Avx2 => has!("avx2" "fma"),
            Avx512 => Avx2.is_supported() && has!("avx512f"),
            Avx512Ifma => Avx512.is_supported() && has!("avx512dq" "avx512vl" "avx512ifma"),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_supported(self) -> bool {
        self <= Portable
    }

    fn name(self) -> &'static str {
        match self {
            #[cfg(any(test, feature = "emulation"))]
            Self::Emulated => "emulated",
            Portable => "portable",
            Bmi2 => "bmi2",
            Avx2 => "avx2",
            Avx512 => "avx512",
            Avx512Ifma => "avx512ifma",
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
        assert!(all.is_sorted());
        assert!(all.contains(&Isa::words()));
        assert_eq!(all.last(), Some(&Isa::best()));
    }

    #[test]
    fn levels_have_names() {
        assert_eq!(Isa::named(Isa::best().name()), Ok(Isa::best()));
        assert_eq!(Isa::named(Isa::words().name()), Ok(Isa::words()));
        for name in Isa::names() {
            let is_present = Isa::present().iter().any(|isa| isa.name() == name);
            let is_refused =
                matches!(Isa::named(name), Err(IsaError::Absent(_) | IsaError::NotBuilt(_)));
            assert_eq!(is_refused, !is_present, "{name}");
        }
        let unknown = Isa::named("fast").unwrap_err().to_string();
        assert!(unknown.contains("'fast'") && unknown.contains("avx512ifma"), "{unknown}");
    }

    #[test]
    fn a_process_takes_one_level() {
        let best = Isa::best();
        for other in Isa::present().into_iter().filter(|&isa| isa != best) {
            assert_eq!(Isa::limit(other.name()), Err(IsaError::Late(best.name())));
        }
    }
}
