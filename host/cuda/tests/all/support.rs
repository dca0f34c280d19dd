//! The GPU of the tests, and the processor for expected results.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use proofmill_algebra::Isa;
use proofmill_cpu::CpuDevice;
use proofmill_cuda::{CudaDevice, FOLDER_VARIABLE, Options};
use proofmill_op::{Bytes, Device, RequestOf, ResponseOf, Result, Submit};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

/// Names the number of the GPU that tests use in place of the emulation.
const GPU: &str = "PROOFMILL_TEST_GPU";

/// Returns the emulation, or the GPU to be tested; `None`, with a message, if the emulation's library was not built.
pub fn device(options: Options) -> Option<CudaDevice> {
    if let Ok(number) = std::env::var(GPU) {
        let number = number.parse().expect("a number");
        return Some(CudaDevice::open(&format!("cuda:{number}"), number, options).unwrap());
    }
    emulated(options)
}

/// Returns the emulation; fails if its folder exists without its library.
pub fn emulated(options: Options) -> Option<CudaDevice> {
    match CudaDevice::emulated("cuda:emulated", options) {
        Ok(device) => Some(device),
        Err(problem) => {
            let named = std::env::var_os(FOLDER_VARIABLE).is_some_and(|it| Path::new(&it).exists());
            assert!(!named, "{problem}");
            println!("SKIPPED: {problem}");
            None
        }
    }
}

/// Returns whether requests run on a GPU and may be large.
pub fn is_gpu() -> bool {
    std::env::var_os(GPU).is_some()
}

pub fn cpu() -> Arc<CpuDevice> {
    static CPU: LazyLock<Arc<CpuDevice>> =
        LazyLock::new(|| Arc::new(CpuDevice::with_isa(None, Isa::best()).unwrap()));
    CPU.clone()
}

pub fn execute<R: RequestOf>(device: &dyn Device, request: R) -> Result<ResponseOf<R>> {
    device.submit(request)?.wait()
}

/// Random numbers, whose seed is shown where a test fails.
pub fn random(seed: u64) -> ChaCha20Rng {
    println!("seed {seed}");
    ChaCha20Rng::seed_from_u64(seed)
}

/// Returns whether other clones share the memory.
pub fn is_shared(bytes: &Bytes) -> bool {
    match bytes {
        Bytes::Plain(bytes) => Arc::strong_count(bytes) > 1,
        Bytes::Secret(bytes) => Arc::strong_count(bytes) > 1,
    }
}
