//! Checks all points of a key.

use proofmill::groth16::snarkjs::{Section, Zkey};

use crate::progress::Progress;

/// An error names the first section with a point that is not in its group, and where it is.
pub fn all_points(key: &Zkey) -> anyhow::Result<()> {
    key.verifying_key()?;
    let progress = Progress::of_parts(Section::ALL.len());
    for section in Section::ALL {
        let name = format!("section {section:?}");
        progress.say(&name, 0.0);
        key.points(section).check()?;
        progress.say(&name, 1.0);
    }
    progress.finish();
    Ok(())
}
