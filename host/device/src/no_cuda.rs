//! Replaces `cuda.rs` in a build without the feature `cuda`.

use proofmill_op::{Device, Error, Result, not_in_this_build};

use crate::{GpuSupport, Uri};

/// Returns an error: there is none to be opened.
pub fn open(_: &Uri) -> Result<Box<dyn Device>> {
    Err(Error::argument("device", text()))
}

/// Returns nothing: none can be used.
pub fn gpus() -> Vec<(String, String)> {
    Vec::new()
}

/// Returns the problem in place of the driver's version.
pub fn support() -> GpuSupport {
    GpuSupport { driver: Err(text()), compiler_problem: None, emulation: None, folder: None }
}

fn text() -> String {
    not_in_this_build("the driver of GPUs (cuda:)", "cuda")
}
