//! The interface between requests and a GPU: memory, and kernel launches in order. `driver` implements it over CUDA, `emulated` over a library.

use std::sync::Arc;

use proofmill_op::Result;

use crate::sources::Module;

/// A GPU, or its emulation.
pub(crate) trait Gpu: Send + Sync {
    /// Returns its name and software, in one line.
    fn description(&self) -> &str;

    /// Free bytes of its memory.
    fn free_bytes(&self) -> Result<usize>;

    /// Returns the observations of the emulation; zeros on a GPU.
    fn observed(&self) -> Observed {
        Observed::default()
    }

    /// Compiles and loads a module's kernels, if that was not done yet.
    fn load(&self, module: Module) -> Result<()>;

    /// A new queue of work.
    fn stream(&self) -> Result<Arc<dyn Stream>>;
}

/// Bytes that are copied to a GPU at a time.
pub(crate) const PIECE: usize = 8 << 20;

/// The use of memory as the emulation observes it, for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The most bytes that were allocated at a time.
    pub peak_bytes: usize,
    /// Allocations that held the watched bytes when they were freed.
    pub leaks: usize,
}

/// A queue: each function enqueues work, which is executed in order. Functions that wait for it are documented as such.
pub(crate) trait Stream: Send + Sync {
    /// Allocates memory, whose content is arbitrary; returns its address. [`Error::Failed`](proofmill_op::Error) where there is not so much.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Frees memory. Work on it that was entered before is done first.
    fn free(&self, address: u64);

    /// Copies bytes to the GPU, pieces of [`PIECE`] bytes one after the other. After each, `copied` may enter work on the bytes up to its argument, which is done while
    /// the next pieces are copied. All bytes have been read when this returns.
    fn write(
        &self,
        to: u64,
        from: &[u8],
        copied: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()>;

    /// Copies bytes from the GPU, and waits for them.
    fn read(&self, to: &mut [u8], from: u64) -> Result<()>;

    /// Overwrites what earlier copies left in memory of the host that is between.
    fn wipe(&self);

    /// Sets bytes to a value.
    fn fill(&self, to: u64, value: u8, bytes: usize) -> Result<()>;

    /// Launches a kernel.
    fn launch(&self, launch: &Launch<'_>) -> Result<()>;

    /// Waits until all work is done.
    fn wait(&self) -> Result<()>;

    /// Begins a stage of the work, whose time ends where the next one begins. Nothing without [`Stream::time_stages`].
    fn stage(&self, name: &'static str) -> Result<()>;

    /// Begins to time stages.
    fn time_stages(&self);

    /// Waits, and returns the stages since [`Stream::time_stages`] with their milliseconds on the GPU.
    fn stages(&self) -> Result<Vec<(&'static str, f32)>>;
}

/// A kernel with its parameters.
pub(crate) struct Launch<'a> {
    pub module: Module,
    pub kernel: &'static str,
    pub blocks: usize,
    pub threads: usize,
    /// Bytes of shared memory a block.
    pub shared: usize,
    pub parameters: &'a [Parameter],
}

impl<'a> Launch<'a> {
    /// Launches a thread for each of `count` items, in blocks of `block`.
    pub fn over(
        module: Module,
        kernel: &'static str,
        count: usize,
        threads: usize,
        parameters: &'a [Parameter],
    ) -> Self {
        Self { module, kernel, blocks: count.div_ceil(threads), threads, shared: 0, parameters }
    }
}

/// A kernel's argument: its bytes, as 64-bit words.
pub(crate) struct Parameter(Vec<u64>);

impl Parameter {
    /// A structure of 32-bit numbers.
    pub fn of_u32<const N: usize>(numbers: [u32; N]) -> Self {
        let word =
            |pair: &[u32]| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        Self(numbers.chunks(2).map(word).collect())
    }

    /// A structure of 64-bit numbers and addresses.
    pub fn of_u64(numbers: impl Into<Vec<u64>>) -> Self {
        Self(numbers.into())
    }

    /// Returns a pointer to its bytes.
    pub fn pointer(&self) -> *mut std::ffi::c_void {
        self.0.as_ptr().cast_mut().cast()
    }
}

impl From<u32> for Parameter {
    fn from(number: u32) -> Self {
        Self::of_u32([number])
    }
}

impl From<u64> for Parameter {
    fn from(number: u64) -> Self {
        Self(vec![number])
    }
}

impl From<&Buffer> for Parameter {
    fn from(buffer: &Buffer) -> Self {
        Self::from(buffer.address)
    }
}

/// An array of [`Parameter`]s from values of different types.
macro_rules! parameters {
    ($($value:expr),* $(,)?) => {
        [$($crate::gpu::Parameter::from($value)),*]
    };
}
pub(crate) use parameters;

/// Memory of a GPU, freed when it is dropped; secret memory is overwritten before.
pub(crate) struct Buffer {
    stream: Arc<dyn Stream>,
    address: u64,
    bytes: usize,
    is_secret: bool,
}

impl Buffer {
    /// Memory with arbitrary content.
    pub fn new(stream: &Arc<dyn Stream>, bytes: usize) -> Result<Self> {
        let address = stream.allocate(bytes.max(1))?;
        Ok(Self { stream: stream.clone(), address, bytes, is_secret: false })
    }

    /// Memory for what may be a witness or depends on one.
    pub fn secret(stream: &Arc<dyn Stream>, bytes: usize) -> Result<Self> {
        let mut buffer = Self::new(stream, bytes)?;
        buffer.is_secret = true;
        Ok(buffer)
    }

    /// Memory with these bytes.
    pub fn with(stream: &Arc<dyn Stream>, bytes: &[u8]) -> Result<Self> {
        let buffer = Self::new(stream, bytes.len())?;
        stream.write(buffer.address, bytes, &mut |_| Ok(()))?;
        Ok(buffer)
    }

    /// Memory in which all bytes have a value.
    pub fn filled(stream: &Arc<dyn Stream>, value: u8, bytes: usize) -> Result<Self> {
        let buffer = Self::new(stream, bytes)?;
        stream.fill(buffer.address, value, bytes)?;
        Ok(buffer)
    }

    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn len(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.is_secret {
            // A GPU that fails here is lost, and its memory with it.
            let _ = self.stream.fill(self.address, 0, self.bytes);
        }
        self.stream.free(self.address);
    }
}
