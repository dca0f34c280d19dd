//! Are all points of a key what they should be?

use proofmill::groth16::snarkjs::{Section, Zkey};
use proofmill::msm::{self, Check, SCALAR_BYTES};
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
        // Of a sum of multiples by 0 the look at the points is all the work.
        let points = key.points(section);
        let zeros = vec![0; points.count() * SCALAR_BYTES];
        let sum = msm::sum(&*device, points.bases().checked(Check::Subgroup), zeros);
        sum.map_err(|error| match error {
            Error::Argument { problem, .. } => anyhow::anyhow!("{}: {name}: {problem}", key.name()),
            other => groth16::Error::from(other).into(),
        })?;
        progress.say(&name, 1.0);
    }
    progress.finish();
    Ok(())
}
