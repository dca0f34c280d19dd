//! Are all points of a key what they should be?

use proofmill::groth16::snarkjs::{Section, Zkey};
use proofmill::msm::{self, Check};
use proofmill::{Error, groth16};

use crate::progress::Progress;

/// An error names the first section with a point that is not in its group, and the point.
pub fn all_points(key: &Zkey) -> anyhow::Result<()> {
    key.verifying_key()?;
    let device = proofmill::open("cpu:")?;
    let progress = Progress::of_parts(Section::ALL.len());
    for section in Section::ALL {
        let name = format!("section {section:?}");
        progress.say(&name, 0.0);
        // A device looks at points before it keeps them; these are let go of at once.
        let bases = key.points(section).bases().checked(Check::Subgroup);
        let parked = msm::park(&*device, bases);
        parked.map_err(|error| match error {
            Error::Argument { problem, .. } => anyhow::anyhow!("{}: {name}: {problem}", key.name()),
            other => groth16::Error::from(other).into(),
        })?;
        progress.say(&name, 1.0);
    }
    progress.finish();
    Ok(())
}
