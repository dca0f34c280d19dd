//! Where simulation libraries are found: the folder that `PROOFMILL_SIM_DIR` names, or else
//! `proofmill/sim/current` in the user's cache folder, where `make sim` puts them. A configuration NAME is
//! `NAME.so` there, and `NAME-trace.so` when built with waveforms.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use proofmill_op::Result;

use crate::card;

/// The configuration that `sim:` opens.
pub const DEFAULT_CONFIGURATION: &str = "card";
/// Names the folder of simulation libraries.
pub const FOLDER_VARIABLE: &str = "PROOFMILL_SIM_DIR";
/// Marks the file of a library that can write waveforms.
pub const TRACED: &str = "-trace";
/// What a card's library exports in every version of `spec/wire/sim.h`; that of a unit by itself does not.
const EXPORTED: &[u8] = b"pm_sim_abi\0";

/// A simulation library that is there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simulation {
    /// Name of its configuration.
    pub name: String,
    /// True when it can write waveforms.
    pub traced: bool,
    /// The file.
    pub path: PathBuf,
}

impl Simulation {
    /// What to give to [`crate::open`] for this very library.
    pub fn uri(&self) -> String {
        match (self.traced, &self.name[..]) {
            (false, DEFAULT_CONFIGURATION) => "sim:".into(),
            (false, name) => format!("sim:{name}"),
            (true, _) => format!("sim:{}", self.path.display()),
        }
    }

    /// The generator's manifest, as JSON text. Loads the library.
    pub fn manifest(&self) -> Result<String> {
        card::manifest(&self.path)
    }
}

/// The folder of simulation libraries; `None` when the environment names neither it nor a home.
pub fn folder() -> Option<PathBuf> {
    let named =
        |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named(FOLDER_VARIABLE).or_else(|| {
        let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
        Some(cache.join("proofmill/sim/current"))
    })
}

/// Every card's library in the folder, by name, the plain one before the traced one.
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

/// Does this file have a card's door? One that cannot be read may: whoever opens it is told why not.
fn is_card(path: &Path) -> bool {
    fs::read(path).map_or(true, |file| file.windows(EXPORTED.len()).any(|part| part == EXPORTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_the_door_of_a_card_is_one() {
        let file = env::temp_dir().join(format!("proofmill-door-{}.so", std::process::id()));
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
