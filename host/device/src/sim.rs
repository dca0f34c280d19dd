//! Simulation libraries: finds them in the folder that `PROOFMILL_SIM_DIR` names, or else in
//! `proofmill/sim/current` in the user's cache folder, where `make sim` puts them. A configuration NAME is
//! `NAME.so` there, and `NAME-trace.so` when built with waveforms.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use proofmill_op::Result;

use crate::card;

/// The configuration that `sim:` opens.
pub const DEFAULT_CONFIGURATION: &str = "card";
/// The variable that names the folder of simulation libraries.
pub const FOLDER_VARIABLE: &str = "PROOFMILL_SIM_DIR";
/// The suffix of a library that can write waveforms.
pub const TRACED: &str = "-trace";
/// A function that the library of a card exports in every version of `spec/wire/sim.h`. The library of a single unit does not export it.
const EXPORTED: &[u8] = b"pm_sim_abi\0";

/// A simulation library.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simulation {
    /// The name of its configuration.
    pub name: String,
    /// True when it can write waveforms.
    pub traced: bool,
    /// The path of the file.
    pub path: PathBuf,
}

impl Simulation {
    /// Returns the URI with which [`crate::open`] opens this library.
    pub fn uri(&self) -> String {
        match (self.traced, &self.name[..]) {
            (false, DEFAULT_CONFIGURATION) => "sim:".into(),
            (false, name) => format!("sim:{name}"),
            (true, _) => format!("sim:{}", self.path.display()),
        }
    }

    /// Returns the generator's manifest, as JSON text. Loads the library.
    pub fn manifest(&self) -> Result<String> {
        card::manifest(&self.path)
    }
}

/// Returns the folder of simulation libraries; `None` when the environment names neither it nor a home.
pub fn folder() -> Option<PathBuf> {
    let named =
        |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named(FOLDER_VARIABLE).or_else(|| {
        let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
        Some(cache.join("proofmill/sim/current"))
    })
}

/// Returns the libraries of cards in the folder, sorted by name, those without waveforms first.
pub fn find_all() -> Vec<Simulation> {
    let entries = folder().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let stem = path.file_name()?.to_str()?.strip_suffix(".so")?.to_owned();
            let (name, traced) =
                stem.strip_suffix(TRACED).map_or((&stem[..], false), |name| (name, true));
            is_card(&path).then(|| Simulation { name: name.to_owned(), traced, path })
        })
        .collect();
    found.sort_by(|a, b| (&a.name, a.traced).cmp(&(&b.name, b.traced)));
    found
}

/// Returns whether the file exports the interface of a card; true as well if it cannot be read, so that opening it reports the reason.
fn is_card(path: &Path) -> bool {
    fs::read(path).map_or(true, |file| file.windows(EXPORTED.len()).any(|part| part == EXPORTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_library_with_the_interface_of_a_card_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("card.so");
        let is = |content: &[u8]| {
            fs::write(&file, content).unwrap();
            is_card(&file)
        };
        let (card, unit) = (is(b"\x7fELF\0pm_sim_abi\0pm_sim_new\0"), is(b"\x7fELF\0unit_run\0"));
        fs::remove_file(&file).unwrap();
        assert!(card && !unit);
        assert!(is_card(&file), "what cannot be read is for the loader to explain");
    }
}
