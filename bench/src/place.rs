//! The machine and the build of a measurement: the processor, our code path on it, the profile and the commit.

use std::process::Command;

use anyhow::{Context, Result};
use proofmill_algebra::Isa;
use serde::Serialize;

use crate::report::checkout;

/// The machine and the build. It is part of every row, so that measurements of different machines, paths or builds are distinct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The name of the processor, with its number of threads.
    pub processor: String,
    /// The vendor as in `/proc/cpuinfo`.
    pub vendor: String,
    /// The family.
    pub family: u32,
    /// The model.
    pub model: u32,
    /// The flags that matter to a code path.
    pub flags: String,
    /// Our code path.
    pub isa: String,
    /// Our build profile.
    pub profile: String,
    /// The checkout's commit, with `+` if the work tree has changes.
    pub commit: String,
}

/// Instruction sets that our code paths and those of peers use.
const FLAGS: [&str; 7] = ["avx2", "fma", "bmi2", "adx", "avx512f", "avx512ifma", "sha_ni"];

/// Features of each level of x86-64 beyond the previous one, with their names in `/proc/cpuinfo`.
const LEVELS: [&[&str]; 3] = [
    &["cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"],
    &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"],
    &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
];

impl Place {
    /// Returns the place of this process.
    pub fn current() -> Result<Self> {
        let threads = std::thread::available_parallelism()?.get();
        let Processor { vendor, family, model, flags, .. } = &Processor::current();
        let program = std::env::current_exe()?;
        let profile = program.parent().and_then(|folder| folder.file_name());
        Ok(Self {
            processor: format!("{}, {threads} threads", Processor::current().name()),
            vendor: vendor.clone(),
            family: *family,
            model: *model,
            flags: FLAGS
                .into_iter()
                .filter(|flag| flags.contains(&flag.to_string()))
                .collect::<Vec<_>>()
                .join(" "),
            isa: Isa::best().name().into(),
            profile: profile.context("a program has a folder")?.to_string_lossy().into(),
            commit: commit(),
        })
    }

    /// Formats the place in a line.
    pub fn line(&self) -> String {
        let Self { processor, flags, isa, profile, commit, .. } = self;
        format!("{processor} ({flags}); our path: {isa}; profile: {profile}; commit {commit}")
    }
}

/// A processor as described by `/proc/cpuinfo`; empty where there is no such file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    vendor: String,
    family: u32,
    model: u32,
    model_name: String,
    flags: Vec<String>,
}

impl Processor {
    /// Returns this processor.
    pub fn current() -> Self {
        Self::of(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    /// Parses the first processor of such a text.
    fn of(text: &str) -> Self {
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(key, _)| key.trim() == name).map_or("", |(_, value)| value.trim())
        };
        Self {
            vendor: value("vendor_id").into(),
            family: value("cpu family").parse().unwrap_or_default(),
            model: value("model").parse().unwrap_or_default(),
            model_name: value("model name").into(),
            flags: value("flags").split_whitespace().map(String::from).collect(),
        }
    }

    /// Returns a name: its microarchitecture if family and model are known, otherwise its own name.
    fn name(&self) -> String {
        let design = match (&*self.vendor, self.family, self.model) {
            ("AuthenticAMD", 23, 0..0x30) => "AMD Zen",
            ("AuthenticAMD", 23, _) => "AMD Zen 2",
            ("AuthenticAMD", 25, 0x10..0x20 | 0x60..0x80 | 0xa0..0xb0) => "AMD Zen 4",
            ("AuthenticAMD", 25, _) => "AMD Zen 3",
            ("AuthenticAMD", 26, _) => "AMD Zen 5",
            ("GenuineIntel", 6, 79) => "Intel Broadwell",
            ("GenuineIntel", 6, 85) => "Intel Skylake or Cascade Lake",
            ("GenuineIntel", 6, 106 | 108) => "Intel Ice Lake",
            ("GenuineIntel", 6, 143) => "Intel Sapphire Rapids",
            ("GenuineIntel", 6, 207) => "Intel Emerald Rapids",
            ("GenuineIntel", 6, 173) => "Intel Granite Rapids",
            _ if self.model_name.is_empty() => return std::env::consts::ARCH.into(),
            _ => &self.model_name,
        };
        format!("{design} (family {} model {})", self.family, self.model)
    }

    /// Returns whether `/proc/cpuinfo` has this flag.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    /// Returns the highest level of x86-64 that it supports, from 1 to 4.
    pub fn level(&self) -> usize {
        1 + LEVELS.iter().take_while(|level| level.iter().all(|flag| self.has(flag))).count()
    }
}

fn commit() -> String {
    let git = |arguments: &[&str]| {
        let done = Command::new("git").args(arguments).current_dir(checkout()).output().ok()?;
        let said = String::from_utf8_lossy(&done.stdout).trim().to_string();
        Some(said).filter(|said| done.status.success() && !said.is_empty())
    };
    let head = git(&["rev-parse", "--short=12", "HEAD"]);
    head.map_or("none".into(), |head| {
        head + if git(&["status", "--porcelain"]).is_some() { "+" } else { "" }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZEN_3: &str = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\
        flags\t\t: cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave adx\n";

    #[test]
    fn family_and_model_name_the_design() {
        let zen_3 = Processor::of(ZEN_3);
        assert_eq!((zen_3.name().as_str(), zen_3.level()), ("AMD Zen 3 (family 25 model 1)", 3));
        let name = |text: &str| Processor::of(text).name();
        assert_eq!(
            name(&ZEN_3.replace("model\t\t: 1", "model\t\t: 17")),
            "AMD Zen 4 (family 25 model 17)"
        );
        assert_eq!(name(&ZEN_3.replace(": 25", ": 26")), "AMD Zen 5 (family 26 model 1)");
        assert_eq!(name(&ZEN_3.replace(": 25", ": 99")), "AMD EPYC (family 99 model 1)");
        assert_eq!(name(""), std::env::consts::ARCH);
    }

    #[test]
    fn a_level_needs_all_flags_of_those_below() {
        let level = |text: &str| Processor::of(text).level();
        assert_eq!(
            level(&(ZEN_3.trim_end().to_string() + " avx512f avx512bw avx512cd avx512dq avx512vl")),
            4
        );
        assert_eq!(
            level(&(ZEN_3.trim_end().to_string() + " avx512f avx512bw avx512cd avx512dq")),
            3
        );
        assert_eq!(level(&ZEN_3.replace("bmi1 ", "")), 2);
        assert_eq!(level(&ZEN_3.replace("cx16 ", "")), 1);
        assert_eq!(level(""), 1);
    }

    #[test]
    fn the_current_path_is_the_one_that_runs() {
        let place = Place::current().unwrap();
        assert_eq!(place.isa, Isa::best().name());
        assert!(place.processor.ends_with(" threads") && !place.commit.is_empty());
    }
}
