//! GPUs, as `cuda:` opens them. A build without the feature `cuda` has `no_cuda.rs` instead.

use proofmill_cuda::{CudaDevice, Options};
use proofmill_op::{Device, Result};

use crate::several::{self, number, numbered};
use crate::{CONFIRM, GpuSupport, Uri, whole};

/// The path that opens the emulation.
const EMULATED: &str = "emulated";
/// The option for the most bytes of a GPU's memory that are used.
const MAX_BYTES: &str = "max_bytes";
/// The smallest limit. Less memory is enough for nothing.
const MIN_BYTES: usize = 1 << 20;

/// Opens the GPU that a URI names, or its GPUs as one device. Each emulation in a list is a GPU of its own.
pub fn open(uri: &Uri) -> Result<Box<dyn Device>> {
    let gpus = several::each(uri, "GPU", |name| name == EMULATED)?;
    several::open(uri, &gpus, open_one)
}

fn open_one(uri: &Uri) -> Result<Box<dyn Device>> {
    uri.allow(&[MAX_BYTES, CONFIRM])?;
    let mut options = Options::default();
    if let Some(text) = uri.option(MAX_BYTES) {
        options.max_bytes = Some(whole(MAX_BYTES, text, MIN_BYTES, usize::MAX)?);
    }
    let name = uri.to_string();
    Ok(Box::new(match uri.path() {
        EMULATED => CudaDevice::emulated(&name, options)?,
        _ => CudaDevice::open(&name, number(uri, "GPUs")?, options)?,
    }))
}

/// Returns URI and description of the GPUs of this machine, and of all of them as one device.
pub fn gpus() -> Vec<(String, String)> {
    let found = proofmill_cuda::find().unwrap_or_default().into_iter();
    numbered("cuda", "GPUs", found.map(|gpu| (gpu.number, gpu.description)).collect())
}

/// Returns the state of what GPUs need.
pub fn support() -> GpuSupport {
    let folder = proofmill_cuda::folder();
    let library = folder.as_ref().map(|folder| folder.join(proofmill_cuda::emulation_file_name()));
    GpuSupport {
        driver: proofmill_cuda::driver_version(),
        compiler_problem: proofmill_cuda::nvrtc_problem(),
        emulation: library.filter(|library| library.exists()),
        folder,
    }
}
