//! Where a figure is taken: the processor, our code path on it, the build and the commit.

use std::process::Command;

use anyhow::{Context, Result};
use proofmill_algebra::Isa;
use serde::Serialize;

use crate::report::checkout;

/// Stands in every row, so that figures of two machines, paths or builds are never taken for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The processor in words, with the number of threads that it has here.
    pub processor: String,
    /// Its vendor, as it names itself.
    pub vendor: String,
    /// Its family.
    pub family: u32,
    /// Its model.
    pub model: u32,
    /// Those of its flags that matter to a code path.
    pub flags: String,
    /// The code path that ours took.
    pub isa: String,
    /// The profile that ours was built in.
    pub profile: String,
    /// The checkout's commit, with `+` when something was changed since.
    pub commit: String,
}

/// Instructions that our code paths and those of peers ask for.
const FLAGS: [&str; 7] = ["avx2", "fma", "bmi2", "adx", "avx512f", "avx512ifma", "sha_ni"];

/// What a program built for a level of x86-64 may use, by the names of `/proc/cpuinfo`, beyond the level before.
const LEVELS: [&[&str]; 3] = [
    &["cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"],
    &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"],
    &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
];

impl Place {
    /// Of this program, as it runs now.
    pub fn here() -> Result<Self> {
        let threads = std::thread::available_parallelism()?.get();
        let Processor { vendor, family, model, flags, .. } = &Processor::here();
        let program = std::env::current_exe()?;
        let profile = program.parent().and_then(|folder| folder.file_name());
        Ok(Self {
            processor: format!("{}, {threads} threads", Processor::here().name()),
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

    /// In a line, for people.
    pub fn line(&self) -> String {
        let Self { processor, flags, isa, profile, commit, .. } = self;
        format!("{processor} ({flags}); our path: {isa}; profile: {profile}; commit {commit}")
    }
}

/// A processor by what `/proc/cpuinfo` says; empty where there is no such file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    vendor: String,
    family: u32,
    model: u32,
    model_name: String,
    flags: Vec<String>,
}

impl Processor {
    /// This one.
    pub fn here() -> Self {
        Self::of(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    /// The first in such a text.
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

    /// In words: its design where that is known by family and model, else how it names itself.
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

    /// Does `/proc/cpuinfo` name this flag?
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    /// The highest level of x86-64 that it has, from 1 to 4.
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
    fn here_is_the_path_that_runs() {
        let here = Place::here().unwrap();
        assert_eq!(here.isa, Isa::best().name());
        assert!(here.processor.ends_with(" threads") && !here.commit.is_empty());
    }
}
